//! Rules on an input schema as a whole.

use jsonschema::PatternOptions;
use serde_json::Value;

use super::Found;
use crate::{definitions::Definition, places::escaped};

const SCHEMA: &str = "/inputSchema";

pub(super) fn input_schema_missing(tool: &Definition) -> Vec<Found> {
    let found = || Found::new(SCHEMA, "the tool has no inputSchema");
    tool.schema.is_none().then(found).into_iter().collect()
}

pub(super) fn schema_unsupported(tool: &Definition) -> Vec<Found> {
    let reason = tool.schema.as_ref().and(tool.unsupported.as_ref());
    let found = |reason| Found::new(SCHEMA, format!("the gate holds each call: {reason}"));
    reason.map(found).into_iter().collect()
}

/// As the gate compiles it. What is wrong with a remote reference another rule tells.
pub(super) fn schema_invalid(tool: &Definition) -> Vec<Found> {
    let Some(schema) = &tool.schema else {
        return Vec::new();
    };
    if !references(schema).is_empty() {
        return Vec::new();
    }
    let compiled = jsonschema::options()
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::regex())
        .offline()
        .build(schema);
    let found = |error: jsonschema::ValidationError<'_>| {
        let at = format!("{SCHEMA}{}", error.instance_path());
        Found::new(at, format!("the schema cannot be used: {}", error.masked()))
    };
    compiled.err().map(found).into_iter().collect()
}

pub(super) fn remote_reference(tool: &Definition) -> Vec<Found> {
    let references = tool.schema.as_ref().map(references).unwrap_or_default();
    let found = references.into_iter().map(|(at, target)| {
        let says = format!("{target:?} is not part of the definition");
        Found::new(format!("{SCHEMA}{at}"), says)
    });
    found.collect()
}

/// The references that leave the schema, each with its place. An own `$id` may be their base, and
/// then only a compiler can tell.
fn references(schema: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if schema.get("$id").is_none() {
        gather(schema, "", &mut found);
    }
    found
}

fn gather(value: &Value, at: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let at = format!("{at}/{}", escaped(name));
                match (name.as_str(), value) {
                    ("$ref" | "$dynamicRef", Value::String(target)) if !target.starts_with('#') => {
                        found.push((at, target.clone()));
                    }
                    // Data, not schemas.
                    ("enum" | "const" | "default" | "examples", _) => {}
                    _ => gather(value, &at, found),
                }
            }
        }
        Value::Array(values) => {
            for (position, value) in values.iter().enumerate() {
                gather(value, &format!("{at}/{position}"), found);
            }
        }
        _ => {}
    }
}
