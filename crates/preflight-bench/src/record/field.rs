//! A field of the provider checklist: what became of its lookup.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::Value;
use crate::timestamp::Timestamp;

/// Where a value, or the verification of a checklist item, comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Source {
    UserAnswer,
    Instruction,
    PreSetData,
    MeasuredData,
    PriorState,
}

/// Why a field is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// No source had it.
    Missing,
    /// The user's answer violates the declared format.
    Malformed,
    /// The lookup hook failed, with this detail for the log.
    LookupFailed(&'static str),
    /// Left open until the trigger fires.
    Pending,
}

impl Cause {
    /// The note that the field and the gate carry.
    pub(crate) fn note(self) -> Option<&'static str> {
        match self {
            Self::Malformed => {
                Some("schema violation (source user_answer): does not match the declared format")
            }
            Self::LookupFailed(_) => Some("lookup hook failed (tier: instruction)"),
            Self::Missing | Self::Pending => None,
        }
    }
}

/// The result of a field's lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldState {
    /// A value, its source and the source it first came from.
    Known {
        value: Value,
        source: Option<Source>,
        origin: Option<Source>,
    },
    /// No value.
    Unknown(Cause),
}

/// One entry of a record's `fields`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) state: FieldState,
    pub(crate) resolved_at: Timestamp,
}

impl Field {
    /// A known field whose origin is its source.
    pub(crate) fn known(name: &'static str, value: Value, source: Source) -> Self {
        let state = FieldState::Known {
            value,
            source: Some(source),
            origin: Some(source),
        };
        Self {
            name,
            state,
            resolved_at: Timestamp::default(),
        }
    }

    /// The value, if known.
    pub(crate) fn value(&self) -> Option<&Value> {
        match &self.state {
            FieldState::Known { value, .. } => Some(value),
            FieldState::Unknown(_) => None,
        }
    }

    /// Why the field is unknown, if it is.
    pub(crate) fn cause(&self) -> Option<Cause> {
        match self.state {
            FieldState::Known { .. } => None,
            FieldState::Unknown(cause) => Some(cause),
        }
    }
}

impl Serialize for Field {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", self.name)?;
        match &self.state {
            FieldState::Known {
                value,
                source,
                origin,
            } => {
                map.serialize_entry("value", value)?;
                map.serialize_entry("status", "known")?;
                map.serialize_entry("source", source)?;
                map.serialize_entry("origin_source", origin)?;
                map.serialize_entry("resolved_at", &self.resolved_at)?;
            }
            FieldState::Unknown(cause) => unknown(&mut map, *cause, self.resolved_at)?,
        }
        map.end()
    }
}

/// The keys of an unknown field, in the order that its cause gives them.
fn unknown<M: SerializeMap>(map: &mut M, cause: Cause, at: Timestamp) -> Result<(), M::Error> {
    let origin = (cause == Cause::Malformed).then_some(Source::UserAnswer);
    map.serialize_entry("status", "unknown")?;
    map.serialize_entry("source", &None::<Source>)?;
    map.serialize_entry("origin_source", &origin)?;
    match cause {
        Cause::Missing => {}
        Cause::Malformed => {
            map.serialize_entry("resolved_at", &at)?;
            map.serialize_entry("pending_at_trigger", &false)?;
            return map.serialize_entry("note", &cause.note());
        }
        Cause::LookupFailed(detail) => {
            map.serialize_entry("lookup_failed", &true)?;
            map.serialize_entry("pending_at_trigger", &false)?;
            map.serialize_entry("note", &cause.note())?;
            map.serialize_entry("_diag_note", detail)?;
        }
        Cause::Pending => map.serialize_entry("pending_at_trigger", &true)?,
    }
    map.serialize_entry("resolved_at", &at)
}
