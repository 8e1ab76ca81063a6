//! The guarded call.

use std::{
    fmt::{self, Write},
    future::Future,
    sync::Arc,
};

use preflight_record::{Decision, Presence, Record};

use crate::{
    GateError, Hooks, Preflight, StoreError, ToolCall, Verdict,
    draft::given,
    guard::{Shielded, caught},
};

/// How a guarded call ended.
#[derive(Debug)]
pub enum Outcome<T, E> {
    /// The verdict does not let the call go out; nothing was called.
    Held(Arc<Record<'static>>),
    /// The call succeeded.
    Executed {
        /// What it returned.
        value: T,
        /// Its record, the next baseline of the action key.
        record: Arc<Record<'static>>,
    },
    /// The call failed. It is not tried again: whether it took effect, only the provider knows.
    Failed {
        /// How.
        error: CallError<E>,
        /// Its record.
        record: Arc<Record<'static>>,
    },
    /// The call was made, but its end is not on record: the log shows an `execute` without an end.
    Unrecorded {
        /// What the call came to.
        result: Result<T, CallError<E>>,
        /// Why it could not be recorded.
        error: StoreError,
    },
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallError<E> {
    /// In the tool's words.
    Failed(E),
    /// The calling code panicked.
    Panicked(String),
}

impl<E: fmt::Display> fmt::Display for CallError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => error.fmt(f),
            Self::Panicked(message) => write!(f, "panicked: {message}"),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for CallError<E> {}

impl<H: Hooks> Preflight<H> {
    /// Makes the call that a verdict lets out, and records how it ended.
    ///
    /// The verdict is used up. `call` gets the tool and the arguments that were judged, and is
    /// called at most once, after the `execute` record was kept. If the returned future is dropped
    /// while the call is under way, the log keeps an `execute` without an end.
    ///
    /// # Errors
    ///
    /// [`GateError::Foreign`] for the verdict of another gate, and [`GateError::Refused`] where verdicts
    /// are signed and this one's signature is forged, expired or used up, or where the confirmation that
    /// it rests on was used by another call; nothing was called.
    pub async fn execute_if_ready<T, E, F>(
        &self,
        verdict: Verdict,
        call: impl FnOnce(ToolCall) -> F,
    ) -> Result<Outcome<T, E>, GateError>
    where
        E: fmt::Display,
        F: Future<Output = Result<T, E>>,
    {
        self.recognise(&verdict.gate)?;
        if verdict.call.is_some() {
            self.use_up(&verdict)?;
        }
        let Some(tool_call) = verdict.call else {
            return Ok(Outcome::Held(verdict.record));
        };
        let mut turn = verdict.turn;
        if let Some(turn) = &mut turn {
            turn.call_begins();
        }
        let result = made(async { call(tool_call).await }).await;
        let record = Arc::new(self.ended(&verdict.record, &result));
        let kept = self.append(&record).await;
        // Kept until the end is on record: the next run of this key sees it as its baseline.
        drop(turn);
        Ok(match (kept, result) {
            (Err(error), result) => Outcome::Unrecorded { result, error },
            (Ok(()), Ok(value)) => Outcome::Executed { value, record },
            (Ok(()), Err(error)) => Outcome::Failed { error, record },
        })
    }

    fn ended<T, E: fmt::Display>(
        &self,
        verdict: &Record<'static>,
        result: &Result<T, CallError<E>>,
    ) -> Record<'static> {
        let before = verdict.reason.given().map_or("", |reason| reason);
        let (decision, reason) = match result {
            Ok(_) => (Decision::Executed, format!("{before} / call succeeded")),
            Err(error) => {
                let reason = format!("{before} / call failed: {}", told(error));
                (Decision::Failed, reason)
            }
        };
        Record {
            execution_decision: decision,
            reason: given(reason),
            timestamp: Presence::Given(self.stamp()),
            ..verdict.clone()
        }
    }
}

/// Runs a call; a panic is a failed call like any other.
async fn made<T, E>(call: impl Future<Output = Result<T, E>>) -> Result<T, CallError<E>> {
    match Shielded::new(call).await {
        Ok(result) => result.map_err(CallError::Failed),
        Err(panic) => Err(CallError::Panicked(panic)),
    }
}

/// What an error says. One that cannot say it does not keep the call's end off the record.
fn told(error: &impl fmt::Display) -> String {
    let mut text = String::new();
    match caught(|| write!(text, "{error}")) {
        Ok(Ok(())) => text,
        Ok(Err(_)) => format!("{text} (its Display failed)"),
        Err(panic) => format!("{text} (its Display panicked: {panic})"),
    }
}
