//! One run of an agent through the gate, from the instruction to its end.

mod checklist;
mod deferred;
mod intent;
mod kind;
mod lookup;
mod tool_gate;
mod values;
mod write;

use kind::Kind;

use crate::chain::Chain;
use crate::dice::Dice;
use crate::record::Record;
use crate::timestamp::Timestamp;

/// A run in progress: the chain it belongs to, its clock and its records so far.
struct Run<'a> {
    chain: &'a Chain,
    dice: &'a mut Dice,
    now: Timestamp,
    phrase: &'static str,
    records: Vec<Record>,
}

/// Plays one run of `chain` that starts at `start`, and returns its records.
///
/// There is at least one.
pub(crate) fn play(chain: &Chain, dice: &mut Dice, start: Timestamp) -> Vec<Record> {
    let phrase = kind::phrase(chain, dice);
    let mut run = Run {
        chain,
        dice,
        now: start,
        phrase,
        records: Vec::with_capacity(4),
    };
    if run.settle_intent() {
        run.follow();
    }
    run.records
}

impl Run<'_> {
    /// Plays what comes after a settled intent.
    fn follow(&mut self) {
        match kind::draw(self.chain, self.dice) {
            Kind::Clear => self.clear(),
            Kind::FailedCall => self.failed_call(),
            Kind::ValueMissing => self.value_missing(),
            Kind::ValueMalformed => self.value_malformed(),
            Kind::LookupFailed => self.lookup_failed(),
            Kind::Unanswerable => self.unanswerable(),
            Kind::Deferred => self.deferred(),
            Kind::ConditionConfirmed => self.condition_confirmed(),
            Kind::ConditionUnmet => self.condition_unmet(),
            Kind::ConditionWithoutHook => self.condition_without_hook(),
            Kind::ItemWithoutId => self.item_without_id(),
            Kind::WrongTool => self.wrong_tool(),
            Kind::ToolHookFailed => self.tool_hook_failed(),
            Kind::ToolMissing => self.tool_missing(),
        }
    }

    /// Lets between `low` and `high` seconds pass, and a few milliseconds.
    fn wait(&mut self, low: u64, high: u64) {
        self.now = self.now + self.dice.between(low, high) * 1000 + self.dice.between(1, 12);
    }

    /// Lets a few milliseconds of work pass.
    fn work(&mut self) {
        self.now = self.now + self.dice.between(1, 9);
    }
}
