//! The record of a run while it is being written.

use std::{
    borrow::Cow,
    ops::{Deref, DerefMut},
    sync::Arc,
};

use preflight_record::{Decision, Gate, Overflow, Presence, Record, SchemaVersion};

use crate::Input;

/// A record that nobody else has yet. It is allocated once, where it will stay.
#[derive(Debug)]
pub(crate) struct Draft(Arc<Record<'static>>);

impl Draft {
    /// Everything `null`: no decision was made.
    pub(crate) fn undecided(input: &Input) -> Self {
        Self(Arc::new(Record {
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
            execution_decision: Decision::Hold,
            reason: Presence::Null,
            timestamp: Presence::Absent,
            deferred_input: Presence::Absent,
            overflow: Overflow::default(),
        }))
    }

    pub(crate) fn done(self) -> Arc<Record<'static>> {
        self.0
    }
}

impl Deref for Draft {
    type Target = Record<'static>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Draft {
    fn deref_mut(&mut self) -> &mut Self::Target {
        // Never shared before it is done, so this never copies.
        Arc::make_mut(&mut self.0)
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
