//! What the files of a store must be before they are trusted with records.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::StoreError;

/// Refuses what is there and is no regular file: opening a FIFO waits without end, and a device keeps
/// nothing.
pub(super) fn regular_or_absent(path: &Path) -> Result<(), StoreError> {
    match fs::metadata(path) {
        Ok(about) if about.is_file() => Ok(()),
        Ok(_) => Err(StoreError::Io(format!(
            "{} is no regular file",
            path.display()
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// One path for one file, whatever symbolic links lead to it: a store's other files stand beside it. The
/// file need not be there.
pub(super) fn canonical(path: &Path) -> Result<PathBuf, StoreError> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        found => return Ok(found?),
    }
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let name = path.file_name().unwrap_or_default();
    Ok(fs::canonicalize(parent.unwrap_or(Path::new(".")))?.join(name))
}
