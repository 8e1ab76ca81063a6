//! The checkpoints of a log, and what they say about it.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use super::{Asked, Outcome, Problem, Unchecked, VerifyError, walk::Walk};
use crate::{SignedCheckpoint, Untrusted, checkpoints, segments::named};

/// The file of a log's checkpoints, by one of its own: they stand beside it, and anywhere else as well.
pub fn checkpoint_path(file: &Path) -> PathBuf {
    let mut name: OsString = named(file).0.into_os_string();
    name.push(".checkpoints");
    name.into()
}

/// A checkpoint and where it was found.
#[derive(Debug)]
pub(super) struct Found {
    path: PathBuf,
    line: u64,
    signed: SignedCheckpoint,
}

/// The checkpoints that were asked for.
pub(super) fn read_asked(paths: &[PathBuf]) -> Result<(Vec<Found>, Vec<Problem>), VerifyError> {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        let text = fs::read(path).map_err(|error| VerifyError::unreadable(path, error))?;
        let read = checkpoints(&String::from_utf8_lossy(&text));
        if read.is_empty() {
            let detail = "this file holds no checkpoint".to_owned();
            problems.push(problem(Outcome::NoCheckpoint, path, None, detail));
        }
        for (line, checkpoint) in read {
            match checkpoint {
                Ok(signed) => found.push(Found {
                    path: path.clone(),
                    line: line as u64,
                    signed,
                }),
                Err(error) => {
                    let line = Some(line as u64);
                    problems.push(problem(
                        Outcome::BadSignature,
                        path,
                        line,
                        error.to_string(),
                    ));
                }
            }
        }
    }
    Ok((found, problems))
}

fn problem(outcome: Outcome, path: &Path, line: Option<u64>, detail: String) -> Problem {
    Problem {
        outcome,
        path: path.to_owned(),
        line,
        offset: None,
        seq: None,
        detail,
    }
}

impl Found {
    pub(super) fn origin(&self) -> &str {
        &self.signed.checkpoint.origin
    }

    /// The problem of a checkpoint whose log is not there.
    pub(super) fn without_log(&self) -> Problem {
        let detail = format!("a checkpoint of {}, which is not here", self.origin());
        problem(Outcome::NoCheckpoint, &self.path, Some(self.line), detail)
    }
}

/// The checkpoints of one log.
#[derive(Debug, Default)]
pub(super) struct Checkpoints {
    /// Those whose signature counts, or all where no key was given.
    usable: Vec<Found>,
    pub(super) problems: Vec<Problem>,
    pub(super) unchecked: Vec<Unchecked>,
    /// How many of them hold.
    pub(super) held: u64,
    /// The size of the largest that holds.
    pub(super) covered: u64,
}

impl Checkpoints {
    /// Reads those beside a log's files and adds those that were asked for.
    pub(super) fn of(
        log: &str,
        files: &[PathBuf],
        given: Vec<Found>,
        asked: &Asked,
    ) -> Result<Self, VerifyError> {
        let mut checkpoints = Self::default();
        let beside: BTreeSet<PathBuf> = files.iter().map(|file| checkpoint_path(file)).collect();
        for path in beside {
            checkpoints.read_beside(log, &path, asked)?;
        }
        for found in given {
            checkpoints.add(found, asked);
        }
        let any = !checkpoints.usable.is_empty();
        if any && asked.keys.is_empty() {
            checkpoints.unchecked.push(Unchecked {
                what: "signature",
                detail:
                    "who signed the checkpoints: no key was given, and whoever altered the log may \
                         have made them"
                        .to_owned(),
            });
        }
        if !any && !asked.keys.is_empty() {
            let path = files.first().cloned().unwrap_or_default();
            let detail = "no checkpoint that a given key signed".to_owned();
            let missing = problem(Outcome::NoCheckpoint, &path, None, detail);
            checkpoints.problems.push(missing);
        }
        Ok(checkpoints)
    }

    fn read_beside(&mut self, log: &str, path: &Path, asked: &Asked) -> Result<(), VerifyError> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(VerifyError::unreadable(path, error)),
        };
        let read = checkpoints(&String::from_utf8_lossy(&text));
        let count = read.len();
        for (index, (line, checkpoint)) in read.into_iter().enumerate() {
            let line = line as u64;
            match checkpoint {
                Ok(signed) if signed.checkpoint.origin != log => {
                    let detail =
                        format!("a checkpoint of another log, {}", signed.checkpoint.origin);
                    let foreign = problem(Outcome::Inserted, path, Some(line), detail);
                    self.problems.push(foreign);
                }
                Ok(signed) => {
                    let path = path.to_owned();
                    self.add(Found { path, line, signed }, asked);
                }
                // A crash may have torn it.
                Err(_) if index + 1 == count => self.unchecked.push(Unchecked {
                    what: "checkpoint",
                    detail: format!("the last checkpoint in {} is not whole", path.display()),
                }),
                Err(error) => {
                    let detail = error.to_string();
                    let bad = problem(Outcome::BadSignature, path, Some(line), detail);
                    self.problems.push(bad);
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, found: Found, asked: &Asked) {
        if asked.keys.is_empty() {
            self.usable.push(found);
            return;
        }
        match found.signed.signed_by(&asked.keys) {
            Ok(_) => self.usable.push(found),
            Err(untrusted) => {
                let outcome = match untrusted {
                    Untrusted::Unknown(_) => Outcome::UnknownKey,
                    Untrusted::Revoked(_) => Outcome::RevokedKey,
                    Untrusted::Forged(_) => Outcome::BadSignature,
                };
                let (path, line) = (&found.path, Some(found.line));
                let problem = problem(outcome, path, line, untrusted.to_string());
                self.problems.push(problem);
            }
        }
    }

    /// The sizes whose roots are needed.
    pub(super) fn sizes(&self) -> Vec<u64> {
        let sizes: BTreeSet<u64> = self.sizes_and_roots().map(|(size, _)| size).collect();
        sizes.into_iter().collect()
    }

    fn sizes_and_roots(&self) -> impl Iterator<Item = (u64, crate::Hash)> {
        let usable = self.usable.iter();
        usable.map(|found| (found.signed.checkpoint.size, found.signed.checkpoint.root))
    }

    /// Compares them with the log that was walked: `end` is the number after its last record, and
    /// `last` names that record's place. A chain that is broken elsewhere has its problems named already.
    pub(super) fn compare(&mut self, walk: &Walk, end: u64, last: Problem, broken: bool) {
        self.usable
            .sort_by_key(|found| (found.signed.checkpoint.size, found.line));
        let (mut truncated, mut rewritten, mut skipped) = (None, None, 0);
        for found in &self.usable {
            let checkpoint = &found.signed.checkpoint;
            match walk.roots.get(&checkpoint.size) {
                Some(root) if *root == checkpoint.root => {
                    self.held += 1;
                    self.covered = checkpoint.size;
                }
                _ if checkpoint.size > end => truncated = Some(checkpoint.size),
                Some(_) if !broken => {
                    rewritten.get_or_insert((self.covered, checkpoint.size));
                }
                _ => skipped += 1,
            }
        }
        if let Some(size) = truncated {
            let missing = size - end;
            self.problems.push(Problem {
                outcome: Outcome::Truncated,
                seq: Some(end),
                detail: format!(
                    "a checkpoint says that the log had {size} records; {} after this one missing",
                    match missing {
                        1 => "1 is".to_owned(),
                        missing => format!("{missing} are"),
                    }
                ),
                ..last.clone()
            });
        }
        if let Some((from, to)) = rewritten {
            self.problems.push(Problem {
                outcome: Outcome::Rewritten,
                line: None,
                offset: None,
                seq: Some(from),
                detail: format!(
                    "a checkpoint was made over other records: some of number {from} to {} were \
                     sealed anew",
                    to - 1
                ),
                ..last
            });
        }
        if skipped > 0 {
            self.unchecked.push(Unchecked {
                what: "checkpoint",
                detail: format!("{skipped} checkpoints, since the chain is broken before them"),
            });
        }
        self.end(end);
    }

    fn end(&mut self, end: u64) {
        if self.usable.is_empty() {
            self.unchecked.push(Unchecked {
                what: "end",
                detail: "whether records were cut off at the end: only a checkpoint shows it"
                    .to_owned(),
            });
        } else if self.covered < end {
            self.unchecked.push(Unchecked {
                what: "tail",
                detail: format!(
                    "whether the {} after the last checkpoint are all, and as they were sealed first",
                    end - self.covered
                ),
            });
        }
    }
}
