//! Runs at once: hooks run without a lock, and of two runs on one baseline one is executed.

mod support;

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use preflight_gate::{
    Approval, Decision, Extraction, GateError, HookResult, Hooks, Input, JsonText, Measurement,
    MemoryStore, Outcome, Preflight, Run, SqliteStore, Store, Tool, WhenCase,
};
use support::{complete, gate, transfer};
use tokio::sync::Barrier;

/// Hooks over an account: its balance is measured, and the payee may be inherited.
#[derive(Clone, Default)]
struct Account {
    balance: Arc<AtomicI64>,
    /// Where the tool gate waits for others, if it does.
    meet: Option<Arc<Barrier>>,
}

impl Hooks for Account {
    async fn classify_when_case(&self, _: &Run<'_>) -> HookResult<WhenCase> {
        Ok(Some(WhenCase::Immediate))
    }

    async fn extract_user_action_name(&self, _: &Run<'_>) -> HookResult<String> {
        Ok(Some("pay".to_owned()))
    }

    async fn confirm_tool_name_matches_intent(&self, _: &Run<'_>) -> HookResult<Approval> {
        if let Some(meet) = &self.meet {
            meet.wait().await;
        }
        tokio::task::yield_now().await;
        Ok(Some(Approval::approved()))
    }

    async fn extract_from_instruction(&self, _: &str, _: &Run<'_>) -> HookResult<Extraction> {
        Ok(None)
    }

    async fn measure_from_environment(&self, field: &str, _: &Run<'_>) -> HookResult<Measurement> {
        let balance = self.balance.load(Ordering::SeqCst);
        tokio::task::yield_now().await;
        Ok((field == "balance").then(|| Measurement::valid(balance)))
    }

    async fn build_action_key(&self, run: &Run<'_>) -> HookResult<String> {
        Ok(Some(run.input.user_id.clone()))
    }
}

fn account(hooks: &Account, store: &Arc<dyn Store>) -> Arc<Preflight<Account>> {
    let builder = Preflight::builder().hooks(hooks.clone());
    let builder = builder.key_patience(Duration::from_secs(30));
    Arc::new(
        builder
            .store(Arc::clone(store))
            .build()
            .expect("not strict"),
    )
}

fn pay(user: &str) -> Input {
    let schema = JsonText::parse(r#"{"required":["balance","payee"]}"#).expect("JSON");
    Input::new(user, Arc::new(Tool::new("bank.pay", None, Some(schema))))
}

fn in_memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::default())
}

/// Whoever locked a key across its hooks would let the second run wait for the first for ever.
#[tokio::test(start_paused = true)]
async fn hooks_of_one_key_run_at_once() {
    let hooks = Account {
        meet: Some(Arc::new(Barrier::new(2))),
        ..Account::default()
    };
    let gate = account(&hooks, &in_memory());
    let input = pay("u_1").answers("payee", "a");
    let (one, other) = tokio::join!(gate.run(&input), gate.run(&input));
    for judgement in [one, other] {
        assert_eq!(judgement.expect("judged").decision(), Decision::Execute);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_of_one_key_does_not_delay_another_key() {
    let gate = gate(in_memory());
    let held = gate.run_and_record(&complete("u_1", &transfer())).await;
    let held = held.expect("recorded");
    let busy = gate.run(&complete("u_1", &transfer())).await;
    assert!(matches!(busy, Err(GateError::KeyBusy(key)) if key == "u_1"));
    let other = gate.run_and_record(&complete("u_2", &transfer())).await;
    assert!(other.expect("recorded").is_ready());
    drop(held);
    assert!(gate.run(&complete("u_1", &transfer())).await.is_ok());
}

#[tokio::test]
async fn of_two_runs_on_one_baseline_one_is_executed() {
    let hooks = Account::default();
    let store = in_memory();
    // Two gates over one store take the same turns.
    let (one, other) = (account(&hooks, &store), account(&hooks, &store));
    let first = pay("u_1").answers("payee", "a");
    let (mine, theirs) = (one.run(&first).await, other.run(&first).await);
    let verdict = one.record(mine.expect("judged")).await.expect("its turn");
    let outcome = one.execute_if_ready(verdict, async |_| Ok::<_, String>(()));
    assert!(matches!(outcome.await, Ok(Outcome::Executed { .. })));
    let overtaken = other.record(theirs.expect("judged")).await;
    assert!(matches!(overtaken, Err(GateError::Overtaken(key)) if key == "u_1"));
}

/// What was looked up on an old baseline must not come onto the record after the new one: it would
/// read as a swapped value.
#[tokio::test]
async fn a_question_on_an_old_baseline_is_asked_anew() {
    let store = Arc::new(MemoryStore::default());
    let hooks = Account::default();
    let gate = account(&hooks, &(Arc::clone(&store) as Arc<dyn Store>));
    let call = async |payee: &str| {
        let verdict = gate
            .run_and_record(&pay("u_1").answers("payee", payee))
            .await;
        let outcome =
            gate.execute_if_ready(verdict.expect("recorded"), async |_| Ok::<_, String>(()));
        assert!(matches!(outcome.await, Ok(Outcome::Executed { .. })));
    };
    call("a").await;
    let schema = JsonText::parse(r#"{"required":["payee","reference"]}"#).expect("JSON");
    let asks = Input::new("u_1", Arc::new(Tool::new("bank.pay", None, Some(schema))));
    let old = gate.run(&asks).await.expect("judged");
    assert_eq!(old.decision(), Decision::AskUser);
    call("b").await;
    let before = store.records().len();
    assert!(matches!(
        gate.record(old).await,
        Err(GateError::Overtaken(_))
    ));
    assert_eq!(store.records().len(), before);
    let asked = gate.run_and_record(&asks).await.expect("recorded");
    let payee = &asked.record().fields.given().expect("decided")[0];
    assert_eq!(payee.value.given().map(|value| &**value), Some("\"b\""));
}

/// Many runs of few keys: each call finds the balance that its run measured.
async fn calls_find_what_was_measured(
    gates: Vec<Arc<Preflight<Account>>>,
    balance: Arc<AtomicI64>,
) {
    let (tasks, calls) = (8, 6);
    let mut runs = tokio::task::JoinSet::new();
    for task in 0..tasks {
        let gate = Arc::clone(&gates[task % gates.len()]);
        let balance = Arc::clone(&balance);
        runs.spawn(async move {
            let mut made = 0;
            while made < calls {
                let input = pay("u_1").answers("payee", "a");
                let verdict = match gate.run_and_record(&input).await {
                    Err(GateError::Overtaken(_)) => continue,
                    verdict => verdict.expect("recorded"),
                };
                let outcome = gate.execute_if_ready(verdict, async |call| {
                    let arguments = call.arguments_map().expect("small numbers");
                    let measured = arguments["balance"].as_i64();
                    assert_eq!(measured, Some(balance.load(Ordering::SeqCst)));
                    tokio::task::yield_now().await;
                    balance.fetch_add(1, Ordering::SeqCst);
                    Ok::<_, String>(())
                });
                assert!(matches!(outcome.await, Ok(Outcome::Executed { .. })));
                made += 1;
            }
        });
    }
    while let Some(done) = runs.join_next().await {
        done.expect("no panic");
    }
    assert_eq!(balance.load(Ordering::SeqCst), (tasks * calls) as i64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_call_finds_the_world_that_its_run_looked_at() {
    let hooks = Account::default();
    let gates = vec![account(&hooks, &in_memory())];
    calls_find_what_was_measured(gates, hooks.balance).await;
}

/// Two stores on one database stand for two processes: they share nothing but the file.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn so_it_does_over_several_openings_of_a_database() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.db");
    let hooks = Account::default();
    let open = || Arc::new(SqliteStore::open(&path).expect("opens")) as Arc<dyn Store>;
    let gates = vec![account(&hooks, &open()), account(&hooks, &open())];
    calls_find_what_was_measured(gates, hooks.balance).await;
}
