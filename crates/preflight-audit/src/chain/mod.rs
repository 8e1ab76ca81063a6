//! One chain as a timeline: what each record decided, where each value came from, what it inherits.
//!
//! ```text
//! selector.rs     which chain is meant: by key, by record, by finding
//! narrowed.rs     a session over its records alone
//! spine.rs        the order of its records; which one each looks back to
//! load.rs         records, fields, asks, conditions and findings from the tables
//! inheritance.rs  what the chain supports of an inherited value
//! answer.rs       which question an answer of the user replies to
//! change.rs       what differs from an earlier record
//! value.rs        values, masked or shown; quoted.rs: free text that quotes masked ones
//! words.rs        what a timeline says of them
//! ```

mod answer;
mod change;
mod claim;
mod error;
mod inheritance;
mod load;
mod narrowed;
mod quoted;
mod record;
pub(crate) mod selector;
mod spine;
mod value;
mod words;

pub use answer::Answer;
pub use change::Change;
pub use claim::Claim;
pub use error::ChainError;
pub use inheritance::Inheritance;
pub use record::{Ask, ChainField, ChainFinding, ChainItem, ChainRecord};
pub use selector::ChainSelector;
pub use value::{HeldValue, Shape, Value, Values};

use std::{collections::HashMap, ops::Range};

use serde::Serialize;

use self::{
    answer::Questions,
    quoted::Quoted,
    selector::{Selected, read},
    spine::{Spine, Step},
};
use crate::{AuditError, AuditSession};

/// A chain of a lake. Its records are read when they are asked for.
pub struct Chain<'s> {
    session: &'s AuditSession,
    selected: Selected,
    spine: Spine,
    questions: Questions,
    summary: ChainSummary,
    values: Values,
}

/// What can be said of a chain as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChainSummary {
    /// Its key; none for records that have none and so form no chain.
    pub action_key: Option<String>,
    /// How many records it has.
    pub records: usize,
    /// When the first one was written, in UTC.
    pub first: Option<String>,
    /// When the last one was written, in UTC.
    pub last: Option<String>,
    /// How many files they are in.
    pub sources: usize,
    /// How many findings there are.
    pub findings: usize,
}

impl AuditSession {
    /// Opens a chain; its findings are computed if they were not yet.
    ///
    /// # Errors
    ///
    /// There is no such chain, record or finding, or a rule fails.
    pub async fn chain(
        &self,
        selector: &ChainSelector,
        values: Values,
    ) -> Result<Chain<'_>, AuditError> {
        let selected = selector.resolve(self).await?;
        let spine = Spine::read(self, &selected).await?;
        let questions = Questions::read(self, &selected, &spine).await?;
        let summary = summary(self, &selected).await?;
        Ok(Chain {
            session: self,
            selected,
            spine,
            questions,
            summary,
            values,
        })
    }
}

async fn summary(session: &AuditSession, selected: &Selected) -> Result<ChainSummary, AuditError> {
    let (condition, parameters) = selected.condition();
    let sql = format!(
        "select count(*) as records, count(distinct source) as sources,
            cast(min(timestamp) as varchar) as first, cast(max(timestamp) as varchar) as last,
            (select count(*) from findings where {condition}) as findings
         from records where {condition}"
    );
    let answer = session.sql(&sql, &parameters).await?;
    let rows = read(&answer)?;
    let row = rows.iter().flat_map(|rows| rows.iter()).next();
    let count = |name| row.and_then(|row| row.integer(name)).unwrap_or_default() as usize;
    Ok(ChainSummary {
        action_key: selected.action_key.clone(),
        records: count("records"),
        first: row.and_then(|row| row.owned("first")),
        last: row.and_then(|row| row.owned("last")),
        sources: count("sources"),
        findings: count("findings"),
    })
}

impl Chain<'_> {
    /// What can be said of it as a whole.
    pub fn summary(&self) -> &ChainSummary {
        &self.summary
    }

    /// How many records it has.
    pub fn len(&self) -> usize {
        self.spine.steps().len()
    }

    /// Whether it has none, which no chain that was found is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Positions, from 0, of the records that were asked for; none where a chain was.
    pub fn focus(&self) -> Vec<usize> {
        self.spine.positions_of(&self.selected.focus)
    }

    /// Some records, in the order of the chain: time, source, line. Each carries what it needs of
    /// the records it looks back to, also of those outside of the range.
    ///
    /// # Errors
    ///
    /// The lake can't be read.
    pub async fn records(&self, range: Range<usize>) -> Result<Vec<ChainRecord>, AuditError> {
        let end = range.end.min(self.len());
        let range = range.start.min(end)..end;
        let steps = &self.spine.steps()[range.clone()];
        let wanted: Vec<i64> = steps.iter().map(|step| step.record_id).collect();
        let mut records = load::records(self.session, &self.selected, &wanted).await?;
        let with_earlier = self.with_earlier(steps);
        let fields = load::fields(self.session, &self.selected, &with_earlier).await?;
        let chain = range.zip(steps).filter_map(|(position, step)| {
            let record = records.remove(&step.record_id)?;
            Some(self.complete(position, *step, record, &fields))
        });
        Ok(chain.collect())
    }

    /// The records and those that they look back to.
    fn with_earlier(&self, steps: &[Step]) -> Vec<i64> {
        let all = self.spine.steps();
        let back =
            |position: Option<u32>| position.map(|position| all[position as usize].record_id);
        let ids = steps.iter().flat_map(|step| {
            [
                Some(step.record_id),
                back(step.baseline),
                back(step.previous),
            ]
        });
        let mut ids: Vec<i64> = ids.flatten().collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn complete(
        &self,
        position: usize,
        step: Step,
        mut record: ChainRecord,
        fields: &HashMap<i64, Vec<ChainField>>,
    ) -> ChainRecord {
        let fields_at = |position: Option<u32>| {
            let position = position? as usize;
            let record_id = self.spine.steps()[position].record_id;
            Some((
                position + 1,
                fields.get(&record_id).map_or(&[][..], Vec::as_slice),
            ))
        };
        let (baseline, previous) = (fields_at(step.baseline), fields_at(step.previous));
        let own = fields.get(&step.record_id).map_or(&[][..], Vec::as_slice);
        record.number = position + 1;
        record.baseline = baseline.map(|(number, _)| number);
        record.previous = previous.map(|(number, _)| number);
        if let Some(list) = &mut record.fields {
            *list = own.to_vec();
            for field in &mut *list {
                field.inheritance = Inheritance::of(field, baseline);
                field.answer = self.questions.answered_by(field, position);
                field.since_baseline = Change::of(field, baseline);
                field.since_previous = Change::of(field, previous);
            }
            if let Some((_, earlier)) = previous {
                record.dropped_fields = change::dropped(earlier, list);
            }
        }
        record.place_findings();
        if self.values == Values::Masked {
            let earlier = [baseline, previous].into_iter().flatten();
            let seen = earlier.flat_map(|(_, fields)| fields).chain(own);
            Quoted::of(seen).clean_record(&mut record);
            record
                .fields
                .iter_mut()
                .flatten()
                .for_each(ChainField::mask);
        }
        record
    }
}

impl ChainField {
    fn mask(&mut self) {
        self.value.mask();
        self.inheritance.iter_mut().for_each(Inheritance::mask);
        let changes = [&mut self.since_baseline, &mut self.since_previous];
        changes.into_iter().flatten().for_each(Change::mask);
    }
}

impl ChainRecord {
    /// Moves findings to the field, condition or ask that they are about.
    fn place_findings(&mut self) {
        let mut unplaced = Vec::new();
        for finding in std::mem::take(&mut self.findings) {
            let place = finding
                .field
                .as_deref()
                .and_then(|name| self.place_of(name));
            place.unwrap_or(&mut unplaced).push(finding);
        }
        self.findings = unplaced;
    }

    fn place_of(&mut self, name: &str) -> Option<&mut Vec<ChainFinding>> {
        let mut fields = self.fields.iter_mut().flatten();
        if let Some(field) = fields.find(|field| field.name == name) {
            return Some(&mut field.findings);
        }
        let mut items = self.checklist.iter_mut().flatten();
        if let Some(item) = items.find(|item| item.id.as_deref() == Some(name)) {
            return Some(&mut item.findings);
        }
        let mut asks = self.asks.iter_mut();
        let ask = asks.find(|ask| ask.subject.as_deref() == Some(name));
        ask.map(|ask| &mut ask.findings)
    }
}
