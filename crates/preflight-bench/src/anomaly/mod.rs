//! Planting anomalies into an honest run.

mod integrity;
mod laundering;

use crate::chain::Chain;
use crate::dice::Dice;
use crate::record::{Decision, Record};

/// An anomaly that the audit is meant to find. The names are the taxonomy's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Anomaly {
    /// An inherited value without the origin it should have inherited.
    OriginErased,
    /// An inherited value that no earlier executed record holds.
    NoBaseline,
    /// An inherited value whose origin differs from the baseline's.
    OriginRewritten,
    /// An inherited value that differs from the baseline's.
    ValueSwapped,
    /// A value that is not inherited, with an origin other than its source.
    OriginMismatch,
    /// A known value without a source.
    KnownWithoutSource,
    /// A user's answer to a question that nobody asked.
    UnaskedAnswer,
    /// A call without a verdict that allowed it.
    ExecutedWithoutVerdict,
    /// Two calls on one verdict.
    ExecutedTwice,
    /// A call of another tool than the verdict allowed.
    ToolSwapped,
    /// A call with other arguments than the verdict allowed.
    ArgumentsChanged,
    /// A count that differs from the record's own list.
    CountMismatch,
    /// A verdict `execute` without a gate.
    UnclearExecute,
    /// Fields decided for a tool that was not approved.
    UnapprovedTool,
    /// A call straight from a deferred record.
    DeferredExecuted,
    /// A condition verified as the instruction came in.
    ConditionVerifiedEarly,
    /// A measurement from outside its run.
    StaleMeasurement,
    /// A message that shows the user the refused tool.
    CandidateShown,
    /// A count where no decision was made.
    CountWithoutDecision,
}

impl Anomaly {
    /// Every anomaly that can be planted.
    pub const ALL: [Self; 19] = [
        Self::OriginErased,
        Self::NoBaseline,
        Self::OriginRewritten,
        Self::ValueSwapped,
        Self::OriginMismatch,
        Self::KnownWithoutSource,
        Self::UnaskedAnswer,
        Self::ExecutedWithoutVerdict,
        Self::ExecutedTwice,
        Self::ToolSwapped,
        Self::ArgumentsChanged,
        Self::CountMismatch,
        Self::UnclearExecute,
        Self::UnapprovedTool,
        Self::DeferredExecuted,
        Self::ConditionVerifiedEarly,
        Self::StaleMeasurement,
        Self::CandidateShown,
        Self::CountWithoutDecision,
    ];

    /// The name of the rule that finds it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OriginErased => "origin_erased",
            Self::NoBaseline => "no_baseline",
            Self::OriginRewritten => "origin_rewritten",
            Self::ValueSwapped => "value_swapped",
            Self::OriginMismatch => "origin_mismatch",
            Self::KnownWithoutSource => "known_without_source",
            Self::UnaskedAnswer => "unasked_answer",
            Self::ExecutedWithoutVerdict => "executed_without_verdict",
            Self::ExecutedTwice => "executed_twice",
            Self::ToolSwapped => "tool_swapped",
            Self::ArgumentsChanged => "arguments_changed",
            Self::CountMismatch => "count_mismatch",
            Self::UnclearExecute => "unclear_execute",
            Self::UnapprovedTool => "unapproved_tool",
            Self::DeferredExecuted => "deferred_executed",
            Self::ConditionVerifiedEarly => "condition_verified_early",
            Self::StaleMeasurement => "stale_measurement",
            Self::CandidateShown => "candidate_shown",
            Self::CountWithoutDecision => "count_without_decision",
        }
    }
}

/// Plants one anomaly into the `records` of a run of `chain`, and says which.
///
/// Starts at a random anomaly and takes the first that the run has room for.
pub(crate) fn plant(records: &mut Vec<Record>, chain: &Chain, dice: &mut Dice) -> Option<Anomaly> {
    let count = Anomaly::ALL.len();
    let start = dice.index(count);
    (start..start + count)
        .map(|at| Anomaly::ALL[at % count])
        .find(|&anomaly| try_plant(anomaly, records, chain, dice))
}

/// Plants `anomaly` if the run has room for it; whether it had.
fn try_plant(anomaly: Anomaly, records: &mut Vec<Record>, chain: &Chain, dice: &mut Dice) -> bool {
    laundering::plant(anomaly, records, chain, dice)
        .or_else(|| integrity::plant(anomaly, records, chain, dice))
        .is_some()
}

/// Where a run's verdict stands; its outcome is the next record.
fn verdict_at(records: &[Record]) -> Option<usize> {
    let at = records
        .iter()
        .position(|r| r.execution_decision == Decision::Execute)?;
    records
        .get(at + 1)
        .filter(|r| r.execution_decision.is_outcome())
        .map(|_| at)
}
