//! The gate itself: its entry points.

use std::{sync::Arc, time::Duration};

use preflight_record::{Presence, Record, Timestamp};
use preflight_seal::Hash;
use tokio::time::Instant;

use crate::{
    Hold, Hooks, Input, Judgement, Refusal, Store, StoreError, Tool, UnsafeDefault, Verdict,
    builder::Parts,
    clock,
    draft::Draft,
    guard::caught,
    keys::{KeyRun, KeyTurn, NoTurn, deadline},
    signing::{baseline_digest, read_token},
};

/// How many times each gate asks before it holds.
pub(crate) const ASK_LIMIT: u32 = 2;

/// How many times [`Preflight::run_and_record`] judges anew when it is overtaken.
const RERUNS: usize = 3;

/// How often another process is asked for a key that it holds.
const POLL: Duration = Duration::from_millis(5);

/// The two gates over an agent's hooks.
///
/// Built by [`Preflight::builder`]; share it behind an `Arc`. Waiting for hooks needs a Tokio
/// runtime with its timer on.
pub struct Preflight<H> {
    pub(crate) hooks: H,
    pub(crate) parts: Parts,
    pub(crate) id: GateId,
}

/// By which a gate knows what it made itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct GateId(Arc<()>);

/// A run that came to no verdict on record. Nothing may be executed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// A call of the action key was let out, and has not ended for longer than the gate waits. So it is
    /// for a run that waits for a verdict which its own caller still holds: execute that or drop it first.
    #[error("a call of the action key {0:?} is under way")]
    KeyBusy(String),
    /// A call of the action key ended while this run looked up what it needs: its baseline may have
    /// changed, so the judgement is not recorded. Run again.
    #[error("a call of the action key {0:?} ended since this run began: run again")]
    Overtaken(String),
    /// The record could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A signed verdict does not let its call go out.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The judgement or verdict was made by another gate.
    #[error("the verdict was made by another gate")]
    Foreign,
}

impl<H: Hooks> Preflight<H> {
    /// Runs both gates and returns what they found, on no record yet.
    ///
    /// No lock is held while a hook runs, not even that of the run's own action key. While a call of
    /// the key is under way, the run waits for its end before it looks anything up.
    ///
    /// # Errors
    ///
    /// [`GateError::KeyBusy`], or the store's. A hook that fails is no error: the judgement says so.
    pub async fn run(&self, input: &Input) -> Result<Judgement, GateError> {
        self.judge(input).await
    }

    /// Puts a judgement on record. Only what is on record can be executed.
    ///
    /// Runs of one key record in turn, and one that may execute keeps its turn until its call has
    /// ended or its verdict is dropped: of two runs that looked up the same baseline, one is
    /// executed.
    ///
    /// # Errors
    ///
    /// [`GateError::Overtaken`] when a call of the key ended since the run began,
    /// [`GateError::KeyBusy`], [`GateError::Foreign`] for the judgement of another gate, or the
    /// store's. The judgement is then gone, and with it any permission to execute.
    pub async fn record(&self, judgement: Judgement) -> Result<Verdict, GateError> {
        self.recognise(&judgement.gate)?;
        let turn = match judgement.key {
            Some(run) => Some(self.take_turn(run).await?),
            None => None,
        };
        let mut record = judgement.record;
        if let (Some(signing), Some(_)) = (&self.parts.signing, &judgement.call) {
            // Looked up under the turn: no call of this key ends before this one's.
            let baseline = self.baseline_digest(&record).await?;
            let now = clock::read(&*self.parts.clock);
            signing.sign(Arc::make_mut(&mut record), baseline, now)?;
        }
        self.append(&record).await?;
        Ok(Verdict {
            record,
            // Where there is nothing to call, the run ends here, and so does its turn.
            turn: turn.filter(|_| judgement.call.is_some()),
            call: judgement.call,
            gate: judgement.gate,
        })
    }

    /// [`Preflight::run`], then [`Preflight::record`]; judged anew, hooks and all, when it was
    /// overtaken.
    ///
    /// # Errors
    ///
    /// Those of both; [`GateError::Overtaken`] only after several times in a row.
    pub async fn run_and_record(&self, input: &Input) -> Result<Verdict, GateError> {
        for _ in 0..RERUNS {
            let judgement = self.run(input).await?;
            match self.record(judgement).await {
                Err(GateError::Overtaken(_)) => {}
                recorded => return recorded,
            }
        }
        let judgement = self.run(input).await?;
        self.record(judgement).await
    }

    /// Takes a verdict that went through another process, as [`Verdict::into_token`] gave it, for a call
    /// of `tool`.
    ///
    /// What counts is the signature: the verdict may be another gate's, if its key is among those that
    /// [`crate::Builder::signed_verdicts`] trusts. The action key's turn is taken again. Executing it
    /// uses it up, whoever executes it; checked again then.
    ///
    /// # Errors
    ///
    /// [`GateError::Refused`] for one that is forged, altered or expired, [`GateError::Overtaken`] when
    /// a call of the key ended since it was judged, [`GateError::KeyBusy`], or the store's.
    pub async fn redeem(&self, token: &str, tool: &Arc<Tool>) -> Result<Verdict, GateError> {
        let signing = self.parts.signing.as_ref().ok_or(Refusal::Unsigned)?;
        let (record, call) = read_token(token, tool)?;
        let judged_on = signing.check(&record, self.now())?.baseline;
        let turn = match record.action_key.given() {
            Some(key) => {
                let run = self.begin(key).await?;
                Some(self.take_turn(run).await?)
            }
            None => None,
        };
        let baseline = self.baseline_digest(&record).await?;
        if baseline.map(|hash| hash.to_string()) != judged_on {
            let key = record.action_key.given();
            return Err(GateError::Overtaken(
                key.map(ToString::to_string).unwrap_or_default(),
            ));
        }
        Ok(Verdict {
            record,
            call: Some(call),
            gate: self.id.clone(),
            turn,
        })
    }

    /// What the key's baseline is recognised by.
    async fn baseline_digest(&self, record: &Record<'static>) -> Result<Option<Hash>, StoreError> {
        let Some(key) = record.action_key.given() else {
            return Ok(None);
        };
        let baseline = self.load(key).await?;
        Ok(baseline_digest(baseline.as_deref()))
    }

    /// Uses up what a call may go out on: the verdict's signature, where verdicts are signed, and the
    /// user's confirmation, where there is one.
    pub(crate) fn use_up(&self, verdict: &Verdict) -> Result<(), GateError> {
        let now = self.now();
        if let Some(signing) = &self.parts.signing {
            let usable = signing.check(&verdict.record, now)?;
            signing.use_up(&usable, now)??;
        }
        Ok(self.parts.confirmations.use_up(&verdict.record, now)??)
    }

    /// The present, in microseconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        self.stamp().micros
    }

    /// Begins a run of a key: what it looks up from here on counts.
    pub(crate) async fn begin(&self, action_key: &str) -> Result<KeyRun, GateError> {
        let store = &self.parts.store;
        let keys = caught(|| store.keys()).map_err(StoreError::Panicked)?;
        let begun = keys.begin(action_key, self.parts.key_patience);
        let mut run = begun
            .await
            .ok_or_else(|| GateError::KeyBusy(action_key.to_owned()))?;
        run.version = self.version(run.key()).await?;
        Ok(run)
    }

    async fn take_turn(&self, run: KeyRun) -> Result<KeyTurn, GateError> {
        let patience = self.parts.key_patience;
        let mut turn = run.take_turn(patience).await.map_err(|(why, run)| {
            let key = run.key().to_owned();
            match why {
                NoTurn::Busy => GateError::KeyBusy(key),
                NoTurn::Overtaken => GateError::Overtaken(key),
            }
        })?;
        let hold = self.hold(turn.run().key()).await?;
        turn.hold = Some(hold);
        let run = turn.run();
        if self.version(run.key()).await? != run.version {
            return Err(GateError::Overtaken(run.key().to_owned()));
        }
        Ok(turn)
    }

    /// Holds a key against other processes, where the store shares it with any.
    async fn hold(&self, action_key: &str) -> Result<Hold, GateError> {
        let mut until = None;
        loop {
            if let Some(hold) = self.ask_hold(action_key).await? {
                return Ok(hold);
            }
            let patience = self.parts.key_patience;
            if Instant::now() >= *until.get_or_insert_with(|| deadline(patience)) {
                return Err(GateError::KeyBusy(action_key.to_owned()));
            }
            tokio::time::sleep(POLL).await;
        }
    }

    pub(crate) fn recognise(&self, gate: &GateId) -> Result<(), GateError> {
        match Arc::ptr_eq(&gate.0, &self.id.0) {
            true => Ok(()),
            false => Err(GateError::Foreign),
        }
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
        clock::stamp(clock::read(&*self.parts.clock))
    }

    /// The judgement that a draft comes to; nothing goes out of it.
    pub(crate) fn finish(&self, mut draft: Draft) -> Judgement {
        draft.timestamp = Presence::Given(self.stamp());
        Judgement {
            record: draft.done(),
            call: None,
            gate: self.id.clone(),
            key: None,
        }
    }
}
