//! One JSON value as text, checked once and cheap to hand around.

use std::{fmt, sync::Arc};

use crate::{cursor::Cursor, json_writer::JsonWriter, rejection::Rejection};

/// How many levels a value can stand in: wrapper, record, a list of the record's, an element, and as
/// many again.
const AROUND: usize = 8;

/// The text of one JSON value that this crate's reader accepts.
///
/// Numbers keep their text. Two values are equal when their texts are; white space outside of the
/// value and line breaks are not part of it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct JsonText(Arc<str>);

impl JsonText {
    /// Checks a text and keeps it.
    ///
    /// # Errors
    ///
    /// The first fault: anything that the reader of records refuses, such as a key that stands
    /// twice in one object, half a surrogate pair, or nesting so deep that a record which holds the
    /// value could not be read.
    ///
    /// ```
    /// use preflight_record::JsonText;
    ///
    /// assert_eq!(JsonText::parse(" 1.10 ")?.as_str(), "1.10");
    /// assert!(JsonText::parse(r#"{"to":"a","to":"b"}"#).is_err());
    /// # Ok::<(), Box<preflight_record::Rejection>>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, Box<Rejection>> {
        let mut cursor = Cursor::new(text.as_bytes())?.nested_in(AROUND);
        let value = cursor.raw()?;
        cursor.end()?;
        // Outside of strings a line break is only white space, and a record is one line.
        if value.contains(['\n', '\r']) {
            return Ok(Self(value.replace(['\n', '\r'], "").into()));
        }
        Ok(Self(value.into()))
    }

    /// Keeps a text that is valid by the way it was made: put together from values of this type.
    ///
    /// Anything else makes records that nobody can read; [`JsonText::parse`] is the way in.
    #[doc(hidden)]
    pub fn from_checked(text: &str) -> Self {
        Self(text.into())
    }

    /// The value of a JSON string.
    pub fn string(text: &str) -> Self {
        let mut json = String::with_capacity(text.len() + 2);
        JsonWriter::new(&mut json).string(text);
        Self(json.into())
    }

    /// `null`.
    pub fn null() -> Self {
        Self("null".into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for JsonText {
    /// A JSON string that holds the text; [`JsonText::parse`] reads JSON.
    fn from(text: &str) -> Self {
        Self::string(text)
    }
}

impl From<i64> for JsonText {
    fn from(number: i64) -> Self {
        Self(number.to_string().into())
    }
}

impl From<bool> for JsonText {
    fn from(flag: bool) -> Self {
        Self(if flag { "true" } else { "false" }.into())
    }
}

impl fmt::Display for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_value_leaves_room_for_the_record_around_it() {
        let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
        let deepest = JsonText::parse(&nested(crate::MAX_DEPTH - AROUND)).expect("deep enough");
        assert!(JsonText::parse(&nested(crate::MAX_DEPTH - AROUND + 1)).is_err());
        let line = format!(
            r#"{{"key":"k","record":{{"schema_version":"1.8","action_key":"k","execution_decision":"hold","fields":[{{"name":"a","status":"known","value":{deepest}}}],"gate":{{"confirm_arguments":{{"a":{deepest}}}}}}}}}"#
        );
        assert!(crate::Entry::parse(line.as_bytes()).is_ok());
    }

    proptest! {
        #[test]
        fn any_string_is_written_as_json(text in any::<String>()) {
            let json = JsonText::string(&text);
            prop_assert_eq!(serde_json::from_str::<String>(json.as_str()).ok(), Some(text));
            prop_assert!(JsonText::parse(json.as_str()).is_ok());
        }
    }
}
