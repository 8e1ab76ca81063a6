//! What verifying a log costs, against hashing its bytes and nothing else; see the crate's README.
//!
//! The two take turns in one thread. What counts is the time on the processor, where the system
//! tells it: on a shared machine the clock on the wall says more about the others.

#[path = "../tests/support/mod.rs"]
mod support;

use std::{
    fs,
    hint::black_box,
    path::Path,
    sync::atomic::AtomicU64,
    time::{Duration, Instant},
};

use preflight_seal::{
    Hash,
    verify::{Asked, verify},
};
use support::{records, seal, write};

const SIZE: usize = 64 << 20;
const TURNS: usize = 7;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = write(folder.path(), &[Some(log_bytes())]);
    let size = fs::metadata(&log).expect("written").len();
    let (mut hashing, mut verifying) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        hashing.push(timed(|| {
            black_box(Hash::of(&fs::read(&log).expect("readable")));
        }));
        verifying.push(timed(|| verified(&log)));
    }
    for (name, mut times) in [("hashing alone", hashing), ("verify", verifying)] {
        times.sort();
        let rate = |time: Duration| size as f64 / 1e6 / time.as_secs_f64();
        let (best, middle) = (rate(times[0]), rate(times[TURNS / 2]));
        println!("{name:<14} {middle:>7.0} MB/s, best {best:.0}");
    }
}

fn log_bytes() -> Vec<u8> {
    let some = records(1_000);
    let bytes: usize = some.iter().map(|(record, _)| record.len()).sum();
    let many = some.iter().cycle().take(some.len() * (SIZE / bytes));
    let many: Vec<_> = many.cloned().collect();
    seal("bench", &many, many.len()).concat().concat()
}

fn verified(log: &Path) {
    let report = verify(&[log.to_owned()], &Asked::default(), &AtomicU64::new(0));
    assert!(report.expect("readable").holds());
}

fn timed(act: impl FnOnce()) -> Duration {
    let (wall, processor) = (Instant::now(), on_processor());
    act();
    match (processor, on_processor()) {
        (Some(before), Some(after)) => after - before,
        _ => wall.elapsed(),
    }
}

/// How long this thread was on a processor so far.
fn on_processor() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
