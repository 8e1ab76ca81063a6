//! What runs on a schedule.

use std::path::Path;

use serde_json::Value;

use crate::{Period, Schedule};

/// What runs on a schedule. The same period over the same data must give the same bytes.
pub trait Job {
    /// Writes the files of a period into a folder that is empty, those of each part in a folder of
    /// its own.
    ///
    /// # Errors
    ///
    /// There is nothing to deliver; the run is tried again later.
    fn run(&self, schedule: &Schedule, period: &Period, folder: &Path)
    -> Result<Product, JobError>;
}

/// A job failed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct JobError(pub String);

/// What a job made.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    /// What it was made from, for the manifest; it is no part of the digest.
    pub source: Value,
    /// What else is of interest to whoever runs it: told, not kept.
    pub notes: Value,
    /// Its parts: each is delivered by itself.
    pub parts: Vec<Part>,
}

/// What one receiver gets.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Whose it is.
    pub name: String,
    /// Folder of its files, in that of the run.
    pub folder: String,
    /// What it is, in a line.
    pub subject: String,
    /// What it says, in a few.
    pub text: String,
    /// Mail addresses of those whom it is for.
    pub recipients: Vec<String>,
    /// What was looked at and found, for programs.
    pub facts: Value,
}
