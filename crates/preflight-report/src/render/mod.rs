//! A report in the formats that people and programs read.

mod csv;
mod html;
mod markdown;

pub use self::{
    csv::{csv, suggestions_csv},
    html::html,
    markdown::markdown,
};

use preflight_audit::plain;

use crate::{ReportError, Suggestion, model::Report};

/// Suggestions on a page or in a document, the most counted ones; JSON and CSV have all.
const SUGGESTIONS_SHOWN: usize = 1_000;

/// The report as one JSON object; characters that could deceive a reader are escaped.
///
/// # Errors
///
/// It can't be written as JSON, which does not happen.
pub fn json(report: &Report) -> Result<String, ReportError> {
    let json = serde_json::to_string_pretty(report);
    let json = json.map_err(|error| ReportError::Definitions(error.to_string()))?;
    Ok(format!("{}\n", plain::json(&json)))
}

/// The suggestions that a reader is shown, and how many more there are.
fn suggestions_shown(report: &Report) -> (&[Suggestion], usize) {
    let all = report.suggestions.as_slice();
    let shown = all.get(..SUGGESTIONS_SHOWN).unwrap_or(all);
    (shown, all.len() - shown.len())
}

/// A patch, one operation a line.
pub(crate) fn patch_lines(patch: &serde_json::Value) -> Vec<String> {
    let operations = patch.as_array().into_iter().flatten();
    let lines = operations.map(|operation| plain::json(&operation.to_string()).into_owned());
    lines.collect()
}

/// A share in per cent, to two places: the same in each format.
pub(crate) fn percent(rate: f64) -> String {
    format!("{:.2} %", rate * 100.0)
}

/// A count, or that it is of too few users.
pub(crate) fn count(count: Option<u64>, min_users: u64) -> String {
    count.map_or_else(|| format!("< {min_users} users"), |count| count.to_string())
}
