//! Rules on fields.

use serde_json::{Value, json};

use super::{Found, Subject};
use crate::{
    fields::{Field, Schema},
    patch::operation,
    prose,
};

/// Keywords that say what a value may be.
const TYPING: [&str; 8] = [
    "type",
    "enum",
    "const",
    "$ref",
    "$dynamicRef",
    "oneOf",
    "anyOf",
    "allOf",
];
/// Last words of a name, and the format that they speak of.
const FORMATS: [(&str, &str); 9] = [
    ("date", "date"),
    ("time", "time"),
    ("datetime", "date-time"),
    ("timestamp", "date-time"),
    ("email", "email"),
    ("url", "uri"),
    ("uri", "uri"),
    ("uuid", "uuid"),
    ("hostname", "hostname"),
];
/// Last words of names whose values systems make.
const MACHINE_MADE: [&str; 9] = [
    "id", "uuid", "guid", "token", "nonce", "hash", "digest", "checksum", "cursor",
];

/// Keywords that leave no choice, or a small one.
const CONSTRAINING: [&str; 4] = ["format", "pattern", "enum", "const"];

/// What is wrong with each field, and the keyword that would mend it where the value is certain.
fn each(
    tool: &Subject<'_>,
    check: impl Fn(&Field<'_>) -> Option<(String, Option<(&'static str, Value)>)>,
) -> Vec<Found> {
    let found = tool.fields.declared.iter().filter_map(|field| {
        let (says, keyword) = check(field)?;
        let at = format!("/inputSchema{}", field.pointer);
        let fix = keyword.map(|(key, value)| {
            vec![
                json!({"op": "test", "path": at, "value": field.schema}),
                operation("add", &format!("{at}/{key}"), &value),
            ]
        });
        Some(Found::new(at, says).of(&field.path).fixed_by(fix))
    });
    found.collect()
}

fn description(schema: &Schema) -> &str {
    let text = schema.get("description").and_then(Value::as_str);
    text.unwrap_or_default().trim()
}

fn is_text(schema: &Schema) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("string")
}

/// The last word of `accountId`, `account_id` or `account-id`, in lower case.
fn last_word(name: &str) -> String {
    let mut word: Vec<char> = Vec::new();
    let mut is_after_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && is_after_lower) {
            word.clear();
        }
        is_after_lower = c.is_lowercase();
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    word.into_iter().collect()
}

/// Whether any text fits.
fn is_any_text(schema: &Schema) -> bool {
    is_text(schema) && !has(schema, &CONSTRAINING)
}

fn has(schema: &Schema, keys: &[&str]) -> bool {
    keys.iter().any(|key| schema.contains_key(*key))
}

pub(super) fn required_undeclared(tool: &Subject<'_>) -> Vec<Found> {
    let found = tool.fields.undeclared.iter().map(|name| {
        let at = format!("/inputSchema{}", name.pointer);
        Found::new(at, "required, and not declared in properties").of(&name.path)
    });
    found.collect()
}

pub(super) fn type_missing(tool: &Subject<'_>) -> Vec<Found> {
    each(tool, |field| {
        let is_missing = !has(field.schema, &TYPING);
        is_missing.then(|| {
            let evident = evident_type(field.schema).map(|kind| ("type", kind.into()));
            ("the field has no type".to_owned(), evident)
        })
    })
}

/// The type that the other keywords speak of.
fn evident_type(schema: &Schema) -> Option<&'static str> {
    let speaks = |keys: &[&str]| has(schema, keys);
    if speaks(&["properties", "additionalProperties", "patternProperties"]) {
        return Some("object");
    }
    if speaks(&["items", "prefixItems", "minItems", "maxItems"]) {
        return Some("array");
    }
    if speaks(&["pattern", "format", "minLength", "maxLength"]) {
        return Some("string");
    }
    match schema.get("default")? {
        Value::String(_) => Some("string"),
        Value::Bool(_) => Some("boolean"),
        _ => None,
    }
}

pub(super) fn description_missing(tool: &Subject<'_>) -> Vec<Found> {
    each(tool, |field| {
        let is_missing = description(field.schema).is_empty() && !field.schema.contains_key("$ref");
        is_missing.then(|| ("the field has no description".to_owned(), None))
    })
}

pub(super) fn format_missing(tool: &Subject<'_>) -> Vec<Found> {
    each(tool, |field| {
        let word = last_word(field.name);
        let (_, format) = FORMATS.iter().find(|(last, _)| *last == word)?;
        is_any_text(field.schema).then(|| {
            let says = format!("the name speaks of the format {format}, and none is declared");
            (says, Some(("format", (*format).into())))
        })
    })
}

pub(super) fn enum_in_prose(tool: &Subject<'_>) -> Vec<Found> {
    each(tool, |field| {
        let values = prose::values(description(field.schema))?;
        is_any_text(field.schema).then(|| {
            let listed = values.join(", ");
            let says = format!("the description lists values, and no enum does: {listed}");
            (says, Some(("enum", values.into())))
        })
    })
}

pub(super) fn default_in_prose(tool: &Subject<'_>) -> Vec<Found> {
    each(tool, |field| {
        if has(field.schema, &["default", "const"]) {
            return None;
        }
        let default = prose::default(field.schema)?;
        let says = format!("the description names a default, and the schema does not: {default}");
        Some((says, Some(("default", default))))
    })
}

pub(super) fn unanswerable(tool: &Subject<'_>) -> Vec<Found> {
    each(tool, |field| {
        let is_open = !has(field.schema, &["default", "enum", "const"]);
        let is_bare = description(field.schema).is_empty();
        let is_machine_made = MACHINE_MADE.contains(&&*last_word(field.name));
        (field.is_required && is_open && is_bare && is_machine_made).then(|| {
            let says = "no user can know this value, and nothing says where it is found";
            (says.to_owned(), None)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_of_a_name() {
        for name in ["accountId", "account_id", "ACCOUNT-ID", "id", "ID"] {
            assert_eq!(last_word(name), "id", "{name}");
        }
        assert_eq!(last_word("paid"), "paid");
    }
}
