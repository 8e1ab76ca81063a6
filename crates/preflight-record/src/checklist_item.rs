//! One condition of the user's checklist.

use std::borrow::Cow;

use crate::{
    Overflow, Presence, Timestamp,
    cursor::Cursor,
    rejection::{Parsed, Rejection, RejectionKind},
};

/// Whether a condition was confirmed right before execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChecklistStatus {
    /// A hook, or the user, confirmed it.
    Verified,
    /// Nobody did.
    Unverified,
}

impl ChecklistStatus {
    /// As records spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Unverified => "unverified",
        }
    }
}

/// An element of `user_checklist`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChecklistItem<'a> {
    /// The stable id, without which no answer can be attached.
    pub id: Presence<Cow<'a, str>>,
    /// What must hold, in the user's words.
    pub description: Presence<Cow<'a, str>>,
    /// Whether it held; absent where a run ended before any check.
    pub status: Presence<ChecklistStatus>,
    /// Who confirmed it.
    pub source: Presence<Cow<'a, str>>,
    /// When it was confirmed.
    pub verified_at: Presence<Timestamp<'a>>,
    /// Why it is unverified, where the hook says so.
    pub note: Presence<Cow<'a, str>>,
    /// Keys without a name here.
    pub overflow: Overflow<'a>,
}

impl<'a> ChecklistItem<'a> {
    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Parsed<Self> {
        let mut item = Self::default();
        const KEYS: &[&str] = &[
            "id",
            "description",
            "status",
            "source",
            "verified_at",
            "note",
        ];
        item.overflow = cursor.members(KEYS, |cursor, key| {
            match key {
                "id" => item.id = cursor.text()?,
                "description" => item.description = cursor.text()?,
                "status" => item.status = cursor.nullable(read_status)?,
                "source" => item.source = cursor.text()?,
                "verified_at" => item.verified_at = cursor.timestamp()?,
                "note" => item.note = cursor.text()?,
                key => unreachable!("{key} is not read"),
            }
            Ok(())
        })?;
        Ok(item)
    }
}

fn read_status(cursor: &mut Cursor<'_>) -> Parsed<ChecklistStatus> {
    cursor.peek();
    let at = cursor.offset();
    let text = cursor.string()?;
    match &*text {
        "verified" => Ok(ChecklistStatus::Verified),
        "unverified" => Ok(ChecklistStatus::Unverified),
        _ => Err(Rejection::new(
            RejectionKind::UnknownStatus,
            at,
            format!("{text:?} is not an item status: verified or unverified is expected"),
        )),
    }
}
