//! What sealing and masking cost a store; see README.md beside this file.
//!
//! The stores take turns, round by round. What counts for those that do not sync is the time on the
//! processor, where the system tells it: on a shared machine the clock on the wall says more about the
//! others. A store that syncs waits for the disk, so there it is the clock.

#[path = "../tests/support/mod.rs"]
mod support;

use std::{
    fs,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use preflight_gate::{
    Durability, Input, JsonlStore, MaskedStore, MemoryStore, Preflight, Record, Sealing, Store,
};
use support::{Ready, complete, gate, transfer};
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinSet,
};

const ROUNDS: usize = 15;
const KINDS: [Kind; 3] = [Kind::Plain, Kind::Sealed, Kind::MaskedAndSealed];

#[derive(Debug, Clone, Copy)]
enum Kind {
    Plain,
    Sealed,
    MaskedAndSealed,
}

impl Kind {
    fn open(self, folder: &Path, durability: Durability) -> Arc<dyn Store> {
        let options = JsonlStore::options().durability(durability);
        let options = match self {
            Self::Plain => options,
            Self::Sealed | Self::MaskedAndSealed => options.seal(Sealing::new()),
        };
        let log = options.open(folder.join(format!("{self:?}.jsonl")));
        let log: Arc<dyn Store> = Arc::new(log.expect("opens"));
        match self {
            Self::MaskedAndSealed => Arc::new(MaskedStore::new(log, [7; 32])),
            _ => log,
        }
    }
}

fn main() {
    let one = Builder::new_current_thread().enable_time().build();
    let one = one.expect("a runtime");
    for durability in [Durability::Buffered, Durability::Written] {
        in_turn(&format!("append, {durability:?}"), durability, |store| {
            let record = a_record(&one);
            processor(|| {
                one.block_on(append(&*store, &record, 20_000));
                20_000
            })
        });
        in_turn(&format!("decision, {durability:?}"), durability, |store| {
            let (gate, input) = (gate(store), complete("u_1", &transfer()));
            processor(|| {
                one.block_on(decide(&gate, &input, 10_000));
                10_000
            })
        });
    }
    let two = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build();
    let two = two.expect("a runtime");
    in_turn(
        "decision, Synced, 64 callers",
        Durability::Synced,
        |store| {
            let gate = Arc::new(gate(store));
            let begun = Instant::now();
            two.block_on(at_once(&gate, 64, 50));
            (64 * 50, begun.elapsed())
        },
    );
}

/// A record of the gate's own.
fn a_record(runtime: &Runtime) -> Arc<Record<'static>> {
    let store = Arc::new(MemoryStore::default());
    let gate = gate(Arc::clone(&store) as Arc<dyn Store>);
    runtime.block_on(decide(&gate, &complete("u_1", &transfer()), 1));
    Arc::clone(&store.records()[0])
}

async fn append(store: &dyn Store, record: &Arc<Record<'static>>, count: u64) {
    for _ in 0..count {
        store.append(Arc::clone(record)).await.expect("kept");
    }
}

async fn decide(gate: &Preflight<Ready>, input: &Input, count: u64) {
    for _ in 0..count {
        drop(gate.run_and_record(input).await.expect("recorded"));
    }
}

async fn at_once(gate: &Arc<Preflight<Ready>>, callers: u64, each: u64) {
    let mut running = JoinSet::new();
    for caller in 0..callers {
        let gate = Arc::clone(gate);
        let input = complete(&format!("u_{caller}"), &transfer());
        running.spawn(async move { decide(&gate, &input, each).await });
    }
    while let Some(done) = running.join_next().await {
        done.expect("no panic");
    }
}

/// Lets each kind of store do the same, round by round, and prints the medians.
fn in_turn(what: &str, durability: Durability, act: impl Fn(Arc<dyn Store>) -> (u64, Duration)) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut times = KINDS.map(|_| Vec::new());
    for _ in 0..ROUNDS {
        for (kind, times) in KINDS.iter().zip(&mut times) {
            let (records, time) = act(kind.open(folder.path(), durability));
            times.push(time.as_secs_f64() * 1e9 / records as f64);
            for file in fs::read_dir(folder.path()).expect("readable").flatten() {
                let _ = fs::remove_file(file.path());
            }
        }
    }
    println!("{what}");
    let medians = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    });
    for (kind, time) in KINDS.iter().zip(medians) {
        let cost = 100.0 * (1.0 - medians[0] / time);
        let rate = 1e9 / time;
        println!(
            "  {:<16} {time:>7.0} ns  {rate:>8.0}/s  {cost:>5.1} % less",
            format!("{kind:?}")
        );
    }
}

/// Time on the processor, where the system tells it.
fn processor(act: impl FnOnce() -> u64) -> (u64, Duration) {
    let (wall, before) = (Instant::now(), on_processor());
    let records = act();
    match (before, on_processor()) {
        (Some(before), Some(after)) => (records, after - before),
        _ => (records, wall.elapsed()),
    }
}

/// How long this thread was on a processor so far.
fn on_processor() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
