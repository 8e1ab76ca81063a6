//! What can go wrong with a lake.

use std::{io, path::PathBuf};

/// An error of opening, reading or committing a lake.
#[derive(Debug, thiserror::Error)]
pub enum LakeError {
    /// The folder holds no manifest.
    #[error("{path} is not a lake: it has no manifest.json (run `preflight ingest PATH --lake {path}` first)", path = .0.display())]
    NotALake(PathBuf),
    /// The manifest was written by a newer version.
    #[error(
        "{path} has lake format {found}, and this version reads up to {newest}: update preflight, or ingest into another folder",
        path = path.display()
    )]
    NewerFormat {
        /// The lake.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// The newest format that is read.
        newest: u64,
    },
    /// The manifest is damaged.
    #[error("{path}: the manifest is damaged: {reason}", path = path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file that the manifest names is missing or has another size.
    #[error("{path}: {reason}; the lake is incomplete, ingest the sources into a new folder", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file system refused.
    #[error("{path}: {error}{}", hint(.error), path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the file system said.
        error: io::Error,
    },
    /// Parquet could not be written.
    #[error("{path}: {error}", path = path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What the writer said.
        error: parquet::errors::ParquetError,
    },
}

impl LakeError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::Io { path, error }
    }
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => {
            "; what was committed is whole, free some space and run the same command again"
        }
        io::ErrorKind::PermissionDenied => "; the lake's folder must be writable",
        _ => "",
    }
}
