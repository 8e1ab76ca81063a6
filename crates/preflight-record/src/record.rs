//! The decision record and the line that carries it.

use std::borrow::Cow;

use crate::{
    ChecklistItem, Decision, Field, Fixed, Gate, Overflow, Presence, SchemaVersion, Timestamp,
    cursor::Cursor,
    members::members,
    rejection::{Parsed, Rejection, RejectionKind},
};

/// The bucket of storage adapters for records without an `action_key`.
pub const UNKEYED_BUCKET: &str = "__preflight_unkeyed__";

/// One decision record, schema 1.4 to 1.8, borrowing from the bytes that it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct Record<'a> {
    /// `schema_version`, as a number pair.
    pub schema_version: SchemaVersion,
    /// What ties the records of one chain together; `null` while nothing is settled.
    pub action_key: Presence<Cow<'a, str>>,
    /// `at_trigger` or `at_instruction`.
    pub phase: Presence<Cow<'a, str>>,
    /// The fixed checklist.
    pub fixed: Presence<Fixed<'a>>,
    /// The arguments; `null` means that no decision was made, `[]` that there are none.
    pub fields: Presence<Vec<Field<'a>>>,
    /// The provider's prose, recorded and never gated.
    pub advisory_notes: Presence<Cow<'a, str>>,
    /// The user's conditions.
    pub user_checklist: Presence<Vec<ChecklistItem<'a>>>,
    /// How many required fields are unknown; `null` is not zero.
    pub unknown_count: Presence<i64>,
    /// How many conditions are unverified; `null` is not zero.
    pub unverified_checklist_count: Presence<i64>,
    /// What a gate asked for or refused.
    pub gate: Presence<Gate<'a>>,
    /// How the run ended.
    pub execution_decision: Decision,
    /// The same in words; a failed call's message stands here.
    pub reason: Presence<Cow<'a, str>>,
    /// When the record was written.
    pub timestamp: Presence<Timestamp<'a>>,
    /// JSON text of what a deferred run carries to its trigger.
    pub deferred_input: Presence<Cow<'a, str>>,
    /// Keys without a name here, those of `fixed` and `gate` among them.
    pub overflow: Overflow<'a>,
}

/// A record with what a storage adapter wrote around it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'a> {
    /// The record.
    pub record: Record<'a>,
    /// `key` of a `{"key", "record"}` wrapper.
    pub storage_key: Presence<Cow<'a, str>>,
}

impl<'a> Entry<'a> {
    /// Reads one entry: a bare record, or one wrapped as `{"key": ..., "record": {...}}`.
    ///
    /// White space around it is allowed, nothing else is.
    ///
    /// # Errors
    ///
    /// The first fault in the bytes, with its offset.
    ///
    /// ```
    /// use preflight_record::Entry;
    ///
    /// let line = br#"{"schema_version":"1.8","action_key":"u_1:bank.transfer","execution_decision":"exec"}"#;
    /// let rejection = Entry::parse(line).unwrap_err();
    /// assert_eq!(rejection.path, "execution_decision");
    /// assert_eq!(rejection.kind.code(), "unknown_decision");
    /// ```
    pub fn parse(entry: &'a [u8]) -> Result<Self, Box<Rejection>> {
        let mut cursor = Cursor::new(entry)?;
        if cursor.peek().is_some_and(|byte| byte != b'{') {
            let at = cursor.offset();
            cursor.raw()?;
            cursor.end()?;
            let detail = "a decision record is an object";
            return Err(Rejection::new(RejectionKind::NotAnObject, at, detail));
        }
        let entry = read_entry(&mut cursor)?;
        cursor.end()?;
        Ok(entry)
    }
}

impl Record<'_> {
    /// A record of which nothing was read yet. What must be there is checked at the end: until then
    /// version and decision are only placeholders.
    fn unread() -> Self {
        Self {
            schema_version: SchemaVersion::NEWEST,
            action_key: Presence::Absent,
            phase: Presence::Absent,
            fixed: Presence::Absent,
            fields: Presence::Absent,
            advisory_notes: Presence::Absent,
            user_checklist: Presence::Absent,
            unknown_count: Presence::Absent,
            unverified_checklist_count: Presence::Absent,
            gate: Presence::Absent,
            execution_decision: Decision::Hold,
            reason: Presence::Absent,
            timestamp: Presence::Absent,
            deferred_input: Presence::Absent,
            overflow: Overflow::default(),
        }
    }
}

/// Reads a record's members into place, and those of the wrapper that may be around one.
///
/// The order is that of writers; [`SCHEMA_VERSION`] and so on are positions in it.
macro_rules! record_members {
    ($cursor:ident, $record:ident $(, $key:literal => $read:expr)*) => {
        members!($cursor, {
            "schema_version" => $cursor.required(&mut $record.schema_version, read_schema_version),
            "action_key" => $cursor.text(&mut $record.action_key),
            "phase" => $cursor.text(&mut $record.phase),
            "fixed" => $cursor.object(&mut $record.fixed),
            "fields" => $cursor.objects(&mut $record.fields),
            "advisory_notes" => $cursor.text(&mut $record.advisory_notes),
            "user_checklist" => $cursor.objects(&mut $record.user_checklist),
            "unknown_count" => $cursor.count(&mut $record.unknown_count),
            "unverified_checklist_count" => $cursor.count(&mut $record.unverified_checklist_count),
            "gate" => $cursor.object(&mut $record.gate),
            "execution_decision" => $cursor.required(&mut $record.execution_decision, read_decision),
            "reason" => $cursor.text(&mut $record.reason),
            "timestamp" => $cursor.timestamp(&mut $record.timestamp),
            "deferred_input" => $cursor.json(&mut $record.deferred_input),
            $($key => $read,)*
        })
    };
}

const SCHEMA_VERSION: usize = 0;
const ACTION_KEY: usize = 1;
const EXECUTION_DECISION: usize = 10;
const REQUIRED: &[(usize, &str)] = &[
    (ACTION_KEY, "action_key"),
    (SCHEMA_VERSION, "schema_version"),
    (EXECUTION_DECISION, "execution_decision"),
];

fn read_entry<'a>(cursor: &mut Cursor<'a>) -> Parsed<Entry<'a>> {
    let start = cursor.offset();
    let mut record = Record::unread();
    let mut storage_key = Presence::Absent;
    let mut wrapped = None;
    let members = record_members!(
        cursor, record,
        "key" => cursor.text(&mut storage_key),
        "record" => cursor.required(&mut wrapped, |cursor| read_record(cursor).map(Some))
    );
    if let Some(mut record) = wrapped {
        // What else the wrapper holds belongs to no record key, even where it has one's name.
        if members.has(SCHEMA_VERSION) || members.has(EXECUTION_DECISION) {
            let detail = "both a record and a wrapper around one";
            return Err(Rejection::new(RejectionKind::WrongType, start, detail));
        }
        record.overflow.keep_nested("wrapper", members.overflow);
        return Ok(Entry {
            record,
            storage_key,
        });
    }
    members.require(start, REQUIRED)?;
    record.overflow = members.overflow;
    Ok(Entry {
        record,
        storage_key,
    })
}

fn read_record<'a>(cursor: &mut Cursor<'a>) -> Parsed<Record<'a>> {
    cursor.peek();
    let start = cursor.offset();
    let mut record = Record::unread();
    let members = record_members!(cursor, record);
    members.require(start, REQUIRED)?;
    record.overflow = members.overflow;
    Ok(record)
}

fn read_schema_version(cursor: &mut Cursor<'_>) -> Parsed<SchemaVersion> {
    cursor.peek();
    let at = cursor.offset();
    let text = cursor.string()?;
    let readable = |version: &SchemaVersion| version.is_readable();
    SchemaVersion::parse(&text).filter(readable).ok_or_else(|| {
        Rejection::new(
            RejectionKind::UnsupportedSchema,
            at,
            format!(
                "schema version {text:?} is not read: {} to {} are",
                SchemaVersion::OLDEST,
                SchemaVersion::NEWEST
            ),
        )
    })
}

fn read_decision(cursor: &mut Cursor<'_>) -> Parsed<Decision> {
    cursor.peek();
    let at = cursor.offset();
    let text = cursor.string()?;
    Decision::parse(&text).ok_or_else(|| {
        let known: Vec<&str> = Decision::ALL.iter().map(|d| d.as_str()).collect();
        Rejection::new(
            RejectionKind::UnknownDecision,
            at,
            format!("{text:?} is not a decision: {} are", known.join(", ")),
        )
    })
}
