//! What one decision costs, and how many a store takes; see README.md beside this file.

#[path = "../tests/support/mod.rs"]
mod support;

use std::{hint::black_box, sync::Arc, time::Duration};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use preflight_gate::{
    Decision, Durability, JsonlStore, MemoryStore, Preflight, SqliteStore, Store,
};
use support::{Ready, complete, gate, transfer};
use tokio::runtime::{Builder, Runtime};

fn one_thread() -> Runtime {
    Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime")
}

async fn decide(gate: &Preflight<Ready>, input: &preflight_gate::Input) {
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

/// A thousand decisions, one after the other, as JSON Lines that are not synced.
fn unsynced(c: &mut Criterion) {
    let runtime = one_thread();
    let input = complete("u_1", &transfer());
    let mut group = c.benchmark_group("1000 decisions, JSON Lines");
    group.throughput(Throughput::Elements(1_000));
    for durability in [Durability::Buffered, Durability::Written] {
        let directory = tempfile::tempdir().expect("a directory");
        let store = JsonlStore::options().durability(durability);
        let store = store.open(directory.path().join("a.jsonl")).expect("opens");
        let gate = gate(Arc::new(store));
        group.bench_function(format!("{durability:?}"), |b| {
            b.to_async(&runtime).iter(|| async {
                for _ in 0..1_000 {
                    decide(&gate, &input).await;
                }
            });
        });
    }
    group.finish();
}

/// 64 callers at once, each decision on disk before it counts.
fn durable(c: &mut Criterion) {
    let directory = tempfile::tempdir().expect("a directory");
    let log = JsonlStore::open(directory.path().join("a.jsonl")).expect("opens");
    let database = SqliteStore::open(directory.path().join("a.db")).expect("opens");
    let mut group = c.benchmark_group("64 callers of 50 decisions, synced");
    group.throughput(Throughput::Elements(64 * 50));
    group
        .sample_size(20)
        .measurement_time(Duration::from_secs(8));
    let stores: [(&str, Arc<dyn Store>); 2] = [
        ("JSON Lines", Arc::new(log)),
        ("SQLite", Arc::new(database)),
    ];
    for (name, store) in stores {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .enable_time()
            .build();
        let runtime = runtime.expect("a runtime");
        let gate = Arc::new(gate(store));
        let inputs: Vec<_> = (0..64)
            .map(|caller| Arc::new(complete(&format!("u_{caller}"), &transfer())))
            .collect();
        group.bench_function(name, |b| {
            b.to_async(&runtime).iter_batched(
                || inputs.clone(),
                |inputs| call_at_once(Arc::clone(&gate), inputs),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

async fn call_at_once(gate: Arc<Preflight<Ready>>, inputs: Vec<Arc<preflight_gate::Input>>) {
    let mut callers = tokio::task::JoinSet::new();
    for input in inputs {
        let gate = Arc::clone(&gate);
        callers.spawn(async move {
            for _ in 0..50 {
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
