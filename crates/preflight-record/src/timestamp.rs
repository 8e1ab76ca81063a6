//! RFC 3339 with any offset, to UTC microseconds, with the text kept.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate};

/// A point in time as a record gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timestamp<'a> {
    /// The text as it was written.
    pub text: Cow<'a, str>,
    /// Microseconds since 1970-01-01T00:00:00Z; finer digits are cut, not rounded.
    pub micros: i64,
    /// Whether the text is the one form `YYYY-MM-DDThh:mm:ss.mmmZ`, which `micros` alone tells.
    pub canonical: bool,
}

impl<'a> Timestamp<'a> {
    /// Reads RFC 3339 `date-time`, upper-case `T` and an offset or `Z` required.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, in a few words.
    pub fn parse(text: Cow<'a, str>) -> Result<Self, &'static str> {
        let canonical = millis_in_utc(text.as_bytes());
        let micros = match canonical {
            Some(micros) => micros,
            None => any_offset(&text)?,
        };
        Ok(Self {
            text,
            micros,
            canonical: canonical.is_some(),
        })
    }
}

/// The one form that gates write (`2026-06-01T04:27:09.546Z`): most timestamps take this way.
fn millis_in_utc(text: &[u8]) -> Option<i64> {
    let text: &[u8; 24] = text.try_into().ok()?;
    let separators = (
        text[4], text[7], text[10], text[13], text[16], text[19], text[23],
    );
    if separators != (b'-', b'-', b'T', b':', b':', b'.', b'Z') {
        return None;
    }
    let number = |from: usize, to: usize| {
        text[from..to].iter().try_fold(0u32, |sum, byte| {
            byte.is_ascii_digit()
                .then(|| sum * 10 + u32::from(byte - b'0'))
        })
    };
    let date = NaiveDate::from_ymd_opt(number(0, 4)? as i32, number(5, 7)?, number(8, 10)?)?;
    let time = date.and_hms_milli_opt(
        number(11, 13)?,
        number(14, 16)?,
        number(17, 19)?,
        number(20, 23)?,
    )?;
    Some(time.and_utc().timestamp_micros())
}

fn any_offset(text: &str) -> Result<i64, &'static str> {
    const EXPECTED: &str = "RFC 3339 is expected, as in 2026-06-01T04:27:09.546Z";
    let bytes = text.as_bytes();
    // chrono also takes a blank or a lower-case letter here, which other readers of the log may not.
    if bytes.get(10).is_some_and(|byte| *byte != b'T') || bytes.last() == Some(&b'z') {
        return Err(EXPECTED);
    }
    match DateTime::parse_from_rfc3339(text) {
        Ok(time) => Ok(time.timestamp_micros()),
        Err(_) if DateTime::parse_from_rfc3339(&format!("{text}Z")).is_ok() => {
            Err("it has no offset from UTC: Z or +hh:mm is needed")
        }
        Err(_) => Err(EXPECTED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(text: &str) -> Result<i64, &'static str> {
        Timestamp::parse(text.into()).map(|t| t.micros)
    }

    #[test]
    fn offsets_are_taken_to_utc() {
        let utc = micros("2026-06-01T04:27:09.546Z");
        assert_eq!(utc, Ok(1_780_288_029_546_000));
        assert_eq!(micros("2026-06-01T13:27:09.546+09:00"), utc);
        assert_eq!(micros("2026-05-31T22:57:09.546-05:30"), utc);
        assert_eq!(micros("2026-06-01T04:27:09.546000999Z"), utc);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "2026-06-01",
            "2026-06-01T04:27:09.546Zjunk",
            "2026-06-01T04:27:09.546Z ",
            "2026-06-01 04:27:09Z",
            "2026-06-01t04:27:09Z",
            "2026-06-01T04:27:09z",
            "2026-13-01T04:27:09.546Z",
            "2026-02-30T04:27:09.546Z",
            "2026-06-01T24:00:00.000Z",
            "2026-06-01T04:27:09+0900",
            "２026-06-01T04:27:09Z",
        ] {
            assert!(micros(text).is_err(), "{text:?} was read");
        }
        let without_zone = micros("2026-06-01T04:27:09.546").expect_err("no zone");
        assert!(without_zone.contains("offset"), "{without_zone}");
    }

    #[test]
    fn a_leap_second_is_read() {
        assert!(micros("2016-12-31T23:59:60Z").is_ok());
    }
}
