//! Records sealed as they are written, in segments.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use preflight_seal::{Checkpoint, Hash, LogId, PrivateKey, Resume, Sealer, segment_path};

use super::{
    StoreError,
    checkpointing::{CheckpointFile, Signing},
    log_file::LogFile,
};

/// How a log is sealed, see [`preflight_seal`].
///
/// A sealed record is written in its canonical form: keys in order, numbers to the letter, and
/// everything else the same JSON value in its shortest spelling.
#[derive(Debug, Clone)]
pub struct Sealing {
    log: Option<LogId>,
    segment_bytes: u64,
    segment_age: Option<Duration>,
    signing: Signing,
}

impl Default for Sealing {
    /// A name of its own for each log; segments of 256 MiB; nothing signed, and with a key to sign
    /// with a checkpoint every 1,000 records or 60 seconds.
    fn default() -> Self {
        Self {
            log: None,
            segment_bytes: 256 << 20,
            segment_age: None,
            signing: Signing {
                keys: Vec::new(),
                every: 1_000,
                after: Duration::from_secs(60),
            },
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

    /// Signs checkpoints with a key, and writes them to `<log>.checkpoints`: one at each end of a
    /// segment, when the store is closed, and as often as [`Sealing::checkpoint_every`] says. Called
    /// twice, each is signed with both keys, as when one is about to replace the other.
    #[must_use]
    pub fn signed_with(mut self, key: PrivateKey) -> Self {
        self.signing.keys.push(key);
        self
    }

    /// Makes a checkpoint after so many records, or once so much time has gone by since the one before
    /// and there are new ones. A store that is not [`super::Durability::Synced`] has no thread to watch
    /// the time, and makes it with the next record.
    #[must_use]
    pub fn checkpoint_every(mut self, records: u64, time: Duration) -> Self {
        self.signing.every = records.max(1);
        self.signing.after = time;
        self
    }

    /// Opens the file of checkpoints, and begins to read a log of which the newest was made.
    pub(super) fn begin(&self, path: &Path) -> Result<(Option<Signed>, Resume), StoreError> {
        if self.signing.keys.is_empty() {
            return Ok((None, Resume::default()));
        }
        let (file, newest) = CheckpointFile::open(path, self.signing.clone())?;
        let read = newest
            .as_ref()
            .map_or_else(Resume::default, |newest| Resume::watching(newest.size));
        Ok((Some(Signed { file, newest }), read))
    }

    /// Goes on at the end of a log that was read.
    pub(super) fn resume(
        self,
        path: &Path,
        read: Resume,
        signed: Option<Signed>,
    ) -> Result<SealedEnd, StoreError> {
        if let (Some(log), Some(named)) = (read.log(), &self.log)
            && log != named
        {
            return Err(StoreError::Seal(format!(
                "{} is the log {log}, not {named}",
                path.display()
            )));
        }
        let checkpoints = signed.map(|signed| signed.check(path, &read)).transpose()?;
        let name = self.log.clone();
        let sealer = read
            .finish_as(|| name.map_or_else(LogId::random, Ok))
            .map_err(|error| StoreError::Seal(format!("no name for the log: {error}")))?;
        if checkpoints.is_some() && sealer.checkpoint().is_none() {
            return Err(StoreError::Damaged(format!(
                "{} is not whole, so there is nothing to sign: verify it, and begin a new log",
                path.display()
            )));
        }
        Ok(SealedEnd {
            sealer,
            path: path.to_owned(),
            begun: Instant::now(),
            checkpoints,
            options: self,
        })
    }
}

/// A log's checkpoints, before the log was read.
pub(super) struct Signed {
    file: CheckpointFile,
    newest: Option<Checkpoint>,
}

impl Signed {
    /// Never signs two histories of one log: one that lost records, or got others, since it was signed
    /// last is not gone on with.
    fn check(self, path: &Path, read: &Resume) -> Result<CheckpointFile, StoreError> {
        let Some(newest) = self.newest else {
            return Ok(self.file);
        };
        if read.log().is_some_and(|log| log.as_str() != newest.origin)
            || (newest.size > 0 && read.watched_root() != Some(newest.root))
        {
            return Err(StoreError::Damaged(format!(
                "{} has {} records, and its newest checkpoint was made over {} others: verify it, and \
                 put back what is missing or begin a new log",
                path.display(),
                read.size(),
                newest.size
            )));
        }
        Ok(self.file)
    }
}

/// The end of a sealed log.
pub(super) struct SealedEnd {
    sealer: Sealer,
    path: PathBuf,
    begun: Instant,
    checkpoints: Option<CheckpointFile>,
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

    /// Whether it is time for a checkpoint.
    pub(super) fn is_checkpoint_due(&self) -> bool {
        let size = self.sealer.size();
        self.checkpoints
            .as_ref()
            .is_some_and(|file| file.is_due(size))
    }

    /// How long until it is, if no record comes.
    pub(super) fn checkpoint_due_in(&self) -> Option<Duration> {
        let size = self.sealer.size();
        self.checkpoints.as_ref().and_then(|file| file.due_in(size))
    }

    /// Makes a checkpoint, if there are records since the last. They must be synced.
    pub(super) fn checkpoint(&mut self) -> Result<(), StoreError> {
        match (&mut self.checkpoints, self.sealer.checkpoint()) {
            (Some(file), Some(checkpoint)) => file.write(checkpoint),
            // A log without its beginning has no root to sign.
            _ => Ok(()),
        }
    }

    /// Begins the next segment. The one before must be synced.
    pub(super) fn turn(&mut self) -> Result<LogFile, StoreError> {
        self.checkpoint()?;
        self.sealer.turn();
        self.begun = Instant::now();
        LogFile::create_new(segment_path(&self.path, self.sealer.segment()))
    }
}
