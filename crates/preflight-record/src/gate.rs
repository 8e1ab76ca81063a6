//! What a gate asked for or refused.

use std::borrow::Cow;

use crate::{
    Overflow, Presence, cursor::Cursor, members::members, read::Object, rejection::Parsed,
};

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

impl<'a> Object<'a> for Gate<'a> {
    fn unread() -> Self {
        Self::default()
    }

    fn read(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        let members = members!(cursor, {
            "kind" => cursor.text(&mut self.kind),
            "unknown_fields" => cursor.objects(&mut self.unknown_fields),
            "unverified_checklist" => cursor.objects(&mut self.unverified_checklist),
            "user_message" => cursor.text(&mut self.user_message),
            "intent_fingerprint" => cursor.text(&mut self.intent_fingerprint),
            "next_intent_attempt" => cursor.count(&mut self.next_intent_attempt),
            "next_tool_attempt" => cursor.count(&mut self.next_tool_attempt),
            "branch_options" => cursor.json_list(&mut self.branch_options),
            "payload_violation" => cursor.json(&mut self.payload_violation),
            "_diag" => cursor.object(&mut self.diag),
        });
        self.overflow = members.overflow;
        Ok(())
    }
}

impl<'a> Object<'a> for UnknownField<'a> {
    fn unread() -> Self {
        Self::default()
    }

    fn read(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        cursor.peek();
        let start = cursor.offset();
        let members = members!(cursor, {
            "name" => cursor.required(&mut self.name, Cursor::string),
            "note" => cursor.text(&mut self.note),
        });
        members.require(start, &[(0, "name")])?;
        self.overflow = members.overflow;
        Ok(())
    }
}

impl<'a> Object<'a> for UnverifiedItem<'a> {
    fn unread() -> Self {
        Self::default()
    }

    fn read(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        let members = members!(cursor, {
            "id" => cursor.text(&mut self.id),
            "description" => cursor.text(&mut self.description),
            "note" => cursor.text(&mut self.note),
        });
        self.overflow = members.overflow;
        Ok(())
    }
}

impl<'a> Object<'a> for GateDiag<'a> {
    fn unread() -> Self {
        Self::default()
    }

    fn read(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        let members = members!(cursor, {
            "issues" => cursor.objects(&mut self.issues),
            "candidate_tool" => cursor.text(&mut self.candidate_tool),
            "user_action" => cursor.text(&mut self.user_action),
            "reason" => cursor.text(&mut self.reason),
            "attempt" => cursor.count(&mut self.attempt),
            "limit" => cursor.count(&mut self.limit),
            "lookup_failures" => cursor.json(&mut self.lookup_failures),
        });
        self.overflow = members.overflow;
        Ok(())
    }
}

impl<'a> Object<'a> for IntentIssue<'a> {
    fn unread() -> Self {
        Self::default()
    }

    fn read(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        let members = members!(cursor, {
            "slot" => cursor.text(&mut self.slot),
            "code" => cursor.text(&mut self.code),
            "detail" => cursor.text(&mut self.detail),
        });
        self.overflow = members.overflow;
        Ok(())
    }
}
