//! Anomalies of a record, or of how it follows the one before it.

use super::{Anomaly, verdict_at};
use crate::chain::Chain;
use crate::dice::Dice;
use crate::record::{Decision, Field, FieldState, Gate, Record, Source};
use crate::world::{LIMIT, TOOLS};

/// How long after a call its repetition is recorded.
const AGAIN_MS: u64 = 400;
/// How far back a stale measurement lies.
const STALE_DAYS: u64 = 3;

/// Plants `anomaly` if it is one of integrity and the run has room for it.
pub(super) fn plant(
    anomaly: Anomaly,
    records: &mut Vec<Record>,
    chain: &Chain,
    dice: &mut Dice,
) -> Option<()> {
    match anomaly {
        Anomaly::ExecutedWithoutVerdict => drop_verdict(records, false),
        Anomaly::DeferredExecuted => drop_verdict(records, true),
        Anomaly::ExecutedTwice => execute_again(records),
        Anomaly::ToolSwapped => swap_tool(outcome(records)?, dice),
        Anomaly::ArgumentsChanged => change_argument(outcome(records)?, chain, dice),
        Anomaly::CountMismatch => miscount(records),
        Anomaly::UnclearExecute => verdict(records)?.gate.take().map(drop),
        Anomaly::UnapprovedTool => disapprove(records),
        Anomaly::ConditionVerifiedEarly => verify_early(records),
        Anomaly::StaleMeasurement => age_measurement(records),
        Anomaly::CandidateShown => show_candidate(records),
        Anomaly::CountWithoutDecision => count_nothing(records),
        _ => None,
    }
}

fn verdict(records: &mut [Record]) -> Option<&mut Record> {
    let at = verdict_at(records)?;
    records.get_mut(at)
}

fn outcome(records: &mut [Record]) -> Option<&mut Record> {
    let at = verdict_at(records)? + 1;
    records.get_mut(at)
}

/// Takes the verdict out of a run that was, or was not, deferred.
fn drop_verdict(records: &mut Vec<Record>, deferred: bool) -> Option<()> {
    let at = verdict_at(records)?;
    let was_deferred = at > 0 && records[at - 1].execution_decision == Decision::Deferred;
    (was_deferred == deferred).then(|| drop(records.remove(at)))
}

fn execute_again(records: &mut Vec<Record>) -> Option<()> {
    let mut again = outcome(records)?.clone();
    again.timestamp = again.timestamp + AGAIN_MS;
    records.push(again);
    Some(())
}

fn swap_tool(record: &mut Record, dice: &mut Dice) -> Option<()> {
    let fixed = record.fixed.as_mut()?;
    let others = TOOLS.len() - 1;
    let at = TOOLS
        .iter()
        .position(|tool| tool.name == fixed.c3_provider_action_name)?;
    fixed.c3_provider_action_name = TOOLS[(at + 1 + dice.index(others)) % TOOLS.len()].name;
    Some(())
}

/// Changes a value that is not inherited, which would be laundering as well.
fn change_argument(record: &mut Record, chain: &Chain, dice: &mut Dice) -> Option<()> {
    let fields = record.fields.as_mut()?;
    let at = dice.index(fields.len());
    let spec = chain.tool.field(fields[at].name)?;
    match &mut fields[at].state {
        FieldState::Known { value, source, .. } if *source != Some(Source::PriorState) => {
            *value = spec.draw_other(dice, value);
            Some(())
        }
        _ => None,
    }
}

fn miscount(records: &mut [Record]) -> Option<()> {
    let decided = |record: &&mut Record| record.gate.is_some() && record.fields.is_some();
    let count = records.iter_mut().find(decided)?.unknown_count.as_mut()?;
    *count = usize::from(*count == 0);
    Some(())
}

fn disapprove(records: &mut [Record]) -> Option<()> {
    let at = verdict_at(records)?;
    for record in &mut records[at..=at + 1] {
        record.fixed.as_mut()?.c3_match.as_mut()?.approved = false;
    }
    Some(())
}

fn verify_early(records: &mut [Record]) -> Option<()> {
    let deferred = Decision::Deferred;
    let record = records
        .iter_mut()
        .find(|r| r.execution_decision == deferred)?;
    record.user_checklist.push(LIMIT);
    Some(())
}

fn age_measurement(records: &mut [Record]) -> Option<()> {
    let verdict = verdict_at(records)?;
    let at = records[verdict]
        .fields
        .as_ref()?
        .iter()
        .position(is_measured)?;
    for record in &mut records[verdict..=verdict + 1] {
        let field = &mut record.fields.as_mut()?[at];
        field.resolved_at = field.resolved_at.days_earlier(STALE_DAYS)?;
    }
    Some(())
}

fn is_measured(field: &Field) -> bool {
    matches!(
        field.state,
        FieldState::Known {
            source: Some(Source::MeasuredData),
            ..
        }
    )
}

fn show_candidate(records: &mut [Record]) -> Option<()> {
    let gate = records
        .iter_mut()
        .find_map(|record| match &mut record.gate {
            Some(Gate::Tool(gate)) => Some(gate),
            _ => None,
        })?;
    gate.user_message = format!("Did you mean {}?", gate.diag.candidate_tool);
    Some(())
}

fn count_nothing(records: &mut [Record]) -> Option<()> {
    let record = records.iter_mut().find(|record| record.fields.is_none())?;
    record.unknown_count = Some(0);
    Some(())
}
