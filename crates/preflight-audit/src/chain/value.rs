//! A field's value, masked or shown.

use std::fmt;

use preflight_record::{Rejection, ValueDigest};
use serde::{Serialize, Serializer, de::IgnoredAny};

/// Whether values are kept when records are read from the lake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Type, length and digest take the place of each value. What is masked is not in the model, so
    /// no renderer can show it.
    Masked,
    /// Values stay as they are.
    Shown,
}

/// What a field holds: a value, which may be `null`, or none.
///
/// The alternate form (`{:#}`) leaves out the digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// The field has no value: that is not `null`, not `0` and not `""`.
    Absent,
    /// The field has a value.
    Held(HeldValue),
}

/// A value, or what is left of it when it is masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldValue {
    /// What kind of value it is, and how long.
    #[serde(flatten)]
    pub shape: Shape,
    /// The digest by which it is recognised elsewhere; equal values have equal ones.
    #[serde(serialize_with = "as_text")]
    pub digest: ValueDigest,
    /// Its JSON text, unless it is masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
}

/// What kind of value it is, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", content = "length", rename_all = "snake_case")]
pub enum Shape {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number, with how many digits it is written.
    Number(usize),
    /// A string, with how many characters it has.
    String(usize),
    /// An array, with how many items it has.
    Array(usize),
    /// An object, with how many keys it has.
    Object(usize),
}

impl Value {
    /// Reads the text of the lake's column `fields.value`.
    ///
    /// # Errors
    ///
    /// The text is not JSON.
    pub fn of(json: Option<&str>) -> Result<Self, Box<Rejection>> {
        json.map_or(Ok(Self::Absent), |json| {
            Ok(Self::Held(HeldValue {
                shape: Shape::of(json),
                digest: ValueDigest::of(json)?,
                json: Some(json.to_owned()),
            }))
        })
    }

    /// The digest; none without a value.
    pub fn digest(&self) -> Option<ValueDigest> {
        match self {
            Self::Absent => None,
            Self::Held(value) => Some(value.digest),
        }
    }

    /// Whether two values are the same, however they are spelled; absent is not `null`.
    pub fn is(&self, other: &Self) -> bool {
        self.digest() == other.digest()
    }

    pub(crate) fn mask(&mut self) {
        if let Self::Held(value) = self {
            value.json = None;
        }
    }

    pub(crate) fn json(&self) -> Option<&str> {
        match self {
            Self::Absent => None,
            Self::Held(value) => value.json.as_deref(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("no value"),
            Self::Held(value) => value.fmt(f),
        }
    }
}

impl fmt::Display for HeldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.json {
            Some(json) => f.write_str(json)?,
            None => self.shape.fmt(f)?,
        }
        match f.alternate() {
            true => Ok(()),
            false => write!(f, " #{}", self.digest.short()),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent => serializer.serialize_none(),
            Self::Held(value) => value.serialize(serializer),
        }
    }
}

fn as_text<S: Serializer>(digest: &ValueDigest, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(digest)
}

impl Shape {
    fn of(json: &str) -> Self {
        let json = json.trim();
        match json.bytes().next() {
            Some(b'n') => Self::Null,
            Some(b't' | b'f') => Self::Boolean,
            Some(b'"') => {
                let text = serde_json::from_str::<String>(json).unwrap_or_default();
                Self::String(text.chars().count())
            }
            Some(b'[') => {
                let items = serde_json::from_str::<Vec<IgnoredAny>>(json).unwrap_or_default();
                Self::Array(items.len())
            }
            Some(b'{') => {
                type Members = std::collections::HashMap<String, IgnoredAny>;
                Self::Object(serde_json::from_str::<Members>(json).map_or(0, |keys| keys.len()))
            }
            _ => Self::Number(json.bytes().filter(u8::is_ascii_digit).count()),
        }
    }
}

/// What a masked value looks like. What is empty has nothing to hide.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        match *self {
            Self::Null => f.write_str("null"),
            Self::Boolean => f.write_str("••• (boolean)"),
            Self::Number(digits) => write!(f, "••• (number, {digits} digit{})", plural(digits)),
            Self::String(0) => f.write_str("\"\""),
            Self::String(length) => write!(f, "\"•••\" (string, {length} char{})", plural(length)),
            Self::Array(0) => f.write_str("[]"),
            Self::Array(items) => write!(f, "[•••] (array, {items} item{})", plural(items)),
            Self::Object(0) => f.write_str("{}"),
            Self::Object(keys) => write!(f, "{{•••}} (object, {keys} key{})", plural(keys)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: Option<&str>) -> String {
        format!("{:#}", Value::of(json).expect("valid"))
    }

    fn masked(json: Option<&str>) -> String {
        let mut value = Value::of(json).expect("valid");
        value.mask();
        value.to_string()
    }

    #[test]
    fn absent_null_zero_and_empty_are_four_things() {
        let all = [None, Some("null"), Some("0"), Some("\"\"")];
        assert_eq!(all.map(shown), ["no value", "null", "0", "\"\""]);
        let masked = all.map(masked);
        assert_eq!(masked[0], "no value");
        assert!(masked[1].starts_with("null #"), "{masked:?}");
        assert!(
            masked[2].starts_with("••• (number, 1 digit) #"),
            "{masked:?}"
        );
        assert!(masked[3].starts_with("\"\" #"), "{masked:?}");
    }

    #[test]
    fn masked_values_show_shape_and_equality_alone() {
        assert_eq!(
            masked(Some("120.0")),
            masked(Some("12.00e1")).replace("5 digits", "4 digits")
        );
        assert_eq!(
            masked(Some("{\"b\":1,\"a\":2}")),
            masked(Some("{ \"a\": 2, \"b\": 1.0}"))
        );
        assert_ne!(masked(Some("\"secret\"")), masked(Some("\"secreT\"")));
        for (json, shape) in [
            ("\"日本語\"", "\"•••\" (string, 3 chars) #"),
            ("-1.5e3", "••• (number, 3 digits) #"),
            ("1e99999", "••• (number, 6 digits) #"),
            ("[1]", "[•••] (array, 1 item) #"),
            ("{\"a\":[1e99999],\"b\":{}}", "{•••} (object, 2 keys) #"),
            ("true", "••• (boolean) #"),
        ] {
            assert!(
                masked(Some(json)).starts_with(shape),
                "{json}: {}",
                masked(Some(json))
            );
        }
    }
}
