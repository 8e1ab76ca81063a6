//! Whether a lake's files are still the ones that were written.

use std::path::Path;

use crate::{LakeError, Manifest, TableFile, checked_file, lake, parquet_file};

/// What reading all files of a lake showed.
#[derive(Debug, Default)]
pub struct Verification {
    /// Files that the manifest names.
    pub files: u64,
    /// Bytes of those that were read.
    pub bytes: u64,
    /// How many of the files have no checksum, since lake format 1 wrote them: that these can be
    /// decoded, and have as many rows as were written, is all that can be said of them.
    pub without_checksum: u64,
    /// The files that are not what was written, in the order of the manifest.
    pub damaged: Vec<LakeError>,
}

impl Verification {
    /// Reads every file of the lake in a folder, and compares it with the manifest.
    ///
    /// Opening a lake looks at sizes alone: this finds the bit that flipped.
    ///
    /// # Errors
    ///
    /// There is no lake, its manifest can't be read, or it is of a newer format.
    pub fn of(root: &Path) -> Result<Self, LakeError> {
        let (manifest, _) = lake::read_manifest(root)?;
        Ok(Self::of_files(root, &manifest))
    }

    fn of_files(root: &Path, manifest: &Manifest) -> Self {
        let mut verification = Self::default();
        for file in manifest.batches.iter().flat_map(|batch| &batch.files) {
            verification.files += 1;
            verification.without_checksum += u64::from(file.checksum.is_none());
            match fault_of(root, file) {
                None => verification.bytes += file.bytes,
                Some(fault) => verification.damaged.push(fault),
            }
        }
        verification
    }
}

/// What is wrong with a file, if it is not the one that was written.
pub(crate) fn fault_of(root: &Path, file: &TableFile) -> Option<LakeError> {
    let path = root.join(&file.path);
    let reason = size_fault(&path, file).or_else(|| match &file.checksum {
        Some(expected) => checksum_fault(&path, expected),
        None => parquet_file::check(&path, file.rows).err(),
    })?;
    Some(LakeError::Damaged { path, reason })
}

/// What a look at the size alone tells.
pub(crate) fn size_fault(path: &Path, file: &TableFile) -> Option<String> {
    match std::fs::metadata(path) {
        Err(error) => Some(error.to_string()),
        Ok(metadata) if metadata.len() != file.bytes => Some(format!(
            "{} bytes where the manifest has {}",
            metadata.len(),
            file.bytes
        )),
        Ok(_) => None,
    }
}

fn checksum_fault(path: &Path, expected: &str) -> Option<String> {
    match checked_file::checksum_of(path) {
        Err(error) => Some(error.to_string()),
        Ok(found) if found != expected => Some(format!(
            "its XXH3-128 is {found} where the manifest has {expected}"
        )),
        Ok(_) => None,
    }
}
