//! A sealed log of the labelled chains, small enough to be verified a thousand times.

#![allow(dead_code, reason = "not every test uses all of it")]

pub mod any_log;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicU64,
};

use preflight_record::{Entry, OrderedJson};
use preflight_seal::{
    Hash, LogId, Sealer, segment_path,
    verify::{Asked, Report, verify},
};

/// Records in the form that is sealed, with their action keys.
pub fn records(count: usize) -> Vec<(String, Option<String>)> {
    let chains = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/chains/chains.jsonl"
    );
    let text = fs::read_to_string(chains).expect("the labelled chains");
    text.lines()
        .take(count)
        .map(|line| {
            let record = Entry::parse(line.as_bytes()).expect("a record").record;
            let mut ordered = String::new();
            record.write_ordered(&mut ordered).expect("written");
            assert_eq!(ordered, OrderedJson::of(line).expect("valid").as_str());
            (ordered, record.action_key.given().map(ToString::to_string))
        })
        .collect()
}

/// A log as lines with their line breaks, by segment.
pub type Segments = Vec<Vec<Vec<u8>>>;

/// Seals records, so many in each segment.
pub fn seal(log: &str, records: &[(String, Option<String>)], per_segment: usize) -> Segments {
    let mut sealer = Sealer::new(LogId::new(log).expect("a name"));
    let mut segments = Vec::new();
    for (index, records) in records.chunks(per_segment).enumerate() {
        if index > 0 {
            sealer.turn();
        }
        segments.push(
            records
                .iter()
                .map(|record| seal_one(&mut sealer, record))
                .collect(),
        );
    }
    segments
}

pub fn seal_one(sealer: &mut Sealer, (record, key): &(String, Option<String>)) -> Vec<u8> {
    let mut line = String::new();
    sealer.seal(
        record,
        Hash::of(record.as_bytes()),
        key.as_deref(),
        &mut line,
    );
    line.into_bytes()
}

/// Writes segments beside each other; `None` leaves one out.
pub fn write(folder: &Path, segments: &[Option<Vec<u8>>]) -> PathBuf {
    let log = folder.join("records.jsonl");
    for (number, bytes) in segments.iter().enumerate() {
        let path = segment_path(&log, number as u64);
        match bytes {
            Some(bytes) => fs::write(path, bytes).expect("written"),
            None => drop(fs::remove_file(path)),
        }
    }
    log
}

pub fn verified(folder: &Path, asked: &Asked) -> Report {
    verify(&[folder.to_owned()], asked, &AtomicU64::new(0)).expect("readable")
}
