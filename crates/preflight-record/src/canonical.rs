//! One spelling for each JSON value, so that equal values have equal digests.

use std::fmt::{self, Write};

use crate::{Rejection, RejectionKind, cursor::Cursor};

/// The canonical text of a JSON value.
///
/// It follows RFC 8785: no blanks, keys in the order of their UTF-16 code units, the shortest
/// escapes. Numbers are the exception, since RFC 8785 passes them through binary floating point:
/// here they keep every digit, so that two different numbers never look the same, and are written
/// as RFC 8785 would if it could hold them (`5.0` and `5e0` are `5`, `-0` is `0`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CanonicalJson(String);

impl CanonicalJson {
    /// The canonical text of a value.
    ///
    /// # Errors
    ///
    /// The text is not one JSON value that this crate's reader accepts.
    ///
    /// ```
    /// use preflight_record::CanonicalJson;
    ///
    /// let value = CanonicalJson::of(r#"{ "b": 1.50, "a": "\u00e9" }"#)?;
    /// assert_eq!(value.as_str(), r#"{"a":"é","b":1.5}"#);
    /// # Ok::<(), Box<preflight_record::Rejection>>(())
    /// ```
    pub fn of(json: &str) -> Result<Self, Box<Rejection>> {
        let mut cursor = Cursor::new(json.as_bytes())?;
        let mut text = String::with_capacity(json.len());
        write_value(&mut cursor, &mut text)?;
        cursor.end()?;
        Ok(Self(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CanonicalJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn write_value(cursor: &mut Cursor<'_>, out: &mut String) -> Result<(), Box<Rejection>> {
    match cursor.peek() {
        Some(b'{') => write_object(cursor, out),
        Some(b'[') => write_array(cursor, out),
        Some(b'"') => {
            write_string(&cursor.string()?, out);
            Ok(())
        }
        Some(b'-' | b'0'..=b'9') => {
            write_number(cursor.raw()?, out);
            Ok(())
        }
        _ => {
            out.push_str(cursor.raw()?);
            Ok(())
        }
    }
}

fn write_object(cursor: &mut Cursor<'_>, out: &mut String) -> Result<(), Box<Rejection>> {
    let mut members = Vec::new();
    cursor.pairs(|cursor| {
        let key = cursor.string()?.into_owned();
        cursor.colon()?;
        let mut value = String::new();
        write_value(cursor, &mut value)?;
        members.push((key, value));
        Ok(())
    })?;
    members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    if let Some([(key, _), _]) = members.array_windows().find(|[a, b]| a.0 == b.0) {
        let detail = format!("the key {key:?} stands twice");
        return Err(cursor.reject(RejectionKind::DuplicateKey, detail));
    }
    out.push('{');
    for (index, (key, value)) in members.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(key, out);
        out.push(':');
        out.push_str(value);
    }
    out.push('}');
    Ok(())
}

fn write_array(cursor: &mut Cursor<'_>, out: &mut String) -> Result<(), Box<Rejection>> {
    out.push('[');
    let mut first = true;
    cursor.array(|cursor| {
        if !std::mem::take(&mut first) {
            out.push(',');
        }
        write_value(cursor, out)
    })?;
    out.push(']');
    Ok(())
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' => {
                // Writing to a String does not fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Writes a number of JSON's grammar as ECMAScript writes numbers, to its last digit.
fn write_number(text: &str, out: &mut String) {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    let leading = digits.len() - significant.len();
    let significant = significant.trim_end_matches('0');
    if significant.is_empty() {
        out.push('0');
        return;
    }
    if negative {
        out.push('-');
    }
    // Where the decimal point stands, counted from before the first significant digit.
    let point = exponent.parse::<i64>().ok().and_then(|exponent| {
        let offset = i64::try_from(whole.len()).ok()? - i64::try_from(leading).ok()?;
        exponent.checked_add(offset)
    });
    let Some(point) = point else {
        // No such number is computed with by anybody: it equals what is spelled like it.
        out.push_str(&unsigned.to_ascii_lowercase());
        return;
    };
    let count = significant.len() as i64;
    match point {
        _ if count <= point && point <= 21 => {
            out.push_str(significant);
            out.extend(std::iter::repeat_n('0', (point - count) as usize));
        }
        1..=21 => {
            let (whole, fraction) = significant.split_at(point as usize);
            out.extend([whole, ".", fraction]);
        }
        -5..=0 => {
            out.push_str("0.");
            out.extend(std::iter::repeat_n('0', point.unsigned_abs() as usize));
            out.push_str(significant);
        }
        _ => write_exponential(significant, i128::from(point) - 1, out),
    }
}

fn write_exponential(significant: &str, exponent: i128, out: &mut String) {
    let (first, rest) = significant.split_at(1);
    out.push_str(first);
    if !rest.is_empty() {
        out.extend([".", rest]);
    }
    let _ = write!(out, "e{exponent:+}");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn canonical(json: &str) -> String {
        CanonicalJson::of(json).expect(json).0
    }

    #[test]
    fn numbers_have_one_spelling_and_keep_their_digits() {
        for (given, expected) in [
            ("5", "5"),
            ("5.0", "5"),
            ("5e0", "5"),
            ("50e-1", "5"),
            ("0.05E+2", "5"),
            ("-0", "0"),
            ("-0.0e9", "0"),
            ("1.10", "1.1"),
            ("9007199254740993", "9007199254740993"),
            (
                "0.1000000000000000055511151231257827",
                "0.1000000000000000055511151231257827",
            ),
            ("100000000000000000000", "100000000000000000000"),
            ("1e21", "1e+21"),
            ("1.50e22", "1.5e+22"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1e-7"),
            ("-123.450", "-123.45"),
            ("1E99999999999999999999", "1e99999999999999999999"),
            ("1e9223372036854775807", "1e9223372036854775807"),
        ] {
            assert_eq!(canonical(given), expected, "{given}");
        }
    }

    #[test]
    fn the_sample_of_rfc_8785_has_its_canonical_form() {
        let json = r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
            "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#;
        // The first number differs: RFC 8785 rounds it to the nearest binary one.
        let expected = r#"{"literals":[null,true,false],"numbers":[333333333.33333329,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
        assert_eq!(canonical(json), expected);
    }

    #[test]
    fn keys_are_in_the_order_of_utf_16() {
        // U+1F600 is two code units from 0xD83D on, before U+FB33; in UTF-8 it comes after it.
        assert_eq!(
            canonical("{\"\u{fb33}\":1,\"\u{1f600}\":2,\"b\":[ ],\"a\":{ }}"),
            "{\"a\":{},\"b\":[],\"\u{1f600}\":2,\"\u{fb33}\":1}"
        );
    }

    #[test]
    fn what_means_two_things_has_no_canonical_form() {
        for json in [
            r#"{"a":1,"\u0061":2}"#,
            r#""\ud800""#,
            "01",
            "1 2",
            "",
            "{\"a\" 1}",
        ] {
            assert!(CanonicalJson::of(json).is_err(), "{json}");
        }
    }

    proptest! {
        #[test]
        fn the_canonical_form_is_its_own_and_means_the_same(
            number in "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?",
            text in any::<String>(),
        ) {
            let json = format!("[{number},{}]", crate::JsonText::string(&text));
            let once = canonical(&json);
            prop_assert_eq!(&canonical(&once), &once);
            // The numbers are the same, as far as binary floating point can tell.
            let (written, _) = once[1..].split_once(',').expect("two elements");
            prop_assert_eq!(written.parse::<f64>(), number.parse::<f64>());
            let read = serde_json::from_str::<(serde_json::Value, String)>(&once);
            prop_assert_eq!(read.expect("valid").1, text);
        }
    }
}
