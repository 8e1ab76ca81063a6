//! Verifying a log without trusting whoever wrote it.

mod backbone;
mod files;
mod outcome;
mod piece;
mod prover;
mod read_log;
mod resolve;
mod signed;
mod walk;

use std::{
    io,
    path::{Path, PathBuf},
    sync::atomic::AtomicU64,
};

use serde::Serialize;

pub use outcome::{Outcome, Problem, Unchecked};
pub use prover::{Prover, Unprovable};
pub use read_log::{LogLine, read_log};
pub use signed::checkpoint_path;

use self::{
    files::{Files, LogFiles},
    piece::Place,
    resolve::{Finding, Links, Resolver},
    signed::{Checkpoints, Found, read_asked},
    walk::Walk,
};
use crate::{KeyRing, LogId, Reading, lines::Lines, source::Source};

/// What is asked of a log, besides that it holds by itself.
#[derive(Debug, Default)]
pub struct Asked {
    /// Whose signatures count. With any key given, a log without a checkpoint of one of them has a
    /// problem.
    pub keys: KeyRing,
    /// Files of checkpoints that were kept elsewhere; those beside a log are read by themselves.
    pub checkpoints: Vec<PathBuf>,
}

/// A log that could not be looked at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A file or folder cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// One log was asked for, and there is none.
    #[error("there is no sealed record")]
    NoLog,
    /// One log was asked for, and there are more.
    #[error("these are records of more than one log: {0}, {1}")]
    ManyLogs(LogId, LogId),
}

impl VerifyError {
    fn unreadable(path: &Path, error: io::Error) -> Self {
        Self::Unreadable {
            path: path.to_owned(),
            error,
        }
    }
}

/// What a verification comes to.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// The logs, by name.
    pub logs: Vec<LogReport>,
    /// Problems of no log in particular.
    pub problems: Vec<Problem>,
}

/// What the verification of one log comes to.
#[derive(Debug, Clone, Serialize)]
pub struct LogReport {
    /// The log's name.
    pub log: String,
    /// Its files, in the order of their segments.
    pub files: Vec<PathBuf>,
    /// Records with a seal.
    pub records: u64,
    /// The number of the chain's first record.
    pub first: u64,
    /// The number after the chain's last record.
    pub next: u64,
    /// Records that say what was sealed, in another spelling.
    pub respelled: u64,
    /// Bytes without a seal of their own that a later seal vouches for.
    pub vouched_bytes: u64,
    /// Checkpoints that hold.
    pub checkpoints: u64,
    /// How many records the largest of them covers.
    pub covered: u64,
    /// What is wrong, in the order of the lines.
    pub problems: Vec<Problem>,
    /// What could not be checked.
    pub unchecked: Vec<Unchecked>,
}

impl Report {
    /// Everything that is wrong.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        let logs = self.logs.iter().flat_map(|log| &log.problems);
        self.problems.iter().chain(logs)
    }

    /// Whether nothing is wrong, as far as it was checked.
    pub fn holds(&self) -> bool {
        self.problems().next().is_none()
    }

    /// Whether nothing was left unchecked.
    pub fn is_complete(&self) -> bool {
        self.logs.iter().all(|log| log.unchecked.is_empty())
    }
}

/// Verifies the logs at some paths: files, each with the later segments beside it, or folders.
///
/// Files are read once from start to end, and a second time only where lines are doubled or a log
/// is forked, and may be compressed (gzip, Zstandard). Memory does not grow with the log, but for one
/// entry for each action key. `read` counts the bytes of the files as they are read.
///
/// # Errors
///
/// A file cannot be read. Whatever is in it is no error.
pub fn verify(paths: &[PathBuf], asked: &Asked, read: &AtomicU64) -> Result<Report, VerifyError> {
    let files = Files::find(paths)?;
    let (mut given, problems) = read_asked(&asked.checkpoints)?;
    let mut report = Report {
        problems,
        ..Report::default()
    };
    for (log, files) in files.logs {
        let (of_log, others) = given
            .into_iter()
            .partition(|found| found.origin() == log.as_str());
        given = others;
        report
            .logs
            .push(verify_log(log, files, of_log, asked, read)?);
    }
    report.problems.extend(given.iter().map(Found::without_log));
    for (path, damage) in files.unsealed {
        let unsealed = || "nothing in this file is sealed".to_owned();
        report.problems.push(Problem {
            outcome: damage.map_or(Outcome::Unsealed, Outcome::of_damage),
            path,
            line: None,
            offset: None,
            seq: None,
            detail: damage.map_or_else(unsealed, |damage| damage.to_string()),
        });
    }
    Ok(report)
}

fn verify_log(
    log: LogId,
    files: LogFiles,
    given: Vec<Found>,
    asked: &Asked,
    read: &AtomicU64,
) -> Result<LogReport, VerifyError> {
    let LogFiles {
        paths: files,
        segment,
    } = files;
    let mut checkpoints = Checkpoints::of(log.as_str(), &files, given, asked)?;
    let mut walk = Walk::new(log, checkpoints.sizes());
    let Walked { stopped, damages } = walk_all(&mut walk, &files, read)?;
    let resolver = Resolver::new(&walk, segment == 0);
    let wanted = resolver.wanted();
    let links = match wanted.is_empty() {
        true => Links::new(),
        false => links(&files, |seq| wanted.contains(&seq))?,
    };
    let mut unchecked = Vec::new();
    if segment > 0 {
        unchecked.push(Unchecked {
            what: "start",
            detail: format!("the log's files before segment {segment} were not given"),
        });
    }
    if let Some(place) = stopped {
        unchecked.push(Unchecked {
            what: "rest",
            detail: format!(
                "too much is broken to go on after line {} of {}",
                place.line,
                files[place.file].display()
            ),
        });
    }
    let problem = |finding: Finding| Problem {
        outcome: finding.outcome,
        path: files[finding.place.file].clone(),
        line: Some(finding.place.line),
        offset: Some(finding.place.offset),
        seq: finding.seq,
        detail: finding.detail,
    };
    let (first, next, last) = (resolver.start(), resolver.end(), resolver.last());
    let mut resolved = resolver.findings(&links);
    resolved.add(damages);
    let last = problem(Finding::at(last));
    let mut problems: Vec<Problem> = resolved.findings.into_iter().map(problem).collect();
    if stopped.is_none() {
        // Without the log's start there is no tree to compare; and a damaged record is not missing.
        let broken = !problems.is_empty() || segment > 0;
        checkpoints.compare(&walk, next + resolved.damaged_at_end, last, broken);
    }
    problems.append(&mut checkpoints.problems);
    unchecked.append(&mut checkpoints.unchecked);
    Ok(LogReport {
        log: walk.log.to_string(),
        problems,
        records: walk.records,
        first,
        next,
        respelled: walk.respelled,
        vouched_bytes: walk.vouched,
        checkpoints: checkpoints.held,
        covered: checkpoints.covered,
        unchecked,
        files,
    })
}

/// What became of a walk.
#[derive(Default)]
struct Walked {
    /// Where it gave up.
    stopped: Option<Place>,
    /// Where files could not be decompressed to their ends.
    damages: Vec<Finding>,
}

/// Takes all lines.
fn walk_all(walk: &mut Walk, files: &[PathBuf], read: &AtomicU64) -> Result<Walked, VerifyError> {
    let mut walked = Walked::default();
    for (file, path) in files.iter().enumerate() {
        let unreadable = |error| VerifyError::unreadable(path, error);
        let mut lines = Lines::new(Source::open(path, read).map_err(unreadable)?);
        while let Some(line) = lines.next().map_err(unreadable)? {
            if !walk.take(&line, file) {
                walked.stopped = Some(Place {
                    file,
                    offset: line.offset,
                    line: line.number,
                });
                return Ok(walked);
            }
        }
        walked
            .damages
            .extend(lines.damage().map(|(damage, line, offset)| Finding {
                outcome: Outcome::of_damage(damage),
                place: Place { file, offset, line },
                seq: None,
                detail: damage.to_string(),
            }));
    }
    walk.finish();
    Ok(walked)
}

/// Reads the files once more for the links of some numbers.
fn links(files: &[PathBuf], wanted: impl Fn(u64) -> bool) -> Result<Links, VerifyError> {
    let mut links = Links::new();
    for (file, path) in files.iter().enumerate() {
        let unreadable = |error| VerifyError::unreadable(path, error);
        let read = AtomicU64::new(0);
        let mut lines = Lines::new(Source::open(path, &read).map_err(unreadable)?);
        while let Some(line) = lines.next().map_err(unreadable)? {
            let Reading::Sealed(sealed) = Reading::of(line.bytes) else {
                continue;
            };
            if wanted(sealed.seal.seq) {
                let place = Place {
                    file,
                    offset: line.offset,
                    line: line.number,
                };
                let of_seq = links.entry(sealed.seal.seq).or_default();
                of_seq.push((place, sealed.link));
            }
        }
    }
    Ok(links)
}
