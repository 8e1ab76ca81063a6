//! What can go wrong in an audit.

use datafusion::error::DataFusionError;
use preflight_lake::LakeError;

use crate::{BaselineError, ChainError, PackError, SqlError, TriageError};

/// An error of an audit.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The lake can't be opened.
    #[error(transparent)]
    Lake(#[from] LakeError),
    /// The rule pack can't be used.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The file of earlier findings can't be used.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// The log of decisions can't be read.
    #[error(transparent)]
    Triage(#[from] TriageError),
    /// A rule or view fails: that is never a clean result.
    #[error("{file}: {error}")]
    Rule {
        /// The rule's or view's file.
        file: String,
        /// What is wrong with its statement.
        error: Box<SqlError>,
    },
    /// A statement of the user fails.
    #[error(transparent)]
    Sql(#[from] Box<SqlError>),
    /// No rule has this code or name.
    #[error("no rule is called {name:?}{}", suggestion(.similar))]
    NoRule {
        /// What was asked for.
        name: String,
        /// The nearest code or name.
        similar: Option<String>,
    },
    /// A chain, record or finding that was asked for can't be shown.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// No question has this name.
    #[error("no question is called {name:?}{}", question_suggestion(.similar))]
    NoQuestion {
        /// What was asked for.
        name: String,
        /// The nearest name.
        similar: Option<String>,
    },
    /// A value is given for a parameter that a question does not have, or that it can't take.
    #[error("{0}")]
    Parameter(String),
    /// The engine fails at something that is not a statement.
    #[error("{0}")]
    Engine(#[from] DataFusionError),
}

fn suggestion(similar: &Option<String>) -> String {
    match similar {
        Some(similar) => format!("; did you mean {similar}?"),
        None => "; `preflight rules` lists them".to_owned(),
    }
}

fn question_suggestion(similar: &Option<String>) -> String {
    match similar {
        Some(similar) => format!("; did you mean {similar}?"),
        None => "; `preflight ask` lists them".to_owned(),
    }
}
