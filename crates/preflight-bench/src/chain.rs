//! What an agent's gate remembers about one chain of records.

use crate::dice::Dice;
use crate::record::{Decision, Field, FieldState, Gate, Record, Source};
use crate::world::{Keys, Tool};

/// How many runs a chain has: most have one or two, a few are long.
const RUNS: [(u64, (u64, u64)); 5] = [
    (580, (1, 1)),
    (250, (2, 2)),
    (120, (3, 5)),
    (46, (6, 12)),
    (4, LONG),
];
const LONG: (u64, u64) = (30, 120);

/// How chains come by the key their records share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyedBy {
    /// The tool was clear from the start: `u_0001:bank.transfer`.
    Tool,
    /// Only the user's own words were: `u_0001:send money to my landlord`.
    Phrase,
}

const KEYED_BY: [(u64, KeyedBy); 2] = [(895, KeyedBy::Tool), (105, KeyedBy::Phrase)];

/// One chain: its key, its tool, and what later runs can build on.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) key: String,
    pub(crate) keyed_by: KeyedBy,
    pub(crate) tool: &'static Tool,
    /// What the user calls the action.
    pub(crate) phrase: &'static str,
    /// Runs to come.
    pub(crate) runs_left: u64,
    /// Whether runs follow each other closely.
    pub(crate) busy: bool,
    baseline: Vec<Field>,
    asked: Vec<&'static str>,
}

impl Chain {
    /// A chain without records.
    pub(crate) fn open(keys: &mut Keys, dice: &mut Dice) -> Self {
        let name = keys.deal();
        let keyed_by = dice.weighted(&KEYED_BY);
        let phrase = dice.pick(name.tool.phrases);
        let label = match keyed_by {
            KeyedBy::Tool => name.tool.name,
            KeyedBy::Phrase => phrase,
        };
        let (fewest, most) = dice.weighted(&RUNS);
        Self {
            key: format!("u_{:04}:{label}", name.user),
            keyed_by,
            tool: name.tool,
            phrase,
            runs_left: dice.between(fewest, most),
            busy: (fewest, most) == LONG,
            baseline: Vec::new(),
            asked: Vec::new(),
        }
    }

    /// The field `name` of the latest executed record, if that record knows it.
    pub(crate) fn baseline(&self, name: &str) -> Option<&Field> {
        self.baseline
            .iter()
            .find(|field| field.name == name && field.value().is_some())
    }

    /// The field `name` as `prior_state` gives it: value and origin inherited.
    pub(crate) fn inherited(&self, name: &str) -> Option<Field> {
        let mut field = self.baseline(name)?.clone();
        match &mut field.state {
            FieldState::Known {
                source,
                origin: Some(origin),
                ..
            } if *origin != Source::PriorState => {
                *source = Some(Source::PriorState);
                Some(field)
            }
            _ => None,
        }
    }

    /// Whether an earlier record asked the user for the field `name`.
    pub(crate) fn has_asked(&self, name: &str) -> bool {
        self.asked.contains(&name)
    }

    /// Takes in the records of a run.
    pub(crate) fn learn(&mut self, records: &[Record]) {
        for record in records {
            match (record.execution_decision, &record.fields) {
                (Decision::Executed, Some(fields)) => self.baseline.clone_from(fields),
                (Decision::AskUser, Some(fields)) => self.note_asked(fields, record),
                _ => {}
            }
        }
    }

    fn note_asked(&mut self, fields: &[Field], record: &Record) {
        let Some(Gate::Value(gate)) = &record.gate else {
            return;
        };
        for field in fields {
            if gate.asks_for(field.name) && !self.has_asked(field.name) {
                self.asked.push(field.name);
            }
        }
    }
}
