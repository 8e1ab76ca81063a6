//! When a schedule is due, by the clocks of a time zone.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use croner::{
    Cron,
    parser::{CronParser, Seconds, Year},
};

/// No zone has ever skipped more than a day.
const GAP_HOURS: i64 = 25;

/// A cron expression in a time zone.
///
/// A time of day that clocks skip in spring counts at the first moment after the gap, and one that
/// they show twice in autumn counts once, the first time. An expression that repeats within a day
/// (`*/15 * * * *`) goes on through both.
///
/// ```
/// use preflight_schedule::CronTimes;
///
/// let cron = CronTimes::parse("30 2 * * *", chrono_tz::Europe::Berlin)?;
/// let next = cron.next_after("2026-03-28T12:00:00Z".parse()?);
/// // On 29 March 2026, clocks go from 02:00 to 03:00.
/// assert_eq!(next, Some("2026-03-29T01:00:00Z".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct CronTimes {
    text: String,
    cron: Cron,
    zone: Tz,
}

impl CronTimes {
    /// Reads an expression: minute, hour, day of month, month, day of week; seconds may stand first.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(text: &str, zone: Tz) -> Result<Self, String> {
        let parser = CronParser::builder()
            .seconds(Seconds::Optional)
            .year(Year::Disallowed)
            .build();
        let cron = parser.parse(text).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.trim_end_matches('.');
            format!(
                "cron {text:?}: {reason}; it is minute, hour, day of month, month and day of week, as in \"0 6 * * MON\""
            )
        })?;
        let times = Self {
            text: text.trim().to_owned(),
            cron,
            zone,
        };
        match times.next_after(DateTime::UNIX_EPOCH) {
            Some(_) => Ok(times),
            None => Err(format!("cron {text:?} never happens")),
        }
    }

    /// The first time after another one.
    pub fn next_after(&self, time: DateTime<Utc>) -> Option<DateTime<Utc>> {
        // From inside of a day that a zone skips whole, the search finds nothing: it goes on behind.
        for hours in 0..=GAP_HOURS {
            let from = time.checked_add_signed(Duration::hours(hours))?;
            let local = from.with_timezone(&self.zone);
            if let Ok(next) = self.cron.find_next_occurrence(&local, false) {
                return Some(next.with_timezone(&Utc));
            }
        }
        None
    }

    /// Whose clocks count.
    pub fn zone(&self) -> Tz {
        self.zone
    }

    /// The expression as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The fields of the expression.
    pub(crate) fn pattern(&self) -> &croner::CronPattern {
        &self.cron.pattern
    }
}
