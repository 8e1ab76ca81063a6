//! An item of the user checklist, as verified right before execution.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::Source;

/// The result of an item's verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemState {
    /// Confirmed by this source.
    Verified(Source),
    /// Not confirmed, with the hook's note.
    Unverified(Option<&'static str>),
    /// Copied unseen, because the run was held before any verification.
    Unseen,
}

/// One entry of a record's `user_checklist`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) id: Option<&'static str>,
    pub(crate) description: &'static str,
    pub(crate) state: ItemState,
}

impl Item {
    /// The hook's note on an unverified item; `None` for any other item.
    pub(crate) fn unverified(&self) -> Option<Option<&'static str>> {
        match self.state {
            ItemState::Unverified(note) => Some(note),
            ItemState::Verified(_) | ItemState::Unseen => None,
        }
    }
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(id) = self.id {
            map.serialize_entry("id", id)?;
        }
        map.serialize_entry("description", self.description)?;
        match self.state {
            ItemState::Verified(source) => {
                map.serialize_entry("status", "verified")?;
                map.serialize_entry("source", &source)?;
            }
            ItemState::Unverified(note) => {
                map.serialize_entry("status", "unverified")?;
                map.serialize_entry("source", &None::<Source>)?;
                if note.is_some() {
                    map.serialize_entry("note", &note)?;
                }
            }
            ItemState::Unseen => {}
        }
        map.end()
    }
}
