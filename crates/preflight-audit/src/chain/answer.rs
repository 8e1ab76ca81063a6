//! Which question an answer of the user replies to.

use std::collections::HashMap;

use serde::Serialize;

use super::{
    ChainField,
    selector::{Selected, read},
    spine::Spine,
};
use crate::{AuditError, AuditSession};

/// Whether a value with source `user_answer` was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Answer {
    /// An earlier record asked for the field.
    Asked {
        /// Number of the latest such record.
        record: usize,
    },
    /// No earlier record of the chain did.
    Unasked,
}

/// Which records of a chain asked for which field.
#[derive(Debug, Default)]
pub(crate) struct Questions(HashMap<String, Vec<u32>>);

impl Questions {
    pub(crate) async fn read(
        session: &AuditSession,
        selected: &Selected,
        spine: &Spine,
    ) -> Result<Self, AuditError> {
        let mut questions = Self::default();
        if selected.action_key.is_none() {
            return Ok(questions);
        }
        let sql = "select distinct a.record_id, a.subject
            from asks a
            join records r on r.record_id = a.record_id
            where a.action_key = $wanted and r.action_key = $wanted
                and a.kind = 'unknown_field' and r.decision = 'ask_user'";
        let (_, parameters) = selected.condition();
        let answer = session.sql(sql, &parameters).await?;
        let positions = spine.by_record_id();
        for rows in read(&answer)? {
            for row in rows.iter() {
                let position = row.integer("record_id").and_then(|id| positions.get(&id));
                if let (Some(position), Some(subject)) = (position, row.owned("subject")) {
                    questions.0.entry(subject).or_default().push(*position);
                }
            }
        }
        questions
            .0
            .values_mut()
            .for_each(|positions| positions.sort_unstable());
        Ok(questions)
    }

    /// Which question the field at a position answers; none if it is not from the user's answer.
    pub(crate) fn answered_by(&self, field: &ChainField, position: usize) -> Option<Answer> {
        if !field.is_known() || field.source.named() != Some("user_answer") {
            return None;
        }
        let asked = self.0.get(&field.name).map_or(&[][..], Vec::as_slice);
        let earlier = asked.partition_point(|asked| (*asked as usize) < position);
        Some(match earlier.checked_sub(1) {
            Some(latest) => Answer::Asked {
                record: asked[latest] as usize + 1,
            },
            None => Answer::Unasked,
        })
    }
}
