//! Which files make up which log.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::AtomicU64,
};

use super::VerifyError;
use crate::{
    LogId, Reading,
    lines::Lines,
    segments::{is_of_records, later_segments, named},
    source::{Damage, Source},
};

/// The files of one log.
#[derive(Debug)]
pub(super) struct LogFiles {
    pub(super) paths: Vec<PathBuf>,
    /// The first one's segment.
    pub(super) segment: u64,
}

/// Files, put together to logs.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Each log's files, in the order of their segments.
    pub(super) logs: BTreeMap<LogId, LogFiles>,
    /// Files in which nothing is sealed, as far as they can be read.
    pub(super) unsealed: Vec<(PathBuf, Option<Damage>)>,
}

impl Files {
    /// Finds the files at some paths: a folder's, or a file with the later segments beside it.
    pub(super) fn find(paths: &[PathBuf]) -> Result<Self, VerifyError> {
        let mut files = Vec::new();
        for path in paths {
            let unreadable = |error| VerifyError::unreadable(path, error);
            if fs::metadata(path).map_err(unreadable)?.is_dir() {
                files.extend(record_files(path).map_err(unreadable)?);
            } else {
                files.push(path.clone());
                files.extend(later_segments(path).map_err(unreadable)?);
            }
        }
        files.sort();
        files.dedup();
        let mut placed: BTreeMap<LogId, Vec<(u64, u64, PathBuf)>> = BTreeMap::new();
        let mut found = Self::default();
        for path in files {
            let first =
                first_record(&path).map_err(|error| VerifyError::unreadable(&path, error))?;
            match first {
                Ok(First { log, segment, seq }) => {
                    placed.entry(log).or_default().push((segment, seq, path));
                }
                Err(damage) => found.unsealed.push((path, damage)),
            }
        }
        // A segment of which nothing readable is left has its name.
        found.unsealed.retain(|(path, _)| {
            let (log, segment) = named(path);
            let of_log = |files: &&mut Vec<(u64, u64, PathBuf)>| {
                files.iter().any(|(_, _, other)| named(other).0 == log)
            };
            match placed.values_mut().find(of_log) {
                Some(files) => files.push((segment, u64::MAX, path.clone())),
                None => return true,
            }
            false
        });
        found.logs = placed
            .into_iter()
            .map(|(log, mut files)| {
                files.sort();
                let segment = files.first().map_or(0, |(segment, _, _)| *segment);
                let paths = files.into_iter().map(|(_, _, path)| path).collect();
                (log, LogFiles { paths, segment })
            })
            .collect();
        Ok(found)
    }
}

fn record_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if is_of_records(&path) && path.is_file() {
            files.push(path);
        }
    }
    Ok(files)
}

struct First {
    log: LogId,
    segment: u64,
    seq: u64,
}

/// How many seals of a file are asked where it belongs.
const ASKED: usize = 33;

/// What most of a file's first seals say about where it belongs: an edit of some moves no file.
fn first_record(path: &Path) -> io::Result<Result<First, Option<Damage>>> {
    let read = AtomicU64::new(0);
    let mut lines = Lines::new(Source::open(path, &read)?);
    let mut seen: Vec<First> = Vec::new();
    while seen.len() < ASKED
        && let Some(line) = lines.next()?
    {
        if let Reading::Sealed(sealed) = Reading::of(line.bytes) {
            seen.push(First {
                log: sealed.seal.log,
                segment: sealed.seal.segment,
                seq: sealed.seal.seq,
            });
        }
    }
    let votes = |first: &First| {
        let agrees = |other: &&First| (&other.log, other.segment) == (&first.log, first.segment);
        seen.iter().filter(agrees).count()
    };
    let most = seen.iter().map(votes).max();
    let chosen = seen.iter().position(|first| Some(votes(first)) == most);
    let damage = lines.damage().map(|(damage, ..)| damage);
    Ok(chosen.map(|at| seen.swap_remove(at)).ok_or(damage))
}
