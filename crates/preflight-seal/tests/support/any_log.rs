//! Any bytes as a log: the same for the fuzz target and the tests that run without it.

use std::{fs, sync::atomic::AtomicU64};

use preflight_seal::{
    NewKey, segment_path,
    verify::{Asked, checkpoint_path, verify},
};

/// What parts the segments of an input, and its checkpoints, which come last, from them.
pub const NEXT_FILE: u8 = 0;

/// Verifies bytes as the segments of a log and its checkpoints, without a key and with one.
pub fn verify_any(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("records.jsonl");
    let mut parts: Vec<&[u8]> = bytes.split(|byte| *byte == NEXT_FILE).take(8).collect();
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
        let key = NewKey::random("fuzz").expect("made");
        asked.keys.trust(&key.public).expect("a key");
    }
}
