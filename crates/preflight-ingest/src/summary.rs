//! What a run has done, and what it noticed.

use std::{fmt, io};

use arrow::error::ArrowError;
use preflight_lake::{Counts, LakeError};

/// An error that ends a run.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The lake can't be read or written.
    #[error(transparent)]
    Lake(#[from] LakeError),
    /// Columns could not be built.
    #[error("a batch could not be built: {0}")]
    Columns(#[from] ArrowError),
}

/// An input that was not read to its end.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {error}")]
pub struct Failure {
    /// The input.
    pub path: String,
    /// Why.
    pub error: io::Error,
}

/// What a run has done.
#[derive(Debug, Default)]
pub struct Summary {
    /// What became of the lines that were read.
    pub counts: Counts,
    /// Lines of these that an earlier run had read already, because their batch was small or
    /// their last line was not whole.
    pub read_again: Counts,
    /// Inputs that were read to their end.
    pub sources: u64,
    /// Inputs that were as they had been left.
    pub unchanged: u64,
    /// Inputs that could not be read to their end.
    pub failures: Vec<Failure>,
    /// Records of a newer minor schema version.
    pub newer_schema: u64,
}

/// Something about an input that a person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The file holds what was read under another name: it was renamed, copied or compressed.
    SameContent {
        /// The file.
        path: String,
        /// The source that has the content.
        source: String,
    },
    /// The file does not start with what was read from it before.
    OtherContent {
        /// The file.
        path: String,
        /// The source under which its lines are kept now.
        source: String,
    },
    /// The file holds only a part of what was read before.
    Truncated {
        /// The file.
        path: String,
        /// The source that has the whole content.
        source: String,
    },
    /// Another file took the place of the one that was read.
    ReplacedWhileRead {
        /// The file.
        path: String,
    },
    /// The file became shorter while it was read.
    TruncatedWhileRead {
        /// The file.
        path: String,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameContent { path, source } => {
                write!(f, "{path} continues what was read as {source}")
            }
            Self::OtherContent { path, source } => write!(
                f,
                "{path} was rewritten or rotated: it no longer starts with what was read from it; \
                 its new lines are kept as {source}, the earlier ones stay"
            ),
            Self::Truncated { path, source } => write!(
                f,
                "{path} was truncated: it holds only a part of what was read as {source}, which stays"
            ),
            Self::ReplacedWhileRead { path } => write!(
                f,
                "{path} was replaced while it was read: run the same command again to read the new file"
            ),
            Self::TruncatedWhileRead { path } => {
                write!(f, "{path} was truncated while it was read")
            }
        }
    }
}
