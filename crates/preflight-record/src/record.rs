//! The decision record and the line that carries it.

use std::borrow::Cow;

use crate::{
    ChecklistItem, Decision, Field, Fixed, Gate, Overflow, Presence, SchemaVersion, Timestamp,
    cursor::Cursor,
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

/// The parts of a record while it is read; what must be there is checked at the end.
#[derive(Default)]
struct Draft<'a> {
    schema_version: Option<SchemaVersion>,
    action_key: Presence<Cow<'a, str>>,
    phase: Presence<Cow<'a, str>>,
    fixed: Presence<Fixed<'a>>,
    fields: Presence<Vec<Field<'a>>>,
    advisory_notes: Presence<Cow<'a, str>>,
    user_checklist: Presence<Vec<ChecklistItem<'a>>>,
    unknown_count: Presence<i64>,
    unverified_checklist_count: Presence<i64>,
    gate: Presence<Gate<'a>>,
    execution_decision: Option<Decision>,
    reason: Presence<Cow<'a, str>>,
    timestamp: Presence<Timestamp<'a>>,
    deferred_input: Presence<Cow<'a, str>>,
    overflow: Overflow<'a>,
}

/// The keys of a record, in the order of writers, then those of a wrapper.
const KEYS: &[&str] = &[
    "schema_version",
    "action_key",
    "phase",
    "fixed",
    "fields",
    "advisory_notes",
    "user_checklist",
    "unknown_count",
    "unverified_checklist_count",
    "gate",
    "execution_decision",
    "reason",
    "timestamp",
    "deferred_input",
    "key",
    "record",
];
/// How many of these are a record's.
const RECORD_KEYS: usize = 14;

impl<'a> Draft<'a> {
    fn read_member(&mut self, cursor: &mut Cursor<'a>, key: &str) -> Parsed<()> {
        match key {
            "schema_version" => self.schema_version = Some(read_schema_version(cursor)?),
            "action_key" => self.action_key = cursor.text()?,
            "phase" => self.phase = cursor.text()?,
            "fixed" => self.fixed = cursor.nullable(Fixed::read)?,
            "fields" => self.fields = cursor.list(Field::read)?,
            "advisory_notes" => self.advisory_notes = cursor.text()?,
            "user_checklist" => self.user_checklist = cursor.list(ChecklistItem::read)?,
            "unknown_count" => self.unknown_count = cursor.count()?,
            "unverified_checklist_count" => self.unverified_checklist_count = cursor.count()?,
            "gate" => self.gate = cursor.nullable(Gate::read)?,
            "execution_decision" => self.execution_decision = Some(read_decision(cursor)?),
            "reason" => self.reason = cursor.text()?,
            "timestamp" => self.timestamp = cursor.timestamp()?,
            "deferred_input" => self.deferred_input = cursor.nullable(Cursor::json)?,
            key => unreachable!("{key} is not read"),
        }
        Ok(())
    }

    fn finish(self, start: usize) -> Parsed<Record<'a>> {
        let missing = |key| Cursor::missing(start, key);
        if self.action_key.is_absent() {
            return Err(missing("action_key"));
        }
        Ok(Record {
            schema_version: self
                .schema_version
                .ok_or_else(|| missing("schema_version"))?,
            action_key: self.action_key,
            phase: self.phase,
            fixed: self.fixed,
            fields: self.fields,
            advisory_notes: self.advisory_notes,
            user_checklist: self.user_checklist,
            unknown_count: self.unknown_count,
            unverified_checklist_count: self.unverified_checklist_count,
            gate: self.gate,
            execution_decision: self
                .execution_decision
                .ok_or_else(|| missing("execution_decision"))?,
            reason: self.reason,
            timestamp: self.timestamp,
            deferred_input: self.deferred_input,
            overflow: self.overflow,
        })
    }
}

fn read_entry<'a>(cursor: &mut Cursor<'a>) -> Parsed<Entry<'a>> {
    let start = cursor.offset();
    let mut draft = Draft::default();
    let mut storage_key = Presence::Absent;
    let mut wrapped = None;
    let overflow = cursor.members(KEYS, |cursor, key| {
        match key {
            "key" => storage_key = cursor.text()?,
            "record" => wrapped = Some(read_record(cursor)?),
            _ => draft.read_member(cursor, key)?,
        }
        Ok(())
    })?;
    draft.overflow = overflow;
    let record = match wrapped {
        None => draft.finish(start)?,
        Some(mut record) => {
            // What else the wrapper holds belongs to no record key, even where it has one's name.
            if draft.schema_version.is_some() || draft.execution_decision.is_some() {
                let detail = "both a record and a wrapper around one";
                return Err(Rejection::new(RejectionKind::WrongType, start, detail));
            }
            record.overflow.keep_nested("wrapper", draft.overflow);
            record
        }
    };
    Ok(Entry {
        record,
        storage_key,
    })
}

fn read_record<'a>(cursor: &mut Cursor<'a>) -> Parsed<Record<'a>> {
    cursor.peek();
    let start = cursor.offset();
    let mut draft = Draft::default();
    let keys = &KEYS[..RECORD_KEYS];
    draft.overflow = cursor.members(keys, |cursor, key| draft.read_member(cursor, key))?;
    draft.finish(start)
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
