//! Reading a log for its links.

use std::{
    io,
    path::{Path, PathBuf},
    sync::atomic::AtomicU64,
};

use super::{VerifyError, files::Files};
use crate::{Hash, LogId, Reading, SealedLine, lines::Lines, source::Source};

/// One line of a log, with its place.
#[derive(Debug)]
pub struct LogLine<'l> {
    /// The file.
    pub path: &'l Path,
    /// The line, from 1.
    pub number: u64,
    /// Its bytes, without the line break.
    pub bytes: &'l [u8],
    /// Its seal.
    pub sealed: &'l SealedLine<'l>,
}

/// Reads the one log at some paths and returns its name and its records' links, in the order of the
/// lines. `look` sees each sealed line. Nothing is verified: that is for [`super::verify`], before.
///
/// # Errors
///
/// A file cannot be read, or there is no log, or more than one.
pub fn read_log(
    paths: &[PathBuf],
    mut look: impl FnMut(&LogLine<'_>),
) -> Result<(LogId, Vec<Hash>), VerifyError> {
    let mut logs = Files::find(paths)?.logs.into_iter();
    let (log, files) = match (logs.next(), logs.next()) {
        (Some(log), None) => log,
        (None, _) => return Err(VerifyError::NoLog),
        (Some((one, _)), Some((other, _))) => return Err(VerifyError::ManyLogs(one, other)),
    };
    let mut links = Vec::new();
    for path in &files.paths {
        let unreadable = |error| VerifyError::unreadable(path, error);
        let read = AtomicU64::new(0);
        let mut lines = Lines::new(Source::open(path, &read).map_err(unreadable)?);
        while let Some(line) = lines.next().map_err(unreadable)? {
            let Reading::Sealed(sealed) = Reading::of(line.bytes) else {
                continue;
            };
            links.push(sealed.link);
            look(&LogLine {
                path,
                number: line.number,
                bytes: line.bytes,
                sealed: &sealed,
            });
        }
        if let Some((damage, ..)) = lines.damage() {
            return Err(unreadable(io::Error::other(damage.to_string())));
        }
    }
    Ok((log, links))
}
