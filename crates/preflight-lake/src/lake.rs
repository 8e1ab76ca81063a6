//! Opening a lake for reading.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use crate::{FORMAT, LakeError, Manifest, Table, TableFile, parquet_file, verification};

/// Name of the manifest in a lake's folder.
pub(crate) const MANIFEST: &str = "manifest.json";

/// A lake as of one commit.
#[derive(Debug, Clone)]
pub struct Lake {
    root: PathBuf,
    manifest: Manifest,
    digest: String,
}

impl Lake {
    /// Opens the lake in a folder, as of its latest commit.
    ///
    /// # Errors
    ///
    /// There is no lake, it is of a newer format, or a file that it names is missing or cut.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, LakeError> {
        let root = root.into();
        let (manifest, text) = read_manifest(&root)?;
        let digest = blake3::hash(&text).to_hex().to_string();
        let lake = Self {
            root,
            manifest,
            digest,
        };
        lake.check_files()?;
        Ok(lake)
    }

    fn check_files(&self) -> Result<(), LakeError> {
        let files = self.manifest.batches.iter().flat_map(|batch| &batch.files);
        for file in files {
            let path = self.root.join(&file.path);
            if let Some(reason) = verification::size_fault(&path, file) {
                return Err(LakeError::Damaged { path, reason });
            }
        }
        Ok(())
    }

    /// Reads every file whole, and tells of the first that is not what was written, or can't be read.
    ///
    /// Opening a lake looks at sizes alone. An engine that stumbles over a file does not say which
    /// one it was: then this finds it.
    pub fn find_damage(&self) -> Option<LakeError> {
        let files = || self.manifest.batches.iter().flat_map(|batch| &batch.files);
        let changed = files().find_map(|file| verification::fault_of(&self.root, file));
        changed.or_else(|| {
            files().find_map(|file| {
                let path = self.root.join(&file.path);
                let reason = parquet_file::check(&path, file.rows).err()?;
                Some(LakeError::Damaged { path, reason })
            })
        })
    }

    /// The lake's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What the lake holds.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// BLAKE3 of the manifest's bytes, in hexadecimal: it names this state of the lake.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The Parquet files of a table.
    pub fn files<'a>(&'a self, table: &'a Table) -> impl Iterator<Item = (PathBuf, &'a TableFile)> {
        let files = self.manifest.files_of(table.name);
        files.map(|file| (self.root.join(&file.path), file))
    }
}

/// The manifest of the lake in a folder, and its text.
pub(crate) fn read_manifest(root: &Path) -> Result<(Manifest, Vec<u8>), LakeError> {
    let text = match fs::read(root.join(MANIFEST)) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(LakeError::NotALake(root.to_path_buf()));
        }
        Err(error) => return Err(LakeError::io(root.join(MANIFEST))(error)),
    };
    Ok((parse(root, &text)?, text))
}

/// Reads a manifest, its format before all else.
pub(crate) fn parse(root: &Path, text: &[u8]) -> Result<Manifest, LakeError> {
    let damaged = |error: serde_json::Error| LakeError::Manifest {
        path: root.join(MANIFEST),
        reason: error.to_string(),
    };
    let value: serde_json::Value = serde_json::from_slice(text).map_err(damaged)?;
    let found = value.get("format").and_then(serde_json::Value::as_u64);
    if let Some(found) = found.filter(|found| *found > FORMAT) {
        let path = root.to_path_buf();
        return Err(LakeError::NewerFormat {
            path,
            found,
            newest: FORMAT,
        });
    }
    serde_json::from_value(value).map_err(damaged)
}
