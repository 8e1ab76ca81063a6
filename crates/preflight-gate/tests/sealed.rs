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
    UnkeyedLimits,
};
use preflight_record::Entry;
use preflight_seal::{
    Checkpoint, Hash, LogId, NewKey, PrivateKey, SEAL, segments,
    verify::{self, Asked, Report, checkpoint_path, verify},
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
    verified_with(log, &Asked::default())
}

fn verified_with(log: &Path, asked: &Asked) -> Report {
    verify(&[log.to_owned()], asked, &AtomicU64::new(0)).expect("readable")
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
async fn records_kept_apart_without_a_key_are_called_unsealed() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("records.jsonl");
    let limits = UnkeyedLimits {
        max_bytes: 1 << 20,
        max_age: Duration::from_secs(3_600),
    };
    let store: Arc<dyn Store> = Arc::new(sealed().unkeyed(limits).open(&log).expect("opens"));
    execute(&store, "u_1").await;
    let unsettled = complete("u_1", &transfer()).on_condition("", "no id");
    let verdict = gate(Arc::clone(&store)).run_and_record(&unsettled).await;
    assert!(verdict.expect("recorded").record().action_key.is_null());

    assert_eq!(records(&verified(&log)), 2, "the log alone is whole");
    let folder = verified(directory.path());
    assert!(!folder.holds());
    let problems: Vec<_> = folder.problems().collect();
    let [problem] = problems[..] else {
        panic!("{problems:#?}");
    };
    assert_eq!(problem.outcome, verify::Outcome::Unsealed);
    let name = problem.path.file_name().unwrap_or_default();
    assert_eq!(name, "records.unkeyed-000001.jsonl");
    let text = fs::read_to_string(&problem.path).expect("readable");
    assert_eq!(text.lines().count(), 1);
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

/// A key, and a request for its signature.
fn signer() -> (PrivateKey, Asked) {
    let key = NewKey::random("bank/agents").expect("made");
    let mut asked = Asked::default();
    asked.keys.trust(&key.public).expect("a key");
    (key.into_private().expect("a key"), asked)
}

#[tokio::test]
async fn a_log_is_signed_as_it_grows() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("records.jsonl");
    let (key, asked) = signer();
    let sealing = Sealing::new()
        .signed_with(key)
        .segment_bytes(5_000)
        .checkpoint_every(4, Duration::from_secs(3_600));
    let options = JsonlStore::options().seal(sealing);
    for _ in 0..2 {
        let store: Arc<dyn Store> = Arc::new(options.clone().open(&log).expect("opens"));
        for _ in 0..5 {
            execute(&store, "u_1").await;
        }
    }
    let report = verified_with(&log, &asked);
    assert_eq!(records(&report), 20);
    // When the store was closed, and before that at the end of segments and every four records.
    assert_eq!(report.logs[0].covered, 20);
    assert!(report.logs[0].checkpoints > 5, "{report:#?}");
    assert!(report.is_complete(), "{report:#?}");

    // The end is cut off, and so is the checkpoint over it: one that was kept elsewhere shows it.
    let kept = directory.path().join("kept");
    let all = fs::read_to_string(checkpoint_path(&log)).expect("readable");
    fs::write(&kept, all.split("\n\n").collect::<Vec<_>>().join("\n\n")).expect("written");
    let (_, last) = segments(&log).expect("readable").pop().expect("there");
    let text = fs::read_to_string(&last).expect("readable");
    let (most, _) = text.trim_end().rsplit_once('\n').unwrap_or_default();
    fs::write(
        &last,
        format!("{most}{}", if most.is_empty() { "" } else { "\n" }),
    )
    .expect("written");
    fs::remove_file(checkpoint_path(&log)).expect("removed");
    let unasked = verified(&log);
    assert!(unasked.holds() && !unasked.is_complete());
    let (_, mut asked_again) = signer();
    asked_again.keys = asked.keys;
    asked_again.checkpoints = vec![kept];
    let report = verified_with(&log, &asked_again);
    let outcomes: Vec<_> = report.problems().map(|problem| problem.outcome).collect();
    assert_eq!(outcomes, [verify::Outcome::Truncated]);
}

#[tokio::test]
async fn time_makes_a_checkpoint_though_no_record_comes() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("records.jsonl");
    let (key, asked) = signer();
    let sealing = Sealing::new()
        .signed_with(key)
        .checkpoint_every(1_000, Duration::from_millis(50));
    let store = JsonlStore::options()
        .seal(sealing)
        .open(&log)
        .expect("opens");
    let store: Arc<dyn Store> = Arc::new(store);
    execute(&store, "u_1").await;
    for _ in 0..200 {
        let report = verified_with(&log, &asked);
        if report.logs[0].covered == 2 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no checkpoint");
}

#[tokio::test]
async fn no_two_histories_are_signed() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("records.jsonl");
    let (key, _) = signer();
    let options = || JsonlStore::options().seal(Sealing::new().signed_with(key.clone()));
    for _ in 0..2 {
        execute(
            &(Arc::new(options().open(&log).expect("opens")) as Arc<dyn Store>),
            "u_1",
        )
        .await;
    }
    // A torn checkpoint is taken off.
    let whole = fs::read(checkpoint_path(&log)).expect("readable");
    append(&checkpoint_path(&log), b"half a");
    drop(options().open(&log).expect("opens"));
    assert_eq!(fs::read(checkpoint_path(&log)).expect("readable"), whole);

    let text = fs::read_to_string(&log).expect("readable");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for damaged in [lines[..2].concat(), lines[2..].concat(), String::new()] {
        fs::write(&log, damaged).expect("written");
        let opened = options().open(&log);
        assert!(matches!(opened, Err(StoreError::Damaged(_))));
    }
    // A stranger's checkpoint stops nobody.
    fs::write(&log, text).expect("written");
    let stranger = NewKey::random("x")
        .expect("made")
        .into_private()
        .expect("a key");
    let checkpoint = Checkpoint {
        origin: "x".to_owned(),
        size: 1_000,
        root: Hash::ZERO,
    };
    let signed = checkpoint.sign([&stranger]).expect("signed");
    append(&checkpoint_path(&log), format!("{signed}\n").as_bytes());
    assert!(options().open(&log).is_ok());
}
