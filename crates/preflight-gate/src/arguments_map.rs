//! Arguments for clients that take a map rather than a text.

use serde_json::{Map, Value};

/// Arguments that a map of JSON values does not hold as they were judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentsError {
    /// A number that neither 64 bits nor a double hold to the digit; the text does.
    #[error("the number {0} cannot be held to the digit: send the arguments' text")]
    Inexact(String),
    /// The arguments are no object, or nested too deeply to be read as a map.
    #[error("the arguments cannot be read as a map: {0}")]
    Unreadable(String),
}

/// The members of an object, in order, with every number of the same value as its text.
pub(crate) fn arguments_map(json: &str) -> Result<Map<String, Value>, ArgumentsError> {
    let beyond = |text: &&str| text.parse::<f64>().is_ok_and(f64::is_infinite);
    if let Some(text) = numbers(json).find(beyond) {
        return Err(ArgumentsError::Inexact(text.to_owned()));
    }
    let map = serde_json::from_str::<Map<String, Value>>(json);
    let map = map.map_err(|error| ArgumentsError::Unreadable(error.to_string()))?;
    // Written out again, its numbers stand in the same order.
    let held = serde_json::to_string(&map);
    let held = held.map_err(|error| ArgumentsError::Unreadable(error.to_string()))?;
    let mut pairs = numbers(json).zip(numbers(&held));
    match pairs.find(|(text, held)| decimal(text) != decimal(held)) {
        Some((text, _)) => Err(ArgumentsError::Inexact(text.to_owned())),
        None => Ok(map),
    }
}

/// The numbers in a JSON text, in order; what stands in strings is none.
fn numbers(json: &str) -> impl Iterator<Item = &str> {
    let mut rest = json;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(|c: char| matches!(c, '"' | '-' | '0'..='9'))?;
            rest = &rest[start..];
            if let Some(string) = rest.strip_prefix('"') {
                rest = after_string(string);
                continue;
            }
            let part = |c: char| matches!(c, '0'..='9' | '.' | 'e' | 'E' | '+' | '-');
            let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
            let (number, after) = rest.split_at(end);
            rest = after;
            return Some(number);
        }
    })
}

/// What follows a string whose opening quote is taken.
fn after_string(text: &str) -> &str {
    let mut escaped = false;
    let end = text.find(|c| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    });
    end.map_or("", |end| &text[end + 1..])
}

/// A number's value: sign, digits without outer zeros, and the power of ten of the last one.
fn decimal(text: &str) -> (bool, String, i64) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let (digits, negative) = match digits.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (digits.as_str(), false),
    };
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return (negative, String::new(), 0);
    }
    // An exponent past 64 bits makes a double 0 or infinite, and those differ in their digits.
    let exponent: i64 = exponent.parse().unwrap_or(i64::MIN);
    let shift = (digits.len() - significant.len()) as i64 - fraction.len() as i64;
    let exponent = exponent.saturating_add(shift);
    (negative, significant.to_owned(), exponent)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_map_holds_to_the_digit_is_given() {
        let json = r#"{"a":-12.50,"b":[1e2,0.1,18446744073709551615],"c\"1":"9e999 \\","z":-0}"#;
        let map = arguments_map(json).expect("exact");
        assert_eq!(map["a"], -12.5);
        assert_eq!(map["b"][0], 100.0);
        assert_eq!(map["b"][2], u64::MAX);
        assert_eq!(map["c\"1"], "9e999 \\");
    }

    #[test]
    fn a_number_that_would_lose_digits_is_refused() {
        for number in [
            "12345678901234567890123",
            "0.1000000000000000055",
            "1e400",
            "-1e400",
            "1e-400",
            "1e99999999999999999999",
            "1e-99999999999999999999",
        ] {
            let json = format!(r#"{{"a":1,"b":{{"c":[{number}]}}}}"#);
            assert_eq!(
                arguments_map(&json),
                Err(ArgumentsError::Inexact(number.to_owned()))
            );
        }
        assert!(matches!(
            arguments_map("[1]"),
            Err(ArgumentsError::Unreadable(_))
        ));
    }

    proptest! {
        #[test]
        fn integers_of_64_bits_and_shortest_doubles_are_exact(i in any::<i64>(), d in any::<f64>()) {
            prop_assume!(d.is_finite());
            let json = format!(r#"{{"i":{i},"d":{d:e}}}"#);
            let map = arguments_map(&json).expect("exact");
            prop_assert_eq!(map["i"].as_i64(), Some(i));
            prop_assert_eq!(map["d"].as_f64(), Some(d));
        }
    }
}
