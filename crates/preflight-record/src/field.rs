//! One argument of the judged call: its value and where it came from.

use std::borrow::Cow;

use crate::{
    Overflow, Presence, Timestamp,
    cursor::Cursor,
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

impl<'a> Field<'a> {
    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Parsed<Self> {
        cursor.peek();
        let start = cursor.offset();
        let mut name = None;
        let mut status = None;
        let mut field = Self {
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
        };
        const KEYS: &[&str] = &[
            "name",
            "value",
            "status",
            "source",
            "origin_source",
            "pending_at_trigger",
            "lookup_failed",
            "_diag_note",
            "note",
            "resolved_at",
        ];
        field.overflow = cursor.members(KEYS, |cursor, key| {
            match key {
                "name" => name = Some(cursor.string()?),
                "value" => field.value = Presence::Given(cursor.json()?),
                "status" => status = Some(read_status(cursor)?),
                "source" => field.source = cursor.text()?,
                "origin_source" => field.origin_source = cursor.text()?,
                "pending_at_trigger" => field.pending_at_trigger = cursor.flag()?,
                "lookup_failed" => field.lookup_failed = cursor.flag()?,
                "_diag_note" => field.diag_note = cursor.text()?,
                "note" => field.note = cursor.text()?,
                "resolved_at" => field.resolved_at = cursor.timestamp()?,
                key => unreachable!("{key} is not read"),
            }
            Ok(())
        })?;
        field.name = name.ok_or_else(|| Cursor::missing(start, "name"))?;
        field.status = status.ok_or_else(|| Cursor::missing(start, "status"))?;
        Ok(field)
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
