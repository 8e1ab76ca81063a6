//! The end of the file.

use std::{
    collections::HashMap,
    fs::File,
    io::{Read, Seek, SeekFrom, Write},
    sync::{Arc, Mutex},
};

use preflight_record::{Decision, Record};

use super::{StoreError, locked, unkeyed::UnkeyedFiles};

/// How much may gather in memory before it is written.
const BUFFER: usize = 64 * 1_024;

/// Where the latest baseline of each key stands.
pub(super) type Index = Arc<Mutex<HashMap<String, Place>>>;

/// A line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) length: usize,
}

impl Place {
    pub(super) fn read(self, file: &mut File) -> Result<Vec<u8>, StoreError> {
        let mut line = vec![0; self.length];
        file.seek(SeekFrom::Start(self.offset))?;
        file.read_exact(&mut line)?;
        Ok(line)
    }
}

/// Appends lines. After an error it takes no more: what is half written must stay the end.
pub(super) struct FileSink {
    file: File,
    /// The file's length once the buffer is written.
    length: u64,
    buffer: String,
    /// Baselines among the lines in the buffer.
    fresh: Vec<(String, Place)>,
    index: Index,
    unkeyed: Option<UnkeyedFiles>,
    failed: Option<StoreError>,
}

impl FileSink {
    pub(super) fn new(
        file: File,
        length: u64,
        index: Index,
        unkeyed: Option<UnkeyedFiles>,
    ) -> Self {
        Self {
            file,
            length,
            buffer: String::with_capacity(BUFFER + BUFFER / 4),
            fresh: Vec::new(),
            index,
            unkeyed,
            failed: None,
        }
    }

    pub(super) fn push(&mut self, record: &Record<'_>, json: &str) -> Result<(), StoreError> {
        self.check()?;
        let key = record.action_key.given();
        if let (None, Some(unkeyed)) = (key, &mut self.unkeyed) {
            unkeyed.push(json);
            return Ok(());
        }
        let length = json.len();
        if let (Some(key), Decision::Executed) = (key, record.execution_decision) {
            let place = Place {
                offset: self.length,
                length,
            };
            self.fresh.push((key.to_string(), place));
        }
        self.buffer.push_str(json);
        self.buffer.push('\n');
        self.length += length as u64 + 1;
        match self.buffer.len() >= BUFFER {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Writes what has gathered.
    pub(super) fn flush(&mut self) -> Result<(), StoreError> {
        self.check()?;
        let written = self.file.write_all(self.buffer.as_bytes());
        self.note_failure(written)?;
        self.buffer.clear();
        if !self.fresh.is_empty() {
            locked(&self.index).extend(self.fresh.drain(..));
        }
        self.unkeyed.as_mut().map_or(Ok(()), UnkeyedFiles::flush)
    }

    pub(super) fn sync(&mut self) -> Result<(), StoreError> {
        let synced = self.file.sync_data();
        self.note_failure(synced)?;
        self.unkeyed.as_mut().map_or(Ok(()), UnkeyedFiles::sync)
    }

    fn check(&self) -> Result<(), StoreError> {
        match &self.failed {
            Some(failed) => Err(StoreError::Closed(failed.to_string())),
            None => Ok(()),
        }
    }

    fn note_failure(&mut self, result: std::io::Result<()>) -> Result<(), StoreError> {
        let result = result.map_err(StoreError::from);
        if let Err(error) = &result {
            self.failed = Some(error.clone());
        }
        result
    }
}

impl Drop for FileSink {
    fn drop(&mut self) {
        // There is nobody left to tell.
        let _ = self.flush();
    }
}
