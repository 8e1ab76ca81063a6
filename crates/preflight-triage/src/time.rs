//! Times as they are shown, all in UTC.

use chrono::{DateTime, SecondsFormat, Utc};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown() {
        assert_eq!(shown(1_000_000), "1970-01-01 00:00:01");
        assert_eq!(rfc3339(1_500_000), "1970-01-01T00:00:01.500Z");
        assert_eq!(shown(i64::MAX), "");
    }
}
