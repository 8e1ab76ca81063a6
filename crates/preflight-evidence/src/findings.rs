//! The findings of a case.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::{
    index::RecordEntry,
    subject::{FindingRow, RecordRow},
};

/// One finding of `findings.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseFinding {
    /// Stable id: the same records, unmasked, give the same one.
    pub id: String,
    /// Code of the rule.
    pub code: String,
    /// Name of the rule.
    pub name: String,
    /// Group of the rule.
    pub group: String,
    /// What kind of failure it is.
    pub class: String,
    /// How much it matters.
    pub severity: String,
    /// Number of the record in this case.
    pub record: usize,
    /// Field, checklist item or slot that it is about.
    pub field: Option<String>,
    /// What was found, in words.
    pub detail: Option<String>,
    /// Version of the rule: the beginning of BLAKE3 of its file.
    pub rule_version: String,
}

/// What a finding is about: rule, record, field, and which of several equal ones it is.
pub(crate) type FindingKey = (String, usize, Option<String>, usize);

impl CaseFinding {
    pub(crate) fn new(record: usize, row: FindingRow) -> Self {
        Self {
            id: row.id,
            code: row.code,
            name: row.name,
            group: row.group,
            class: row.class,
            severity: row.severity,
            record,
            field: row.field,
            detail: row.detail,
            rule_version: row.rule_version,
        }
    }

    /// Whether another run found the same; the id hangs on the record's bytes, which masking changes.
    pub(crate) fn says_the_same(&self, other: &Self, with_id: bool) -> bool {
        let mut other = other.clone();
        if !with_id {
            other.id.clone_from(&self.id);
        }
        *self == other
    }
}

/// Findings by what they are about, in their order.
pub(crate) fn keyed<'f>(
    findings: impl IntoIterator<Item = &'f CaseFinding>,
) -> Vec<(FindingKey, &'f CaseFinding)> {
    let mut seen: HashMap<(&str, usize, Option<&str>), usize> = HashMap::new();
    let mut keyed = Vec::new();
    for finding in findings {
        let about = (&*finding.code, finding.record, finding.field.as_deref());
        let nth = seen.entry(about).or_default();
        *nth += 1;
        let key = (
            finding.code.clone(),
            finding.record,
            finding.field.clone(),
            *nth,
        );
        keyed.push((key, finding));
    }
    keyed
}

/// The findings of rows, by record, code and field.
pub(crate) fn of_rows(rows: Vec<FindingRow>, numbers: &HashMap<i64, usize>) -> Vec<CaseFinding> {
    let mut findings: Vec<CaseFinding> = rows
        .into_iter()
        .filter_map(|row| Some(CaseFinding::new(*numbers.get(&row.record_id)?, row)))
        .collect();
    findings.sort_by(|a, b| a.order().cmp(&b.order()));
    findings
}

/// The numbers of records by their ids in a lake.
pub(crate) fn numbers(rows: &[RecordRow], entries: &[RecordEntry]) -> HashMap<i64, usize> {
    let entries = entries.iter().map(|entry| entry.number);
    rows.iter().map(|row| row.record_id).zip(entries).collect()
}

impl CaseFinding {
    fn order(&self) -> (usize, &str, Option<&str>, Option<&str>) {
        (
            self.record,
            &self.code,
            self.field.as_deref(),
            self.detail.as_deref(),
        )
    }
}
