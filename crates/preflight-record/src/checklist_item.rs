//! One condition of the user's checklist.

use std::borrow::Cow;

use crate::{
    Overflow, Presence, Timestamp,
    cursor::Cursor,
    members::members,
    read::Object,
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

impl<'a> Object<'a> for ChecklistItem<'a> {
    fn unread() -> Self {
        Self::default()
    }

    fn read(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        let members = members!(cursor, {
            "id" => cursor.text(&mut self.id),
            "description" => cursor.text(&mut self.description),
            "status" => cursor.nullable(&mut self.status, read_status),
            "source" => cursor.text(&mut self.source),
            "verified_at" => cursor.timestamp(&mut self.verified_at),
            "note" => cursor.text(&mut self.note),
        });
        self.overflow = members.overflow;
        Ok(())
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
