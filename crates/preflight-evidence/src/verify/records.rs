//! Every record against the index.

use std::collections::BTreeSet;

use super::{Problem, ProblemKind};
use crate::{
    CaseManifest, Index,
    case_files::{CaseFiles, digest},
    index::record_file,
    replay::Replay,
};

/// Checks the index, and returns how many records have the bytes that it names.
pub(super) fn check(
    files: &CaseFiles,
    manifest: &CaseManifest,
    index: &Index,
    problems: &mut Vec<Problem>,
) -> usize {
    let mut disagrees = |path: &str, detail: String| {
        problems.push(Problem::new(ProblemKind::IndexDisagrees, path, detail));
    };
    if index.records.len() != manifest.records {
        let (index, manifest) = (index.records.len(), manifest.records);
        disagrees(
            "index.json",
            format!("{index} records, and {manifest} in the manifest"),
        );
    }
    let indexed: BTreeSet<&str> = index
        .records
        .iter()
        .filter_map(|record| record.file.as_deref())
        .collect();
    let listed = manifest.files.iter().map(|entry| &*entry.path);
    for path in listed.filter(|path| path.starts_with("records/")) {
        if !indexed.contains(path) {
            disagrees(path, "the index does not name it".to_owned());
        }
    }
    let mut last = None;
    let mut intact = 0;
    let mut missing = Vec::new();
    for (number, record) in (1..).zip(&index.records) {
        let place = (&record.source, record.line, record.byte_offset);
        if record.number != number || last.is_some_and(|last| last >= place) {
            disagrees("index.json", format!("record {number} is out of its order"));
        }
        last = Some(place);
        let Some(file) = &record.file else {
            let detail = record
                .missing
                .as_ref()
                .map(|missing| missing.detail.clone());
            missing.push((record_file(number), detail.unwrap_or_default()));
            continue;
        };
        let listed = manifest
            .files
            .binary_search_by(|entry| entry.path.as_str().cmp(file));
        let listed = listed.ok().map(|at| &*manifest.files[at].blake3);
        if *file != record_file(number) || listed != Some(record.file_digest()) {
            disagrees(file, format!("the index expects {}", record.file_digest()));
        }
        intact += usize::from(
            files
                .get(file)
                .is_some_and(|bytes| digest(bytes) == record.file_digest()),
        );
    }
    for (path, detail) in missing {
        problems.push(Problem::new(ProblemKind::RecordMissing, path, detail));
    }
    intact
}

/// The records that are there, also those that were edited, with their numbers.
pub(super) fn present<'f>(files: &'f CaseFiles, index: &Index) -> Vec<(usize, &'f [u8])> {
    let records = (1..).zip(&index.records);
    records
        .filter_map(|(number, record)| {
            record.file.as_ref()?;
            Some((number, files.get(&record_file(number))?))
        })
        .collect()
}

/// What the records say against what the index says of them.
pub(super) fn compare(
    present: &[(usize, &[u8])],
    index: &Index,
    replay: &Replay,
    problems: &mut Vec<Problem>,
) {
    for (number, _) in present {
        let path = record_file(*number);
        match replay.records.get(number) {
            None => {
                let detail = "not a decision record";
                problems.push(Problem::new(ProblemKind::RecordUnreadable, path, detail));
            }
            Some(row) if !index.records[number - 1].agrees_with(row) => {
                let detail = "the index says something else of it than it says itself";
                problems.push(Problem::new(ProblemKind::IndexDisagrees, path, detail));
            }
            Some(_) => {}
        }
    }
}
