//! Files that are whole or not there, also after a crash.

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
};

use crate::LakeError;

/// Replaces a file: written aside, synced, renamed, the folder synced.
pub(crate) fn replace(path: &Path, content: &[u8]) -> Result<(), LakeError> {
    let aside = path.with_extension("tmp");
    let written = File::create(&aside).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    if let Err(error) = written.and_then(|()| fs::rename(&aside, path)) {
        let _ = fs::remove_file(&aside);
        return Err(LakeError::io(path)(error));
    }
    sync(path.parent().unwrap_or(Path::new(".")))
}

/// Makes a file's bytes, or a folder's names, last.
pub(crate) fn sync(path: &Path) -> Result<(), LakeError> {
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(LakeError::io(path))
}
