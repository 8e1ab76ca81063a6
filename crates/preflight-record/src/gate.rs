//! What a gate asked for or refused.

use std::borrow::Cow;

use crate::{Overflow, Presence, cursor::Cursor, rejection::Parsed};

/// The object under `gate`. Without a `kind` it is the value gate's.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Gate<'a> {
    /// Which gate stopped the run, where it was not the value gate.
    pub kind: Presence<Cow<'a, str>>,
    /// Required fields that no source answered.
    pub unknown_fields: Presence<Vec<UnknownField<'a>>>,
    /// Conditions that nobody confirmed.
    pub unverified_checklist: Presence<Vec<UnverifiedItem<'a>>>,
    /// What the agent shows its user.
    pub user_message: Presence<Cow<'a, str>>,
    /// Fingerprint of the trusted instruction text.
    pub intent_fingerprint: Presence<Cow<'a, str>>,
    /// The attempt that the next intent run should pass in.
    pub next_intent_attempt: Presence<i64>,
    /// The attempt that the next tool run should pass in.
    pub next_tool_attempt: Presence<i64>,
    /// JSON text of each branch that could be chosen.
    pub branch_options: Presence<Vec<Cow<'a, str>>>,
    /// JSON text of what the payload violates.
    pub payload_violation: Presence<Cow<'a, str>>,
    /// For logs, never shown to a user of the agent.
    pub diag: Presence<GateDiag<'a>>,
    /// Keys without a name here.
    pub overflow: Overflow<'a>,
}

/// An element of `gate.unknown_fields`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UnknownField<'a> {
    /// The field's name.
    pub name: Cow<'a, str>,
    /// Why it is unknown, where the gate says so.
    pub note: Presence<Cow<'a, str>>,
    /// Keys without a name here.
    pub overflow: Overflow<'a>,
}

/// An element of `gate.unverified_checklist`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UnverifiedItem<'a> {
    /// The item's id.
    pub id: Presence<Cow<'a, str>>,
    /// What must hold, in the user's words.
    pub description: Presence<Cow<'a, str>>,
    /// Why it is unverified, where the hook says so.
    pub note: Presence<Cow<'a, str>>,
    /// Keys without a name here.
    pub overflow: Overflow<'a>,
}

/// The object under `gate._diag`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GateDiag<'a> {
    /// What kept the intent gate closed.
    pub issues: Presence<Vec<IntentIssue<'a>>>,
    /// The tool that was refused.
    pub candidate_tool: Presence<Cow<'a, str>>,
    /// What the user calls the action.
    pub user_action: Presence<Cow<'a, str>>,
    /// Why the gate refused.
    pub reason: Presence<Cow<'a, str>>,
    /// Which ask this was, from 1.
    pub attempt: Presence<i64>,
    /// How many asks are allowed.
    pub limit: Presence<i64>,
    /// JSON text of the lookups that failed (schema 1.7).
    pub lookup_failures: Presence<Cow<'a, str>>,
    /// Keys without a name here.
    pub overflow: Overflow<'a>,
}

/// An element of `gate._diag.issues`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IntentIssue<'a> {
    /// The slot of `fixed` that is not settled.
    pub slot: Presence<Cow<'a, str>>,
    /// Why; `hook_error` is the integrator's fault, any other the instruction's.
    pub code: Presence<Cow<'a, str>>,
    /// In the hook's words.
    pub detail: Presence<Cow<'a, str>>,
    /// Keys without a name here.
    pub overflow: Overflow<'a>,
}

impl<'a> Gate<'a> {
    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Parsed<Self> {
        let mut gate = Self::default();
        const KEYS: &[&str] = &[
            "kind",
            "unknown_fields",
            "unverified_checklist",
            "user_message",
            "intent_fingerprint",
            "next_intent_attempt",
            "next_tool_attempt",
            "branch_options",
            "payload_violation",
            "_diag",
        ];
        gate.overflow = cursor.members(KEYS, |cursor, key| {
            match key {
                "kind" => gate.kind = cursor.text()?,
                "unknown_fields" => gate.unknown_fields = cursor.list(UnknownField::read)?,
                "unverified_checklist" => {
                    gate.unverified_checklist = cursor.list(UnverifiedItem::read)?;
                }
                "user_message" => gate.user_message = cursor.text()?,
                "intent_fingerprint" => gate.intent_fingerprint = cursor.text()?,
                "next_intent_attempt" => gate.next_intent_attempt = cursor.count()?,
                "next_tool_attempt" => gate.next_tool_attempt = cursor.count()?,
                "branch_options" => gate.branch_options = cursor.list(Cursor::json)?,
                "payload_violation" => gate.payload_violation = cursor.nullable(Cursor::json)?,
                "_diag" => gate.diag = cursor.nullable(GateDiag::read)?,
                key => unreachable!("{key} is not read"),
            }
            Ok(())
        })?;
        Ok(gate)
    }
}

impl<'a> UnknownField<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Parsed<Self> {
        cursor.peek();
        let start = cursor.offset();
        let mut name = None;
        let mut field = Self::default();
        const KEYS: &[&str] = &["name", "note"];
        field.overflow = cursor.members(KEYS, |cursor, key| {
            match key {
                "name" => name = Some(cursor.string()?),
                "note" => field.note = cursor.text()?,
                key => unreachable!("{key} is not read"),
            }
            Ok(())
        })?;
        field.name = name.ok_or_else(|| Cursor::missing(start, "name"))?;
        Ok(field)
    }
}

impl<'a> UnverifiedItem<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Parsed<Self> {
        let mut item = Self::default();
        const KEYS: &[&str] = &["id", "description", "note"];
        item.overflow = cursor.members(KEYS, |cursor, key| {
            match key {
                "id" => item.id = cursor.text()?,
                "description" => item.description = cursor.text()?,
                "note" => item.note = cursor.text()?,
                key => unreachable!("{key} is not read"),
            }
            Ok(())
        })?;
        Ok(item)
    }
}

impl<'a> GateDiag<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Parsed<Self> {
        let mut diag = Self::default();
        const KEYS: &[&str] = &[
            "issues",
            "candidate_tool",
            "user_action",
            "reason",
            "attempt",
            "limit",
            "lookup_failures",
        ];
        diag.overflow = cursor.members(KEYS, |cursor, key| {
            match key {
                "issues" => diag.issues = cursor.list(IntentIssue::read)?,
                "candidate_tool" => diag.candidate_tool = cursor.text()?,
                "user_action" => diag.user_action = cursor.text()?,
                "reason" => diag.reason = cursor.text()?,
                "attempt" => diag.attempt = cursor.count()?,
                "limit" => diag.limit = cursor.count()?,
                "lookup_failures" => diag.lookup_failures = cursor.nullable(Cursor::json)?,
                key => unreachable!("{key} is not read"),
            }
            Ok(())
        })?;
        Ok(diag)
    }
}

impl<'a> IntentIssue<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Parsed<Self> {
        let mut issue = Self::default();
        const KEYS: &[&str] = &["slot", "code", "detail"];
        issue.overflow = cursor.members(KEYS, |cursor, key| {
            match key {
                "slot" => issue.slot = cursor.text()?,
                "code" => issue.code = cursor.text()?,
                "detail" => issue.detail = cursor.text()?,
                key => unreachable!("{key} is not read"),
            }
            Ok(())
        })?;
        Ok(issue)
    }
}
