//! `--since` and `--until`.

use chrono::Utc;
use preflight_audit::time;

/// A point in time in microseconds since 1970: RFC 3339, a date (UTC), or an age such as `7d`.
pub(crate) fn parse(text: &str) -> Result<i64, String> {
    time::past(text, Utc::now().timestamp_micros())
}
