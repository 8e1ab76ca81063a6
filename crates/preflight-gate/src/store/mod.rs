//! Where decision records are kept.

mod files;
mod group_commit;
mod jsonl;
mod memory;
mod recovery;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::sync::Arc;

use preflight_record::{Decision, Record};

pub use jsonl::{Durability, JsonlOptions, JsonlStore, Sealing, UnkeyedLimits};
pub use memory::MemoryStore;
pub use recovery::{Recovery, TornTail, UnfinishedCall};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;

use crate::{Answer, Keys, guard::caught};

/// A store that failed. What it was given counts as not on record.
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
    /// It cannot be sealed, or is sealed and was opened as if it were not.
    #[error("the record store cannot be sealed: {0}")]
    Seal(String),
    /// It panicked. Whether it kept what it was given is not known.
    #[error("the record store panicked: {0}")]
    Panicked(String),
    /// It did not answer within [`crate::Builder::store_timeout`]. Whether it kept, or will yet keep,
    /// what it was given is not known.
    #[error("the record store did not answer within {0:?}")]
    TimedOut(std::time::Duration),
    /// It was closed, or failed before.
    #[error("the record store is closed: {0}")]
    Closed(String),
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error.to_string())
    }
}

/// A key held against other processes, until this is dropped.
pub struct Hold(Option<Box<dyn Send + Sync>>);

impl Hold {
    /// No other process writes to the store.
    pub fn of_one_process() -> Self {
        Self(None)
    }

    /// Held by something that lets go when it is dropped.
    pub fn by(lock: impl Send + Sync + 'static) -> Self {
        Self(Some(Box::new(lock)))
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // Whatever it is, letting go of it does not keep the key from the next run.
        let _ = caught(|| drop(self.0.take()));
    }
}

impl std::fmt::Debug for Hold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hold")
    }
}

/// Whether what was loaded for a key is its baseline: a store that was tampered with, or has a fault of
/// its own, must not pass another user's values on.
pub(crate) fn check_baseline(record: &Record<'_>, action_key: &str) -> Result<(), StoreError> {
    let is_of_key = record
        .action_key
        .given()
        .is_some_and(|key| key == action_key);
    match is_of_key && record.execution_decision == Decision::Executed {
        true => Ok(()),
        false => Err(StoreError::Damaged(
            "what it holds for an action key is no executed record of that key".to_owned(),
        )),
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

    /// The latest record of a key whose decision is `executed`, and no other. The gate takes a record of
    /// another key, or with another decision, for a [`StoreError::Damaged`].
    ///
    /// # Errors
    ///
    /// The store cannot tell; fields that would be looked up there stay unknown.
    fn load<'a>(
        &'a self,
        action_key: &'a str,
    ) -> Answer<'a, Result<Option<Arc<Record<'static>>>, StoreError>>;

    /// The action keys that runs are under way for: a field of the store, made with it, so that all
    /// gates over one store take turns.
    fn keys(&self) -> &Arc<Keys>;

    /// Holds a key against other processes; `None` while one of them holds it.
    ///
    /// Asked for by the one run of this process whose turn it is. A store that one process at a
    /// time writes to has nothing to do.
    ///
    /// # Errors
    ///
    /// The store cannot tell; nothing is recorded.
    fn hold<'a>(&'a self, _action_key: &'a str) -> Answer<'a, Result<Option<Hold>, StoreError>> {
        Answer::now(Ok(Some(Hold::of_one_process())))
    }

    /// A number that changes whenever a call of the key ends, whichever process made it. A run
    /// whose number changed is judged anew. A store that one process at a time writes to has
    /// nothing to do: what happens within a process the gate knows.
    ///
    /// # Errors
    ///
    /// The store cannot tell; nothing is recorded.
    fn version<'a>(&'a self, _action_key: &'a str) -> Answer<'a, Result<u64, StoreError>> {
        Answer::now(Ok(0))
    }
}
