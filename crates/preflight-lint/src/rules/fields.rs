//! Rules on fields.

use serde_json::{Map, Value};

use super::Found;
use crate::{definitions::Definition, places::escaped};

type Schema = Map<String, Value>;

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

fn each(tool: &Definition, check: impl Fn(&str, &Schema) -> Option<String>) -> Vec<Found> {
    let found = tool.properties().filter_map(|(name, schema)| {
        let says = check(name, schema)?;
        let at = format!("/inputSchema/properties/{}", escaped(name));
        Some(Found::new(at, says).of(name))
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

pub(super) fn required_undeclared(tool: &Definition) -> Vec<Found> {
    let schema = tool.schema.as_ref();
    let properties = schema.and_then(|schema| schema.get("properties"));
    let found = tool.required().filter_map(|(at, name)| {
        let is_declared = properties.is_some_and(|properties| properties.get(name).is_some());
        let at = format!("/inputSchema/required/{at}");
        let found = || Found::new(at, "required, and not declared in properties").of(name);
        (!is_declared).then(found)
    });
    found.collect()
}

pub(super) fn type_missing(tool: &Definition) -> Vec<Found> {
    each(tool, |_, schema| {
        let is_typed = TYPING.iter().any(|key| schema.contains_key(*key));
        (!is_typed).then(|| "the field has no type".to_owned())
    })
}

pub(super) fn description_missing(tool: &Definition) -> Vec<Found> {
    each(tool, |_, schema| {
        let is_missing = description(schema).is_empty() && !schema.contains_key("$ref");
        is_missing.then(|| "the field has no description".to_owned())
    })
}

pub(super) fn format_missing(tool: &Definition) -> Vec<Found> {
    each(tool, |name, schema| {
        let constrained = ["format", "pattern", "enum", "const"];
        if !is_text(schema) || constrained.iter().any(|key| schema.contains_key(*key)) {
            return None;
        }
        let word = last_word(name);
        let (_, format) = FORMATS.iter().find(|(last, _)| *last == word)?;
        Some(format!(
            "the name speaks of a {format}, and no format is declared"
        ))
    })
}

pub(super) fn enum_in_prose(tool: &Definition) -> Vec<Found> {
    each(tool, |_, schema| {
        let constrained = ["enum", "const", "pattern", "format"];
        if !is_text(schema) || constrained.iter().any(|key| schema.contains_key(*key)) {
            return None;
        }
        let values = listed(description(schema))?;
        Some(format!(
            "the description lists values, and no enum does: {}",
            values.join(", ")
        ))
    })
}

/// The values of "one of a, b or c" and of "a|b|c".
fn listed(text: &str) -> Option<Vec<&str>> {
    let piped = text
        .split_whitespace()
        .find(|word| word.matches('|').count() > 0);
    let values: Vec<&str> = match piped {
        Some(word) => word.split('|').collect(),
        None => {
            let lower = text.to_ascii_lowercase();
            let start = lower.find("one of")? + "one of".len();
            let list = text.get(start..)?.trim_start_matches(':');
            let list = list.split(['.', ';', ')']).next()?;
            list.split(',')
                .flat_map(|part| part.split(" or "))
                .collect()
        }
    };
    let bare = |value: &str| !value.is_empty() && !value.contains(char::is_whitespace);
    let values: Vec<&str> = values
        .into_iter()
        .map(|value| value.trim().trim_start_matches("or "))
        .map(|value| value.trim_matches(|c: char| !c.is_alphanumeric()))
        .collect();
    // "One of the user's accounts" lists nothing.
    (values.len() > 1 && values.iter().all(|value| bare(value))).then_some(values)
}

pub(super) fn unanswerable(tool: &Definition) -> Vec<Found> {
    let is_required = |name: &str| tool.required().any(|(_, required)| required == name);
    each(tool, |name, schema| {
        let is_open = !["default", "enum", "const"]
            .iter()
            .any(|key| schema.contains_key(*key));
        let is_bare = description(schema).is_empty();
        let is_machine_made = MACHINE_MADE.contains(&&*last_word(name));
        (is_required(name) && is_open && is_bare && is_machine_made)
            .then(|| "no user can know this value, and nothing says where it is found".to_owned())
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

    #[test]
    fn values_in_prose() {
        assert_eq!(
            listed("One of: low, high or urgent."),
            Some(vec!["low", "high", "urgent"])
        );
        assert_eq!(listed("Urgency (low|high)"), Some(vec!["low", "high"]));
        assert_eq!(listed("One of the user's accounts, or none at all"), None);
        assert_eq!(listed("Free text"), None);
    }
}
