//! Comparing as JSON values.

use std::fmt;

use serde_json::{Map, Number, Value};

/// A place where a run is not what a vector expects.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Where, as in `persisted[0].record.gate.kind`.
    pub path: String,
    /// What was expected there; `None` for nothing.
    pub expected: Option<Value>,
    /// What stands there.
    pub actual: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |value: &Option<Value>| match value {
            Some(value) => value.to_string(),
            None => "nothing".to_owned(),
        };
        writeln!(f, "{}", self.path)?;
        writeln!(f, "  expected  {}", text(&self.expected))?;
        write!(f, "  found     {}", text(&self.actual))
    }
}

/// Keys that records of this gate add to what the format names.
const OUR_OWN: [&str; 8] = [
    "call_arguments",
    "extra_fields",
    "reversibility",
    "route",
    "masked",
    "confirmation",
    "confirm_arguments",
    "verified_at",
];

/// All differences: objects without regard to key order, numbers by value, absent and `null` apart.
pub(super) fn differences(expected: &Value, actual: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(expected, actual, "", &mut found);
    found
}

fn compare(expected: &Value, actual: &Value, path: &str, found: &mut Vec<Difference>) {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            compare_members(expected, actual, path, found);
        }
        (Value::Array(expected), Value::Array(actual)) => {
            for index in 0..expected.len().max(actual.len()) {
                let path = format!("{path}[{index}]");
                compare_places(expected.get(index), actual.get(index), &path, found);
            }
        }
        (Value::Number(expected), Value::Number(actual)) if same_number(expected, actual) => {}
        _ if expected == actual => {}
        _ => compare_places_differ(Some(expected), Some(actual), path, found),
    }
}

fn compare_members(
    expected: &Map<String, Value>,
    actual: &Map<String, Value>,
    path: &str,
    found: &mut Vec<Difference>,
) {
    let join = |key: &str| match path {
        "" => key.to_owned(),
        _ => format!("{path}.{key}"),
    };
    for (key, value) in expected {
        compare_places(Some(value), actual.get(key), &join(key), found);
    }
    let added = actual
        .iter()
        .filter(|(key, _)| !expected.contains_key(*key));
    for (key, value) in added.filter(|(key, _)| !OUR_OWN.contains(&key.as_str())) {
        compare_places(None, Some(value), &join(key), found);
    }
}

fn compare_places(
    expected: Option<&Value>,
    actual: Option<&Value>,
    path: &str,
    found: &mut Vec<Difference>,
) {
    match (expected, actual) {
        (Some(expected), Some(actual)) => compare(expected, actual, path, found),
        _ => compare_places_differ(expected, actual, path, found),
    }
}

fn compare_places_differ(
    expected: Option<&Value>,
    actual: Option<&Value>,
    path: &str,
    found: &mut Vec<Difference>,
) {
    found.push(Difference {
        path: path.to_owned(),
        expected: expected.cloned(),
        actual: actual.cloned(),
    });
}

fn same_number(one: &Number, other: &Number) -> bool {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => one == other,
        _ => one.as_f64() == other.as_f64(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn paths(expected: Value, actual: Value) -> Vec<String> {
        differences(&expected, &actual)
            .into_iter()
            .map(|d| d.path)
            .collect()
    }

    #[test]
    fn numbers_are_compared_by_value_and_absence_is_not_null() {
        assert!(paths(json!({"a": 1, "b": 1e21}), json!({"b": 1e21, "a": 1.0})).is_empty());
        assert_eq!(paths(json!({"a": null}), json!({})), ["a"]);
        assert_eq!(paths(json!({}), json!({"a": null})), ["a"]);
        assert_eq!(
            paths(json!([{"a": 1}, 2]), json!([{"a": 2}])),
            ["[0].a", "[1]"]
        );
        assert_eq!(
            paths(
                json!({"n": 9_007_199_254_740_993_u64}),
                json!({"n": 9_007_199_254_740_992_u64})
            ),
            ["n"]
        );
    }

    #[test]
    fn only_keys_of_our_own_may_be_added() {
        assert!(paths(json!({}), json!({"call_arguments": {}})).is_empty());
        assert_eq!(paths(json!({}), json!({"value": 1})), ["value"]);
    }
}
