//! Times as they are typed and shown, all in UTC.

use chrono::{DateTime, Duration, NaiveDate, NaiveTime, SecondsFormat, Utc};

/// Now, in microseconds since 1970.
pub fn now() -> i64 {
    Utc::now().timestamp_micros()
}

/// `2026-06-01 04:27:09`.
pub fn shown(micros: i64) -> String {
    format(micros, "%Y-%m-%d %H:%M:%S")
}

/// `2026-06-01`.
pub fn day(micros: i64) -> String {
    format(micros, "%Y-%m-%d")
}

/// RFC 3339, for files.
pub fn rfc3339(micros: i64) -> String {
    let time = DateTime::from_timestamp_micros(micros);
    time.map_or_else(String::new, |time| {
        time.to_rfc3339_opts(SecondsFormat::Millis, true)
    })
}

fn format(micros: i64, format: &str) -> String {
    let time = DateTime::from_timestamp_micros(micros);
    time.map_or_else(String::new, |time| time.format(format).to_string())
}

/// A time in microseconds since 1970: RFC 3339, a date (UTC), or an age such as `7d`.
///
/// # Errors
///
/// It is none of these.
pub fn past(text: &str, now: i64) -> Result<i64, String> {
    absolute(text)
        .or_else(|| now.checked_sub(span(text)?))
        .ok_or_else(|| {
            "a time is 2026-06-01T04:27:09Z, a date 2026-06-01, an age 30m, 24h, 7d or 2w"
                .to_owned()
        })
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

fn absolute(text: &str) -> Option<i64> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.timestamp_micros());
    }
    let date: NaiveDate = text.parse().ok()?;
    Some(date.and_time(NaiveTime::MIN).and_utc().timestamp_micros())
}

fn span(text: &str) -> Option<i64> {
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

    #[test]
    fn times_are_shown() {
        assert_eq!(shown(1_000_000), "1970-01-01 00:00:01");
        assert_eq!(rfc3339(1_500_000), "1970-01-01T00:00:01.500Z");
        assert_eq!(shown(i64::MAX), "");
    }
}
