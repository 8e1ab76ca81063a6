//! Which parts of a record are values, which may quote one, and which are neither.

use std::{collections::BTreeSet, ops::Range};

use preflight_seal::SEAL;
use serde_json::value::RawValue;

use super::{Mask, members::Members};

/// A part of a line that masking may change, with its JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'l> {
    /// A value that is masked.
    Value(&'l str),
    /// A string that may quote masked values.
    Text(&'l str),
    /// A number that may be a masked value.
    Number(&'l str),
    /// The seal: made without a key over the values, it would let them be tried out.
    Seal(&'l str),
}

/// The parts of a line, in order.
pub(super) struct Parts<'l> {
    line: &'l str,
    mask: &'l Mask,
    parts: Vec<(Range<usize>, Part<'l>)>,
    names: BTreeSet<String>,
}

/// What the record format says of a place.
#[derive(Clone, Copy)]
enum Place {
    /// A record, or a wrapper around one.
    Record,
    /// A list of fields.
    Fields,
    /// One field.
    Field,
    /// Parts that the record format names: its free texts may quote values.
    Named,
    /// What the format does not name, or carries unread: all of it may be values.
    Carried,
}

/// Keys of a record whose values say what happened, not with what: they stay as they are. Chains and
/// rules hang on them.
const KEPT_IN_RECORD: &[&str] = &[
    "schema_version",
    "action_key",
    "key",
    "phase",
    "execution_decision",
    "timestamp",
    "unknown_count",
    "unverified_checklist_count",
];
/// The same of a field.
const KEPT_IN_FIELD: &[&str] = &[
    "name",
    "status",
    "source",
    "origin_source",
    "pending_at_trigger",
    "lookup_failed",
    "resolved_at",
];
/// The same of `fixed`, `gate`, the checklist and what is in them.
const KEPT_IN_NAMED: &[&str] = &[
    "name",
    "id",
    "status",
    "source",
    "verified_at",
    "kind",
    "slot",
    "code",
    "c1_when_case",
    "c2_user_action_name",
    "c2_source",
    "c3_provider_action_name",
    "candidate_tool",
    "user_action",
    "intent_fingerprint",
    "next_intent_attempt",
    "next_tool_attempt",
    "attempt",
    "limit",
    "approved",
];
/// Keys of the record format that hold free text or further keys of it.
const NAMED: &[&str] = &[
    "fixed",
    "c3_match",
    "reason",
    "advisory_notes",
    "user_checklist",
    "description",
    "note",
    "_diag_note",
    "gate",
    "unknown_fields",
    "unverified_checklist",
    "user_message",
    "branch_options",
    "_diag",
    "issues",
    "detail",
    "lookup_failures",
];

impl Place {
    fn keeps(self, key: &str) -> bool {
        match self {
            Self::Record => KEPT_IN_RECORD.contains(&key),
            Self::Field => KEPT_IN_FIELD.contains(&key),
            Self::Named => KEPT_IN_NAMED.contains(&key),
            Self::Fields | Self::Carried => false,
        }
    }
}

impl<'l> Parts<'l> {
    pub(super) fn of(line: &'l [u8], mask: &'l Mask) -> Result<Self, String> {
        let line = std::str::from_utf8(line).map_err(|error| error.to_string())?;
        let mut parts = Self {
            line,
            mask,
            parts: Vec::new(),
            names: BTreeSet::new(),
        };
        let record = serde_json::from_str(line).map_err(|error| error.to_string())?;
        parts.walk(record, Place::Record)?;
        Ok(parts)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Range<usize>, Part<'l>)> {
        self.parts.iter().map(|(range, part)| (range, *part))
    }

    /// The names by which values can be masked: those of fields, and of keys that may hold values.
    pub(super) fn into_names(self) -> BTreeSet<String> {
        self.names
    }

    /// The JSON texts of masked values, and of the strings and numbers inside of them.
    pub(super) fn collect_values(&self, values: &mut BTreeSet<String>) -> Result<(), String> {
        for (_, part) in self.iter() {
            if let Part::Value(json) = part {
                collect(json, values)?;
            }
        }
        Ok(())
    }

    fn walk(&mut self, value: &'l RawValue, place: Place) -> Result<(), String> {
        let json = value.get();
        match json.as_bytes().first() {
            Some(b'{') => {
                for (key, member) in members(json)? {
                    self.member(&key, member, json, place)?;
                }
            }
            Some(b'[') => {
                let inner = match place {
                    Place::Fields => Place::Field,
                    place => place,
                };
                for element in elements(json)? {
                    self.walk(element, inner)?;
                }
            }
            Some(b'"') => match (place, self.mask) {
                (Place::Carried, Mask::All) => self.push(json, Part::Value(json)),
                _ => self.push(json, Part::Text(json)),
            },
            Some(b'-' | b'0'..=b'9') => match (place, self.mask) {
                (Place::Carried, Mask::All) => self.push(json, Part::Value(json)),
                (Place::Carried, _) => self.push(json, Part::Number(json)),
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn member(
        &mut self,
        key: &str,
        value: &'l RawValue,
        object: &'l str,
        place: Place,
    ) -> Result<(), String> {
        match (place, key) {
            (Place::Field, "name") => self.names.extend(name_of(object)?),
            (Place::Carried, _) => {
                self.names.insert(key.to_owned());
            }
            _ => {}
        }
        match (place, key) {
            (Place::Carried, _) => match self.mask {
                Mask::Fields(_) if self.mask.selects(key) => self.value(value),
                _ => return self.walk(value, Place::Carried),
            },
            (Place::Record, "record") => return self.walk(value, Place::Record),
            (Place::Record, SEAL) => self.push(value.get(), Part::Seal(value.get())),
            (Place::Record, "fields") => return self.walk(value, Place::Fields),
            (Place::Field, "value") => {
                if self.mask.selects(&name_of(object)?.unwrap_or_default()) {
                    self.value(value);
                }
            }
            (place, key) if place.keeps(key) => {}
            (_, key) if NAMED.contains(&key) => return self.walk(value, Place::Named),
            _ => return self.walk(value, Place::Carried),
        }
        Ok(())
    }

    /// A value as a whole; `null` says that there is none, and stays.
    fn value(&mut self, value: &'l RawValue) {
        let json = value.get();
        if json != "null" {
            self.push(json, Part::Value(json));
        }
    }

    fn push(&mut self, json: &'l str, part: Part<'l>) {
        // A raw value borrows from the line: its place is how far behind the line's start it is.
        let start = json.as_ptr() as usize - self.line.as_ptr() as usize;
        self.parts.push((start..start + json.len(), part));
    }
}

fn members(json: &str) -> Result<Vec<(String, &RawValue)>, String> {
    let members: Members<'_> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    Ok(members.0)
}

fn elements(json: &str) -> Result<Vec<&RawValue>, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

/// The name of a field, wherever in its object it stands.
fn name_of(field: &str) -> Result<Option<String>, String> {
    let name = members(field)?.into_iter().find(|(key, _)| key == "name");
    Ok(name.and_then(|(_, name)| serde_json::from_str(name.get()).ok()))
}

fn collect(json: &str, values: &mut BTreeSet<String>) -> Result<(), String> {
    match json.as_bytes().first() {
        Some(b'{') => {
            for (_, member) in members(json)? {
                collect(member.get(), values)?;
            }
        }
        Some(b'[') => {
            for element in elements(json)? {
                collect(element.get(), values)?;
            }
        }
        _ => {}
    }
    values.insert(json.to_owned());
    Ok(())
}
