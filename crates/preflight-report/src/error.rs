//! What can go wrong with a report.

use std::{io, path::PathBuf};

use polars::error::PolarsError;
use preflight_audit::{AuditError, datafusion::arrow::error::ArrowError};

/// An error of a report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A statement fails, or the lake can't be read.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// A column is not what a statement promised.
    #[error("reshaping: {0}")]
    Frame(#[from] PolarsError),
    /// The same, before it is reshaped.
    #[error("reshaping: {0}")]
    Arrow(#[from] ArrowError),
    /// A period that is none.
    #[error("{0}")]
    Period(String),
    /// A picture can't be drawn.
    #[error("drawing: {0}")]
    Drawing(String),
    /// The page can't be filled in.
    #[error("page: {0}")]
    Page(#[from] minijinja::Error),
    /// A file can't be read or written.
    #[error("{path}: {error}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the file system said.
        error: io::Error,
    },
    /// Definitions of tools that can't be used.
    #[error("{0}")]
    Definitions(String),
    /// The schedule in preflight.toml, or what it names, can't be used.
    #[error("{0}")]
    Schedule(String),
}

impl ReportError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |error| Self::Io { path, error }
    }
}
