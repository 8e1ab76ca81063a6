//! What a field's description says that the schema could: values and a default.

use serde_json::{Number, Value};

use crate::fields::Schema;

/// Types, which are no values.
const TYPES: [&str; 9] = [
    "string", "number", "integer", "int", "boolean", "bool", "object", "array", "null",
];
/// What follows "one of" where no list does.
const NO_VALUES: [&str; 12] = [
    "the", "these", "those", "them", "us", "your", "our", "my", "its", "his", "her", "their",
];

/// The values of "one of: a, b or c" and of "a|b|c".
pub(crate) fn values(text: &str) -> Option<Vec<String>> {
    let piped = text.split_whitespace().find_map(piped);
    let values = piped.or_else(|| one_of(text))?;
    let is_value = |value: &String| {
        let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        value.starts_with(char::is_alphanumeric) && value.chars().all(is_inner)
    };
    let is_type = |value: &String| TYPES.contains(&value.to_lowercase().as_str());
    let is_list = values.len() > 1 && values.iter().all(is_value);
    let mut distinct: Vec<String> = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    (is_list && distinct.len() > 1 && !distinct.iter().any(is_type)).then_some(distinct)
}

/// A word of alternatives: `low|high`, with brackets or quotes around it.
fn piped(word: &str) -> Option<Vec<String>> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.contains('|').then(|| {
        let values = word.split('|');
        values.map(|value| unquoted(value).to_owned()).collect()
    })
}

fn one_of(text: &str) -> Option<Vec<String>> {
    let start = after(text, "one of")?;
    let list = text.get(start..)?.trim_start_matches([':', ' ']);
    let list = list.split(['.', ';', ')', '\n']).next()?;
    let parts = list.split(',').flat_map(|part| part.split(" or "));
    let parts = parts.map(|part| {
        let part = part.trim();
        unquoted(part.strip_prefix("or ").unwrap_or(part)).to_owned()
    });
    let values: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    let first = values.first()?.to_lowercase();
    (!NO_VALUES.contains(&first.as_str())).then_some(values)
}

/// The offset behind a phrase that stands as words of its own, whatever its case.
fn after(text: &str, phrase: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    lower.match_indices(phrase).find_map(|(at, _)| {
        let end = at + phrase.len();
        let starts = is_apart(lower[..at].chars().next_back());
        (starts && is_apart(lower[end..].chars().next())).then_some(end)
    })
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(|c: char| matches!(c, '"' | '\'' | '`' | '“' | '”' | '‘' | '’'))
}

/// The default that a description names, where it is certain which value is meant.
pub(crate) fn default(schema: &Schema) -> Option<Value> {
    let description = schema.get("description")?.as_str()?;
    let phrases = ["defaults to", "default is", "default:", "default"];
    let start = phrases
        .iter()
        .find_map(|phrase| after(description, phrase))?;
    let rest = description
        .get(start..)?
        .trim_start_matches([':', '=', ' ']);
    let word = rest.split([' ', ',', ';', ')', '\n']).next()?;
    let word = word.strip_suffix('.').unwrap_or(word);
    let bare = unquoted(word);
    let is_quoted = bare.len() + 2 <= word.len();
    match schema.get("type")?.as_str()? {
        "boolean" => bare.parse::<bool>().ok().map(Value::from),
        "integer" => bare.parse::<i64>().ok().map(Value::from),
        "number" => bare.parse::<Number>().ok().map(Value::from),
        // "Defaults to today" names no value.
        "string" => {
            let listed = schema.get("enum").and_then(Value::as_array);
            let is_listed = listed.is_some_and(|values| values.iter().any(|value| value == bare));
            let is_certain = !bare.is_empty() && (is_listed || is_quoted && listed.is_none());
            is_certain.then(|| bare.into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_in_prose() {
        let lists = [
            ("One of: low, high or urgent.", "low,high,urgent"),
            ("Urgency (low|high)", "low,high"),
            ("one of `a_b`, 'c-d', or \"e\"; more", "a_b,c-d,e"),
            ("\"asc|desc\"", "asc,desc"),
        ];
        for (text, list) in lists {
            assert_eq!(
                values(text).map(|list| list.join(",")).as_deref(),
                Some(list)
            );
        }
        let none = [
            "One of the user's accounts, or none at all",
            "one of them, or none",
            "None of low, high",
            "Free text",
            "a || b",
            "string|null",
            "| a | b |",
            "^(a|b)+$|x*",
            "x|x",
            "one of",
        ];
        for text in none {
            assert_eq!(values(text), None, "{text}");
        }
    }

    #[test]
    fn defaults_in_prose() {
        let of = |schema: Value| schema.as_object().and_then(default);
        let with = |kind: &str, text: &str| of(json!({"type": kind, "description": text}));
        assert_eq!(with("integer", "How many (default 10)."), Some(json!(10)));
        assert_eq!(with("boolean", "Defaults to true."), Some(json!(true)));
        assert_eq!(with("number", "Default: 0.5"), Some(json!(0.5)));
        assert_eq!(with("string", "Defaults to \"EUR\"."), Some(json!("EUR")));
        let listed = json!({"type": "string", "enum": ["asc"], "description": "default is asc"});
        assert_eq!(of(listed), Some(json!("asc")));
        for (kind, text) in [
            ("string", "Defaults to today."),
            ("integer", "The default account"),
            ("integer", "No defaults"),
            ("boolean", "Default"),
        ] {
            assert_eq!(with(kind, text), None, "{text}");
        }
        let other = json!({"type": "string", "enum": ["asc"], "description": "default is \"up\""});
        assert_eq!(of(other), None);
    }
}
