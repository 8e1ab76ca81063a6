//! Findings with what explains them: what the documents (SARIF, JUnit, HTML) are made of.

use std::collections::BTreeMap;

use preflight_audit::{Answer, AuditSession, NotApplicable, Rule};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{output, plain};

/// The columns of a [`Finding`], of `findings f`, `records r` and `sources s`.
pub(crate) const COLUMNS: &str = "f.*, r.byte_offset, r.byte_length, s.path";

/// One finding. Its texts are safe to show, `path` alone is as it was given.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(crate) struct Finding {
    pub(crate) id: String,
    pub(crate) group: String,
    pub(crate) code: String,
    pub(crate) name: String,
    pub(crate) class: String,
    pub(crate) severity: String,
    pub(crate) source: String,
    pub(crate) path: String,
    pub(crate) line: u64,
    pub(crate) byte_offset: u64,
    pub(crate) byte_length: u64,
    pub(crate) action_key: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) field: Option<String>,
    pub(crate) timestamp: Option<String>,
    pub(crate) decision: String,
    pub(crate) record_digest: String,
    pub(crate) detail: Option<String>,
    pub(crate) rule_version: String,
    pub(crate) record_id: u64,
    /// Why it is set aside.
    pub(crate) suppression: Option<String>,
    /// Beside earlier findings: new or persisting.
    #[serde(default)]
    pub(crate) status: Option<String>,
}

impl Finding {
    /// What was found, in words.
    pub(crate) fn words(&self) -> &str {
        self.detail.as_deref().unwrap_or(&self.name)
    }
}

/// What the selected rules found.
pub(crate) struct Report<'s> {
    pub(crate) session: &'s AuditSession,
    /// The rules that were asked for, by code.
    pub(crate) rules: Vec<&'s Rule>,
    /// Ordered by time, source and line.
    pub(crate) findings: Vec<Finding>,
    /// The rules that read what some records are too old for.
    pub(crate) not_applicable: Vec<NotApplicable>,
    /// How many there are with those that a limit leaves out.
    pub(crate) total: u64,
}

impl Report<'_> {
    /// The findings of each rule, those of none among them.
    pub(crate) fn by_rule(&self) -> Vec<(&Rule, Vec<&Finding>)> {
        let mut found: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
        for finding in &self.findings {
            found.entry(&finding.code).or_default().push(finding);
        }
        let rules = self.rules.iter();
        rules
            .map(|rule| (*rule, found.remove(rule.code.as_str()).unwrap_or_default()))
            .collect()
    }
}

/// The findings of an answer with the columns [`COLUMNS`].
pub(crate) fn findings(answer: &Answer) -> anyhow::Result<Vec<Finding>> {
    let mut lines = Vec::new();
    output::write_lines(&mut lines, answer)?;
    let rows = serde_json::Deserializer::from_slice(&lines).into_iter::<Value>();
    rows.map(|row| Ok(serde_json::from_value(shown(row?))?))
        .collect()
}

/// A row with its texts made safe to show.
fn shown(mut row: Value) -> Value {
    for (name, value) in row.as_object_mut().into_iter().flatten() {
        if let Value::String(text) = value
            && name != "path"
        {
            *text = plain::text(text).into_owned();
        }
    }
    row
}
