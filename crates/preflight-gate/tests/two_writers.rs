//! Processes that append to one sealed log at once, some of them killed: the chain never forks.
//!
//! Without a test harness, since the processes are this program again.

mod support;

use std::{
    env,
    path::Path,
    process::{Child, Command},
    sync::{Arc, atomic::AtomicU64},
    thread,
    time::Duration,
};

use preflight_gate::{Decision, JsonlStore, Sealing, StoreError};
use preflight_seal::verify::{Asked, verify};
use support::{complete, gate, transfer};

const LOG: &str = "PREFLIGHT_TWO_WRITERS_LOG";
const WRITERS: usize = 2;
const TURNS: u64 = 20;
const RECORDS_A_TURN: u64 = 3;
const KILLED: u64 = 10;

fn main() {
    match env::var_os(LOG) {
        Some(log) => append(Path::new(&log)),
        None => append_at_once(),
    }
}

/// Opens the log whenever nobody else has it, and appends some records.
fn append(log: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.expect("a runtime");
    let mut turns = 0;
    while turns < TURNS {
        let sealing = Sealing::new().segment_bytes(40_000);
        let store = match JsonlStore::options().seal(sealing).open(log) {
            Ok(store) => store,
            Err(StoreError::Locked(_)) => {
                thread::sleep(Duration::from_millis(1));
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let gate = gate(Arc::new(store));
        for _ in 0..RECORDS_A_TURN {
            let verdict = runtime.block_on(gate.run_and_record(&complete("u_1", &transfer())));
            assert_eq!(verdict.expect("recorded").decision(), Decision::Execute);
        }
        drop(gate);
        // Whoever is next gets a chance.
        thread::sleep(Duration::from_millis(3));
        turns += 1;
    }
}

fn start(log: &Path) -> Child {
    let program = env::current_exe().expect("this program");
    let child = Command::new(program).env(LOG, log).spawn();
    child.expect("started")
}

fn append_at_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("records.jsonl");
    let writers: Vec<Child> = (0..WRITERS).map(|_| start(&log)).collect();
    for moment in 0..KILLED {
        let mut killed = start(&log);
        thread::sleep(Duration::from_millis(30 + 15 * moment));
        killed.kill().expect("killed");
        killed.wait().expect("ended");
    }
    for mut writer in writers {
        assert!(writer.wait().expect("ended").success(), "a writer failed");
    }
    let report = verify(&[log], &Asked::default(), &AtomicU64::new(0)).expect("readable");
    assert!(report.holds(), "{report:#?}");
    let [one] = &report.logs[..] else {
        panic!("one log: {report:#?}");
    };
    let least = WRITERS as u64 * TURNS * RECORDS_A_TURN;
    assert!(
        one.records >= least,
        "{} records, {least} kept",
        one.records
    );
    println!(
        "{} records in {} segments, {} bytes torn by {KILLED} kills: one chain",
        one.records,
        one.files.len(),
        one.vouched_bytes
    );
}
