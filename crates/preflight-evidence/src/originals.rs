//! Reading records again from the sources that the lake names.

use std::{
    collections::BTreeMap,
    io::ErrorKind,
    path::{Component, Path, PathBuf},
};

use preflight_ingest::{Compression, RawSource};
use preflight_lake::Source;

use crate::{
    case_files::digest,
    index::{Missing, MissingKind},
};

/// Where a record's bytes should be, and which they should be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'w> {
    pub(crate) source: &'w str,
    pub(crate) line: u64,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) digest: &'w str,
}

/// What was found of the records that were asked for, in their order.
pub(crate) struct Found {
    pub(crate) records: Vec<Result<Vec<u8>, Missing>>,
    /// How the sources that were read are compressed.
    pub(crate) compressions: BTreeMap<String, Compression>,
}

/// Reads records again; bytes count only where their digest is the one that was taken down.
///
/// Each source is looked for at `places`, the first ones first.
pub(crate) fn read_again(wanted: &[Wanted<'_>], places: impl Fn(&str) -> Vec<PathBuf>) -> Found {
    let mut by_source: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, record) in wanted.iter().enumerate() {
        by_source.entry(record.source).or_default().push(at);
    }
    let mut found = Found {
        records: wanted.iter().map(|record| Err(gone(record))).collect(),
        compressions: BTreeMap::new(),
    };
    for (source, mut open) in by_source {
        open.sort_by_key(|at| wanted[*at].offset);
        for place in places(source) {
            if open.is_empty() {
                break;
            }
            let compression = read_from(&place, wanted, &mut open, &mut found.records);
            if let Some(compression) = compression {
                found.compressions.insert(source.to_owned(), compression);
            }
        }
    }
    found
}

/// Reads from one file what is still open; what is found there is open no more.
fn read_from(
    place: &Path,
    wanted: &[Wanted<'_>],
    open: &mut Vec<usize>,
    records: &mut [Result<Vec<u8>, Missing>],
) -> Option<Compression> {
    let mut source = match RawSource::open(place) {
        Ok(source) => source,
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => {
            for at in open.iter() {
                note(&mut records[*at], unreadable(&wanted[*at], &error));
            }
            return None;
        }
    };
    let mut verified = false;
    open.retain(|at| {
        let record = &wanted[*at];
        match read_one(&mut source, record) {
            Ok(bytes) => {
                records[*at] = Ok(bytes);
                verified = true;
                false
            }
            Err(missing) => {
                note(&mut records[*at], missing);
                true
            }
        }
    });
    source.compression().filter(|_| verified)
}

fn read_one(source: &mut RawSource, record: &Wanted<'_>) -> Result<Vec<u8>, Missing> {
    let bytes = source
        .read_at(record.offset, record.length)
        .map_err(|error| unreadable(record, &error))?;
    let found = digest(&bytes);
    if found == record.digest {
        return Ok(bytes);
    }
    let (kind, what) = match (bytes.len() as u64) < record.length {
        true => (
            MissingKind::SourceShortened,
            "the source ends before it does",
        ),
        false => (MissingKind::SourceAltered, "other bytes stand there"),
    };
    let found_digest = (!bytes.is_empty()).then_some(found);
    let seen = match &found_digest {
        Some(found) => format!("found {found}"),
        None => "found nothing".to_owned(),
    };
    let detail = format!(
        "{}: {what}: expected {}, {seen}",
        record.place(),
        record.digest
    );
    Err(Missing {
        kind,
        found_digest,
        detail,
    })
}

/// Keeps the fault of the first place that is there.
fn note(record: &mut Result<Vec<u8>, Missing>, missing: Missing) {
    if let Err(known) = record
        && known.kind == MissingKind::SourceGone
    {
        *known = missing;
    }
}

fn gone(record: &Wanted<'_>) -> Missing {
    let why = match record.source.split('@').next() {
        Some("stdin") => "it was read from standard input, which is gone",
        _ => "the source is not there",
    };
    Missing {
        kind: MissingKind::SourceGone,
        found_digest: None,
        detail: format!("{}: {why}: expected {}", record.place(), record.digest),
    }
}

fn unreadable(record: &Wanted<'_>, error: &std::io::Error) -> Missing {
    Missing {
        kind: MissingKind::SourceUnreadable,
        found_digest: None,
        detail: format!(
            "{}: the source can't be read: {error}: expected {}",
            record.place(),
            record.digest
        ),
    }
}

impl Wanted<'_> {
    fn place(&self) -> String {
        format!("{}:{}", self.source, self.line)
    }
}

/// Where a source of a lake may be: where it was, where the same content was seen, and below each of
/// `roots` under its path or its name alone.
pub(crate) fn places_of(source: &Source, roots: &[PathBuf]) -> Vec<PathBuf> {
    let aliases = source.aliases.iter().rev();
    let paths: Vec<&str> = std::iter::once(&source.path)
        .chain(aliases)
        .map(String::as_str)
        .collect();
    let mut places: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    places.extend(roots.iter().flat_map(|root| below(root, &paths)));
    places
}

/// Where files with these paths may be below a folder. A path can't lead out of it.
pub(crate) fn below(root: &Path, paths: &[&str]) -> Vec<PathBuf> {
    let mut places = Vec::new();
    for path in paths {
        let parts: Vec<&std::ffi::OsStr> = Path::new(path)
            .components()
            .filter_map(|part| match part {
                Component::Normal(part) => Some(part),
                _ => None,
            })
            .collect();
        places.push(
            parts
                .iter()
                .fold(root.to_path_buf(), |place, part| place.join(part)),
        );
        places.extend(parts.last().map(|name| root.join(name)));
    }
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_below_their_root() {
        let places = below(
            Path::new("/case"),
            &["../../etc/a.jsonl", "/var/log/b.jsonl"],
        );
        let expected = [
            "/case/etc/a.jsonl",
            "/case/a.jsonl",
            "/case/var/log/b.jsonl",
            "/case/b.jsonl",
        ];
        assert_eq!(places, expected.map(PathBuf::from));
    }

    #[test]
    fn each_fault_is_named() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, "first\nsecond\n")?;
        let digests = [digest(b"first"), digest(b"other"), digest(b"second\nthird")];
        let wanted = |at: usize, source, offset, length| Wanted {
            source,
            line: at as u64 + 1,
            offset,
            length,
            digest: &digests[at],
        };
        let wanted = [
            wanted(2, "a", 6, 12),
            wanted(0, "a", 0, 5),
            wanted(1, "a", 6, 5),
            wanted(0, "b", 0, 5),
        ];
        let found = read_again(&wanted, |source| {
            vec![folder.path().join(format!("{source}.jsonl"))]
        });
        let kinds: Vec<Option<MissingKind>> = found
            .records
            .iter()
            .map(|record| record.as_ref().err().map(|missing| missing.kind))
            .collect();
        let expected = [
            Some(MissingKind::SourceShortened),
            None,
            Some(MissingKind::SourceAltered),
            Some(MissingKind::SourceGone),
        ];
        assert_eq!(kinds, expected);
        Ok(())
    }
}
