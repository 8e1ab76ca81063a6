//! The gate that a record went through, and what it found.

use serde::Serialize;

use super::{Cause, Field, Item};

/// A record's `gate` object.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Gate {
    Value(ValueGate),
    Tool(ToolGate),
    Intent(IntentGate),
}

/// Gate 2: the values and conditions that are still open.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ValueGate {
    unknown_fields: Vec<UnknownField>,
    unverified_checklist: Vec<UnverifiedItem>,
    #[serde(rename = "_diag")]
    diag: ValueDiag,
}

#[derive(Clone, Debug, Serialize)]
struct UnknownField {
    name: &'static str,
    note: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
struct UnverifiedItem {
    id: Option<&'static str>,
    description: &'static str,
    note: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
struct ValueDiag {
    lookup_failures: Vec<LookupFailure>,
}

#[derive(Clone, Debug, Serialize)]
struct LookupFailure {
    name: &'static str,
    detail: &'static str,
}

impl ValueGate {
    /// Lists what `fields` and `items` leave open.
    pub(crate) fn over(fields: &[Field], items: &[Item]) -> Self {
        Self {
            unknown_fields: fields.iter().filter_map(unknown_field).collect(),
            unverified_checklist: items.iter().filter_map(unverified_item).collect(),
            diag: ValueDiag {
                lookup_failures: fields.iter().filter_map(failure).collect(),
            },
        }
    }

    /// How many fields are unknown.
    pub(crate) fn unknown_count(&self) -> usize {
        self.unknown_fields.len()
    }

    /// How many checklist items are unverified.
    pub(crate) fn unverified_count(&self) -> usize {
        self.unverified_checklist.len()
    }

    /// Whether the field `name` is asked for.
    pub(crate) fn asks_for(&self, name: &str) -> bool {
        self.unknown_fields.iter().any(|field| field.name == name)
    }
}

fn unknown_field(field: &Field) -> Option<UnknownField> {
    field.cause().map(|cause| UnknownField {
        name: field.name,
        note: cause.note(),
    })
}

fn unverified_item(item: &Item) -> Option<UnverifiedItem> {
    item.unverified().map(|note| UnverifiedItem {
        id: item.id,
        description: item.description,
        note,
    })
}

fn failure(field: &Field) -> Option<LookupFailure> {
    match field.cause() {
        Some(Cause::LookupFailed(detail)) => Some(LookupFailure {
            name: field.name,
            detail,
        }),
        _ => None,
    }
}

/// Gate 1, second half: the tool was refused.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ToolGate {
    pub(crate) kind: &'static str,
    pub(crate) user_message: String,
    pub(crate) next_tool_attempt: Option<u32>,
    #[serde(rename = "_diag")]
    pub(crate) diag: ToolDiag,
}

/// What the log keeps about a refused tool.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ToolDiag {
    pub(crate) candidate_tool: &'static str,
    pub(crate) user_action: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) attempt: u32,
    pub(crate) limit: u32,
}

/// Gate 1, first half: the intent is not settled.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct IntentGate {
    pub(crate) kind: &'static str,
    pub(crate) user_message: &'static str,
    pub(crate) intent_fingerprint: String,
    pub(crate) next_intent_attempt: Option<u32>,
    #[serde(rename = "_diag")]
    pub(crate) diag: IntentDiag,
}

/// What the log keeps about an unsettled intent.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct IntentDiag {
    pub(crate) issues: [Issue; 1],
    pub(crate) attempt: u32,
    pub(crate) limit: u32,
}

/// One slot of `fixed` that could not be settled.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Issue {
    pub(crate) slot: &'static str,
    pub(crate) code: &'static str,
    pub(crate) detail: &'static str,
}
