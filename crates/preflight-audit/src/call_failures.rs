//! What a failed call's message means, as data: refusal or transport.

use std::sync::Arc;

use datafusion::arrow::{
    array::{ArrayRef, Int64Array, StringViewArray},
    error::ArrowError,
    record_batch::RecordBatch,
};
use serde::Deserialize;

/// One pattern of `data/call_failures.csv`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallFailure {
    /// `refusal` or `transport`.
    pub kind: String,
    /// A regular expression, matched anywhere in the message, without regard to case.
    pub pattern: String,
    /// A message that it matches.
    pub example: String,
}

/// Reads the patterns of a file, the first to be tried first.
pub(crate) fn parse(text: &[u8]) -> Result<Vec<CallFailure>, (usize, String)> {
    let mut reader = csv::Reader::from_reader(text);
    let mut failures = Vec::new();
    for row in reader.deserialize::<CallFailure>() {
        let row = row.map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line);
            (line as usize, error.to_string())
        })?;
        let line = failures.len() + 2;
        if !["refusal", "transport"].contains(&&*row.kind) {
            return Err((
                line,
                format!("{:?} is neither refusal nor transport", row.kind),
            ));
        }
        failures.push(row);
    }
    Ok(failures)
}

/// The table `call_failures`.
pub(crate) fn batch(failures: &[CallFailure]) -> Result<RecordBatch, ArrowError> {
    let text = |of: fn(&CallFailure) -> &str| -> ArrayRef {
        Arc::new(StringViewArray::from_iter_values(failures.iter().map(of)))
    };
    let rank = Int64Array::from_iter_values(1..=failures.len() as i64);
    RecordBatch::try_from_iter([
        ("rank", Arc::new(rank) as ArrayRef),
        ("kind", text(|failure| &failure.kind)),
        ("pattern", text(|failure| &failure.pattern)),
        ("example", text(|failure| &failure.example)),
    ])
}
