//! What keeps a case from being made or read.

use std::{io, path::PathBuf};

use preflight_audit::{AuditError, PackError};
use preflight_ingest::IngestError;
use preflight_lake::LakeError;

/// An error of making or reading a case.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// The lake can't be asked.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The lake can't be opened or written.
    #[error(transparent)]
    Lake(#[from] LakeError),
    /// The rules can't be used.
    #[error("the rules of the case: {0}")]
    Pack(#[from] PackError),
    /// The lines of the case can't be read into tables.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// The file system refused.
    #[error("{path}: {error}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the file system said.
        error: io::Error,
    },
    /// Something is where the case should go.
    #[error("{path} is there already: a case never writes over anything, name another place", path = .0.display())]
    Exists(PathBuf),
    /// Nothing in the lake is what was asked for.
    #[error("{0}")]
    NotFound(String),
    /// Not one line could be read again as it was.
    #[error(
        "none of the {records} records could be read again as they were; the first: {first}. \
         --source-root DIR looks for sources that have moved"
    )]
    NothingVerified {
        /// How many there are.
        records: usize,
        /// Why the first one could not.
        first: String,
    },
    /// What should be a case is none, or one that must not be unpacked.
    #[error("{path} is not a case that can be read: {reason}", path = path.display())]
    NotACase {
        /// The folder or archive.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The key of a mask can't be used.
    #[error("{path}: {reason}", path = path.display())]
    Key {
        /// The key's file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Fields that are to be masked, and that no record has.
    #[error("nothing is masked or written: no field of these records is called {0}")]
    MaskedNames(String),
    /// A line can't be masked.
    #[error("{place}: {reason}")]
    Mask {
        /// Source and line.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A document of the case can't be put together.
    #[error("{0}")]
    Document(String),
}

impl EvidenceError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::Io { path, error }
    }
}

impl From<arrow::error::ArrowError> for EvidenceError {
    fn from(error: arrow::error::ArrowError) -> Self {
        Self::Document(error.to_string())
    }
}

impl From<serde_json::Error> for EvidenceError {
    fn from(error: serde_json::Error) -> Self {
        Self::Document(error.to_string())
    }
}

impl From<minijinja::Error> for EvidenceError {
    fn from(error: minijinja::Error) -> Self {
        Self::Document(format!("{error:#}"))
    }
}
