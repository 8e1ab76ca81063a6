//! The order of a chain, and which record each one looks back to.

use std::collections::HashMap;

use crate::{AuditError, AuditSession, Parameters, rows::Row};

use super::selector::{Selected, read, wanted};

/// The records of a chain in order, a few bytes each.
#[derive(Debug, Default)]
pub(crate) struct Spine(Vec<Step>);

/// What later records need to know of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) record_id: i64,
    is_executed: bool,
    has_fields: bool,
    /// Position of the latest earlier executed record.
    pub(crate) baseline: Option<u32>,
    /// Position of the latest earlier record that decided fields.
    pub(crate) previous: Option<u32>,
}

impl Spine {
    pub(crate) async fn read(
        session: &AuditSession,
        selected: &Selected,
    ) -> Result<Self, AuditError> {
        let (condition, parameters) = selected.condition();
        let sql = format!(
            "select record_id, decision = 'executed' as is_executed, field_count is not null as has_fields
             from records where {condition}
             order by timestamp nulls first, source, line, record_id"
        );
        let answer = session.sql(&sql, &parameters).await?;
        let mut steps = Vec::with_capacity(answer.rows());
        for rows in read(&answer)? {
            steps.extend(rows.iter().map(step));
        }
        let mut spine = Self(steps);
        if selected.action_key.is_some() {
            spine.look_back();
        }
        Ok(spine)
    }

    /// Unkeyed records are no chain: none is another one's baseline.
    fn look_back(&mut self) {
        let (mut baseline, mut previous) = (None, None);
        for (position, step) in (0..).zip(&mut self.0) {
            (step.baseline, step.previous) = (baseline, previous);
            if step.is_executed {
                baseline = Some(position);
            }
            if step.has_fields {
                previous = Some(position);
            }
        }
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.0
    }

    pub(crate) fn by_record_id(&self) -> HashMap<i64, u32> {
        self.0.iter().map(|step| step.record_id).zip(0..).collect()
    }

    pub(crate) fn positions_of(&self, record_ids: &[i64]) -> Vec<usize> {
        let steps = self.0.iter().enumerate();
        let wanted = steps.filter(|(_, step)| record_ids.contains(&step.record_id));
        wanted.map(|(position, _)| position).collect()
    }
}

fn step(row: Row<'_>) -> Step {
    Step {
        record_id: row.integer("record_id").unwrap_or_default(),
        is_executed: row.boolean("is_executed").unwrap_or_default(),
        has_fields: row.boolean("has_fields").unwrap_or_default(),
        baseline: None,
        previous: None,
    }
}

impl Selected {
    /// The chain's records as a condition: all of a key, or those without one that were asked for.
    pub(crate) fn condition(&self) -> (String, Parameters) {
        match &self.action_key {
            Some(key) => ("action_key = $wanted".to_owned(), wanted(key)),
            None => {
                let condition = format!("action_key is null and {}", among(&self.focus));
                (condition, Parameters::new())
            }
        }
    }
}

/// A condition that picks records; the range lets pages of a file be passed over.
pub(crate) fn among(record_ids: &[i64]) -> String {
    let (Some(first), Some(last)) = (record_ids.iter().min(), record_ids.iter().max()) else {
        return "false".to_owned();
    };
    let ids: Vec<String> = record_ids.iter().map(i64::to_string).collect();
    format!(
        "record_id between {first} and {last} and record_id in ({})",
        ids.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_record_looks_back_to_the_latest() {
        let step = |is_executed, has_fields| Step {
            record_id: 0,
            is_executed,
            has_fields,
            baseline: None,
            previous: None,
        };
        let mut spine = Spine(vec![
            step(false, false),
            step(false, true),
            step(true, true),
            step(false, false),
            step(true, true),
            step(false, true),
        ]);
        spine.look_back();
        let looks: Vec<_> = spine
            .steps()
            .iter()
            .map(|s| (s.baseline, s.previous))
            .collect();
        assert_eq!(
            looks,
            [
                (None, None),
                (None, None),
                (None, Some(1)),
                (Some(2), Some(2)),
                (Some(2), Some(2)),
                (Some(4), Some(4)),
            ]
        );
    }
}
