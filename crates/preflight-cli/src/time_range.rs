//! `--since` and `--until`.

use chrono::{DateTime, Duration, NaiveDate, Utc};

/// A point in time in microseconds since 1970: RFC 3339, a date (UTC), or an age such as `7d`.
pub(crate) fn parse(text: &str) -> Result<i64, String> {
    parse_at(text, Utc::now())
}

fn parse_at(text: &str, now: DateTime<Utc>) -> Result<i64, String> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(time.timestamp_micros());
    }
    if let Ok(date) = text.parse::<NaiveDate>() {
        return Ok(date
            .and_time(chrono::NaiveTime::MIN)
            .and_utc()
            .timestamp_micros());
    }
    let age = age(text).and_then(|age| now.checked_sub_signed(age));
    age.map(|time| time.timestamp_micros()).ok_or_else(|| {
        "a time is 2026-06-01T04:27:09Z, a date 2026-06-01, an age 30m, 24h, 7d or 2w".to_owned()
    })
}

fn age(text: &str) -> Option<Duration> {
    let unit = text.chars().next_back()?;
    let number: i64 = text[..text.len() - unit.len_utf8()].parse().ok()?;
    match unit {
        'm' => Duration::try_minutes(number),
        'h' => Duration::try_hours(number),
        'd' => Duration::try_days(number),
        'w' => Duration::try_weeks(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_dates_and_ages() {
        let now = DateTime::from_timestamp(1_000_000, 0).expect("a time");
        let parse = |text| parse_at(text, now);
        assert_eq!(parse("1970-01-02T01:00:00+01:00"), Ok(86_400_000_000));
        assert_eq!(parse("1970-01-02"), Ok(86_400_000_000));
        assert_eq!(parse("1d"), Ok((1_000_000 - 86_400) * 1_000_000));
        for text in [
            "",
            "d",
            "7",
            "7y",
            "7 d",
            "99999999999999w",
            "1970-13-01",
            "日",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
