//! One record of a chain, with what it inherits and what changed.

use serde::Serialize;

use super::{Answer, Change, Claim, Inheritance, Value};

/// A record of a chain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChainRecord {
    /// Its place in the chain, from 1.
    pub number: usize,
    /// File that it was read from.
    pub source: String,
    /// Line in that file.
    pub line: i64,
    /// BLAKE3 of its bytes, in hexadecimal.
    pub record_digest: String,
    /// Version of the record format.
    pub schema_version: String,
    /// When it was written, in UTC; older records may lack it.
    pub timestamp: Option<String>,
    /// `execute`, `ask_user`, `hold`, `deferred`, `executed` or `failed`.
    pub decision: String,
    /// `at_trigger` or `at_instruction`.
    pub phase: Option<String>,
    /// When the action is due.
    pub when_case: Option<String>,
    /// What the user calls the action.
    pub user_action: Option<String>,
    /// Where that name came from.
    pub user_action_source: Option<String>,
    /// The tool picked.
    pub tool: Option<String>,
    /// Whether the tool does what was asked; not recorded before 1.8.
    pub tool_approved: Option<bool>,
    /// Why, or why not.
    pub tool_match_reason: Option<String>,
    /// Which gate stopped the run; none for the value gate.
    pub gate_kind: Option<String>,
    /// Why the gate refused.
    pub gate_reason: Option<String>,
    /// Which ask this was, from 1.
    pub attempt: Option<i64>,
    /// How many asks are allowed.
    pub attempt_limit: Option<i64>,
    /// What the agent shows its user.
    pub user_message: Option<String>,
    /// The decision in words.
    pub reason: Option<String>,
    /// What was asked for or refused.
    pub asks: Vec<Ask>,
    /// The arguments; none when no decision was made about them.
    pub fields: Option<Vec<ChainField>>,
    /// The user's conditions; none when the record has no list of them.
    pub checklist: Option<Vec<ChainItem>>,
    /// Number of the latest earlier `executed` record, from which values are inherited.
    pub baseline: Option<usize>,
    /// Number of the latest earlier record that decided fields.
    pub previous: Option<usize>,
    /// Fields of that record which this one, deciding fields as well, does not list.
    pub dropped_fields: Vec<String>,
    /// Findings about the record as a whole; those about a part stand there.
    pub findings: Vec<ChainFinding>,
}

/// Something that a gate asked for or refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ask {
    /// `unknown_field`, `unverified_item`, `intent_issue`, `branch_option` or `refused_tool`.
    pub kind: String,
    /// The field, item, slot, option (JSON) or tool.
    pub subject: Option<String>,
    /// Code of an intent issue.
    pub code: Option<String>,
    /// Why.
    pub note: Option<String>,
    /// Description of an unverified item.
    pub description: Option<String>,
    /// Findings about it.
    pub findings: Vec<ChainFinding>,
}

/// An argument.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChainField {
    /// Its name.
    pub name: String,
    /// `known` or `unknown`.
    pub status: String,
    /// What it holds.
    pub value: Value,
    /// The source that answered in this run.
    #[serde(skip_serializing_if = "Claim::is_absent")]
    pub source: Claim,
    /// The source that answered first.
    #[serde(skip_serializing_if = "Claim::is_absent")]
    pub origin_source: Claim,
    /// Whether an unknown is excused until trigger time.
    pub pending_at_trigger: Option<bool>,
    /// Whether a lookup failed.
    pub lookup_failed: Option<bool>,
    /// Why the field is unknown.
    pub note: Option<String>,
    /// When the lookup ended, in UTC.
    pub resolved_at: Option<String>,
    /// What the chain supports of an inherited value; none for other sources.
    pub inheritance: Option<Inheritance>,
    /// Which question an answer of the user replies to; none for other sources, and for unkeyed
    /// records.
    pub answer: Option<Answer>,
    /// What differs from the baseline; none without a baseline, or where nothing differs.
    pub since_baseline: Option<Change>,
    /// What differs from the previous record; none without one, or where nothing differs.
    pub since_previous: Option<Change>,
    /// Findings about the field.
    pub findings: Vec<ChainFinding>,
}

impl ChainField {
    /// Whether the field is known.
    pub fn is_known(&self) -> bool {
        self.status == "known"
    }

    /// What is doubtful about the field's source and origin, whatever the chain holds.
    pub fn doubt(&self) -> Option<&'static str> {
        let origin = &self.origin_source;
        match self.source.named() {
            _ if !self.is_known() => None,
            None => Some("KNOWN WITHOUT A SOURCE"),
            Some("prior_state") => {
                let is_erased = origin.named().is_none() || origin.is_prior_state();
                is_erased.then_some("NO ORIGIN")
            }
            Some(source) => (origin.named() != Some(source)).then_some("ORIGIN IS NOT THE SOURCE"),
        }
    }
}

/// A condition of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChainItem {
    /// Its stable id.
    pub id: Option<String>,
    /// What must hold, in the user's words.
    pub description: Option<String>,
    /// `verified` or `unverified`; none where a run ended before any check.
    pub status: Option<String>,
    /// Who confirmed it.
    #[serde(skip_serializing_if = "Claim::is_absent")]
    pub source: Claim,
    /// When it was confirmed, in UTC.
    pub verified_at: Option<String>,
    /// Why it is unverified.
    pub note: Option<String>,
    /// Findings about it.
    pub findings: Vec<ChainFinding>,
}

/// A finding, where it belongs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChainFinding {
    /// Its stable id.
    pub id: String,
    /// Group of its rule.
    pub group: String,
    /// Code of its rule.
    pub code: String,
    /// Name of its rule.
    pub name: String,
    /// `info` to `critical`.
    pub severity: String,
    /// Field, item or slot.
    pub field: Option<String>,
    /// What was found.
    pub detail: Option<String>,
}
