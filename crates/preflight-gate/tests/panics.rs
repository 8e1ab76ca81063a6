//! Panics in the oddest places, and spans of time without end: none gets out, and none keeps a call's
//! end off the record.

mod support;

use std::{
    fmt,
    future::{Future, pending},
    panic::panic_any,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    task::{Context, Poll},
    time::{Duration, SystemTime},
};

use preflight_gate::{
    Answer, Approval, CallError, Clock, Decision, Extraction, GateError, Hold, HookResult, Hooks,
    Input, JsonlStore, Keys, Measurement, MemoryStore, Nonces, Outcome, Preflight, Record, Run,
    Sealing, SignedVerdicts, Store, StoreError, UnkeyedLimits, WhenCase,
};
use preflight_seal::{KeyRing, NewKey};
use support::{Ready, complete, transfer};

const LIMIT: Duration = Duration::from_millis(20);

/// Panics when it is dropped, with one of its kind as often as it says.
struct Bomb(u8);

impl Drop for Bomb {
    fn drop(&mut self) {
        match self.0 {
            0 => panic!("dropped"),
            left => panic_any(Bomb(left - 1)),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    /// Panics with what panics when dropped.
    Payload,
    /// Never answers, and panics when it is given up.
    GivenUp,
}

impl Act {
    async fn act<T>(self) -> T {
        let bomb = Bomb(1);
        match self {
            Self::Payload => panic_any(bomb),
            Self::GivenUp => {
                pending::<()>().await;
                drop(bomb);
                unreachable!("never answered")
            }
        }
    }
}

/// Hooks of which one acts.
struct Odd(usize, Act);

impl Odd {
    async fn hook<T>(
        &self,
        number: usize,
        ready: impl Future<Output = HookResult<T>>,
    ) -> HookResult<T> {
        match self.0 == number {
            true => self.1.act().await,
            false => ready.await,
        }
    }
}

impl Hooks for Odd {
    async fn classify_when_case(&self, run: &Run<'_>) -> HookResult<WhenCase> {
        self.hook(0, Ready.classify_when_case(run)).await
    }

    async fn extract_user_action_name(&self, run: &Run<'_>) -> HookResult<String> {
        self.hook(1, Ready.extract_user_action_name(run)).await
    }

    async fn confirm_tool_name_matches_intent(&self, run: &Run<'_>) -> HookResult<Approval> {
        self.hook(2, Ready.confirm_tool_name_matches_intent(run))
            .await
    }

    async fn extract_from_instruction(&self, field: &str, run: &Run<'_>) -> HookResult<Extraction> {
        self.hook(3, Ready.extract_from_instruction(field, run))
            .await
    }

    async fn measure_from_environment(
        &self,
        field: &str,
        run: &Run<'_>,
    ) -> HookResult<Measurement> {
        self.hook(4, Ready.measure_from_environment(field, run))
            .await
    }

    async fn build_action_key(&self, run: &Run<'_>) -> HookResult<String> {
        self.hook(5, Ready.build_action_key(run)).await
    }
}

fn input() -> Input {
    complete("u", &transfer())
}

fn over(store: Arc<dyn Store>) -> Preflight<Ready> {
    let builder = Preflight::builder().hooks(Ready).store(store);
    let builder = builder.hook_timeout(LIMIT).store_timeout(LIMIT);
    builder.build().expect("not strict")
}

#[tokio::test]
async fn a_hook_that_panics_when_it_is_dropped_is_a_hook_that_failed() {
    for act in [Act::Payload, Act::GivenUp] {
        for hook in 0..6 {
            let builder = Preflight::builder().hooks(Odd(hook, act));
            let gate = builder.hook_timeout(LIMIT).build().expect("not strict");
            let verdict = gate.run_and_record(&input()).await.expect("recorded");
            assert!(!verdict.is_ready(), "{act:?} {hook}");
        }
        // The caller gives the run up.
        let builder = Preflight::builder().hooks(Odd(0, act));
        let gate = builder.build().expect("not strict");
        let input = input();
        let run = tokio::time::timeout(LIMIT, gate.run(&input)).await;
        assert_eq!(run.is_err(), act == Act::GivenUp);
    }
}

/// An error that cannot be put into words.
#[derive(Debug)]
enum Unspeakable {
    Fails,
    Panics,
    Bombs,
}

impl fmt::Display for Unspeakable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("half")?;
        match self {
            Self::Fails => Err(fmt::Error),
            Self::Panics => panic!("no words"),
            Self::Bombs => panic_any(Bomb(1)),
        }
    }
}

#[tokio::test]
async fn an_error_without_words_is_on_record_as_a_failed_call() {
    for (error, says) in [
        (Unspeakable::Fails, "half (its Display failed)"),
        (Unspeakable::Panics, "half (its Display panicked: no words)"),
        (
            Unspeakable::Bombs,
            "half (its Display panicked: no message)",
        ),
    ] {
        let store = Arc::new(MemoryStore::default());
        let gate = over(Arc::clone(&store) as Arc<dyn Store>);
        let verdict = gate.run_and_record(&input()).await.expect("recorded");
        let outcome = gate.execute_if_ready(verdict, async |_| Err::<(), _>(error));
        assert!(matches!(outcome.await, Ok(Outcome::Failed { .. })));
        let last = store.records().pop().expect("a record");
        assert_eq!(last.execution_decision, Decision::Failed);
        let reason = last.reason.given().map_or("", |reason| reason);
        assert!(reason.ends_with(says), "{reason}");
    }
}

/// A call that succeeds, and panics when it is put away.
struct Done;

impl Future for Done {
    type Output = Result<(), String>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(Ok(()))
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        panic!("put away");
    }
}

#[tokio::test]
async fn a_call_that_panics_when_it_is_dropped_has_an_end_on_record() {
    let store = Arc::new(MemoryStore::default());
    let gate = over(Arc::clone(&store) as Arc<dyn Store>);
    let last = || store.records().pop().expect("a record").execution_decision;

    let verdict = gate.run_and_record(&input()).await.expect("recorded");
    let outcome = gate.execute_if_ready(verdict, |_| Done).await;
    // It was put away within the call.
    assert!(
        matches!(
            outcome,
            Ok(Outcome::Failed {
                error: CallError::Panicked(_),
                ..
            })
        ),
        "{outcome:?}"
    );
    assert_eq!(last(), Decision::Failed);

    let verdict = gate.run_and_record(&input()).await.expect("recorded");
    let outcome = gate.execute_if_ready(verdict, async |_| {
        Act::Payload.act::<Result<(), String>>().await
    });
    assert!(matches!(outcome.await, Ok(Outcome::Failed { .. })));
    assert_eq!(last(), Decision::Failed);

    let verdict = gate.run_and_record(&input()).await.expect("recorded");
    let call = gate.execute_if_ready(verdict, async |_| {
        Act::GivenUp.act::<Result<(), String>>().await
    });
    assert!(tokio::time::timeout(LIMIT, call).await.is_err());
    assert_eq!(last(), Decision::Execute);
    // The key is free again.
    let verdict = gate.run_and_record(&input()).await.expect("recorded");
    assert!(verdict.is_ready());
}

struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> SystemTime {
        panic_any(Bomb(1))
    }
}

#[tokio::test]
async fn a_clock_that_panics_is_replaced() {
    let builder = Preflight::builder().hooks(Ready).clock(Stopped);
    let gate = builder.build().expect("not strict");
    let verdict = gate.run_and_record(&input()).await.expect("recorded");
    let outcome = gate.execute_if_ready(verdict, async |_| Ok::<_, String>(()));
    let Ok(Outcome::Executed { record, .. }) = outcome.await else {
        panic!("the call succeeds");
    };
    let time = record.timestamp.given().expect("stamped");
    assert!(*time.text > *"2026", "{}", time.text);
}

/// A store with a fault where the gate does not wait for it.
#[derive(Default)]
struct Faulty {
    kept: MemoryStore,
    keys_panic: AtomicBool,
}

impl Store for Faulty {
    fn append(&self, record: Arc<Record<'static>>) -> Answer<'_, Result<(), StoreError>> {
        self.kept.append(record)
    }

    fn load<'a>(
        &'a self,
        action_key: &'a str,
    ) -> Answer<'a, Result<Option<Arc<Record<'static>>>, StoreError>> {
        self.kept.load(action_key)
    }

    fn keys(&self) -> &Arc<Keys> {
        match self.keys_panic.load(SeqCst) {
            true => panic_any(Bomb(1)),
            false => self.kept.keys(),
        }
    }

    fn hold<'a>(&'a self, _: &'a str) -> Answer<'a, Result<Option<Hold>, StoreError>> {
        Answer::now(Ok(Some(Hold::by(Bomb(1)))))
    }
}

#[tokio::test]
async fn a_store_that_panics_outside_its_answers_keeps_no_key() {
    let store = Arc::new(Faulty::default());
    let gate = over(Arc::clone(&store) as Arc<dyn Store>);
    for _ in 0..2 {
        let verdict = gate.run_and_record(&input()).await.expect("recorded");
        let outcome = gate.execute_if_ready(verdict, async |_| Ok::<_, String>(()));
        assert!(matches!(outcome.await, Ok(Outcome::Executed { .. })));
    }
    store.keys_panic.store(true, SeqCst);
    let refused = gate.run_and_record(&input()).await;
    assert!(
        matches!(refused, Err(GateError::Store(StoreError::Panicked(_)))),
        "{refused:?}"
    );
}

struct NoNonces;

impl Nonces for NoNonces {
    fn use_up(&self, _: &str, _: i64, _: i64) -> Result<bool, StoreError> {
        panic_any(Bomb(1))
    }
}

fn signing() -> SignedVerdicts {
    let key = NewKey::random("bank.example/gate").expect("random");
    let mut trusted = KeyRing::new();
    trusted.trust(&key.public).expect("a key");
    SignedVerdicts::checked_with(trusted).signed_with(key.into_private().expect("a key"))
}

#[tokio::test]
async fn nonces_that_panic_let_nothing_out() {
    let signing = signing().nonces(Arc::new(NoNonces));
    let builder = Preflight::builder().hooks(Ready).signed_verdicts(signing);
    let gate = builder.build().expect("not strict");
    let verdict = gate.run_and_record(&input()).await.expect("recorded");
    let outcome = gate.execute_if_ready(verdict, async |_| -> Result<(), String> {
        panic!("called")
    });
    let outcome = outcome.await;
    assert!(
        matches!(outcome, Err(GateError::Store(StoreError::Panicked(_)))),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn spans_of_time_may_be_without_end() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    let key = NewKey::random("bank.example/log").expect("random");
    let sealing = Sealing::new()
        .segment_age(Duration::MAX)
        .signed_with(key.into_private().expect("a key"))
        .checkpoint_every(u64::MAX, Duration::MAX);
    let limits = UnkeyedLimits {
        max_bytes: u64::MAX,
        max_age: Duration::MAX,
    };
    let log = JsonlStore::options().seal(sealing).unkeyed(limits);
    let log = log.open(path("a.jsonl")).expect("opens");
    let database = preflight_gate::SqliteStore::open_with_limits(path("a.db"), limits);
    let stores: [Arc<dyn Store>; 2] = [Arc::new(log), Arc::new(database.expect("opens"))];
    for store in stores {
        let builder = Preflight::builder().hooks(Ready).store(store);
        let builder = builder
            .hook_timeout(Duration::MAX)
            .store_timeout(Duration::MAX)
            .key_patience(Duration::MAX)
            .signed_verdicts(signing().lifetime(Duration::MAX));
        let gate = Arc::new(builder.build().expect("not strict"));
        for _ in 0..2 {
            let unkeyed = input().on_condition("", "no id");
            let verdict = gate.run_and_record(&unkeyed).await.expect("recorded");
            assert!(!verdict.is_ready());
        }
        let verdict = gate.run_and_record(&input()).await.expect("recorded");
        assert!(verdict.record().to_json().contains("9999-12-31T23:59:59"));
        let waiting = Arc::clone(&gate);
        let waiting = tokio::spawn(async move { waiting.run_and_record(&input()).await });
        tokio::time::sleep(LIMIT).await;
        let outcome = gate.execute_if_ready(verdict, async |_| Ok::<_, String>(()));
        assert!(matches!(outcome.await, Ok(Outcome::Executed { .. })));
        let second = waiting.await.expect("no panic").expect("recorded");
        assert!(second.is_ready());
    }
}
