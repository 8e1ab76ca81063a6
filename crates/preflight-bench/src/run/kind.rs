//! What a run can meet, and how often.

use crate::chain::{Chain, KeyedBy};
use crate::dice::Dice;

/// The course of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Clear,
    FailedCall,
    ValueMissing,
    ValueMalformed,
    LookupFailed,
    Unanswerable,
    Deferred,
    ConditionConfirmed,
    ConditionUnmet,
    ConditionWithoutHook,
    ItemWithoutId,
    WrongTool,
    ToolHookFailed,
    ToolMissing,
}

/// Weights when the tool is clear from the start.
const BY_TOOL: [(u64, Kind); 11] = [
    (556, Kind::Clear),
    (58, Kind::FailedCall),
    (138, Kind::ValueMissing),
    (30, Kind::ValueMalformed),
    (32, Kind::LookupFailed),
    (36, Kind::Unanswerable),
    (56, Kind::Deferred),
    (26, Kind::ConditionConfirmed),
    (18, Kind::ConditionUnmet),
    (15, Kind::ConditionWithoutHook),
    (12, Kind::ItemWithoutId),
];

/// Weights when the tool has to be found first.
const BY_PHRASE: [(u64, Kind); 4] = [
    (26, Kind::WrongTool),
    (20, Kind::ToolHookFailed),
    (32, Kind::ToolMissing),
    (22, Kind::Clear),
];

/// Draws the course of a run of `chain`.
pub(super) fn draw(chain: &Chain, dice: &mut Dice) -> Kind {
    match chain.keyed_by {
        KeyedBy::Tool => dice.weighted(&BY_TOOL),
        KeyedBy::Phrase => dice.weighted(&BY_PHRASE),
    }
}

/// What the user calls the action in this run.
pub(super) fn phrase(chain: &Chain, dice: &mut Dice) -> &'static str {
    match chain.keyed_by {
        KeyedBy::Tool => dice.pick(chain.tool.phrases),
        KeyedBy::Phrase => chain.phrase,
    }
}
