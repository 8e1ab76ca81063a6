//! Runs that turn on the user's checklist.

use super::Run;
use crate::record::{Decision, Item, ItemState, Record};
use crate::world::{HOURS, LIMIT, RECIPIENT, WITHOUT_ID};

/// `item`, not verified, with the hook's `note`.
const fn unverified(item: Item, note: Option<&'static str>) -> Item {
    Item {
        state: ItemState::Unverified(note),
        ..item
    }
}

impl Run<'_> {
    /// An item is open until the user vouches for it.
    pub(super) fn condition_confirmed(&mut self) {
        self.verify_later([LIMIT, unverified(RECIPIENT, None)], 20, 110);
    }

    /// A working hook says no; half an hour later it says yes.
    pub(super) fn condition_unmet(&mut self) {
        let exceeded = unverified(LIMIT, Some("daily limit exceeded"));
        self.verify_later([exceeded, RECIPIENT], 1200, 3600);
    }

    fn verify_later(&mut self, open: [Item; 2], soonest: u64, latest: u64) {
        let mut fields = self.settled();
        self.decide(&mut fields, &open);
        self.wait(soonest, latest);
        self.decide(&mut fields, &[LIMIT, RECIPIENT]);
        self.succeed();
    }

    /// Nobody has written the hook, so asking can't help, and the run ends here.
    pub(super) fn condition_without_hook(&mut self) {
        let mut fields = self.settled();
        self.decide(&mut fields, &[HOURS]);
    }

    /// An item has no id: held before anything is looked up, so there is no key.
    pub(super) fn item_without_id(&mut self) {
        let reason = "checklist item without id at index: 0".to_owned();
        let mut record = Record::bare(Decision::Hold, reason, self.now);
        record.user_checklist = vec![WITHOUT_ID];
        self.records.push(record);
    }
}
