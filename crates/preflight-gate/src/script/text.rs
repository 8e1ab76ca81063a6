//! A scripted run for a reader.

use std::fmt::Write;

use preflight_record::{Field, Record};

use super::ScriptRun;
use crate::visible::visible;

impl ScriptRun {
    /// The run for a reader: each record with what is known, from where, and what is missing.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for record in &self.records {
            // Writing to a String does not fail.
            let _ = describe(&mut text, record);
        }
        for (name, arguments) in &self.calls {
            let _ = writeln!(
                text,
                "called {} {}",
                visible(name),
                visible(arguments.as_str())
            );
        }
        let _ = writeln!(text, "{}", self.status);
        text
    }
}

fn describe(text: &mut String, record: &Record<'_>) -> std::fmt::Result {
    writeln!(text, "{}", record.execution_decision.as_str())?;
    if let Some(reason) = record.reason.given() {
        writeln!(text, "  {}", visible(reason))?;
    }
    if let Some(key) = record.action_key.given() {
        writeln!(text, "  action key  {}", visible(key))?;
    }
    for field in record.fields.given().into_iter().flatten() {
        writeln!(text, "  {}", visible(&field_line(field)))?;
    }
    for item in record.user_checklist.given().into_iter().flatten() {
        let id = item.id.given().map_or("", |id| id);
        let status = item
            .status
            .given()
            .map_or("not checked", |status| status.as_str());
        let note = item
            .note
            .given()
            .map_or(String::new(), |note| format!(" ({note})"));
        writeln!(text, "  {}", visible(&format!("{id}  {status}{note}")))?;
    }
    let gate = record.gate.given();
    if let Some(message) = gate.and_then(|gate| gate.user_message.given()) {
        writeln!(text, "  to the user  {}", visible(message))?;
    }
    Ok(())
}

fn field_line(field: &Field<'_>) -> String {
    let name = &field.name;
    let Some(value) = field.value.given() else {
        let note = field
            .note
            .given()
            .map_or(String::new(), |note| format!(" ({note})"));
        return format!("{name}  unknown{note}");
    };
    let source = field.source.given().map_or("nowhere", |source| source);
    match field.origin_source.given() {
        Some(origin) if origin != source => format!("{name}  {value}  {source}, first {origin}"),
        _ => format!("{name}  {value}  {source}"),
    }
}
