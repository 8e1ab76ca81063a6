//! Gaps, one row each, for spreadsheets.

use std::collections::HashMap;

use preflight_audit::plain;
use serde_json::Value;

use crate::{
    ReportError,
    model::{Checked, Report},
};

const COLUMNS: [&str; 18] = [
    "provider",
    "from",
    "until",
    "tool",
    "code",
    "cause",
    "field",
    "status",
    "gaps",
    "gaps_before",
    "episodes",
    "users",
    "tool_calls",
    "tool_episodes",
    "tool_users",
    "rate",
    "first_seen",
    "last_seen",
];

const SUGGESTION_COLUMNS: [&str; 16] = [
    "provider",
    "from",
    "until",
    "rule",
    "definition_rule",
    "tool",
    "field",
    "pointer",
    "suggestion",
    "counted",
    "count",
    "episodes",
    "tool_episodes",
    "users",
    "records",
    "patch",
];

/// The suggestions of a report as comma-separated values; without one, the header alone.
///
/// # Errors
///
/// It can't be written, which does not happen.
pub fn suggestions_csv(report: &Report) -> Result<String, ReportError> {
    let number = |number: Option<u64>| number.map_or_else(String::new, |n| n.to_string());
    let rows = report.suggestions.iter().map(|suggestion| {
        let patch = suggestion.patch.as_ref().map(Value::to_string);
        vec![
            plain::cell(&report.provider),
            report.period.from.clone(),
            report.period.until.clone(),
            plain::cell(&suggestion.rule),
            suggestion.definition_rule.unwrap_or_default().to_owned(),
            plain::cell(&suggestion.tool),
            plain::cell(suggestion.field.as_deref().unwrap_or_default()),
            plain::cell(&suggestion.pointer),
            plain::cell(&suggestion.says),
            suggestion.counted.to_owned(),
            suggestion.count.to_string(),
            number(suggestion.episodes),
            number(suggestion.tool_episodes),
            suggestion.users.to_string(),
            suggestion.records.join(" "),
            plain::json(&patch.unwrap_or_default()).into_owned(),
        ]
    });
    written(&SUGGESTION_COLUMNS, rows)
}

fn written(
    columns: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> Result<String, ReportError> {
    let fault = |error: &dyn std::fmt::Display| ReportError::Definitions(error.to_string());
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer
        .write_record(columns)
        .map_err(|error| fault(&error))?;
    for row in rows {
        writer.write_record(row).map_err(|error| fault(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| fault(&error))?;
    String::from_utf8(bytes).map_err(|error| fault(&error))
}

/// The gaps of a report as comma-separated values; without a gap, the header alone.
///
/// # Errors
///
/// It can't be written, which does not happen.
pub fn csv(report: &Report) -> Result<String, ReportError> {
    let number = |number: Option<u64>| number.map_or_else(String::new, |n| n.to_string());
    let tools = report
        .tools
        .iter()
        .map(|tool| (tool.tool.as_str(), tool.checked));
    let tools: HashMap<&str, Checked> = tools.collect();
    let rows = report.gaps.iter().map(|gap| {
        let checked = tools.get(gap.tool.as_str()).copied().unwrap_or_default();
        vec![
            plain::cell(&report.provider),
            report.period.from.clone(),
            report.period.until.clone(),
            plain::cell(&gap.tool),
            gap.code.clone(),
            gap.cause.clone(),
            plain::cell(gap.field.as_deref().unwrap_or_default()),
            gap.status.words().to_owned(),
            gap.gaps.to_string(),
            number(gap.gaps_before),
            gap.episodes.to_string(),
            gap.users.to_string(),
            number(checked.calls),
            gap.tool_episodes.to_string(),
            number(checked.users),
            gap.rate.to_string(),
            gap.first_seen.clone(),
            gap.last_seen.clone(),
        ]
    });
    written(&COLUMNS, rows)
}
