//! The gate itself: its entry points.

use std::sync::Arc;

use preflight_record::{Presence, Timestamp};

use crate::{
    Hooks, Input, Judgement, Store, StoreError, UnsafeDefault, Verdict,
    builder::Parts,
    clock,
    draft::Draft,
    key_locks::{KeyGuard, KeyLocks},
};

/// How many times each gate asks before it holds.
pub(crate) const ASK_LIMIT: u32 = 2;

/// The two gates over an agent's hooks.
///
/// Built by [`Preflight::builder`]; share it behind an `Arc`. Waiting for hooks needs a Tokio
/// runtime with its timer on.
pub struct Preflight<H> {
    pub(crate) hooks: H,
    pub(crate) parts: Parts,
    pub(crate) keys: Arc<KeyLocks>,
}

/// A run that came to no verdict on record. Nothing may be executed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// Another run of the action key was under way for longer than the gate waits.
    #[error("another run of the action key {0:?} is under way")]
    KeyBusy(String),
    /// The record could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The judgement or verdict was made by another gate.
    #[error("the verdict was made by another gate")]
    Foreign,
}

impl<H: Hooks> Preflight<H> {
    /// Runs both gates and returns what they found, on no record yet.
    ///
    /// From the action key on, the run holds the key: other runs of it wait until this one is
    /// recorded and, where it may execute, executed or dropped. No other lock is held while a hook
    /// runs.
    ///
    /// # Errors
    ///
    /// [`GateError::KeyBusy`]. A hook that fails is no error: the judgement says so.
    pub async fn run(&self, input: &Input) -> Result<Judgement, GateError> {
        self.judge(input).await
    }

    /// Puts a judgement on record. Only what is on record can be executed.
    ///
    /// # Errors
    ///
    /// The store's; the judgement is then gone, and with it any permission to execute.
    /// [`GateError::Foreign`] for the judgement of another gate.
    pub async fn record(&self, judgement: Judgement) -> Result<Verdict, GateError> {
        if !Arc::ptr_eq(&judgement.gate, &self.keys) {
            return Err(GateError::Foreign);
        }
        let record = judgement.record;
        self.parts.store.append(Arc::clone(&record)).await?;
        Ok(Verdict {
            record,
            // Where there is nothing to call, the run ends here, and the key is free.
            key: judgement.key.filter(|_| judgement.call.is_some()),
            call: judgement.call,
            gate: judgement.gate,
        })
    }

    /// [`Preflight::run`], then [`Preflight::record`].
    ///
    /// # Errors
    ///
    /// Those of both.
    pub async fn run_and_record(&self, input: &Input) -> Result<Verdict, GateError> {
        let judgement = self.run(input).await?;
        self.record(judgement).await
    }

    /// The safety hooks that were left out: what this gate lets pass without a look.
    pub fn unsafe_defaults(&self) -> Vec<UnsafeDefault> {
        self.parts.unsafe_defaults()
    }

    /// Where this gate keeps its records.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.parts.store
    }

    pub(crate) fn stamp(&self) -> Timestamp<'static> {
        clock::stamp(self.parts.clock.now())
    }

    /// The judgement that a draft comes to; nothing goes out of it.
    pub(crate) fn finish(&self, mut draft: Draft, key: Option<KeyGuard>) -> Judgement {
        draft.timestamp = Presence::Given(self.stamp());
        Judgement {
            record: draft.done(),
            call: None,
            gate: Arc::clone(&self.keys),
            key,
        }
    }
}
