//! What holds for every input and every behaviour of the hooks.

#[path = "support/chaos.rs"]
mod chaos;

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use chaos::{Act, FieldPlan, Plan, gate, input, plan};
use preflight_gate::{Decision, MemoryStore, Outcome, Record, Store, script::Script};
use preflight_record::{Entry, Field, FieldStatus, Presence};
use proptest::prelude::*;

/// Runs with the clock stopped, so that a hook that hangs times out at once.
fn run<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(future)
}

/// What a run came to: whether a hook refused, the records, and how often the tool was called.
struct Ran {
    refused: bool,
    records: Vec<Arc<Record<'static>>>,
    calls: usize,
}

async fn carry_out(plan: &Plan, store: &Arc<MemoryStore>) -> Ran {
    let (gate, refused) = gate(plan, Arc::clone(store) as Arc<dyn Store>);
    let before = store.records().len();
    let verdict = gate
        .run_and_record(&input(plan))
        .await
        .expect("a store in memory keeps records");
    let mut calls = 0;
    let outcome = gate.execute_if_ready(verdict, |call| {
        calls += 1;
        // At the moment of the call, the record that lets it out is on record.
        let last = store.records().pop().expect("a record");
        assert_eq!(last.execution_decision, Decision::Execute);
        assert_eq!(last.unknown_count, Presence::Given(0));
        assert_eq!(last.unverified_checklist_count, Presence::Given(0));
        let mut recorded = last.overflow.iter();
        let recorded = recorded.find(|(key, _)| *key == "call_arguments");
        assert_eq!(
            recorded.map(|(_, json)| json),
            Some(call.arguments().as_str())
        );
        async { Ok::<(), String>(()) }
    });
    match outcome.await.expect("own verdict") {
        Outcome::Executed { .. } | Outcome::Held(_) => {}
        other => panic!("{other:?}"),
    }
    Ran {
        refused: refused.load(Ordering::SeqCst),
        records: store.records().split_off(before),
        calls,
    }
}

/// A known field was found by the source it names, passed both checks, and no lookup before failed.
fn vouched(field: &Field<'_>, plan: &FieldPlan) -> Result<(), TestCaseError> {
    let silent = |act: Act| matches!(act, Act::Nothing | Act::Badly);
    prop_assert_eq!((plan.policy, plan.schema), (Act::Well, Act::Well));
    match field.source.given().map_or("", |source| source) {
        "user_answer" => prop_assert!(plan.answered),
        "instruction" => prop_assert!(!plan.answered && plan.extract == Act::Well),
        "pre_set_data" => prop_assert!(silent(plan.extract) && plan.pre_set == Some(true)),
        "measured_data" => prop_assert!(silent(plan.extract) && plan.measure == Act::Well),
        "prior_state" => prop_assert!(silent(plan.extract) && silent(plan.measure)),
        other => prop_assert!(false, "known from {other:?}"),
    }
    Ok(())
}

fn quiet_panics() {
    // The hooks of these tests panic on purpose, thousands of times.
    std::panic::set_hook(Box::new(|info| {
        let message = info.payload().downcast_ref::<&str>().copied();
        if message != Some("panicked") {
            eprintln!("{info}");
        }
    }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn nothing_is_called_without_a_clear_record_and_no_failure_is_a_pass(plan in plan()) {
        quiet_panics();
        let store = Arc::new(MemoryStore::default());
        let ran = run(carry_out(&plan, &store));
        let first = &ran.records[0];
        prop_assert_eq!(ran.calls, usize::from(first.execution_decision == Decision::Execute));
        prop_assert!(!(ran.refused && ran.calls > 0), "a hook refused, yet the tool was called");
        let fields = first.fields.given().map_or(&[][..], Vec::as_slice);
        for field in fields.iter().filter(|field| field.status == FieldStatus::Known) {
            vouched(field, plan.field(&field.name))?;
        }
        if ran.calls > 0 {
            prop_assert!(fields.iter().all(|field| field.status == FieldStatus::Known));
            prop_assert_eq!(ran.records.len(), 2);
        } else {
            prop_assert_eq!(ran.records.len(), 1);
        }
        for record in &ran.records {
            let json = record.to_json();
            let entry = Entry::parse(json.as_bytes());
            prop_assert_eq!(&entry.expect("records are readable").record, &**record);
            prop_assert!(!json.contains('\n'));
            prop_assert_eq!(record.fields.given().is_none(), record.unknown_count.given().is_none());
        }
    }

    #[test]
    fn raising_an_attempt_counter_never_leads_to_execute(plan in plan(), intent in 0u32..9, tool in 0u32..9) {
        quiet_panics();
        let calls = |attempts: (u32, u32)| {
            let plan = Plan { attempts, ..plan.clone() };
            run(carry_out(&plan, &Arc::new(MemoryStore::default()))).calls
        };
        prop_assert_eq!(calls((0, 0)), calls((intent, tool)));
    }

    #[test]
    fn no_text_makes_a_script_panic(text in "\\PC{0,60}", changed in any::<prop::sample::Index>(), c in any::<char>()) {
        let _ = Script::parse(&text);
        let script = r#"{"input":{"userId":"u","instruction":[{"text":"a","trust":"user"}],"mcpTool":{"name":"t","inputSchema":{"required":["a"]}},"userAnswers":{"a":1},"userChecklist":[{"id":"x"}]},"hooks":{"classifyWhenCase":{"return":"immediate"},"extractUserActionName":{"return":"a"},"confirmToolNameMatchesIntent":{"return":{"approved":true}}},"call":{"return":1}}"#;
        let mut changed_script = script.to_owned();
        let at = changed.index(script.len());
        changed_script.replace_range(at..=at, &c.to_string());
        if let Ok(script) = Script::parse(&changed_script) {
            let _ = run(script.run());
        }
    }
}

/// Lets every other run find little, so that it comes down to the baseline.
fn settle(plan: &mut Plan, index: usize) {
    (plan.when, plan.approve, plan.key) = ((Act::Well, 0), Act::Well, Act::Well);
    (plan.action, plan.payload, plan.schema) = (Act::Well, Act::Well, 0);
    plan.checks.clear();
    for field in &mut plan.fields {
        (field.policy, field.schema) = (Act::Well, Act::Well);
        if index % 2 == 1 {
            (field.answered, field.extract, field.pre_set) = (false, Act::Nothing, None);
            // One in three still measures anew, and so gets an origin of its own.
            if plan.value % 3 != 0 {
                field.measure = Act::Nothing;
            }
        }
    }
}

/// How many values were inherited over all sequences: a test that saw none would prove nothing.
static INHERITED: AtomicUsize = AtomicUsize::new(0);

#[test]
fn origins_are_kept_over_any_sequence_of_runs() {
    an_origin_is_never_overwritten();
    assert!(INHERITED.load(Ordering::Relaxed) > 500);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Over any sequence of runs of one key, a value keeps the origin that it was first given.
    fn an_origin_is_never_overwritten(plans in proptest::collection::vec(plan(), 3..8)) {
        quiet_panics();
        let store = Arc::new(MemoryStore::default());
        let mut baseline: HashMap<String, (Presence<String>, Presence<String>)> = HashMap::new();
        let mut inherited = 0;
        for (index, mut plan) in plans.into_iter().enumerate() {
            settle(&mut plan, index);
            let ran = run(carry_out(&plan, &store));
            for record in &ran.records {
                let fields = record.fields.given().map_or(&[][..], Vec::as_slice);
                for field in fields.iter().filter(|field| field.status == FieldStatus::Known) {
                    vouched(field, plan.field(&field.name))?;
                    let owned = |text: &Presence<std::borrow::Cow<'_, str>>| {
                        text.given().map_or(Presence::Null, |text| Presence::Given(text.to_string()))
                    };
                    let (value, origin) = (owned(&field.value), owned(&field.origin_source));
                    match field.source.given().map(|source| &**source) {
                        Some("prior_state") => {
                            inherited += 1;
                            prop_assert_eq!(baseline.get(&*field.name), Some(&(value, origin)));
                        }
                        source => prop_assert_eq!(origin.given().map(String::as_str), source),
                    }
                }
                if record.execution_decision == Decision::Executed {
                    baseline = fields.iter().map(|field| {
                        let text = |text: &Presence<std::borrow::Cow<'_, str>>| {
                            text.given().map_or(Presence::Null, |text| Presence::Given(text.to_string()))
                        };
                        (field.name.to_string(), (text(&field.value), text(&field.origin_source)))
                    }).collect();
                }
            }
        }
        INHERITED.fetch_add(inherited, Ordering::Relaxed);
    }
}
