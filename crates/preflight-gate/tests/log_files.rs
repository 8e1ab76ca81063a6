//! Files that somebody else cuts, moves, links or replaces while a store has them open.

mod support;

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use preflight_gate::{
    Answer, Decision, Durability, GateError, Hold, Input, JsonlOptions, JsonlStore, Keys,
    MemoryStore, Outcome, Preflight, Record, Sealing, SqliteStore, Store, StoreError,
};
use support::{Confirms, Fits, KeepAll, Ready, complete, transfer};
use tempfile::TempDir;

/// A gate that inherits whatever it finds.
fn gate(store: Arc<dyn Store>) -> Preflight<Ready> {
    let builder = Preflight::builder().hooks(Ready).field_policy(KeepAll);
    let builder = builder.field_schema(Fits).checklist(Confirms);
    builder.store(store).build().expect("not strict")
}

/// A run whose payee is to be inherited.
fn without_payee(user: &str) -> Input {
    let mut input = complete(user, &transfer());
    input.user_answers.clear();
    input
}

async fn pay(gate: &Preflight<Ready>, user: &str, to: &str) -> Result<(), GateError> {
    let input = complete(user, &transfer()).answers("to_account", to);
    let verdict = gate.run_and_record(&input).await?;
    let outcome = gate.execute_if_ready(verdict, async |_| Ok::<_, String>(()));
    match outcome.await? {
        Outcome::Executed { .. } => Ok(()),
        Outcome::Unrecorded { error, .. } => Err(error.into()),
        other => panic!("{other:?}"),
    }
}

fn directory() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("a.jsonl");
    (directory, log)
}

fn cut(log: &Path) {
    let file = OpenOptions::new().write(true).open(log);
    file.and_then(|file| file.set_len(0)).expect("cut");
}

fn all_options() -> Vec<JsonlOptions> {
    use Durability::{Buffered, Synced, Written};
    let each = [Synced, Written, Buffered];
    let plain = each.map(|durability| JsonlStore::options().durability(durability));
    let sealed = each.map(|durability| {
        let options = JsonlStore::options().durability(durability);
        options.seal(Sealing::new())
    });
    plain.into_iter().chain(sealed).collect()
}

#[tokio::test]
async fn a_log_that_is_cut_while_open_gives_out_nobody_elses_record() {
    for options in all_options() {
        let (_directory, log) = directory();
        let store = Arc::new(options.open(&log).expect("opens"));
        let gate = gate(Arc::clone(&store) as Arc<dyn Store>);
        pay(&gate, "alice", "bob").await.expect("paid");
        store.flush().expect("flushed");
        cut(&log);
        let mut refused = pay(&gate, "mally", "mal").await.err();
        if refused.is_none() {
            // What is buffered was promised to nobody.
            refused = store.flush().err().map(GateError::from);
        }
        let refused = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.contains("has 0 bytes where"), "{refused}");
        assert!(store.load("alice").await.is_err());
        let again = gate.run_and_record(&without_payee("alice")).await;
        assert!(matches!(again, Err(GateError::Store(_))), "{again:?}");
    }
}

#[tokio::test]
async fn a_log_is_not_written_on_once_it_is_another() {
    type Change = fn(&Path);
    let changes: [(&str, Change, &str); 4] = [
        (
            "moved",
            |log| fs::rename(log, log.with_extension("1")).expect("moved"),
            "was moved, replaced or removed",
        ),
        (
            "removed",
            |log| fs::remove_file(log).expect("removed"),
            "was moved, replaced or removed",
        ),
        (
            "replaced",
            |log| {
                fs::rename(log, log.with_extension("1")).expect("moved");
                fs::copy(log.with_extension("1"), log).expect("copied");
            },
            "was moved, replaced or removed",
        ),
        (
            "written to",
            |log| {
                let file = OpenOptions::new().append(true).open(log);
                file.and_then(|mut file| file.write_all(b"{}\n"))
                    .expect("written");
            },
            "bytes where",
        ),
    ];
    for (what, change, says) in changes {
        for options in all_options().into_iter().take(2) {
            let (_directory, log) = directory();
            let gate = gate(Arc::new(options.open(&log).expect("opens")));
            pay(&gate, "alice", "bob").await.expect("paid");
            change(&log);
            let refused = pay(&gate, "alice", "bob").await.expect_err("refused");
            if cfg!(unix) || says == "bytes where" {
                assert!(refused.to_string().contains(says), "{what}: {refused}");
            }
            let after = pay(&gate, "alice", "bob").await;
            assert!(
                matches!(after, Err(GateError::Store(StoreError::Closed(_)))),
                "{what}: {after:?}"
            );
        }
    }
}

#[tokio::test]
async fn what_stands_where_a_record_stood_is_looked_at() {
    let (_directory, log) = directory();
    let store = Arc::new(JsonlStore::open(&log).expect("opens"));
    let gate = gate(Arc::clone(&store) as Arc<dyn Store>);
    pay(&gate, "alice", "bob").await.expect("paid");
    let whole = fs::read_to_string(&log).expect("readable");
    let others = [
        whole.replace("alice", "mally"),
        whole.replace("\"executed\"", "\"execute\" "),
        // In the midst of a line that is as long as all of it.
        whole.replacen('\n', " ", 1),
    ];
    for other in others {
        assert_eq!(other.len(), whole.len());
        fs::write(&log, &other).expect("written");
        let loaded = store.load("alice").await;
        assert!(
            matches!(loaded, Err(StoreError::Damaged(_))),
            "{loaded:?}: {other}"
        );
        let asked = gate.run(&without_payee("alice")).await.expect("judged");
        assert_eq!(asked.decision(), Decision::AskUser);
        assert!(asked.record().to_json().contains("lookup_failed"));
    }
    fs::write(&log, &whole).expect("written");
    assert!(matches!(store.load("alice").await, Ok(Some(_))));
}

#[test]
fn a_log_whose_first_segments_are_gone_opens() {
    let (_directory, log) = directory();
    let open = || {
        let sealing = Sealing::new().segment_bytes(1);
        JsonlStore::options().seal(sealing).open(&log)
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.expect("a runtime");
    let gate_over = |store| gate(Arc::new(store) as Arc<dyn Store>);
    let first = gate_over(open().expect("opens"));
    runtime.block_on(pay(&first, "alice", "bob")).expect("paid");
    drop(first);
    fs::remove_file(&log).expect("removed");
    let second = gate_over(open().expect("opens"));
    let verdict = runtime.block_on(second.run_and_record(&without_payee("alice")));
    assert!(verdict.expect("recorded").is_ready());
}

#[cfg(unix)]
#[test]
fn a_log_takes_one_writer_by_whatever_name() {
    let locked = |path: &Path| {
        let opened = JsonlStore::open(path).map(|_| ());
        assert!(matches!(opened, Err(StoreError::Locked(_))), "{opened:?}");
    };
    let (directory, log) = directory();
    let other = directory.path().join("b.jsonl");
    let first = JsonlStore::open(&log).expect("opens");
    fs::hard_link(&log, &other).expect("linked");
    locked(&other);
    fs::remove_file(directory.path().join("a.jsonl.lock")).expect("removed");
    locked(&log);
    fs::remove_file(&other).expect("removed");
    fs::rename(&log, &other).expect("moved");
    locked(&other);
    drop(first);
    assert!(JsonlStore::open(&other).is_ok());
}

#[cfg(unix)]
#[tokio::test]
async fn a_log_takes_one_writer_by_the_name_of_any_segment_that_would_be_gone_on_with() {
    let (directory, log) = directory();
    let sealing = || Sealing::new().segment_bytes(1);
    let open = |path: &Path| JsonlStore::options().seal(sealing()).open(path);
    let other = directory.path().join("b.jsonl");
    for _ in 0..2 {
        let gate = gate(Arc::new(open(&log).expect("opens")));
        pay(&gate, "alice", "bob").await.expect("paid");
        let segments = preflight_seal::segments(&log).expect("readable");
        let (first, last) = (segments.first(), segments.last());
        for (_, segment) in [first, last].into_iter().flatten() {
            fs::hard_link(segment, &other).expect("linked");
            let opened = open(&other).map(|_| ());
            assert!(matches!(opened, Err(StoreError::Locked(_))), "{opened:?}");
            fs::remove_file(&other).expect("removed");
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_database_has_one_name() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    // To nothing yet.
    std::os::unix::fs::symlink(path("a.db"), path("link.db")).expect("linked");
    let by_link = SqliteStore::open(path("link.db")).expect("opens");
    let by_name = SqliteStore::open(path("a.db")).expect("opens");
    let again = SqliteStore::open(path("link.db")).expect("opens");
    let held = by_link.hold("u").await.expect("works");
    assert!(held.is_some());
    for other in [&by_name, &again] {
        assert!(matches!(other.hold("u").await, Ok(None)));
    }
    fs::hard_link(path("a.db"), path("hard.db")).expect("linked");
    let refused = SqliteStore::open(path("hard.db")).map(|_| ());
    let refused = refused.expect_err("refused").to_string();
    assert!(refused.contains("more than one hard link"), "{refused}");
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let (directory, log) = directory();
    let fifo = |name: &str| {
        let path = directory.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
        path
    };
    let refused = |opened: Result<(), StoreError>| {
        let error = opened.expect_err("refused").to_string();
        assert!(error.contains("is no regular file"), "{error}");
    };
    let open = |path: &Path| JsonlStore::open(path).map(|_| ());
    let pipe = fifo("pipe");
    refused(open(&pipe));
    refused(SqliteStore::open(&pipe).map(|_| ()));
    refused(open(Path::new("/dev/null")));
    refused(open(directory.path()));
    for beside in ["a.jsonl.lock", "a.000001.jsonl"] {
        let beside = fifo(beside);
        refused(open(&log));
        fs::remove_file(beside).expect("removed");
    }
    let checkpoints = fifo("a.jsonl.checkpoints");
    let key = preflight_seal::NewKey::random("a").expect("random");
    let sealing = Sealing::new().signed_with(key.into_private().expect("a key"));
    refused(JsonlStore::options().seal(sealing).open(&log).map(|_| ()));
    fs::remove_file(checkpoints).expect("removed");
    assert!(open(&log).is_ok());
}

/// A store that answers for every key with the one record it has.
struct OfOneRecord(MemoryStore, Arc<Record<'static>>);

impl Store for OfOneRecord {
    fn append(&self, record: Arc<Record<'static>>) -> Answer<'_, Result<(), StoreError>> {
        self.0.append(record)
    }

    fn load<'a>(
        &'a self,
        _: &'a str,
    ) -> Answer<'a, Result<Option<Arc<Record<'static>>>, StoreError>> {
        Answer::now(Ok(Some(Arc::clone(&self.1))))
    }

    fn keys(&self) -> &Arc<Keys> {
        self.0.keys()
    }

    fn hold<'a>(&'a self, action_key: &'a str) -> Answer<'a, Result<Option<Hold>, StoreError>> {
        self.0.hold(action_key)
    }
}

#[tokio::test]
async fn no_store_can_pass_on_what_is_no_baseline_of_the_key() {
    let kept = Arc::new(MemoryStore::default());
    let first = gate(Arc::clone(&kept) as Arc<dyn Store>);
    pay(&first, "alice", "bob").await.expect("paid");
    let [execute, executed] = &kept.records()[..] else {
        panic!("two records");
    };
    let judged = async |record: &Arc<Record<'static>>, user: &str| {
        let store = OfOneRecord(MemoryStore::default(), Arc::clone(record));
        let gate = gate(Arc::new(store));
        let judgement = gate.run(&without_payee(user)).await.expect("judged");
        (judgement.decision(), judgement.record().to_json())
    };
    assert_eq!(judged(executed, "alice").await.0, Decision::Execute);
    for (record, user) in [(executed, "mally"), (execute, "alice")] {
        let (decision, record) = judged(record, user).await;
        assert_eq!(decision, Decision::AskUser);
        assert!(record.contains("\"lookup_failed\":true"), "{record}");
    }
}

#[test]
fn a_database_row_that_says_another_key_is_damaged() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.db");
    let store = Arc::new(SqliteStore::open(&path).expect("opens"));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.expect("a runtime");
    let gate = gate(Arc::clone(&store) as Arc<dyn Store>);
    runtime.block_on(pay(&gate, "alice", "bob")).expect("paid");
    let connection = rusqlite::Connection::open(&path).expect("opens");
    let copy = "insert into preflight_records (action_key, execution_decision, timestamp, record)
        select 'mally', 'executed', timestamp, record from preflight_records";
    connection.execute(copy, []).expect("inserted");
    let loaded = runtime.block_on(store.load("mally"));
    assert!(matches!(loaded, Err(StoreError::Damaged(_))), "{loaded:?}");
}
