//! Decisions that the conformance vectors do not reach.

use std::{sync::Arc, time::Duration};

use preflight_gate::{
    Answer, Approval, Decision, DeclaredSchema, Extraction, FieldPolicy, HookError, HookResult,
    Hooks, Input, JsonText, Keys, Measurement, MemoryStore, Outcome, PolicyDecision, Preflight,
    Record, ResumeError, Run, Store, StoreError, Tool, UnsafeDefault, Verification, WhenCase,
};
use preflight_record::{ChecklistItem, Field};

/// Hooks whose key and timing a test chooses; values come from answers and measurements alone.
#[derive(Clone)]
struct Plain {
    when: WhenCase,
    key: HookResult<String>,
}

impl Default for Plain {
    fn default() -> Self {
        Self {
            when: WhenCase::Immediate,
            key: Ok(Some("k".to_owned())),
        }
    }
}

impl Hooks for Plain {
    async fn classify_when_case(&self, _: &Run<'_>) -> HookResult<WhenCase> {
        Ok(Some(self.when.clone()))
    }

    async fn extract_user_action_name(&self, _: &Run<'_>) -> HookResult<String> {
        Ok(Some("do it".to_owned()))
    }

    async fn confirm_tool_name_matches_intent(&self, _: &Run<'_>) -> HookResult<Approval> {
        Ok(Some(Approval::approved()))
    }

    async fn extract_from_instruction(&self, _: &str, _: &Run<'_>) -> HookResult<Extraction> {
        Ok(None)
    }

    async fn measure_from_environment(
        &self,
        field: &str,
        run: &Run<'_>,
    ) -> HookResult<Measurement> {
        Ok(run.input.measured_data.get(field).cloned())
    }

    async fn build_action_key(&self, _: &Run<'_>) -> HookResult<String> {
        self.key.clone()
    }
}

/// Excuses every unknown until the trigger.
struct Excuse;

impl FieldPolicy for Excuse {
    fn apply<'a>(
        &'a self,
        _: &'a Field<'static>,
        _: &'a Run<'a>,
    ) -> Answer<'a, HookResult<PolicyDecision>> {
        Answer::now(Ok(Some(PolicyDecision::keep().pending_if_unknown())))
    }
}

struct Confirms;

impl preflight_gate::ChecklistVerifier for Confirms {
    fn verify<'a>(
        &'a self,
        _: &'a ChecklistItem<'static>,
        _: &'a Run<'a>,
    ) -> Answer<'a, HookResult<Verification>> {
        Answer::now(Ok(Some(Verification::verified("measured_data"))))
    }
}

fn tool(schema: &str) -> Arc<Tool> {
    let schema = JsonText::parse(schema).expect("JSON");
    Arc::new(Tool::new("t", Some("prose"), Some(schema)))
}

fn gate(hooks: Plain) -> Preflight<Plain> {
    let builder = Preflight::builder()
        .hooks(hooks)
        .field_schema(DeclaredSchema);
    builder
        .payload_schema(DeclaredSchema)
        .checklist(Confirms)
        .build()
        .expect("not strict")
}

async fn judge(input: &Input) -> Arc<Record<'static>> {
    let verdict = gate(Plain::default())
        .run_and_record(input)
        .await
        .expect("recorded");
    assert_eq!(verdict.is_ready(), verdict.decision() == Decision::Execute);
    Arc::clone(verdict.record())
}

fn kind<'r>(record: &'r Record<'_>) -> &'r str {
    record
        .gate
        .given()
        .and_then(|gate| gate.kind.given())
        .map_or("", |kind| kind)
}

fn extra<'r>(record: &'r Record<'_>, key: &str) -> Option<&'r str> {
    record
        .overflow
        .iter()
        .find(|(known, _)| *known == key)
        .map(|(_, json)| json)
}

const BRANCHES: &str = r#"{"type":"object","properties":{"id":{"type":"string"},"name":{},"city":{},"why":{}},
    "required":["why"],"oneOf":[{"required":["id"]},{"required":["name","city"]}]}"#;

#[tokio::test]
async fn what_is_grounded_picks_the_branch() {
    let input = Input::new("u", tool(BRANCHES)).answers("why", "x");
    let record = judge(&input).await;
    assert_eq!(
        (record.execution_decision, kind(&record)),
        (Decision::AskUser, "branch_unresolved")
    );
    assert!(record.fields.is_null() && record.unknown_count.is_null());
    assert!(
        record
            .to_json()
            .contains(r#""branch_options":[["id"],["name","city"]]"#)
    );

    // One branch begun: what it lacks is asked for.
    let record = judge(&input.clone().answers("name", "a")).await;
    assert_eq!(
        (record.execution_decision, kind(&record)),
        (Decision::AskUser, "")
    );
    let names: Vec<&str> = record
        .fields
        .given()
        .expect("decided")
        .iter()
        .map(|field| &*field.name)
        .collect();
    assert_eq!(names, ["why", "name", "city"]);

    // One complete wins over one begun, whose value is not sent.
    let record = judge(&input.clone().answers("name", "a").answers("id", "7")).await;
    assert_eq!(record.execution_decision, Decision::Execute);
    assert_eq!(
        extra(&record, "call_arguments"),
        Some(r#"{"why":"x","id":"7"}"#)
    );

    let both = input
        .answers("name", "a")
        .answers("city", "b")
        .answers("id", "7");
    let record = judge(&both).await;
    assert_eq!(
        (record.execution_decision, kind(&record)),
        (Decision::AskUser, "branch_conflict")
    );
}

#[tokio::test]
async fn a_schema_that_cannot_be_gated_holds() {
    let missing = Input::new("u", Arc::new(Tool::new("t", Some("prose"), None)));
    for input in [
        missing,
        Input::new("u", tool(r#"{"anyOf":[{"required":["a"]}]}"#)),
    ] {
        let record = judge(&input).await;
        assert_eq!(
            (record.execution_decision, kind(&record)),
            (Decision::Hold, "schema_unsupported")
        );
        assert!(record.fields.is_null() && record.unverified_checklist_count.is_null());
    }
}

#[tokio::test]
async fn optional_arguments_are_sent_when_known_and_never_block() {
    let schema = r#"{"properties":{"a":{},"b":{"type":"integer"},"c":{}},"required":["a"]}"#;
    let input = Input::new("u", tool(schema))
        .answers("a", 1)
        .answers("c", "x");
    let record = judge(&input).await;
    assert_eq!(extra(&record, "call_arguments"), Some(r#"{"a":1,"c":"x"}"#));
    let extra_fields = extra(&record, "extra_fields").expect("told");
    assert!(extra_fields.contains(r#""name":"c""#) && !extra_fields.contains(r#""name":"b""#));
    assert_eq!(record.fields.given().expect("decided").len(), 1);

    // A value that does not fit is not sent, and does not block either.
    let record = judge(&input.answers("b", "no number")).await;
    assert_eq!(record.execution_decision, Decision::Execute);
    assert_eq!(extra(&record, "call_arguments"), Some(r#"{"a":1,"c":"x"}"#));
    assert!(
        extra(&record, "extra_fields")
            .expect("told")
            .contains("schema violation")
    );
}

#[tokio::test]
async fn numbers_keep_their_text_up_to_the_call() {
    let schema = r#"{"properties":{"a":{},"b":{}},"required":["a","b"]}"#;
    let number = |text| JsonText::parse(text).expect("JSON");
    let input = Input::new("u", tool(schema))
        .answers("a", number("12345678901234567890123"))
        .answers("b", number("0.1000000000000000055"));
    let record = judge(&input).await;
    let sent = r#"{"a":12345678901234567890123,"b":0.1000000000000000055}"#;
    assert_eq!(extra(&record, "call_arguments"), Some(sent));
}

#[tokio::test]
async fn a_payload_that_breaks_the_schema_as_a_whole_holds() {
    let schema = r#"{"properties":{"a":{}},"required":["a"],"maxProperties":0}"#;
    let record = judge(&Input::new("u", tool(schema)).answers("a", 1)).await;
    assert_eq!(
        (record.execution_decision, kind(&record)),
        (Decision::Hold, "payload_invalid")
    );
    let gate = record.gate.given().expect("a gate");
    assert!(gate.payload_violation.given().is_some());
    assert!(record.fields.given().is_some(), "the fields were decided");
}

#[tokio::test]
async fn an_action_key_that_cannot_be_built_holds_in_the_unkeyed_bucket() {
    for key in [
        Ok(None),
        Ok(Some(" ".to_owned())),
        Ok(Some("__preflight_unkeyed__".to_owned())),
        Err(HookError::new("no")),
    ] {
        let hooks = Plain {
            key,
            ..Plain::default()
        };
        let verdict = gate(hooks)
            .run_and_record(&Input::new("u", tool("{}")))
            .await;
        let record = Arc::clone(verdict.expect("recorded").record());
        assert_eq!(
            (record.execution_decision, kind(&record)),
            (Decision::Hold, "action_key_failed")
        );
        assert!(record.action_key.is_null() && record.fields.is_null());
    }
}

#[tokio::test]
async fn a_deferred_run_is_judged_whole_again_at_its_trigger() {
    let hooks = Plain {
        when: WhenCase::Scheduled,
        ..Plain::default()
    };
    let store = Arc::new(MemoryStore::default());
    let gate = Preflight::builder()
        .hooks(hooks)
        .field_policy(Excuse)
        .checklist(Confirms);
    let gate = gate
        .store(Arc::clone(&store) as Arc<dyn Store>)
        .build()
        .expect("not strict");
    let tool = tool(r#"{"required":["a","b"]}"#);
    let mut input = Input::new("u", Arc::clone(&tool))
        .says("on Friday")
        .answers("a", 1);
    input = input.on_condition("c", "a condition");
    input
        .measured_data
        .insert("b".to_owned(), Measurement::valid(2));
    let deferred = gate.run_and_record(&input).await.expect("recorded");
    assert_eq!(deferred.decision(), Decision::Deferred);
    assert!(!deferred.is_ready(), "deferred is no verdict to execute");
    let deferred = Arc::clone(deferred.record());

    // The intent is carried, the measurement is not; nothing is excused any more.
    let mut resumed = Input::at_trigger_of(&deferred, "u", Arc::clone(&tool)).expect("deferred");
    assert!(resumed.measured_data.is_empty() && resumed.user_checklist.len() == 1);
    let asked = gate.run_and_record(&resumed).await.expect("recorded");
    assert_eq!(asked.unknown_fields().collect::<Vec<_>>(), ["b"]);
    resumed
        .measured_data
        .insert("b".to_owned(), Measurement::valid(3));
    let verdict = gate.run_and_record(&resumed).await.expect("recorded");
    let outcome = gate.execute_if_ready(verdict, async |call| {
        assert_eq!(call.arguments().as_str(), r#"{"a":1,"b":3}"#);
        Ok::<_, String>(())
    });
    let Ok(Outcome::Executed { record, .. }) = outcome.await else {
        panic!("the call succeeds");
    };
    let fixed = record.fixed.given().expect("settled");
    assert_eq!(
        fixed.when_case.given().map(|case| &**case),
        Some("scheduled")
    );
    assert_eq!(
        record.phase.given().map(|phase| &**phase),
        Some("at_trigger")
    );

    let other = Arc::new(Tool::new("other", None, None));
    let refused = Input::at_trigger_of(&deferred, "u", other);
    assert_eq!(refused.err(), Some(ResumeError::OtherTool));
    let refused = Input::at_trigger_of(&record, "u", tool);
    assert_eq!(refused.err(), Some(ResumeError::NotDeferred("executed")));
}

#[tokio::test]
async fn a_call_that_fails_or_panics_is_recorded_once_and_not_tried_again() {
    let store = Arc::new(MemoryStore::default());
    let gate = Preflight::builder().hooks(Plain::default());
    let gate = gate
        .store(Arc::clone(&store) as Arc<dyn Store>)
        .build()
        .expect("not strict");
    let input = Input::new("u", tool("{}"));
    let mut calls = 0;
    let verdict = gate.run_and_record(&input).await.expect("recorded");
    let outcome = gate.execute_if_ready(verdict, |_| {
        calls += 1;
        async { Err::<(), _>("refused") }
    });
    assert!(matches!(outcome.await, Ok(Outcome::Failed { .. })));
    let verdict = gate.run_and_record(&input).await.expect("recorded");
    let outcome = gate.execute_if_ready(verdict, |_| -> std::future::Ready<Result<(), String>> {
        calls += 1;
        panic!("no luck")
    });
    assert!(matches!(outcome.await, Ok(Outcome::Failed { .. })));
    assert_eq!(calls, 2);
    let records = store.records();
    let reasons = records
        .iter()
        .filter_map(|record| record.reason.given().map(|r| r.to_string()));
    let ends: Vec<String> = reasons
        .filter(|reason| reason.contains("call failed"))
        .collect();
    assert!(ends[0].ends_with("/ call failed: refused"), "{ends:?}");
    assert!(
        ends[1].ends_with("/ call failed: panicked: no luck"),
        "{ends:?}"
    );
    assert_eq!(records.len(), 4);
}

/// A store that keeps so many records, and then none.
struct Full {
    inner: MemoryStore,
    left: std::sync::atomic::AtomicUsize,
}

impl Store for Full {
    fn append(&self, record: Arc<Record<'static>>) -> Answer<'_, Result<(), StoreError>> {
        use std::sync::atomic::Ordering::SeqCst;
        let took = self
            .left
            .fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
        match took {
            Ok(_) => self.inner.append(record),
            Err(_) => Answer::now(Err(StoreError::Io("full".to_owned()))),
        }
    }

    fn load<'a>(
        &'a self,
        _: &'a str,
    ) -> Answer<'a, Result<Option<Arc<Record<'static>>>, StoreError>> {
        Answer::now(Err(StoreError::Io("unreadable".to_owned())))
    }

    fn keys(&self) -> &Arc<Keys> {
        self.inner.keys()
    }
}

fn full_after(records: usize) -> Preflight<Plain> {
    let store = Arc::new(Full {
        inner: MemoryStore::default(),
        left: records.into(),
    });
    Preflight::builder()
        .hooks(Plain::default())
        .store(store)
        .build()
        .expect("not strict")
}

#[tokio::test]
async fn what_is_not_kept_is_not_executed_and_an_unrecorded_end_is_told() {
    let input = Input::new("u", tool("{}"));
    assert!(full_after(0).run_and_record(&input).await.is_err());

    let gate = full_after(1);
    let verdict = gate.run_and_record(&input).await.expect("recorded");
    let outcome = gate
        .execute_if_ready(verdict, async |_| Ok::<_, String>(7))
        .await;
    let Ok(Outcome::Unrecorded { result, .. }) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(result, Ok(7));
}

#[tokio::test]
async fn a_store_that_cannot_say_leaves_the_field_unknown() {
    let input = Input::new("u", tool(r#"{"required":["a"]}"#));
    let verdict = full_after(1)
        .run_and_record(&input)
        .await
        .expect("recorded");
    let json = verdict.record().to_json();
    assert!(
        json.contains("lookup hook failed (tier: prior_state)"),
        "{json}"
    );
    assert_eq!(verdict.decision(), Decision::AskUser);
}

#[test]
fn a_strict_gate_needs_every_safety_hook() {
    let refused = Preflight::builder()
        .hooks(Plain::default())
        .checklist(Confirms)
        .strict()
        .build();
    let Err(preflight_gate::BuildError::UnsafeDefaults(missing)) = refused else {
        panic!("it was built");
    };
    use UnsafeDefault::{FieldPolicy, FieldSchema, PayloadSchema};
    assert_eq!(missing, [FieldPolicy, FieldSchema, PayloadSchema]);
    assert_eq!(gate(Plain::default()).unsafe_defaults(), [FieldPolicy]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_frees_its_key() {
    let gate = gate(Plain::default());
    let input = Input::new("u", tool("{}"));
    let verdict = gate.run_and_record(&input).await.expect("recorded");
    let hanging = gate.execute_if_ready(verdict, |_| std::future::pending::<Result<(), String>>());
    assert!(
        tokio::time::timeout(Duration::from_secs(1), hanging)
            .await
            .is_err()
    );
    assert!(gate.run_and_record(&input).await.is_ok());
}
