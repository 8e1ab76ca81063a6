//! A decision record of schema 1.8, and how it turns into a line of JSON.
//!
//! The declaration order of the members is the key order of the written objects.

mod checklist;
mod field;
mod fixed;
mod gate;
mod value;

use serde::Serialize;

pub(crate) use checklist::{Item, ItemState};
pub(crate) use field::{Cause, Field, FieldState, Source};
pub(crate) use fixed::{Fixed, ToolMatch, WhenCase};
pub(crate) use gate::{Gate, IntentDiag, IntentGate, Issue, ToolDiag, ToolGate, ValueGate};
pub(crate) use value::Value;

use crate::timestamp::Timestamp;

/// What a record decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decision {
    Execute,
    AskUser,
    Hold,
    Deferred,
    Executed,
    Failed,
}

impl Decision {
    /// The name written into records.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Execute => "execute",
            Self::AskUser => "ask_user",
            Self::Hold => "hold",
            Self::Deferred => "deferred",
            Self::Executed => "executed",
            Self::Failed => "failed",
        }
    }

    /// Whether the record tells how a call ended.
    pub(crate) fn is_outcome(self) -> bool {
        matches!(self, Self::Executed | Self::Failed)
    }
}

/// When the gate ran: as the instruction came in, or as its trigger fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    AtInstruction,
    AtTrigger,
}

/// One decision record.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Record {
    pub(crate) schema_version: &'static str,
    pub(crate) action_key: Option<String>,
    pub(crate) phase: Option<Phase>,
    pub(crate) fixed: Option<Fixed>,
    pub(crate) fields: Option<Vec<Field>>,
    pub(crate) advisory_notes: &'static str,
    pub(crate) user_checklist: Vec<Item>,
    pub(crate) unknown_count: Option<usize>,
    pub(crate) unverified_checklist_count: Option<usize>,
    pub(crate) gate: Option<Gate>,
    pub(crate) execution_decision: Decision,
    pub(crate) reason: String,
    pub(crate) timestamp: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deferred_input: Option<DeferredInput>,
}

impl Record {
    /// A record that decides `decision` at `timestamp`, and knows nothing else.
    pub(crate) fn bare(decision: Decision, reason: String, timestamp: Timestamp) -> Self {
        Self {
            schema_version: "1.8",
            action_key: None,
            phase: None,
            fixed: None,
            fields: None,
            advisory_notes: "",
            user_checklist: Vec::new(),
            unknown_count: None,
            unverified_checklist_count: None,
            gate: None,
            execution_decision: decision,
            reason,
            timestamp,
            deferred_input: None,
        }
    }
}

/// What a deferred run needs to run again at its trigger.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DeferredInput {
    pub(crate) instruction: Vec<Segment>,
    #[serde(rename = "userChecklist")]
    pub(crate) user_checklist: Vec<Item>,
}

/// A piece of the instruction, with who is trusted for it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Segment {
    pub(crate) text: String,
    pub(crate) trust: &'static str,
}
