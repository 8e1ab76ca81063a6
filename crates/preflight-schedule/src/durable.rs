//! Files that are whole or not there, also after a crash.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

use crate::ScheduleError;

/// Makes a folder, and its name last.
pub(crate) fn folder(path: &Path) -> Result<(), ScheduleError> {
    fs::create_dir_all(path).map_err(ScheduleError::io(path))?;
    match path.parent() {
        Some(parent) if parent != Path::new("") => sync(parent),
        _ => sync(Path::new(".")),
    }
}

/// Replaces a file: written aside, synced, renamed, the folder synced.
pub(crate) fn replace(path: &Path, content: &[u8]) -> Result<(), ScheduleError> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".part");
    let aside = PathBuf::from(aside);
    write(&aside, content)?;
    rename(&aside, path)
}

/// Writes a file and syncs it.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), ScheduleError> {
    let written = File::create(path).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    written.map_err(ScheduleError::io(path))
}

/// Renames a file or a folder, and makes it last.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), ScheduleError> {
    fs::rename(from, to).map_err(ScheduleError::io(to))?;
    sync(to.parent().unwrap_or(Path::new(".")))
}

/// Makes a file's bytes, or a folder's names, last.
pub(crate) fn sync(path: &Path) -> Result<(), ScheduleError> {
    if path.is_dir() && cfg!(windows) {
        // Windows keeps names without being asked, and opens no folder.
        return Ok(());
    }
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(ScheduleError::io(path))
}

/// A JSON file, where there is one.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ScheduleError> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ScheduleError::io(path)(error)),
    };
    let read = serde_json::from_slice(&text);
    read.map(Some)
        .map_err(|error| ScheduleError::state(path, format!("it was altered: {error}")))
}

/// A value as indented JSON with a line end.
pub(crate) fn json<T: Serialize>(path: &Path, value: &T) -> Result<Vec<u8>, ScheduleError> {
    let text = serde_json::to_vec_pretty(value);
    let mut text = text.map_err(|error| ScheduleError::state(path, error))?;
    text.push(b'\n');
    Ok(text)
}

/// Removes what may not be there.
pub(crate) fn remove_folder(path: &Path) -> Result<(), ScheduleError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(ScheduleError::io(path)(error)),
        _ => Ok(()),
    }
}

/// The names in a folder, sorted; none where there is no folder.
pub(crate) fn names(path: &Path) -> Result<Vec<String>, ScheduleError> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ScheduleError::io(path)(error)),
    };
    let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let names: io::Result<Vec<String>> = names.collect();
    let mut names = names.map_err(ScheduleError::io(path))?;
    names.sort();
    Ok(names)
}
