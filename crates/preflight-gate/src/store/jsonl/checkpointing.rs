//! Checkpoints, written beside the log as it grows.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use preflight_seal::{
    Checkpoint, PrivateKey, SignedCheckpoint, checkpoints, verify::checkpoint_path,
};

use super::{StoreError, files::regular_or_absent, sync_directory};

/// By whom and how often a log is signed.
#[derive(Debug, Clone)]
pub(super) struct Signing {
    pub(super) keys: Vec<PrivateKey>,
    pub(super) every: u64,
    pub(super) after: Duration,
}

/// The file of a log's checkpoints.
pub(super) struct CheckpointFile {
    path: PathBuf,
    file: File,
    signing: Signing,
    /// The size that was signed last, and when.
    signed: u64,
    at: Instant,
}

impl CheckpointFile {
    /// Opens the file beside a log and takes off what a crash left at its end. Returns the newest
    /// checkpoint that one of the keys signed.
    pub(super) fn open(
        log: &Path,
        signing: Signing,
    ) -> Result<(Self, Option<Checkpoint>), StoreError> {
        let path = checkpoint_path(log);
        regular_or_absent(&path)?;
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error.into()),
        };
        let mut file = OpenOptions::new().append(true).create(true).open(&path)?;
        sync_directory(&path)?;
        let found = checkpoints(&text);
        if let Some((line, Err(_))) = found.last() {
            let whole = text.split_inclusive('\n').take(line - 1);
            file.set_len(whole.map(str::len).sum::<usize>() as u64)?;
        } else if !text.is_empty() && !text.ends_with("\n\n") {
            file.write_all(b"\n")?;
        }
        let is_own = |signed: &SignedCheckpoint| {
            let mut keys = signing.keys.iter();
            keys.any(|key| signed.is_signed_with(key))
        };
        let own = found
            .into_iter()
            .filter_map(|(_, found)| found.ok())
            .filter(is_own)
            .map(|signed| signed.checkpoint)
            .max_by_key(|checkpoint| checkpoint.size);
        let opened = Self {
            path,
            file,
            signing,
            signed: own.as_ref().map_or(0, |own| own.size),
            at: Instant::now(),
        };
        Ok((opened, own))
    }

    /// Whether it is time for one, of a log of this size.
    pub(super) fn is_due(&self, size: u64) -> bool {
        let new = size.saturating_sub(self.signed);
        new >= self.signing.every || (new > 0 && self.at.elapsed() >= self.signing.after)
    }

    /// How long until it is time for one, of a log of this size that does not grow.
    pub(super) fn due_in(&self, size: u64) -> Option<Duration> {
        (size > self.signed).then(|| self.signing.after.saturating_sub(self.at.elapsed()))
    }

    /// Signs. The records must be synced.
    pub(super) fn write(&mut self, checkpoint: Checkpoint) -> Result<(), StoreError> {
        let size = checkpoint.size;
        if size <= self.signed {
            return Ok(());
        }
        let signed = checkpoint
            .sign(&self.signing.keys)
            .map_err(|error| StoreError::Seal(format!("{}: {error}", self.path.display())))?;
        self.file.write_all(format!("{signed}\n").as_bytes())?;
        self.file.sync_data()?;
        self.signed = size;
        self.at = Instant::now();
        Ok(())
    }
}
