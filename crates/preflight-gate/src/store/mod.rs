//! Where decision records are kept.

mod group_commit;
mod jsonl;
mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::sync::Arc;

use preflight_record::Record;

pub use jsonl::{
    Durability, JsonlOptions, JsonlStore, Recovery, TornTail, UnfinishedCall, UnkeyedLimits,
};
pub use memory::MemoryStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;

use crate::Answer;

/// A store that failed. What it was given is not on record.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process writes to it.
    #[error("{0} is being written to by another process")]
    Locked(String),
    /// Reading or writing failed.
    #[error("the record store failed: {0}")]
    Io(String),
    /// What it holds is not what it wrote.
    #[error("the record store is damaged: {0}")]
    Damaged(String),
    /// It was closed, or failed before.
    #[error("the record store is closed: {0}")]
    Closed(String),
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error.to_string())
    }
}

/// An append-only store of decision records.
pub trait Store: Send + Sync {
    /// Keeps a record. When this returns, the record is as safe as the store promises.
    ///
    /// # Errors
    ///
    /// The record is not kept; the gate then lets nothing go out.
    fn append(&self, record: Arc<Record<'static>>) -> Answer<'_, Result<(), StoreError>>;

    /// The latest record of a key whose decision is `executed`, and no other.
    ///
    /// # Errors
    ///
    /// The store cannot tell; fields that would be looked up there stay unknown.
    fn load<'a>(
        &'a self,
        action_key: &'a str,
    ) -> Answer<'a, Result<Option<Arc<Record<'static>>>, StoreError>>;
}
