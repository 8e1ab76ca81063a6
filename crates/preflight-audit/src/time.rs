//! Times as people type them.

use chrono::{DateTime, Duration, NaiveDate, NaiveTime};

/// What a time in the past may be.
pub const PAST: &str =
    "a time is 2026-06-01T04:27:09Z, a date 2026-06-01, an age 30m, 24h, 7d or 2w";

/// A time in microseconds since 1970: RFC 3339, a date (UTC), or an age such as `7d`.
///
/// # Errors
///
/// It is none of these.
pub fn past(text: &str, now: i64) -> Result<i64, String> {
    absolute(text)
        .or_else(|| now.checked_sub(span(text)?))
        .ok_or_else(|| PAST.to_owned())
}

/// A time to come: RFC 3339, a date (its start, UTC), or a span from now on such as `7d`.
///
/// # Errors
///
/// It is none of these, or past.
pub fn future(text: &str, now: i64) -> Result<i64, String> {
    let time = absolute(text).or_else(|| now.checked_add(span(text)?));
    match time {
        Some(time) if time > now => Ok(time),
        Some(_) => Err("that is past".to_owned()),
        None => Err(
            "a time is 2026-06-01T04:27:09Z, a date 2026-06-01, a span 30m, 24h, 7d or 2w"
                .to_owned(),
        ),
    }
}

/// A time in microseconds since 1970: RFC 3339, or a date (its start, UTC).
pub fn absolute(text: &str) -> Option<i64> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.timestamp_micros());
    }
    let date: NaiveDate = text.parse().ok()?;
    Some(date.and_time(NaiveTime::MIN).and_utc().timestamp_micros())
}

/// A span in microseconds, such as `30m`, `24h`, `7d` or `2w`.
pub fn span(text: &str) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let number: i64 = text[..text.len() - unit.len_utf8()].parse().ok()?;
    let number = Some(number).filter(|number| *number >= 0)?;
    let span = match unit {
        'm' => Duration::try_minutes(number),
        'h' => Duration::try_hours(number),
        'd' => Duration::try_days(number),
        'w' => Duration::try_weeks(number),
        _ => None,
    };
    span?.num_microseconds()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000_000;

    #[test]
    fn times_dates_and_spans() {
        assert_eq!(past("1970-01-02T01:00:00+01:00", 0), Ok(DAY));
        assert_eq!(past("1970-01-02", 0), Ok(DAY));
        assert_eq!(past("1d", 3 * DAY), Ok(2 * DAY));
        assert_eq!(future("1d", 3 * DAY), Ok(4 * DAY));
        assert!(future("1970-01-02", 3 * DAY).is_err());
        for text in [
            "",
            "d",
            "7",
            "7y",
            "-7d",
            "7 d",
            "99999999999999w",
            "1970-13-01",
            "日",
        ] {
            assert!(past(text, 0).is_err(), "{text}");
        }
    }
}
