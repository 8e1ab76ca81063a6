//! A case as a folder.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::{
    EvidenceError,
    case_files::{CaseFiles, MAX_BYTES, MAX_FILES},
};

/// Writes a case aside and moves it into its place at once: half a case is never seen.
pub(crate) fn write(files: &CaseFiles, folder: &Path) -> Result<(), EvidenceError> {
    let parent = parent(folder);
    let aside = tempfile::Builder::new()
        .prefix(".case-")
        .tempdir_in(&parent)
        .map_err(EvidenceError::io(&parent))?;
    for (path, bytes) in files.iter() {
        let target = aside.path().join(path);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder).map_err(EvidenceError::io(folder))?;
        }
        fs::write(&target, bytes).map_err(EvidenceError::io(&target))?;
    }
    // Over an empty folder this works, over anything else it does not.
    fs::rename(aside.path(), folder).map_err(EvidenceError::io(folder))?;
    let _ = aside.keep();
    Ok(())
}

/// Whether a case may go here: nothing is there, or an empty folder.
pub(crate) fn is_free(path: &Path) -> bool {
    match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => fs::symlink_metadata(path).is_err(),
    }
}

/// The folder that holds a path.
pub(crate) fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Reads the files of a folder; links are not followed.
pub(crate) fn read(folder: &Path) -> Result<CaseFiles, EvidenceError> {
    let mut files = CaseFiles::default();
    let mut budget = MAX_BYTES;
    read_into(folder, "", &mut files, &mut budget)?;
    Ok(files)
}

fn read_into(
    folder: &Path,
    prefix: &str,
    files: &mut CaseFiles,
    budget: &mut u64,
) -> Result<(), EvidenceError> {
    let entries = fs::read_dir(folder).map_err(EvidenceError::io(folder))?;
    for entry in entries {
        let entry = entry.map_err(EvidenceError::io(folder))?;
        let path = entry.path();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(EvidenceError::io(&path))?;
        if kind.is_dir() {
            read_into(&path, &format!("{name}/"), files, budget)?;
        } else if kind.is_file() && entry.file_name().to_str().is_some() {
            let bytes = read_file(&path, *budget).map_err(EvidenceError::io(&path))?;
            *budget -= bytes.len() as u64;
            files.insert(name, bytes);
        } else {
            let what = match kind.is_symlink() {
                true => "a link",
                false => "not a file with a readable name",
            };
            files.odd.insert(name, what);
        }
        if files.len() + files.odd.len() > MAX_FILES {
            return Err(EvidenceError::NotACase {
                path: folder.to_path_buf(),
                reason: format!("more than {MAX_FILES} files"),
            });
        }
    }
    Ok(())
}

fn read_file(path: &Path, budget: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?
        .take(budget + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > budget {
        return Err(io::Error::other("the case is larger than 2 GiB"));
    }
    Ok(bytes)
}
