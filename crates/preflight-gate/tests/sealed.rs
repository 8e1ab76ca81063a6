//! Sealed logs: what the store writes, a verifier that does not trust it holds to be whole.

mod support;

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::Path,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use preflight_gate::{
    Decision, Durability, JsonlOptions, JsonlStore, Outcome, Sealing, Store, StoreError,
};
use preflight_record::Entry;
use preflight_seal::{
    LogId, SEAL, segments,
    verify::{self, Report, verify},
};
use support::{complete, gate, transfer};

fn sealed() -> JsonlOptions {
    JsonlStore::options().seal(Sealing::new())
}

async fn execute(store: &Arc<dyn Store>, user: &str) {
    let gate = gate(Arc::clone(store));
    let verdict = gate.run_and_record(&complete(user, &transfer())).await;
    let called = gate.execute_if_ready(verdict.expect("recorded"), async |_| Ok::<_, String>(()));
    assert!(matches!(called.await, Ok(Outcome::Executed { .. })));
}

fn verified(log: &Path) -> Report {
    verify(&[log.to_owned()], &AtomicU64::new(0)).expect("readable")
}

fn records(report: &Report) -> u64 {
    assert!(report.holds(), "{report:#?}");
    report.logs[0].records
}

#[tokio::test]
async fn every_durability_seals_over_segments_and_runs() {
    for durability in [
        Durability::Synced,
        Durability::Written,
        Durability::Buffered,
    ] {
        let directory = tempfile::tempdir().expect("a directory");
        let log = directory.path().join("records.jsonl");
        let sealing = Sealing::new()
            .segment_bytes(5_000)
            .log(LogId::new("bank/agent-7").expect("a name"));
        for run in 0..3 {
            let store = JsonlStore::options()
                .durability(durability)
                .seal(sealing.clone());
            let store: Arc<dyn Store> = Arc::new(store.open(&log).expect("opens"));
            let baseline = store.load("u_0").await.expect("readable");
            assert_eq!(
                baseline.is_some(),
                run > 0,
                "a baseline in an earlier segment"
            );
            for user in 0..4 {
                execute(&store, &format!("u_{user}")).await;
            }
            let baseline = store.load("u_0").await.expect("readable").expect("kept");
            assert_eq!(baseline.execution_decision, Decision::Executed);
            assert!(baseline.overflow.iter().all(|(key, _)| key != SEAL));
        }
        let report = verified(&log);
        assert_eq!(records(&report), 24);
        assert_eq!(report.logs[0].log, "bank/agent-7");
        assert!(segments(&log).expect("readable").len() > 3);
        // An edit of a record shows.
        let text = fs::read_to_string(&log).expect("readable");
        fs::write(&log, text.replacen("500000", "500001", 1)).expect("written");
        let outcomes: Vec<_> = verified(&log)
            .problems()
            .map(|problem| problem.outcome)
            .collect();
        assert_eq!(outcomes, [verify::Outcome::Edited]);
    }
}

#[tokio::test]
async fn old_segments_make_room() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("records.jsonl");
    let sealing = Sealing::new().segment_age(Duration::ZERO);
    let store = JsonlStore::options()
        .seal(sealing)
        .open(&log)
        .expect("opens");
    execute(&(Arc::new(store) as Arc<dyn Store>), "u_1").await;
    assert_eq!(segments(&log).expect("readable").len(), 2);
    assert_eq!(records(&verified(&log)), 2);
}

#[tokio::test]
async fn a_line_that_a_crash_tore_is_vouched_for() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("records.jsonl");
    execute(
        &(Arc::new(sealed().open(&log).expect("opens")) as Arc<dyn Store>),
        "u_1",
    )
    .await;
    let torn = br#"{"action_key":"u_2","fie"#;
    append(&log, torn);
    let outcomes = |report: Report| report.problems().map(|p| p.outcome).collect::<Vec<_>>();
    assert_eq!(outcomes(verified(&log)), [verify::Outcome::TornTail]);

    let store = sealed().open(&log).expect("opens");
    assert!(store.recovery().torn.is_some());
    execute(&(Arc::new(store) as Arc<dyn Store>), "u_1").await;
    let report = verified(&log);
    assert_eq!(records(&report), 4);
    assert_eq!(report.logs[0].vouched_bytes, torn.len() as u64 + 1);
    // What was vouched for cannot be altered, and a record that slipped in is told.
    let text = fs::read_to_string(&log).expect("readable");
    fs::write(&log, text.replace("u_2", "u_3")).expect("written");
    assert_eq!(outcomes(verified(&log)), [verify::Outcome::Edited]);
}

#[tokio::test]
async fn a_record_put_in_while_nobody_wrote_is_told() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("records.jsonl");
    execute(
        &(Arc::new(sealed().open(&log).expect("opens")) as Arc<dyn Store>),
        "u_1",
    )
    .await;
    let slipped = br#"{"schema_version":"1.8","action_key":"u_1","execution_decision":"hold"}"#;
    append(&log, &[&slipped[..], b"\n"].concat());
    execute(
        &(Arc::new(sealed().open(&log).expect("opens")) as Arc<dyn Store>),
        "u_1",
    )
    .await;
    let report = verified(&log);
    let problems: Vec<_> = report.problems().map(|p| (p.outcome, p.line)).collect();
    assert_eq!(problems, [(verify::Outcome::Unsealed, Some(3))]);
}

#[tokio::test]
async fn a_log_is_sealed_from_some_record_on() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("records.jsonl");
    let open = |options: JsonlOptions| options.open(&log);
    let plain: Arc<dyn Store> = Arc::new(open(JsonlStore::options()).expect("opens"));
    execute(&plain, "u_1").await;
    drop(plain);
    let before = fs::read(&log).expect("readable");
    let store: Arc<dyn Store> = Arc::new(open(sealed()).expect("opens"));
    execute(&store, "u_1").await;
    drop(store);
    let report = verified(&log);
    assert_eq!(
        (records(&report), report.logs[0].vouched_bytes),
        (2, before.len() as u64)
    );

    let unsealed = open(JsonlStore::options());
    assert!(matches!(unsealed, Err(StoreError::Seal(_))), "it would mix");
    let other = LogId::new("another").expect("a name");
    let renamed = open(JsonlStore::options().seal(Sealing::new().log(other)));
    assert!(matches!(renamed, Err(StoreError::Seal(_))));
}

#[tokio::test]
async fn numbers_stay_to_the_letter_and_a_foreign_seal_is_replaced() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("records.jsonl");
    let store = sealed().open(&log).expect("opens");
    let line = br#"{"schema_version":"1.8","action_key":"k","fields":[{"name":"n","status":"known","value":9007199254740993.10}],"execution_decision":"hold","seal":{"of":"another log"}}"#;
    let record = Entry::parse(line).expect("valid").record.into_owned();
    store.append(Arc::new(record)).await.expect("kept");
    drop(store);
    let text = fs::read_to_string(&log).expect("readable");
    assert!(text.contains("9007199254740993.10"), "{text}");
    assert!(!text.contains("another log"), "{text}");
    assert_eq!(records(&verified(&log)), 1);
}

fn append(path: &Path, bytes: &[u8]) {
    let mut file = OpenOptions::new().append(true).open(path).expect("opens");
    file.write_all(bytes).expect("written");
}
