//! Every record against the source that it came from.

use std::path::{Path, PathBuf};

use preflight_lake::Lake;
use serde::Serialize;

use super::{Problem, ProblemKind};
use crate::{
    CaseManifest, EvidenceError, Index, MaskKey, RecordEntry,
    case_files::CaseFiles,
    mask::Masker,
    originals::{self, Wanted, below, places_of},
};

/// What came of the comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OriginalCheck {
    /// Records of the case that are the original ones, masked where they are.
    pub same: usize,
    /// Records of the case that are not, and those whose original is not there.
    pub problems: Vec<Problem>,
}

impl OriginalCheck {
    /// Whether all records are the original ones.
    pub fn matches(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Compares the records of a case with a lake's sources, or with sources in a folder.
pub(super) fn check(
    original: &Path,
    key: Option<&MaskKey>,
    manifest: &CaseManifest,
    index: &Index,
    files: &CaseFiles,
) -> Result<OriginalCheck, EvidenceError> {
    let key = key_of(key, manifest)?;
    let places = places(original)?;
    let wanted: Vec<Wanted<'_>> = index.records.iter().map(wanted).collect();
    let found = originals::read_again(&wanted, places);
    let lines = || found.records.iter().flatten().map(Vec::as_slice);
    let masker = match (&manifest.masked, key) {
        (Some(note), Some(key)) => {
            let masker = Masker::new(key, &note.values, lines());
            Some(masker.map_err(EvidenceError::Document)?)
        }
        _ => None,
    };
    let mut check = OriginalCheck {
        same: 0,
        problems: Vec::new(),
    };
    for (record, found) in index.records.iter().zip(&found.records) {
        let Some(path) = record.file.as_deref() else {
            continue;
        };
        let expected = match (found, &masker) {
            (Err(missing), _) => Err((ProblemKind::RecordMissing, missing.detail.clone())),
            (Ok(bytes), None) => Ok(bytes.clone()),
            (Ok(bytes), Some(masker)) => masker
                .line(bytes)
                .map(|(line, _)| line)
                .map_err(|reason| (ProblemKind::RecordUnreadable, reason)),
        };
        match expected {
            Ok(expected) if files.get(path) == Some(&*expected) => check.same += 1,
            Ok(_) => {
                let what = match masker {
                    Some(_) => "not the original record, masked",
                    None => "not the original record",
                };
                let place = format!("{what}: {}:{}", record.source, record.line);
                check
                    .problems
                    .push(Problem::new(ProblemKind::RecordEdited, path, place));
            }
            Err((kind, detail)) => check.problems.push(Problem::new(kind, path, detail)),
        }
    }
    Ok(check)
}

/// The key, if the case is masked; another one than the case's would call every record a forgery.
fn key_of<'k>(
    key: Option<&'k MaskKey>,
    manifest: &CaseManifest,
) -> Result<Option<&'k MaskKey>, EvidenceError> {
    let fault = |reason: &str| EvidenceError::Document(reason.to_owned());
    match (&manifest.masked, key) {
        (None, _) => Ok(None),
        (Some(_), None) => Err(fault(
            "the records are masked: they can be compared with the originals by --key-file alone",
        )),
        (Some(note), Some(key)) if note.key_check != key.check() => Err(fault(
            "the key is not the one that the case was masked with",
        )),
        (Some(_), key) => Ok(key),
    }
}

fn wanted(record: &RecordEntry) -> Wanted<'_> {
    Wanted {
        source: &record.source,
        line: record.line,
        offset: record.byte_offset,
        length: record.byte_length,
        digest: &record.digest,
    }
}

/// Finds the places of a source by its name.
type Places = Box<dyn Fn(&str) -> Vec<PathBuf>>;

/// Where sources are: where a lake read them, or below a folder.
fn places(original: &Path) -> Result<Places, EvidenceError> {
    let root = original.to_path_buf();
    if root.join("manifest.json").exists() {
        let lake = Lake::open(&root)?;
        return Ok(Box::new(move |name| {
            let mut sources = lake.manifest().sources.iter();
            let source = sources.find(|source| source.name == name);
            source.map_or(Vec::new(), |source| places_of(source, &[]))
        }));
    }
    std::fs::read_dir(&root).map_err(EvidenceError::io(&root))?;
    Ok(Box::new(move |name| {
        // A source whose path had other content before is called PATH@2 and so on.
        let path = name.rsplit_once('@').map_or(name, |(path, _)| path);
        below(&root, &[name, path])
    }))
}
