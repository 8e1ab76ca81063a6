//! One argument of the judged call: its value and where it came from.

use std::borrow::Cow;

use crate::{
    Overflow, Presence, Timestamp,
    cursor::Cursor,
    members::members,
    read::Object,
    rejection::{Parsed, Rejection, RejectionKind},
};

/// Whether a lookup settled a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldStatus {
    /// A source answered.
    Known,
    /// No source answered: the correct outcome for an incomplete instruction.
    Unknown,
}

impl FieldStatus {
    /// As records spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Known => "known",
            Self::Unknown => "unknown",
        }
    }
}

/// An element of `fields`.
#[derive(Debug, Clone, PartialEq)]
pub struct Field<'a> {
    /// The argument's name in the tool's input schema.
    pub name: Cow<'a, str>,
    /// The value's JSON text, numbers to the digit; `Given("null")` is a value, `Absent` is none.
    pub value: Presence<Cow<'a, str>>,
    /// Whether a source answered.
    pub status: FieldStatus,
    /// The source that answered in this run.
    pub source: Presence<Cow<'a, str>>,
    /// The source that answered first; inherited, never overwritten.
    pub origin_source: Presence<Cow<'a, str>>,
    /// An unknown that a field policy excuses until trigger time.
    pub pending_at_trigger: Presence<bool>,
    /// A lookup failed with an error, and no later source was tried (schema 1.7).
    pub lookup_failed: Presence<bool>,
    /// For logs (schema 1.7).
    pub diag_note: Presence<Cow<'a, str>>,
    /// Why the field is unknown, where the gate says so.
    pub note: Presence<Cow<'a, str>>,
    /// When the lookup ended.
    pub resolved_at: Presence<Timestamp<'a>>,
    /// Keys without a name here.
    pub overflow: Overflow<'a>,
}

const NAME: usize = 0;
const STATUS: usize = 2;

impl<'a> Object<'a> for Field<'a> {
    fn unread() -> Self {
        Self {
            name: Cow::Borrowed(""),
            value: Presence::Absent,
            status: FieldStatus::Unknown,
            source: Presence::Absent,
            origin_source: Presence::Absent,
            pending_at_trigger: Presence::Absent,
            lookup_failed: Presence::Absent,
            diag_note: Presence::Absent,
            note: Presence::Absent,
            resolved_at: Presence::Absent,
            overflow: Overflow::default(),
        }
    }

    fn read(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        cursor.peek();
        let start = cursor.offset();
        let members = members!(cursor, {
            "name" => cursor.required(&mut self.name, Cursor::string),
            "value" => cursor.json_or_null(&mut self.value),
            "status" => cursor.required(&mut self.status, read_status),
            "source" => cursor.text(&mut self.source),
            "origin_source" => cursor.text(&mut self.origin_source),
            "pending_at_trigger" => cursor.flag(&mut self.pending_at_trigger),
            "lookup_failed" => cursor.flag(&mut self.lookup_failed),
            "_diag_note" => cursor.text(&mut self.diag_note),
            "note" => cursor.text(&mut self.note),
            "resolved_at" => cursor.timestamp(&mut self.resolved_at),
        });
        members.require(start, &[(NAME, "name"), (STATUS, "status")])?;
        self.overflow = members.overflow;
        Ok(())
    }
}

fn read_status(cursor: &mut Cursor<'_>) -> Parsed<FieldStatus> {
    cursor.peek();
    let at = cursor.offset();
    let text = cursor.string()?;
    match &*text {
        "known" => Ok(FieldStatus::Known),
        "unknown" => Ok(FieldStatus::Unknown),
        _ => Err(Rejection::new(
            RejectionKind::UnknownStatus,
            at,
            format!("{text:?} is not a field status: known or unknown is expected"),
        )),
    }
}
