//! Confirmations of calls that cannot be undone.

mod support;

use std::{
    future::pending,
    sync::Arc,
    time::{Duration, SystemTime},
};

use preflight_gate::{
    Builder, Confirmations, Decision, GateError, Input, MemoryNonces, MemoryStore, NonceFolder,
    Outcome, Preflight, Record, Refusal, Reversibility, SignedVerdicts, Store, Tool,
};
use preflight_seal::{KeyRing, NewKey};
use support::{Confirms, Fits, Ready, complete, transfer};

fn builder(store: &Arc<MemoryStore>) -> Builder<Ready> {
    let builder = Preflight::builder().hooks(Ready).field_schema(Fits);
    let builder = builder.checklist(Confirms).reversibility();
    builder.store(Arc::clone(store) as Arc<dyn Store>)
}

fn input() -> Input {
    let tool = Tool::clone(&transfer()).with_reversibility(Reversibility::Irreversible);
    complete("u_1", &Arc::new(tool))
}

fn token(record: &Record<'_>) -> String {
    let gate = record.gate.given().expect("a gate");
    let mut members = gate.overflow.iter();
    let token = members.find(|(key, _)| *key == "confirmation");
    serde_json::from_str(token.expect("a token").1).expect("a string")
}

/// An input that the user confirmed.
async fn confirmed(gate: &Preflight<Ready>) -> Input {
    let asked = gate.run_and_record(&input()).await.expect("recorded");
    assert_eq!(asked.decision(), Decision::AskUser);
    let mut input = input();
    input.confirmation = Some(token(asked.record()));
    input
}

async fn decision(gate: &Preflight<Ready>, input: &Input) -> Decision {
    let verdict = gate.run_and_record(input).await.expect("recorded");
    verdict.decision()
}

#[tokio::test]
async fn a_call_that_failed_used_its_confirmation_up() {
    let gate = builder(&Arc::default()).build().expect("built");
    let confirmed = confirmed(&gate).await;
    // Not executed, so not used.
    assert_eq!(decision(&gate, &confirmed).await, Decision::Execute);
    let verdict = gate.run_and_record(&confirmed).await.expect("recorded");
    let outcome = gate.execute_if_ready(verdict, async |_| Err::<(), _>("timeout after sending"));
    assert!(matches!(outcome.await, Ok(Outcome::Failed { .. })));
    assert_eq!(decision(&gate, &confirmed).await, Decision::AskUser);
}

#[tokio::test]
async fn a_call_that_was_cancelled_or_panicked_used_its_confirmation_up() {
    let gate = builder(&Arc::default()).build().expect("built");
    let first = confirmed(&gate).await;
    let verdict = gate.run_and_record(&first).await.expect("recorded");
    let call = gate.execute_if_ready(verdict, async |_| pending::<Result<(), String>>().await);
    let cancelled = tokio::time::timeout(Duration::from_millis(10), call).await;
    assert!(cancelled.is_err());
    assert_eq!(decision(&gate, &first).await, Decision::AskUser);

    let second = confirmed(&gate).await;
    let verdict = gate.run_and_record(&second).await.expect("recorded");
    let call = gate.execute_if_ready(verdict, async |_| -> Result<(), String> { panic!("no") });
    assert!(matches!(call.await, Ok(Outcome::Failed { .. })));
    assert_eq!(decision(&gate, &second).await, Decision::AskUser);
}

/// Both verdicts were signed before either was executed.
#[tokio::test]
async fn two_signed_verdicts_on_one_confirmation_make_one_call() {
    let store = Arc::default();
    let key = NewKey::random("bank.example/gate").expect("drawn");
    let mut trusted = KeyRing::new();
    trusted.trust(&key.public).expect("a key");
    let signing = SignedVerdicts::checked_with(trusted);
    let signing = signing.signed_with(key.into_private().expect("a key"));
    let gate = builder(&store).signed_verdicts(signing);
    let gate = gate.build().expect("built");
    let input = confirmed(&gate).await;
    let mut verdicts = Vec::new();
    for _ in 0..2 {
        let verdict = gate.run_and_record(&input).await.expect("recorded");
        verdicts.push(verdict.into_token().expect("signed"));
    }
    let fails = async |_| Err::<(), _>("timeout");
    let first = gate.redeem(&verdicts[0], &input.tool).await;
    let first = gate.execute_if_ready(first.expect("counts"), fails).await;
    assert!(matches!(first, Ok(Outcome::Failed { .. })));
    let second = gate.redeem(&verdicts[1], &input.tool).await;
    let second = gate.execute_if_ready(second.expect("counts"), fails).await;
    assert!(
        matches!(second, Err(GateError::Refused(Refusal::ConfirmationUsed))),
        "{second:?}"
    );
}

#[tokio::test]
async fn another_gate_takes_a_confirmation_only_where_they_share_them_and_only_once() {
    let store = Arc::default();
    let alone = builder(&store).build().expect("built");
    let other = builder(&store).build().expect("built");
    let elsewhere = confirmed(&other).await;
    assert_eq!(decision(&alone, &elsewhere).await, Decision::AskUser);

    let folder = tempfile::tempdir().expect("a directory");
    let shared = || {
        let nonces = NonceFolder::open(folder.path()).expect("opens");
        let confirmations = Confirmations::shared([7; 32], Arc::new(nonces));
        builder(&store).confirmations(confirmations).build()
    };
    let (before, after) = (shared().expect("built"), shared().expect("built"));
    let input = confirmed(&before).await;
    let verdict = after.run_and_record(&input).await.expect("recorded");
    let outcome = after.execute_if_ready(verdict, async |_| Err::<(), _>("timeout"));
    assert!(matches!(outcome.await, Ok(Outcome::Failed { .. })));
    for gate in [&before, &after] {
        assert_eq!(decision(gate, &input).await, Decision::AskUser);
    }
}

#[tokio::test]
async fn a_confirmation_expires_and_cannot_be_prolonged() {
    let store = Arc::default();
    let at = |seconds: u64| {
        let confirmations = Confirmations::shared([7; 32], Arc::new(MemoryNonces::default()));
        let confirmations = confirmations.lifetime(Duration::from_secs(60));
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000 + seconds);
        builder(&store)
            .confirmations(confirmations)
            .clock(now)
            .build()
    };
    let (now, in_time, late) = (at(0), at(60), at(61));
    let mut input = confirmed(&now.expect("built")).await;
    assert_eq!(
        decision(&in_time.expect("built"), &input).await,
        Decision::Execute
    );
    let late = late.expect("built");
    assert_eq!(decision(&late, &input).await, Decision::AskUser);
    let prolonged = |token: String| token.replace("-1800000060", "-1810000060");
    input.confirmation = input.confirmation.map(prolonged);
    assert_eq!(decision(&late, &input).await, Decision::AskUser);
}

/// The log holds tokens: who has it must not find out by trying what was confirmed.
#[tokio::test]
async fn a_token_tells_nothing_of_what_is_confirmed() {
    let ask = async || {
        let gate = builder(&Arc::default()).build().expect("built");
        confirmed(&gate).await.confirmation
    };
    assert_ne!(ask().await, ask().await, "one call, two gates, two tokens");
}
