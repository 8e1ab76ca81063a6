//! The record of a run that has settled nothing yet.

use std::borrow::Cow;

use preflight_record::{Decision, Fixed, Gate, Overflow, Presence, Record, SchemaVersion};

use crate::Input;

/// Everything `null`: no decision was made.
pub(crate) fn undecided(input: &Input, decision: Decision) -> Record<'static> {
    Record {
        schema_version: SchemaVersion::NEWEST,
        action_key: Presence::Null,
        phase: Presence::Null,
        fixed: Presence::Null,
        fields: Presence::Null,
        advisory_notes: given(""),
        user_checklist: Presence::Given(input.user_checklist.clone()),
        unknown_count: Presence::Null,
        unverified_checklist_count: Presence::Null,
        gate: Presence::Null,
        execution_decision: decision,
        reason: Presence::Null,
        timestamp: Presence::Absent,
        deferred_input: Presence::Absent,
        overflow: Overflow::default(),
    }
}

/// What a run has settled when both halves of the first gate let it on.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) action_key: String,
    pub(crate) phase: Phase,
    pub(crate) fixed: Fixed<'static>,
}

impl Settled {
    /// A record of this run; what comes after is still `null`.
    pub(crate) fn record(self, input: &Input, decision: Decision) -> Record<'static> {
        Record {
            action_key: Presence::Given(self.action_key.into()),
            phase: given(self.phase.as_str()),
            fixed: Presence::Given(self.fixed),
            ..undecided(input, decision)
        }
    }
}

/// Whether this run may end in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    AtInstruction,
    AtTrigger,
}

impl Phase {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::AtInstruction => "at_instruction",
            Self::AtTrigger => "at_trigger",
        }
    }
}

/// A gate of a kind, with what the agent shows its user.
pub(crate) fn gate(kind: &'static str, user_message: &'static str) -> Gate<'static> {
    Gate {
        kind: given(kind),
        user_message: given(user_message),
        ..Gate::default()
    }
}

/// A text that is there.
pub(crate) fn given(text: impl Into<Cow<'static, str>>) -> Presence<Cow<'static, str>> {
    Presence::Given(text.into())
}
