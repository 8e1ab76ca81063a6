//! Records sealed as they are written, in segments.

use std::{
    fs::{File, OpenOptions},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use preflight_seal::{Hash, LogId, Resume, Sealer, segment_path};

use super::{StoreError, sync_directory};

/// How a log is sealed, see [`preflight_seal`].
///
/// A sealed record is written in its canonical form: keys in order, numbers to the letter, and
/// everything else the same JSON value in its shortest spelling.
#[derive(Debug, Clone)]
pub struct Sealing {
    log: Option<LogId>,
    segment_bytes: u64,
    segment_age: Option<Duration>,
}

impl Default for Sealing {
    /// A name of its own for each log; segments of 256 MiB.
    fn default() -> Self {
        Self {
            log: None,
            segment_bytes: 256 << 20,
            segment_age: None,
        }
    }
}

impl Sealing {
    /// Seals with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the log. No other log may have the same name.
    #[must_use]
    pub fn log(mut self, log: LogId) -> Self {
        self.log = Some(log);
        self
    }

    /// Begins a new file once one has so many bytes.
    #[must_use]
    pub fn segment_bytes(mut self, bytes: u64) -> Self {
        self.segment_bytes = bytes.max(1);
        self
    }

    /// Begins a new file once one has been written to for so long.
    #[must_use]
    pub fn segment_age(mut self, age: Duration) -> Self {
        self.segment_age = Some(age);
        self
    }

    /// Goes on at the end of a log that was read.
    pub(super) fn resume(self, path: &Path, read: Resume) -> Result<SealedEnd, StoreError> {
        if let (Some(log), Some(named)) = (read.log(), &self.log)
            && log != named
        {
            return Err(StoreError::Seal(format!(
                "{} is the log {log}, not {named}",
                path.display()
            )));
        }
        let name = self.log.clone();
        let sealer = read
            .finish_as(|| name.map_or_else(LogId::random, Ok))
            .map_err(|error| StoreError::Seal(format!("no name for the log: {error}")))?;
        Ok(SealedEnd {
            sealer,
            path: path.to_owned(),
            begun: Instant::now(),
            options: self,
        })
    }
}

/// The end of a sealed log.
pub(super) struct SealedEnd {
    sealer: Sealer,
    path: PathBuf,
    begun: Instant,
    options: Sealing,
}

impl SealedEnd {
    /// Sets the segment that is written to.
    pub(super) fn at_segment(mut self, segment: u64) -> Self {
        while self.sealer.segment() < segment {
            self.sealer.turn();
        }
        self
    }

    pub(super) fn segment(&self) -> u64 {
        self.sealer.segment()
    }

    pub(super) fn seal(&mut self, json: &str, digest: Hash, key: Option<&str>, out: &mut String) {
        self.sealer.seal(json, digest, key, out);
    }

    /// Whether a segment of this length takes no more records.
    pub(super) fn is_full(&self, length: u64) -> bool {
        let old = |age| self.begun.elapsed() >= age;
        length > 0
            && (length >= self.options.segment_bytes || self.options.segment_age.is_some_and(old))
    }

    /// Begins the next segment. The one before must be synced.
    pub(super) fn turn(&mut self) -> Result<File, StoreError> {
        self.sealer.turn();
        self.begun = Instant::now();
        let path = segment_path(&self.path, self.sealer.segment());
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(&path)?;
        sync_directory(&path)?;
        Ok(file)
    }
}
