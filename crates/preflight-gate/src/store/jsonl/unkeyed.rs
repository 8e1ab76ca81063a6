//! Records without an action key, in files of their own that may be given up.
//!
//! A run whose intent is not settled has no key, and there is no end to such runs: whoever can
//! talk to the agent can make them. So they may be kept within limits, apart from the log.

use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::{StoreError, sync_directory};

/// How much is kept of records without an action key. The oldest go first, a file at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnkeyedLimits {
    /// All files together.
    pub max_bytes: u64,
    /// Since a file was written to last.
    pub max_age: Duration,
}

/// In how many files the records are kept, so that one of them can go.
const FILES: u64 = 8;

pub(super) struct UnkeyedFiles {
    limits: UnkeyedLimits,
    directory: PathBuf,
    prefix: String,
    number: u64,
    file: File,
    size: u64,
    begun: SystemTime,
    buffer: String,
    dirty: bool,
}

impl UnkeyedLimits {
    /// Opens a new file; one that a crash may have torn is not written to again.
    pub(super) fn open(self, log: &Path) -> Result<UnkeyedFiles, StoreError> {
        let directory = log.parent().unwrap_or(Path::new("")).to_owned();
        let name = log.file_stem().unwrap_or_default().to_string_lossy();
        let prefix = format!("{name}.unkeyed-");
        let last = numbered(&directory, &prefix)?
            .last()
            .map_or(0, |(number, _)| *number);
        let file = create(&directory, &prefix, last + 1)?;
        let mut files = UnkeyedFiles {
            limits: self,
            directory,
            prefix,
            number: last + 1,
            file,
            size: 0,
            begun: SystemTime::now(),
            buffer: String::new(),
            dirty: false,
        };
        files.prune()?;
        Ok(files)
    }
}

impl UnkeyedFiles {
    pub(super) fn push(&mut self, json: &str) {
        self.buffer.push_str(json);
        self.buffer.push('\n');
    }

    pub(super) fn flush(&mut self) -> Result<(), StoreError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.file.write_all(self.buffer.as_bytes())?;
        self.size += self.buffer.len() as u64;
        self.buffer.clear();
        self.dirty = true;
        let old = self.begun.elapsed().unwrap_or_default() >= self.limits.max_age / FILES as u32;
        match old || self.size >= self.limits.max_bytes / FILES {
            true => self.turn(),
            false => Ok(()),
        }
    }

    pub(super) fn sync(&mut self) -> Result<(), StoreError> {
        if self.dirty {
            self.file.sync_data()?;
            self.dirty = false;
        }
        Ok(())
    }

    /// Begins the next file.
    fn turn(&mut self) -> Result<(), StoreError> {
        self.sync()?;
        self.number += 1;
        self.file = create(&self.directory, &self.prefix, self.number)?;
        self.size = 0;
        self.begun = SystemTime::now();
        self.prune()
    }

    fn prune(&mut self) -> Result<(), StoreError> {
        let mut files = numbered(&self.directory, &self.prefix)?;
        files.retain(|(number, _)| *number != self.number);
        let mut total = 0;
        // From the newest on: what is past the limits, and all that is older, goes.
        for (_, path) in files.into_iter().rev() {
            let about = fs::metadata(&path)?;
            total += about.len();
            let age = about.modified()?.elapsed().unwrap_or_default();
            if total > self.limits.max_bytes || age > self.limits.max_age {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    }
}

fn create(directory: &Path, prefix: &str, number: u64) -> Result<File, StoreError> {
    let path = directory.join(format!("{prefix}{number:06}.jsonl"));
    let file = OpenOptions::new()
        .append(true)
        .create_new(true)
        .open(&path)?;
    sync_directory(&path)?;
    Ok(file)
}

/// The files there are, by number.
fn numbered(directory: &Path, prefix: &str) -> Result<Vec<(u64, PathBuf)>, StoreError> {
    let directory = match directory.as_os_str().is_empty() {
        true => Path::new("."),
        false => directory,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let number = name
            .strip_prefix(prefix)
            .and_then(|rest| rest.strip_suffix(".jsonl"));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            files.push((number, entry.path()));
        }
    }
    files.sort();
    Ok(files)
}
