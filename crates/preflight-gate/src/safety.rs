//! The hooks whose absence verifies nothing, and what ships for them.

use preflight_record::{ChecklistItem, ChecklistStatus, Field, Presence, Timestamp};

use crate::{Answer, HookResult, JsonText, Run};

/// What a field policy says about one looked-up field.
///
/// It can take a value away or excuse its absence; it has no way to give one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyDecision {
    pub(crate) demote: bool,
    pub(crate) note: Option<String>,
    pub(crate) pending: bool,
}

impl PolicyDecision {
    /// Leaves the field as it was found.
    pub fn keep() -> Self {
        Self::default()
    }

    /// Makes the field unknown. Its `origin_source` stays on record.
    pub fn demote() -> Self {
        Self {
            demote: true,
            ..Self::default()
        }
    }

    /// Makes the field unknown, and says why.
    pub fn block(note: impl Into<String>) -> Self {
        Self {
            demote: true,
            note: Some(note.into()),
            pending: false,
        }
    }

    /// Excuses the field until trigger time, if it is unknown. At trigger time nothing is excused.
    #[must_use]
    pub fn pending_if_unknown(mut self) -> Self {
        self.pending = true;
        self
    }
}

/// Which sources count for which field.
///
/// Without one every source counts: an amount inherited from last month's transfer is sent again.
pub trait FieldPolicy: Send + Sync {
    /// Judges a field right after its lookup. Not called for a lookup that failed.
    fn apply<'a>(
        &'a self,
        field: &'a Field<'static>,
        run: &'a Run<'a>,
    ) -> Answer<'a, HookResult<PolicyDecision>>;
}

/// The policy to start from: nothing is inherited from earlier runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPriorState;

impl FieldPolicy for NoPriorState {
    fn apply<'a>(
        &'a self,
        field: &'a Field<'static>,
        _: &'a Run<'a>,
    ) -> Answer<'a, HookResult<PolicyDecision>> {
        let inherited = field
            .source
            .given()
            .is_some_and(|source| source == "prior_state");
        Answer::now(Ok(Some(PolicyDecision {
            demote: inherited,
            ..PolicyDecision::default()
        })))
    }
}

/// Whether a value fits its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Validity {
    /// It does.
    Fits,
    /// It does not, and why. The words go into the record: leave the value itself out of them.
    Violates(String),
}

/// Type and format of a single argument.
///
/// Without one, a value of the wrong type reaches the provider, and its refusal is the first to
/// notice.
pub trait FieldSchema: Send + Sync {
    /// Checks a known value. A violation makes the field unknown.
    fn validate<'a>(
        &'a self,
        field: &'a str,
        value: &'a str,
        run: &'a Run<'a>,
    ) -> Answer<'a, HookResult<Validity>>;
}

/// The arguments as a whole, right before the record that lets the call go out.
///
/// Without one, what the fields violate together is found by the provider.
pub trait PayloadSchema: Send + Sync {
    /// Checks the arguments as they would be sent. A violation holds the run.
    fn validate<'a>(
        &'a self,
        arguments: &'a JsonText,
        run: &'a Run<'a>,
    ) -> Answer<'a, HookResult<Validity>>;
}

/// What a check of one condition found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    pub(crate) status: ChecklistStatus,
    pub(crate) source: Presence<String>,
    pub(crate) verified_at: Presence<Timestamp<'static>>,
    pub(crate) note: Presence<String>,
}

impl Verification {
    /// The condition holds; `source` says who found so, such as `measured_data`.
    pub fn verified(source: impl Into<String>) -> Self {
        Self {
            status: ChecklistStatus::Verified,
            source: Presence::Given(source.into()),
            verified_at: Presence::Absent,
            note: Presence::Absent,
        }
    }

    /// It does not hold, or nobody can tell.
    pub fn unverified(note: impl Into<String>) -> Self {
        Self {
            status: ChecklistStatus::Unverified,
            source: Presence::Null,
            verified_at: Presence::Absent,
            note: Presence::Given(note.into()),
        }
    }

    /// Says when it was found; without this, the gate's clock does.
    #[must_use]
    pub fn at(mut self, time: Timestamp<'static>) -> Self {
        self.verified_at = Presence::Given(time);
        self
    }
}

/// Whether the user's conditions hold, right before execution.
///
/// Without one no condition is ever verified, and a run with conditions never executes. One that
/// trusts the incoming status lets whoever writes the checklist confirm it.
pub trait ChecklistVerifier: Send + Sync {
    /// Checks one condition. `Ok(None)` is no confirmation.
    fn verify<'a>(
        &'a self,
        item: &'a ChecklistItem<'static>,
        run: &'a Run<'a>,
    ) -> Answer<'a, HookResult<Verification>>;
}
