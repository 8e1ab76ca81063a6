//! The items that users put on their checklists.

use crate::record::{Item, ItemState, Source};

/// An amount or count limit, which a hook measures.
pub(crate) const LIMIT: Item = Item {
    id: Some("chk_limit"),
    description: "within the daily limit",
    state: ItemState::Verified(Source::MeasuredData),
};

/// A recipient that the user vouches for.
pub(crate) const RECIPIENT: Item = Item {
    id: Some("chk_recipient"),
    description: "recipient is known",
    state: ItemState::Verified(Source::UserAnswer),
};

/// A condition that nobody has written a hook for.
pub(crate) const HOURS: Item = Item {
    id: Some("chk_hours"),
    description: "office hours only",
    state: ItemState::Unverified(Some("verification hook not implemented (default)")),
};

/// An item that no answer can be attached to.
pub(crate) const WITHOUT_ID: Item = Item {
    id: None,
    description: "no id here",
    state: ItemState::Unseen,
};
