//! The form of a JSON text over which seals are made.

use std::{fmt, ops::Range};

use crate::{
    Rejection, RejectionKind, cursor::Cursor, json_writer::JsonWriter, member_order::MemberOrder,
};

/// The text of a JSON value in the form of RFC 8785, with numbers as they were written.
///
/// No blanks, keys in the order of their UTF-16 code units, the shortest escapes. RFC 8785 would
/// pass numbers through binary floating point, where `9007199254740993` and `9007199254740992` are
/// one; a record's numbers are evidence to the last digit and to their spelling, so they are kept.
/// For any text whose numbers are written as ECMAScript writes them, which is how all JavaScript
/// writers do, this is exactly the form of RFC 8785.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OrderedJson(String);

impl OrderedJson {
    /// The form of a value.
    ///
    /// # Errors
    ///
    /// The text is not one JSON value that this crate's reader accepts.
    ///
    /// ```
    /// use preflight_record::OrderedJson;
    ///
    /// let value = OrderedJson::of(r#"{ "b": 9007199254740993.0, "a": "\u00e9" }"#)?;
    /// assert_eq!(value.as_str(), r#"{"a":"é","b":9007199254740993.0}"#);
    /// # Ok::<(), Box<preflight_record::Rejection>>(())
    /// ```
    pub fn of(json: &str) -> Result<Self, Box<Rejection>> {
        let mut text = String::with_capacity(json.len());
        write(json, &mut MemberOrder::default(), &mut text)?;
        Ok(Self(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Takes a member out of an object and returns its value's text.
    ///
    /// ```
    /// use preflight_record::OrderedJson;
    ///
    /// let mut record = OrderedJson::of(r#"{"seal":{"seq":3},"reason":"r"}"#)?;
    /// assert_eq!(record.take("seal").as_deref(), Some(r#"{"seq":3}"#));
    /// assert_eq!(record.as_str(), r#"{"reason":"r"}"#);
    /// # Ok::<(), Box<preflight_record::Rejection>>(())
    /// ```
    pub fn take(&mut self, key: &str) -> Option<String> {
        let (member, value) = self.place_of(key)?;
        let value = self.0[value].to_owned();
        let after = self.0[member.end..].starts_with(',');
        let before = !after && self.0[..member.start].ends_with(',');
        let cut = member.start - usize::from(before)..member.end + usize::from(after);
        self.0.replace_range(cut, "");
        Some(value)
    }

    /// The text of a member's value, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&str> {
        let (_, value) = self.place_of(key)?;
        Some(&self.0[value])
    }

    fn place_of(&self, key: &str) -> Option<(Range<usize>, Range<usize>)> {
        let mut cursor = Cursor::new(self.0.as_bytes()).ok()?;
        if cursor.peek() != Some(b'{') {
            return None;
        }
        let mut found = None;
        let walked = cursor.pairs(|cursor| {
            let start = cursor.offset();
            let is_it = cursor.string()? == key;
            cursor.colon()?;
            let value = cursor.offset();
            cursor.raw()?;
            if is_it {
                found = Some((start..cursor.offset(), value..cursor.offset()));
            }
            Ok(())
        });
        walked.ok().and(found)
    }
}

impl fmt::Display for OrderedJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Appends a value's form.
pub(crate) fn write(
    json: &str,
    order: &mut MemberOrder,
    out: &mut String,
) -> Result<(), Box<Rejection>> {
    let mut cursor = Cursor::new(json.as_bytes())?;
    write_value(&mut cursor, order, out)?;
    cursor.end()
}

fn write_value(
    cursor: &mut Cursor<'_>,
    order: &mut MemberOrder,
    out: &mut String,
) -> Result<(), Box<Rejection>> {
    match cursor.peek() {
        Some(b'{') => write_object(cursor, order, out),
        Some(b'[') => write_array(cursor, order, out),
        Some(b'"') => {
            JsonWriter::new(out).string(&cursor.string()?);
            Ok(())
        }
        _ => {
            out.push_str(cursor.raw()?);
            Ok(())
        }
    }
}

fn write_object(
    cursor: &mut Cursor<'_>,
    order: &mut MemberOrder,
    out: &mut String,
) -> Result<(), Box<Rejection>> {
    out.push('{');
    let opened = order.open(out);
    let mut first = true;
    cursor.pairs(|cursor| {
        if !std::mem::take(&mut first) {
            out.push(',');
        }
        order.member(out.len());
        JsonWriter::new(out).string(&cursor.string()?);
        cursor.colon()?;
        out.push(':');
        write_value(cursor, order, out)
    })?;
    let twice = order.close(opened, out);
    out.push('}');
    match twice {
        Some(key) => {
            let detail = format!("the key {key} stands twice");
            Err(cursor.reject(RejectionKind::DuplicateKey, detail))
        }
        None => Ok(()),
    }
}

fn write_array(
    cursor: &mut Cursor<'_>,
    order: &mut MemberOrder,
    out: &mut String,
) -> Result<(), Box<Rejection>> {
    out.push('[');
    let mut first = true;
    cursor.array(|cursor| {
        if !std::mem::take(&mut first) {
            out.push(',');
        }
        write_value(cursor, order, out)
    })?;
    out.push(']');
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Entry, JsonText};

    fn ordered(json: &str) -> String {
        OrderedJson::of(json).expect(json).0
    }

    #[test]
    fn the_sample_of_rfc_8785_has_its_form() {
        let json = r#"{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],
            "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#;
        let expected = r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
        assert_eq!(ordered(json), expected);
    }

    #[test]
    fn keys_are_in_the_order_of_utf_16() {
        assert_eq!(
            ordered("{\"\u{fb33}\":1,\"\u{1f600}\":2,\"ab\":[ ],\"a\":{ },\"a\\\"\":0,\"B\":3}"),
            "{\"B\":3,\"a\":{},\"a\\\"\":0,\"ab\":[],\"\u{1f600}\":2,\"\u{fb33}\":1}"
        );
        assert_eq!(ordered("\"\\u0008\\u000C\""), "\"\\b\\f\"");
    }

    #[test]
    fn what_means_two_things_has_no_form() {
        for json in [
            r#"{"a":1,"\u0061":2}"#,
            r#"{"b":{"a":1,"c":3,"a":2}}"#,
            r#""\ud800""#,
            "01",
            "1 2",
            "",
        ] {
            assert!(OrderedJson::of(json).is_err(), "{json}");
        }
    }

    #[test]
    fn members_are_taken_from_anywhere() {
        for (json, left) in [
            (r#"{"x":1}"#, "{}"),
            (r#"{"x":1,"y":{"x":2}}"#, r#"{"y":{"x":2}}"#),
            (r#"{"a":{"x":2},"x":1}"#, r#"{"a":{"x":2}}"#),
            (r#"{"a":2,"x":1,"y":3}"#, r#"{"a":2,"y":3}"#),
        ] {
            let mut object = OrderedJson::of(json).expect("valid");
            assert_eq!(object.take("x").as_deref(), Some("1"));
            assert_eq!(object.as_str(), left);
            assert_eq!(object.take("x"), None);
        }
    }

    proptest! {
        #[test]
        fn the_form_is_its_own_and_means_the_same(
            keys in prop::collection::vec(any::<String>(), 0..8),
            number in "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?",
        ) {
            let members: Vec<String> = keys
                .iter()
                .enumerate()
                .map(|(index, key)| format!("{}: [{index}, {number} ]", JsonText::string(&format!("{index}{key}"))))
                .collect();
            let json = format!("{{{}}}", members.join(" , "));
            let once = ordered(&json);
            prop_assert_eq!(&ordered(&once), &once);
            let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).expect("valid");
            prop_assert_eq!(value(&once), value(&json));
            prop_assert_eq!(once.matches(&number).count() >= keys.len(), true);
        }
    }

    #[test]
    fn a_record_is_written_in_the_form_of_its_line() {
        let line = r#"{"schema_version":"1.8","action_key":"u:\u0001\"k\"","phase":"at_trigger","fixed":{"c1_when_case":"immediate","c3_match":{"approved":true,"reason":null}},"fields":[{"name":"é","value":{"b":9007199254740993.10,"a":"\u00e9"},"status":"known","source":"instruction","lookup_failed":false,"resolved_at":"2026-06-01T04:27:09.546Z","x":[1]}],"user_checklist":[{"id":"a","status":"verified","verified_at":"2026-06-01T04:27:09.546Z"}],"unknown_count":0,"gate":{"unknown_fields":[{"name":"a","note":null}],"unverified_checklist":[{"id":"a","note":"n"}],"branch_options":[["a"]],"_diag":{"issues":[{"slot":"c1","code":"x"}],"attempt":1,"lookup_failures":[],"phase":"p"}},"execution_decision":"execute","reason":"r","timestamp":"2026-06-01T04:27:09.546Z","deferred_input":{"z":1,"a":1},"more":{"b":2},"Ω":1}"#;
        let record = Entry::parse(line.as_bytes()).expect("valid").record;
        let mut written = String::new();
        record.write_ordered(&mut written).expect("valid");
        assert_eq!(written, ordered(line));
        assert!(
            written.starts_with(r#"{"action_key":"u:\u0001\"k\"","deferred_input":{"a":1,"z":1}"#)
        );
    }
}
