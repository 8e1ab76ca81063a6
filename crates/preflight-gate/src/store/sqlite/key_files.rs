//! Action keys held against other processes: a locked file each, beside the database.
//!
//! The system lets go of the lock when the process ends, however it ends. Not a row in the database:
//! that would outlive a crash, and nobody could tell a dead holder from a slow one.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
};

use super::StoreError;

/// The folder of the files.
pub(super) struct KeyFiles(PathBuf);

/// A key that is held, until this is dropped.
pub(super) struct KeyFile {
    file: File,
    path: PathBuf,
}

impl KeyFiles {
    /// The folder `<database>.keys`, made where it is missing.
    pub(super) fn open(database: &Path) -> Result<Self, StoreError> {
        let mut name = database.as_os_str().to_owned();
        name.push(".keys");
        fs::create_dir_all(&name)?;
        Ok(Self(name.into()))
    }

    /// Holds a key; `None` while another process, or another opening of the database, does.
    pub(super) fn hold(&self, action_key: &str) -> Result<Option<KeyFile>, StoreError> {
        // A key may hold anything; a file's name may not.
        let name = blake3::hash(action_key.as_bytes()).to_hex();
        let path = self.0.join(&name[..32]);
        loop {
            let file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)?;
            match file.try_lock() {
                // Whoever held it removed it in between: that one is locked by nobody else either,
                // but the next to come would lock a new one.
                Ok(()) if is_removed(&file)? => {}
                Ok(()) => return Ok(Some(KeyFile { file, path })),
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
        }
    }
}

#[cfg(unix)]
fn is_removed(file: &File) -> Result<bool, StoreError> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink() == 0)
}

#[cfg(not(unix))]
fn is_removed(_: &File) -> Result<bool, StoreError> {
    Ok(false)
}

impl Drop for KeyFile {
    fn drop(&mut self) {
        // While it is locked, so that nobody locks a file that is about to go. What stays behind
        // is an empty file that the next holder takes.
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_held_once_and_leaves_nothing_behind() {
        let directory = tempfile::tempdir().expect("a directory");
        let database = directory.path().join("a.db");
        let open = || KeyFiles::open(&database).expect("opens");
        let (mine, theirs) = (open(), open());
        let held = mine.hold("../k\0").expect("works").expect("free");
        assert!(theirs.hold("../k\0").expect("works").is_none());
        assert!(theirs.hold("other").expect("works").is_some());
        drop(held);
        assert!(theirs.hold("../k\0").expect("works").is_some());
        assert_eq!(fs::read_dir(&mine.0).expect("there").count(), 0);
    }
}
