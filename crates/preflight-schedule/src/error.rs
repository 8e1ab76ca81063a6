//! What can go wrong with schedules.

use std::{io, path::PathBuf};

/// An error of a schedule.
#[derive(Debug, thiserror::Error)]
pub enum ScheduleError {
    /// `preflight.toml` can't be used.
    #[error("{path}:{line}: {reason}", path = path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// A file can't be read or written.
    #[error("{path}: {error}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the file system said.
        error: io::Error,
    },
    /// A file of the state is not what was written.
    #[error("{path}: {reason}", path = path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// No period has this name.
    #[error("{0}")]
    Period(String),
    /// The job failed.
    #[error(transparent)]
    Job(#[from] crate::JobError),
    /// The schedule can't be said in another scheduler's words.
    #[error("{0}")]
    Print(String),
}

impl ScheduleError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |error| Self::Io { path, error }
    }

    pub(crate) fn state(path: impl Into<PathBuf>, reason: impl ToString) -> Self {
        Self::State {
            path: path.into(),
            reason: reason.to_string(),
        }
    }
}
