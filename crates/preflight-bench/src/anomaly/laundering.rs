//! Anomalies of a value's lineage: planted into the verdict and its outcome alike.

use super::{Anomaly, verdict_at};
use crate::chain::Chain;
use crate::dice::Dice;
use crate::record::{Field, FieldState, Gate, Record, Source, Value};

/// The sources that can be an origin.
const ORIGINS: [Source; 4] = [
    Source::UserAnswer,
    Source::Instruction,
    Source::PreSetData,
    Source::MeasuredData,
];

/// Plants `anomaly` if it is one of lineage and a field has room for it.
pub(super) fn plant(
    anomaly: Anomaly,
    records: &mut [Record],
    chain: &Chain,
    dice: &mut Dice,
) -> Option<()> {
    let verdict = verdict_at(records)?;
    let asked = asked_for(&records[..verdict]);
    let fields = records[verdict].fields.as_ref()?;
    let first = dice.index(fields.len());
    let (at, state) = (first..first + fields.len())
        .map(|at| at % fields.len())
        .find_map(|at| {
            let field = &fields[at];
            let asked = chain.has_asked(field.name) || asked.contains(&field.name);
            Some((at, launder(anomaly, field, asked, chain, dice)?))
        })?;
    for record in &mut records[verdict..=verdict + 1] {
        record.fields.as_mut()?[at].state = state.clone();
    }
    Some(())
}

/// `field` with a false lineage.
fn launder(
    anomaly: Anomaly,
    field: &Field,
    asked: bool,
    chain: &Chain,
    dice: &mut Dice,
) -> Option<FieldState> {
    let FieldState::Known {
        value,
        source,
        origin,
    } = field.state.clone()
    else {
        return None;
    };
    match anomaly {
        Anomaly::OriginErased => {
            let (value, _) = inherited(field, chain)?;
            let origin = dice.pick(&[None, Some(Source::PriorState)]);
            known(value, Some(Source::PriorState), origin)
        }
        Anomaly::NoBaseline if chain.baseline(field.name).is_none() => {
            known(value, Some(Source::PriorState), origin)
        }
        Anomaly::OriginRewritten => {
            let (value, origin) = inherited(field, chain)?;
            known(
                value,
                Some(Source::PriorState),
                Some(other_than(origin, dice)),
            )
        }
        Anomaly::ValueSwapped => {
            let (value, origin) = inherited(field, chain)?;
            let spec = chain.tool.field(field.name)?;
            known(
                spec.draw_other(dice, &value),
                Some(Source::PriorState),
                Some(origin),
            )
        }
        Anomaly::OriginMismatch if source != Some(Source::PriorState) => {
            known(value, source, Some(other_than(source?, dice)))
        }
        Anomaly::KnownWithoutSource => known(value, None, None),
        Anomaly::UnaskedAnswer if !asked => {
            known(value, Some(Source::UserAnswer), Some(Source::UserAnswer))
        }
        _ => None,
    }
}

fn known(value: Value, source: Option<Source>, origin: Option<Source>) -> Option<FieldState> {
    Some(FieldState::Known {
        value,
        source,
        origin,
    })
}

/// The value and origin that `field` would inherit.
fn inherited(field: &Field, chain: &Chain) -> Option<(Value, Source)> {
    match chain.inherited(field.name)?.state {
        FieldState::Known { value, origin, .. } => Some((value, origin?)),
        FieldState::Unknown(_) => None,
    }
}

fn other_than(source: Source, dice: &mut Dice) -> Source {
    loop {
        let other = dice.pick(&ORIGINS);
        if other != source {
            return other;
        }
    }
}

/// The fields that `records` ask the user for.
fn asked_for(records: &[Record]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for record in records {
        if let (Some(Gate::Value(gate)), Some(fields)) = (&record.gate, &record.fields) {
            names.extend(
                fields
                    .iter()
                    .map(|f| f.name)
                    .filter(|name| gate.asks_for(name)),
            );
        }
    }
    names
}
