//! Rules on an input schema as a whole.

use preflight_gate::SchemaFault;
use serde_json::{Value, json};

use super::{Found, Subject};
use crate::{definitions::Definition, places::escaped};

const SCHEMA: &str = "/inputSchema";

pub(super) fn input_schema_missing(tool: &Subject<'_>) -> Vec<Found> {
    let found = || Found::new(SCHEMA, "the tool has no inputSchema");
    let is_missing = tool.definition.schema().is_none();
    is_missing.then(found).into_iter().collect()
}

pub(super) fn schema_unsupported(tool: &Subject<'_>) -> Vec<Found> {
    let schema = tool.definition.schema();
    let reason = schema.and_then(|_| tool.definition.gated.schema_unsupported());
    let found = |reason: &str| {
        let keyword = if reason.contains(' ') {
            ""
        } else {
            " at the root"
        };
        let says = format!("the gate holds each call: {reason}{keyword}");
        // Right where one of the alternatives is to be given, and what every gate reads.
        let is_alone = schema.is_some_and(|schema| schema.get("oneOf").is_none());
        let moved = (reason == "anyOf" && is_alone).then(|| {
            let (from, path) = (format!("{SCHEMA}/anyOf"), format!("{SCHEMA}/oneOf"));
            vec![json!({"op": "move", "from": from, "path": path})]
        });
        Found::new(SCHEMA, says).fixed_by(moved)
    };
    reason.map(found).into_iter().collect()
}

/// What the gate cannot compile. References that leave the schema are another rule's, and hide
/// nothing of what else is wrong.
pub(super) fn schema_invalid(tool: &Subject<'_>) -> Vec<Found> {
    let Some(schema) = tool.definition.schema() else {
        return Vec::new();
    };
    let faults = match references(schema).is_empty() {
        true => tool.definition.gated.schema_faults(),
        false => faults_without_references(tool.definition, schema),
    };
    let found = |fault: SchemaFault| Found::new(format!("{SCHEMA}{}", fault.pointer), fault.reason);
    faults.into_iter().map(found).collect()
}

fn faults_without_references(definition: &Definition, schema: &Value) -> Vec<SchemaFault> {
    let mut schema = schema.clone();
    cut(&mut schema);
    let mut value = definition.value.clone();
    value["inputSchema"] = schema;
    definition.with(&value).gated.schema_faults()
}

pub(super) fn remote_reference(tool: &Subject<'_>) -> Vec<Found> {
    let references = tool.definition.schema().map(references);
    let references = references.unwrap_or_default().into_iter();
    let found = references.map(|(at, target)| {
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

fn is_remote(name: &str, value: &Value) -> bool {
    let is_reference = matches!(name, "$ref" | "$dynamicRef");
    is_reference
        && value
            .as_str()
            .is_some_and(|target| !target.starts_with('#'))
}

/// Data, not schemas.
fn is_data(name: &str) -> bool {
    matches!(name, "enum" | "const" | "default" | "examples")
}

/// Keywords whose members are names, whatever they are called.
fn holds_names(name: &str) -> bool {
    matches!(
        name,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
    )
}

fn gather(value: &Value, at: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let at = format!("{at}/{}", escaped(name));
                match value.as_str() {
                    Some(target) if is_remote(name, value) => found.push((at, target.to_owned())),
                    _ if is_data(name) => {}
                    _ if holds_names(name) => {
                        for (name, value) in value.as_object().into_iter().flatten() {
                            gather(value, &format!("{at}/{}", escaped(name)), found);
                        }
                    }
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

/// Takes the references out that leave the schema.
fn cut(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, value| !is_remote(name, value));
            for (name, value) in members.iter_mut().filter(|(name, _)| !is_data(name)) {
                match value.as_object_mut() {
                    Some(named) if holds_names(name) => named.values_mut().for_each(cut),
                    _ => cut(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(cut),
        _ => {}
    }
}
