//! What one decision costs, and how many a store takes; see README.md beside this file.

#[path = "../tests/support/mod.rs"]
mod support;

use std::{fs::File, hint::black_box, io::Write, sync::Arc, time::Duration};

use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use preflight_gate::{
    Decision, Durability, Input, JsonlStore, MemoryStore, Preflight, SqliteStore, Store,
};
use support::{Ready, complete, gate, transfer};
use tokio::runtime::{Builder, Runtime};

fn one_thread() -> Runtime {
    Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime")
}

async fn decide(gate: &Preflight<Ready>, input: &Input) {
    let verdict = gate.run_and_record(input).await.expect("recorded");
    assert_eq!(verdict.decision(), Decision::Execute);
    drop(black_box(verdict));
}

/// Three fields, hooks that answer at once, records in memory.
fn in_memory(c: &mut Criterion) {
    let runtime = one_thread();
    let gate = gate(Arc::new(MemoryStore::with_limit(1_000)));
    let input = complete("u_1", &transfer());
    c.bench_function("decision, in memory", |b| {
        b.to_async(&runtime).iter(|| decide(&gate, &input));
    });
    c.bench_function("decision and call, in memory", |b| {
        b.to_async(&runtime).iter(|| async {
            let verdict = gate.run_and_record(&input).await.expect("recorded");
            let called = gate.execute_if_ready(verdict, async |_| Ok::<_, String>(()));
            black_box(called.await.expect("own verdict"));
        });
    });
}

/// JSON Lines that are not synced: one caller, and one for each of two cores.
fn unsynced(c: &mut Criterion) {
    let mut group = c.benchmark_group("JSON Lines, not synced");
    for (callers, durability) in [
        (1, Durability::Buffered),
        (2, Durability::Buffered),
        (1, Durability::Written),
    ] {
        let directory = tempfile::tempdir().expect("a directory");
        let store = JsonlStore::options().durability(durability);
        let store = store.open(directory.path().join("a.jsonl")).expect("opens");
        let name = format!("{durability:?}, callers: {callers}");
        at_once(&mut group, &name, Arc::new(store), callers, 2_000);
    }
    group.finish();
}

/// Each decision on disk before it counts: alone, and with 64 callers at once. First what the disk
/// takes by itself: 64 lines written and synced, again and again, with nothing to decide.
fn durable(c: &mut Criterion) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    let mut file = File::create(path("alone.jsonl")).expect("created");
    let lines = "x".repeat(64 * 1_131);
    let log = || Arc::new(JsonlStore::open(path("a.jsonl")).expect("opens"));
    let mut group = c.benchmark_group("synced");
    group
        .sample_size(20)
        .measurement_time(Duration::from_secs(8));
    group.throughput(Throughput::Elements(64));
    group.bench_function("the disk alone, 64 lines a sync", |b| {
        b.iter(|| {
            file.write_all(lines.as_bytes()).expect("written");
            file.sync_data().expect("synced");
        });
    });
    at_once(&mut group, "JSON Lines, callers: 1", log(), 1, 50);
    at_once(&mut group, "JSON Lines, callers: 64", log(), 64, 50);
    let database = SqliteStore::open(path("a.db")).expect("opens");
    at_once(
        &mut group,
        "SQLite, callers: 64",
        Arc::new(database),
        64,
        50,
    );
    group.finish();
}

/// So many callers on two threads, each with a key of its own and so many decisions.
fn at_once(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    store: Arc<dyn Store>,
    callers: u64,
    decisions: u64,
) {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build();
    let runtime = runtime.expect("a runtime");
    let gate = Arc::new(gate(store));
    let inputs: Vec<_> = (0..callers)
        .map(|caller| Arc::new(complete(&format!("u_{caller}"), &transfer())))
        .collect();
    group.throughput(Throughput::Elements(callers * decisions));
    group.bench_function(name, |b| {
        b.to_async(&runtime)
            .iter(|| call(Arc::clone(&gate), inputs.clone(), decisions));
    });
}

async fn call(gate: Arc<Preflight<Ready>>, inputs: Vec<Arc<Input>>, decisions: u64) {
    let mut callers = tokio::task::JoinSet::new();
    for input in inputs {
        let gate = Arc::clone(&gate);
        callers.spawn(async move {
            for _ in 0..decisions {
                decide(&gate, &input).await;
            }
        });
    }
    while let Some(done) = callers.join_next().await {
        done.expect("no panic");
    }
}

criterion_group!(benches, in_memory, unsynced, durable);
criterion_main!(benches);
