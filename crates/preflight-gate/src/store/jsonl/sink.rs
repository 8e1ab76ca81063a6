//! The end of the file.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use preflight_record::{Decision, Record};
use preflight_seal::segment_path;

use super::{
    Line, StoreError, locked, log_file::LogFile, sealing::SealedEnd, unkeyed::UnkeyedFiles,
};

/// How much may gather in memory before it is written.
const BUFFER: usize = 64 * 1_024;

/// Where the latest baseline of each key stands.
pub(super) type Index = Arc<Mutex<HashMap<String, Place>>>;

/// A line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) segment: u64,
    pub(super) offset: u64,
    pub(super) length: usize,
}

/// Reads lines of a log again.
pub(super) struct Reader {
    log: PathBuf,
    /// The segment that was read last.
    open: Option<(u64, File)>,
}

impl Reader {
    pub(super) fn new(log: &Path) -> Self {
        Self {
            log: log.to_owned(),
            open: None,
        }
    }

    /// The line at a place, which must be one to its end: a log that was cut off while it was open may
    /// hold anything there.
    pub(super) fn read(&mut self, place: Place) -> Result<Vec<u8>, StoreError> {
        let damaged = |what: &str| StoreError::Damaged(format!("at byte {}: {what}", place.offset));
        let before = usize::from(place.offset > 0);
        let mut line = vec![0; before + place.length + 1];
        let file = self.segment(place.segment)?;
        file.seek(SeekFrom::Start(place.offset - before as u64))?;
        file.read_exact(&mut line)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => damaged("the log ends before its record does"),
                _ => error.into(),
            })?;
        let is_line = line.pop() == Some(b'\n') && (before == 0 || line[0] == b'\n');
        match is_line {
            true => Ok(line.split_off(before)),
            false => Err(damaged("no line begins and ends there")),
        }
    }

    fn segment(&mut self, segment: u64) -> Result<&mut File, StoreError> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != segment) {
            self.open = Some((segment, File::open(segment_path(&self.log, segment))?));
        }
        match &mut self.open {
            Some((_, file)) => Ok(file),
            None => Err(StoreError::Io("no segment is open".to_owned())),
        }
    }
}

/// Appends lines. After an error it takes no more: what is half written must stay the end.
pub(super) struct FileSink {
    file: LogFile,
    /// The file's length once the buffer is written.
    length: u64,
    buffer: String,
    /// Baselines among the lines in the buffer.
    fresh: Vec<(String, Place)>,
    index: Index,
    unkeyed: Option<UnkeyedFiles>,
    sealed: Option<SealedEnd>,
    failed: Option<StoreError>,
}

impl FileSink {
    pub(super) fn new(
        file: LogFile,
        index: Index,
        unkeyed: Option<UnkeyedFiles>,
        sealed: Option<SealedEnd>,
    ) -> Self {
        Self {
            length: file.written(),
            file,
            buffer: String::with_capacity(BUFFER + BUFFER / 4),
            fresh: Vec::new(),
            index,
            unkeyed,
            sealed,
            failed: None,
        }
    }

    pub(super) fn push(&mut self, record: &Record<'_>, line: Line<'_>) -> Result<(), StoreError> {
        self.check()?;
        let key = record.action_key.given().map(|key| &**key);
        if let (None, Some(unkeyed)) = (key, &mut self.unkeyed) {
            unkeyed.push(line.json);
            return Ok(());
        }
        self.turn_if_full()?;
        let start = self.buffer.len();
        match (&mut self.sealed, line.digest) {
            (Some(sealed), Some(digest)) => sealed.seal(line.json, digest, key, &mut self.buffer),
            _ => self.buffer.extend([line.json, "\n"]),
        }
        let length = self.buffer.len() - start;
        if let (Some(key), Decision::Executed) = (key, record.execution_decision) {
            let place = Place {
                segment: self.sealed.as_ref().map_or(0, SealedEnd::segment),
                offset: self.length,
                length: length - 1,
            };
            self.fresh.push((key.to_owned(), place));
        }
        self.length += length as u64;
        match self.buffer.len() >= BUFFER {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Goes on to the next segment when this one has grown or aged enough.
    fn turn_if_full(&mut self) -> Result<(), StoreError> {
        let length = self.length;
        if !self
            .sealed
            .as_ref()
            .is_some_and(|sealed| sealed.is_full(length))
        {
            return Ok(());
        }
        self.flush()?;
        self.sync()?;
        if let Some(sealed) = &mut self.sealed {
            match sealed.turn() {
                Ok(file) => self.file = file,
                Err(error) => {
                    self.failed = Some(error.clone());
                    return Err(error);
                }
            }
        }
        self.length = 0;
        Ok(())
    }

    /// Makes a checkpoint if it is time for one.
    pub(super) fn checkpoint_if_due(&mut self) -> Result<(), StoreError> {
        match self
            .sealed
            .as_ref()
            .is_some_and(SealedEnd::is_checkpoint_due)
        {
            true => self.checkpoint(),
            false => Ok(()),
        }
    }

    /// How long until it is, if no record comes.
    pub(super) fn checkpoint_due_in(&self) -> Option<Duration> {
        self.sealed.as_ref().and_then(SealedEnd::checkpoint_due_in)
    }

    fn checkpoint(&mut self) -> Result<(), StoreError> {
        self.flush()?;
        self.sync()?;
        let signed = self.sealed.as_mut().map_or(Ok(()), SealedEnd::checkpoint);
        if let Err(error) = &signed {
            self.failed = Some(error.clone());
        }
        signed
    }

    /// Writes what has gathered.
    pub(super) fn flush(&mut self) -> Result<(), StoreError> {
        self.check()?;
        if !self.buffer.is_empty() {
            let written = self.file.append(self.buffer.as_bytes());
            self.note_failure(written)?;
        }
        self.buffer.clear();
        if !self.fresh.is_empty() {
            locked(&self.index).extend(self.fresh.drain(..));
        }
        self.unkeyed.as_mut().map_or(Ok(()), UnkeyedFiles::flush)
    }

    pub(super) fn sync(&mut self) -> Result<(), StoreError> {
        let synced = self.file.sync().map_err(StoreError::from);
        self.note_failure(synced)?;
        self.unkeyed.as_mut().map_or(Ok(()), UnkeyedFiles::sync)
    }

    fn check(&self) -> Result<(), StoreError> {
        match &self.failed {
            Some(failed) => Err(StoreError::Closed(failed.to_string())),
            None => Ok(()),
        }
    }

    fn note_failure(&mut self, result: Result<(), StoreError>) -> Result<(), StoreError> {
        if let Err(error) = &result {
            self.failed = Some(error.clone());
        }
        result
    }
}

impl Drop for FileSink {
    fn drop(&mut self) {
        // There is nobody left to tell.
        let _ = match self.checkpoint_due_in() {
            Some(_) => self.checkpoint(),
            None => self.flush(),
        };
    }
}
