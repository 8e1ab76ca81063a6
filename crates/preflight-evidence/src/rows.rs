//! Rows of an answer as values of Rust.

use arrow::json::LineDelimitedWriter;
use preflight_audit::Answer;
use serde::de::DeserializeOwned;

use crate::EvidenceError;

/// The rows of an answer, by column names.
pub(crate) fn rows<T: DeserializeOwned>(answer: &Answer) -> Result<Vec<T>, EvidenceError> {
    let mut json = Vec::new();
    let mut writer = LineDelimitedWriter::new(&mut json);
    for batch in &answer.batches {
        writer.write(batch)?;
    }
    writer.finish()?;
    let rows = serde_json::Deserializer::from_slice(&json).into_iter();
    Ok(rows.collect::<Result<_, _>>()?)
}
