//! A process that records and executes, killed at random moments two hundred times.
//!
//! Without a test harness, since the process that gets killed is this program again.

mod support;

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fs::{self, File, OpenOptions},
    io::Write,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::Duration,
};

use preflight_gate::{Decision, JsonlStore, Outcome, Recovery};
use preflight_record::Entry;
use support::{complete, gate, transfer};

const KILLS: u64 = 200;
/// How many kills a log lives through.
const KILLS_A_LOG: u64 = 10;
const CHILD: &str = "PREFLIGHT_CRASH_TEST_LOG";

fn main() {
    match env::var_os(CHILD) {
        Some(directory) => record_and_execute(Path::new(&directory)),
        None => kill_and_check(),
    }
}

/// The process that gets killed: numbered runs, each told to a file of its own as it goes on.
fn record_and_execute(directory: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.expect("a runtime");
    let store = JsonlStore::open(directory.join("records.jsonl")).expect("opens");
    let open = |name: &str| {
        let path = directory.join(name);
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .expect("opens")
    };
    let (mut acknowledged, mut called) = (open("acknowledged"), open("called"));
    let tell = |file: &mut File, line: String| file.write_all(line.as_bytes()).expect("written");
    let first = lines(&directory.join("acknowledged")).len() as u64 * 1_000;
    let gate = gate(Arc::new(store));
    for number in first.. {
        let input = complete(&format!("u_{}", number % 4), &transfer())
            .answers("to_account", format!("run {number}").as_str());
        runtime.block_on(async {
            let verdict = gate.run_and_record(&input).await.expect("recorded");
            tell(&mut acknowledged, format!("execute {number}\n"));
            let outcome = gate.execute_if_ready(verdict, async |_| {
                tell(&mut called, format!("{number}\n"));
                Ok::<_, String>(())
            });
            assert!(matches!(outcome.await, Ok(Outcome::Executed { .. })));
            tell(&mut acknowledged, format!("executed {number}\n"));
        });
    }
}

fn kill_and_check() {
    // A small generator is enough to spread the moments out; the seed makes a run repeatable.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut ends = Ends::default();
    let directories = tempfile::tempdir().expect("a directory");
    for kill in 0..KILLS {
        let directory = directories.path().join((kill / KILLS_A_LOG).to_string());
        fs::create_dir_all(&directory).expect("created");
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let moment = Duration::from_micros(2_000 + (state >> 33) % 60_000);
        run_and_kill(&directory, moment);
        check(&directory, &mut ends);
    }
    println!("killed {KILLS} times: {ends:?}");
    assert!(
        ends.calls > KILLS as usize,
        "the process got nowhere: {ends:?}"
    );
}

fn run_and_kill(directory: &Path, moment: Duration) {
    let program = env::current_exe().expect("this program");
    let mut child = Command::new(program)
        .env(CHILD, directory)
        .stdout(Stdio::null())
        .spawn()
        .expect("started");
    thread::sleep(moment);
    child.kill().expect("killed");
    let status = child.wait().expect("ended");
    assert_eq!(status.code(), None, "it ended by itself");
}

/// How the runs were found after the kills.
#[derive(Debug, Default)]
struct Ends {
    calls: usize,
    unfinished: usize,
    torn: usize,
}

fn check(directory: &Path, ends: &mut Ends) {
    let log = directory.join("records.jsonl");
    let before = fs::read(&log).unwrap_or_default();
    let store = JsonlStore::open(&log).expect("opens after a crash");
    let recovery = store.recovery().clone();
    drop(store);
    let after = fs::read(&log).expect("readable");
    assert!(after.starts_with(&before), "recovery rewrote the log");

    let recorded = recorded(&after);
    let has = |decision: Decision, number: u64| {
        recorded
            .get(&number)
            .is_some_and(|d| d.contains(decision.as_str()))
    };
    for line in lines(&directory.join("acknowledged")) {
        let (decision, number) = line.split_once(' ').expect("two words");
        let decision = Decision::parse(decision).expect("a decision");
        assert!(
            has(decision, number.parse().expect("a number")),
            "lost: {line}"
        );
    }
    let called = lines(&directory.join("called"));
    let mut open = Vec::new();
    for line in &called {
        let number: u64 = line.parse().expect("a number");
        assert!(
            has(Decision::Execute, number),
            "called without an execute on record: {number}"
        );
        if !has(Decision::Executed, number) {
            open.push(number);
        }
    }
    // One process runs one call at a time, so each kill leaves at most one open.
    assert!(open.len() <= KILLS_A_LOG as usize, "{open:?}");
    tell_apart(&recovery, &recorded, ends);
    ends.calls += called.len();
}

/// Recovery says of exactly those runs that their end is missing whose `execute` is the key's last.
fn tell_apart(recovery: &Recovery, recorded: &BTreeMap<u64, BTreeSet<String>>, ends: &mut Ends) {
    let mut last: BTreeMap<u64, (u64, bool)> = BTreeMap::new();
    for (number, decisions) in recorded {
        last.insert(number % 4, (*number, decisions.contains("executed")));
    }
    let expected: BTreeSet<String> = last
        .iter()
        .filter(|(_, (_, ended))| !ended)
        .map(|(key, _)| format!("u_{key}"))
        .collect();
    let told: BTreeSet<String> = recovery
        .unfinished
        .iter()
        .map(|call| call.action_key.clone())
        .collect();
    assert_eq!(told, expected);
    ends.unfinished += told.len();
    ends.torn += usize::from(recovery.torn.is_some());
}

/// The decisions on record of each numbered run.
fn recorded(log: &[u8]) -> BTreeMap<u64, BTreeSet<String>> {
    let mut recorded: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    for line in log
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let Ok(entry) = Entry::parse(line) else {
            continue;
        };
        let fields = entry.record.fields.given().expect("decided");
        let field = fields
            .iter()
            .find(|field| field.name == "to_account")
            .expect("answered");
        let value = field.value.given().expect("known");
        let number = value
            .trim_matches('"')
            .strip_prefix("run ")
            .expect("numbered");
        let number = number.parse().expect("a number");
        let decision = entry.record.execution_decision.as_str().to_owned();
        recorded.entry(number).or_default().insert(decision);
    }
    recorded
}

/// The whole lines of a file; the last one may have been cut off.
fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(str::to_owned).collect()
}
