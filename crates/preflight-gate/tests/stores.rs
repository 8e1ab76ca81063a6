//! What every store promises, and what only some do.

mod support;

use std::{fs, io::Write, path::Path, sync::Arc, time::Duration};

use preflight_gate::{
    Decision, Durability, JsonlStore, MemoryStore, Outcome, Preflight, SqliteStore, Store,
    StoreError, UnkeyedLimits,
};
use preflight_record::Entry;
use support::{Ready, complete, gate, transfer};

async fn execute(gate: &Preflight<Ready>, user: &str) -> Outcome<(), String> {
    let verdict = gate
        .run_and_record(&complete(user, &transfer()))
        .await
        .expect("recorded");
    assert_eq!(verdict.decision(), Decision::Execute);
    let called = gate.execute_if_ready(verdict, async |_| Ok(()));
    called.await.expect("own verdict")
}

/// Only an executed record is a baseline, and it is the latest one.
async fn keeps_baselines(store: Arc<dyn Store>) {
    let gate = gate(Arc::clone(&store));
    assert!(store.load("u_1").await.expect("readable").is_none());
    let verdict = gate
        .run_and_record(&complete("u_1", &transfer()))
        .await
        .expect("recorded");
    assert!(
        store.load("u_1").await.expect("readable").is_none(),
        "execute is no baseline"
    );
    let failed = gate.execute_if_ready(verdict, async |_| Err::<(), _>("no"));
    assert!(matches!(failed.await, Ok(Outcome::Failed { .. })));
    assert!(
        store.load("u_1").await.expect("readable").is_none(),
        "failed is no baseline"
    );
    for _ in 0..2 {
        let Outcome::Executed { record, .. } = execute(&gate, "u_1").await else {
            panic!("the call succeeds");
        };
        let baseline = store
            .load("u_1")
            .await
            .expect("readable")
            .expect("there is one");
        assert_eq!(baseline, record);
    }
    assert!(store.load("u_2").await.expect("readable").is_none());
}

#[tokio::test]
async fn every_store_keeps_baselines() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    keeps_baselines(Arc::new(MemoryStore::default())).await;
    keeps_baselines(Arc::new(SqliteStore::open(path("a.db")).expect("opens"))).await;
    for durability in [
        Durability::Synced,
        Durability::Written,
        Durability::Buffered,
    ] {
        let store = JsonlStore::options().durability(durability);
        let store = store
            .open(path(&format!("{durability:?}.jsonl")))
            .expect("opens");
        keeps_baselines(Arc::new(store)).await;
    }
}

#[tokio::test]
async fn baselines_outlive_their_process() {
    let directory = tempfile::tempdir().expect("a directory");
    let jsonl = directory.path().join("a.jsonl");
    let sqlite = directory.path().join("a.db");
    let open = || -> [Arc<dyn Store>; 2] {
        let log = JsonlStore::open(&jsonl).expect("opens");
        [
            Arc::new(log),
            Arc::new(SqliteStore::open(&sqlite).expect("opens")),
        ]
    };
    for store in open() {
        execute(&gate(store), "u_1").await;
    }
    for store in open() {
        let baseline = store.load("u_1").await.expect("readable").expect("kept");
        assert_eq!(baseline.execution_decision, Decision::Executed);
    }
}

#[tokio::test]
async fn a_torn_tail_is_closed_off_and_nothing_is_rewritten() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.jsonl");
    execute(
        &gate(Arc::new(JsonlStore::open(&path).expect("opens"))),
        "u_1",
    )
    .await;
    let before = fs::read(&path).expect("readable");
    let torn = br#"{"schema_version":"1.8","action_key":"u_2","fie"#;
    append(&path, torn);

    let store = JsonlStore::open(&path).expect("opens");
    let recovery = store.recovery().clone();
    let tail = recovery.torn.as_ref().expect("torn");
    assert_eq!(
        (tail.offset, tail.length),
        (before.len() as u64, torn.len())
    );
    assert_eq!(recovery.records, 2);
    execute(&gate(Arc::new(store)), "u_3").await;

    let after = fs::read(&path).expect("readable");
    assert!(after.starts_with(&[&before[..], torn, b"\n"].concat()));
    let quarantined = fs::read_to_string(directory.path().join("a.jsonl.quarantine"));
    assert!(quarantined.expect("written").contains("torn_tail"));
    let again = JsonlStore::open(&path).expect("opens");
    assert_eq!(
        (again.recovery().records, again.recovery().torn.clone()),
        (4, None)
    );
    assert_eq!(again.recovery().unreadable, [3]);
    let baseline = again.load("u_3").await.expect("readable").expect("kept");
    assert_eq!(baseline.action_key.given().map(|key| &**key), Some("u_3"));
}

#[tokio::test]
async fn a_record_that_lost_only_its_line_break_is_kept() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.jsonl");
    execute(
        &gate(Arc::new(JsonlStore::open(&path).expect("opens"))),
        "u_1",
    )
    .await;
    let whole = fs::read(&path).expect("readable");
    fs::write(&path, &whole[..whole.len() - 1]).expect("written");
    let store = JsonlStore::open(&path).expect("opens");
    assert!(store.recovery().is_clean(), "{:?}", store.recovery());
    assert_eq!(fs::read(&path).expect("readable"), whole);
    assert!(store.load("u_1").await.expect("readable").is_some());
}

#[tokio::test]
async fn a_call_without_an_end_is_told() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.jsonl");
    {
        let gate = gate(Arc::new(JsonlStore::open(&path).expect("opens")));
        execute(&gate, "u_1").await;
        let _ = gate
            .run_and_record(&complete("u_2", &transfer()))
            .await
            .expect("recorded");
    }
    let store = JsonlStore::open(&path).expect("opens");
    let [call] = &store.recovery().unfinished[..] else {
        panic!("{:?}", store.recovery());
    };
    assert_eq!(
        (call.action_key.as_str(), call.tool.as_str(), call.line),
        ("u_2", "bank.transfer", 3)
    );
}

#[tokio::test]
async fn a_database_tells_of_calls_without_an_end_unless_they_are_under_way() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.db");
    let store = Arc::new(SqliteStore::open(&path).expect("opens"));
    assert!(store.recovery().is_clean());
    let gate = gate(Arc::clone(&store) as Arc<dyn Store>);
    execute(&gate, "u_1").await;
    let verdict = gate.run_and_record(&complete("u_2", &transfer())).await;
    let verdict = verdict.expect("recorded");

    // Somebody else opens the database while the call is let out.
    let other = SqliteStore::open(&path).expect("opens");
    assert!(other.recovery().is_clean(), "{:?}", other.recovery());
    assert_eq!(other.recovery().records, 3);
    assert!(matches!(other.hold("u_2").await, Ok(None)));
    assert!(matches!(other.hold("u_3").await, Ok(Some(_))));

    drop(verdict);
    let other = SqliteStore::open(&path).expect("opens");
    let [call] = &other.recovery().unfinished[..] else {
        panic!("{:?}", other.recovery());
    };
    let told = (call.action_key.as_str(), call.tool.as_str(), call.line);
    assert_eq!(told, ("u_2", "bank.transfer", 3));
    assert!(matches!(other.hold("u_2").await, Ok(Some(_))));
}

#[test]
fn one_writer_at_a_time() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.jsonl");
    let first = JsonlStore::open(&path).expect("opens");
    assert!(matches!(
        JsonlStore::open(&path),
        Err(StoreError::Locked(_))
    ));
    drop(first);
    assert!(JsonlStore::open(&path).is_ok());
}

#[tokio::test]
async fn unkeyed_records_stay_within_limits() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.jsonl");
    let limits = UnkeyedLimits {
        max_bytes: 64 * 1_024,
        max_age: Duration::from_secs(3_600),
    };
    let options = JsonlStore::options()
        .durability(Durability::Written)
        .unkeyed(limits);
    let log: Arc<dyn Store> = Arc::new(options.open(&path).expect("opens"));
    let database = SqliteStore::open_with_limits(directory.path().join("a.db"), limits);
    let database: Arc<dyn Store> = Arc::new(database.expect("opens"));
    for store in [&log, &database] {
        let gate = gate(Arc::clone(store));
        for _ in 0..600 {
            let unsettled = complete("u_1", &transfer()).on_condition("", "no id");
            let verdict = gate.run_and_record(&unsettled).await.expect("recorded");
            assert!(verdict.record().action_key.is_null());
        }
        execute(&gate, "u_1").await;
    }
    assert_eq!(count_lines(&path), 2, "the log holds the keyed records");
    let unkeyed = fs::read_dir(directory.path()).expect("readable").flatten();
    let unkeyed = unkeyed.filter(|file| file.file_name().to_string_lossy().contains("unkeyed"));
    let sizes: Vec<u64> = unkeyed
        .map(|file| file.metadata().expect("there").len())
        .collect();
    let total: u64 = sizes.iter().sum();
    assert!(
        total > 0 && total <= limits.max_bytes + limits.max_bytes / 8,
        "{sizes:?}"
    );

    let connection = rusqlite::Connection::open(directory.path().join("a.db")).expect("opens");
    let kept =
        "select count(*), sum(length(record)) from preflight_records where action_key is null";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let (kept, bytes) = connection.query_row(kept, [], read).expect("a row");
    assert!(
        kept < 600 && bytes < 3 * limits.max_bytes as i64,
        "{kept} records, {bytes} bytes"
    );
    assert!(
        connection
            .execute("delete from preflight_records where action_key = 'u_1'", [])
            .is_err()
    );
    assert!(
        connection
            .execute("update preflight_records set record = ''", [])
            .is_err()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_at_once_all_find_their_records() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.jsonl");
    let gate = Arc::new(gate(Arc::new(JsonlStore::open(&path).expect("opens"))));
    let callers = (0..64).map(|caller| {
        let gate = Arc::clone(&gate);
        tokio::spawn(async move {
            for _ in 0..4 {
                assert!(matches!(
                    execute(&gate, &format!("u_{caller}")).await,
                    Outcome::Executed { .. }
                ));
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.expect("no panic");
    }
    drop(gate);
    let store = JsonlStore::open(&path).expect("opens");
    assert!(store.recovery().is_clean());
    assert_eq!(store.recovery().records, 64 * 4 * 2);
    let text = fs::read_to_string(&path).expect("UTF-8");
    assert!(
        text.lines()
            .all(|line| Entry::parse(line.as_bytes()).is_ok())
    );
}

fn append(path: &Path, bytes: &[u8]) {
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(path)
        .expect("opens");
    file.write_all(bytes).expect("written");
}

fn count_lines(path: &Path) -> usize {
    fs::read_to_string(path).expect("readable").lines().count()
}
