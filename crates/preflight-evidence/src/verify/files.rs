//! Every file against the manifest.

use std::collections::{BTreeMap, BTreeSet};

use super::{Problem, ProblemKind};
use crate::{
    CaseManifest, FileEntry,
    case_files::{CaseFiles, digest},
    manifest::{self, CHECKSUMS, MANIFEST},
    rules,
};

const RECORDS: &str = "records/";

pub(super) fn check(files: &CaseFiles, manifest: &CaseManifest) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut listed: BTreeMap<&str, &FileEntry> = BTreeMap::new();
    for entry in &manifest.files {
        if listed.insert(&entry.path, entry).is_some() {
            let detail = "the manifest lists it twice";
            problems.push(Problem::new(
                ProblemKind::IndexDisagrees,
                &entry.path,
                detail,
            ));
        }
    }
    let records: BTreeSet<&str> = listed
        .values()
        .filter(|entry| entry.path.starts_with(RECORDS))
        .map(|entry| &*entry.blake3)
        .collect();
    for (path, entry) in &listed {
        match files.get(path) {
            None => problems.push(Problem::new(
                removed(path),
                *path,
                format!("expected {}", entry.blake3),
            )),
            Some(bytes) => {
                let found = digest(bytes);
                if found != entry.blake3 {
                    let kind = match path.starts_with(RECORDS) && records.contains(&*found) {
                        true => ProblemKind::RecordReordered,
                        false => edited(path),
                    };
                    let detail = format!("expected {}, found {found}", entry.blake3);
                    problems.push(Problem::new(kind, *path, detail));
                }
            }
        }
    }
    for (path, bytes) in files.iter() {
        if path != MANIFEST && !listed.contains_key(path) {
            let detail = format!("not in the manifest, found {}", digest(bytes));
            problems.push(Problem::new(added(path), path, detail));
        }
    }
    for (path, what) in &files.odd {
        problems.push(Problem::new(ProblemKind::NotAFile, path, *what));
    }
    let checksums = files.get(CHECKSUMS).unwrap_or_default();
    if listed.contains_key(CHECKSUMS)
        && digest(checksums) == listed[CHECKSUMS].blake3
        && checksums != manifest::checksums(&manifest.files).as_bytes()
    {
        let detail = "other digests than in the manifest";
        problems.push(Problem::new(ProblemKind::IndexDisagrees, CHECKSUMS, detail));
    }
    problems
}

fn edited(path: &str) -> ProblemKind {
    match path {
        "index.json" => ProblemKind::IndexEdited,
        "README.md" => ProblemKind::ReadmeEdited,
        "findings.json" | "findings.md" => ProblemKind::FindingsEdited,
        path if path.starts_with(RECORDS) => ProblemKind::RecordEdited,
        path if path.starts_with(rules::FOLDER) => ProblemKind::RuleEdited,
        _ => ProblemKind::FileEdited,
    }
}

fn removed(path: &str) -> ProblemKind {
    match path {
        path if path.starts_with(RECORDS) => ProblemKind::RecordRemoved,
        path if path.starts_with(rules::FOLDER) => ProblemKind::RuleRemoved,
        _ => ProblemKind::FileRemoved,
    }
}

fn added(path: &str) -> ProblemKind {
    match path {
        path if path.starts_with(RECORDS) => ProblemKind::RecordAdded,
        path if path.starts_with(rules::FOLDER) => ProblemKind::RuleAdded,
        _ => ProblemKind::FileAdded,
    }
}
