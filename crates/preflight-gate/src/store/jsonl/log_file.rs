//! The file that records are appended to: held against a second writer, and looked at before each write.

use std::{
    fs::{self, File, Metadata, OpenOptions, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{StoreError, files::regular_or_absent, sync_directory};

/// A file of the log, and how much of it is known to be the log's.
pub(super) struct LogFile {
    path: PathBuf,
    file: File,
    identity: Identity,
    written: u64,
}

impl LogFile {
    /// A file that was read and found to be that long. [`open`] opened it.
    pub(super) fn at(path: PathBuf, file: File, written: u64) -> Result<Self, StoreError> {
        Ok(Self {
            identity: identity(&file.metadata()?),
            path,
            file,
            written,
        })
    }

    /// Makes a file that is not there yet.
    pub(super) fn create_new(path: PathBuf) -> Result<Self, StoreError> {
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(&path)?;
        hold(&path, &file)?;
        sync_directory(&path)?;
        Self::at(path, file, 0)
    }

    /// Appends, unless the file is no longer what this writer left: what is cut off, moved away or
    /// written to by somebody else keeps nothing where it is looked for.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.check()?;
        self.file.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    pub(super) fn written(&self) -> u64 {
        self.written
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// One look at the path tells both of what stands there: which file it is, and how long.
    fn check(&self) -> Result<(), StoreError> {
        let about = match fs::metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(self.is_gone()),
            about => about?,
        };
        if identity(&about) != self.identity {
            return Err(self.is_gone());
        }
        match about.len() == self.written {
            true => Ok(()),
            false => Err(self.changed(&format!(
                "has {} bytes where {} were written",
                about.len(),
                self.written
            ))),
        }
    }

    fn is_gone(&self) -> StoreError {
        self.changed("was moved, replaced or removed")
    }

    fn changed(&self, how: &str) -> StoreError {
        StoreError::Damaged(format!(
            "{} {how} while it was open; nothing more is written, open it again",
            self.path.display()
        ))
    }
}

/// Opens or creates a file of the log, and holds it.
pub(super) fn open(path: &Path) -> Result<File, StoreError> {
    regular_or_absent(path)?;
    let file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)?;
    hold(path, &file)?;
    Ok(file)
}

/// Locks the file itself, since a lock beside it guards a name: a second link, or a log that was
/// renamed, has another. Elsewhere than on Unix a lock would keep readers out too.
fn hold(path: &Path, file: &File) -> Result<(), StoreError> {
    if !cfg!(unix) {
        return Ok(());
    }
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked(path.display().to_string())),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// By which a file is known whatever its name.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(file: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {
    (0, 0)
}
