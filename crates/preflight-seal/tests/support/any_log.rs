//! Any bytes as a log: the same for the fuzz target and the tests that run without it.

use std::{
    fs,
    sync::{LazyLock, atomic::AtomicU64},
};

use preflight_seal::{
    NewKey, segment_path,
    verify::{Asked, checkpoint_path, verify},
};

/// What parts the segments of an input, and its checkpoints, which come last, from them.
pub const NEXT_FILE: &[u8] = b"\n\0\0\n";

/// A key that signed nothing.
static KEY: LazyLock<String> = LazyLock::new(|| NewKey::random("fuzz").expect("made").public);

/// Verifies bytes as the segments of a log and its checkpoints, without a key and with one.
pub fn verify_any(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("records.jsonl");
    let mut parts = parts(bytes);
    if parts.len() > 1
        && let Some(checkpoints) = parts.pop()
    {
        fs::write(checkpoint_path(&log), checkpoints).expect("written");
    }
    for (segment, part) in parts.iter().enumerate() {
        fs::write(segment_path(&log, segment as u64), part).expect("written");
    }
    let mut asked = Asked::default();
    for _ in 0..2 {
        let paths = [folder.path().to_owned()];
        let report = verify(&paths, &asked, &AtomicU64::new(0)).expect("readable");
        let records: u64 = report.logs.iter().map(|log| log.records).sum();
        assert!(records > 0 || report.logs.is_empty() || !report.holds());
        asked.keys.trust(&KEY).expect("a key");
    }
}

/// Eight files at most.
fn parts(bytes: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    while parts.len() < 7
        && let Some(at) = rest
            .windows(NEXT_FILE.len())
            .position(|four| four == NEXT_FILE)
    {
        parts.push(&rest[..at]);
        rest = &rest[at + NEXT_FILE.len()..];
    }
    parts.push(rest);
    parts
}
