//! Which time a run is about: a whole day, week or month by the calendar of a time zone.

use std::fmt;

use chrono::{
    DateTime, Datelike, Days, Duration, Months, NaiveDate, NaiveTime, SecondsFormat, TimeZone, Utc,
    Weekday, offset::LocalResult,
};
use chrono_tz::Tz;

use crate::ScheduleError;

/// How long a period is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Midnight to midnight, 23 to 25 hours.
    Day,
    /// Monday to Sunday.
    Week,
    /// From the first of the month on.
    Month,
}

impl Unit {
    /// Reads `day`, `week` or `month`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "day" => Some(Self::Day),
            "week" => Some(Self::Week),
            "month" => Some(Self::Month),
            _ => None,
        }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }
}

/// A half-open stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// How long it is.
    pub unit: Unit,
    /// Its first day.
    pub start: NaiveDate,
    /// Whose calendar counts.
    pub zone: Tz,
    /// Start.
    pub from: DateTime<Utc>,
    /// End, not part of it.
    pub until: DateTime<Utc>,
}

impl Period {
    /// The last whole period before a time.
    ///
    /// ```
    /// use preflight_schedule::{Period, Unit};
    ///
    /// let at = "2028-03-15T09:00:00Z".parse()?;
    /// let period = Period::before(Unit::Month, at, chrono_tz::Europe::Berlin)?;
    /// assert_eq!(period.to_string(), "2028-02");
    /// assert_eq!(period.show(period.until), "2028-03-01T00:00:00+01:00");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The calendar does not reach that far.
    pub fn before(unit: Unit, time: DateTime<Utc>, zone: Tz) -> Result<Self, ScheduleError> {
        let today = time.with_timezone(&zone).date_naive();
        let current = match unit {
            Unit::Day => Some(today),
            Unit::Week => {
                let back = today.weekday().num_days_from_monday();
                today.checked_sub_days(Days::new(back.into()))
            }
            Unit::Month => today.with_day(1),
        };
        let mut period = Self::starting(unit, current.ok_or_else(out_of_calendar)?, zone)?;
        loop {
            period = period.previous()?;
            if !period.is_empty() {
                return Ok(period);
            }
        }
    }

    /// Reads a name: `2026-02-14`, `2026-W07` or `2026-02`.
    ///
    /// # Errors
    ///
    /// It is no name of a period of this length.
    pub fn parse(unit: Unit, name: &str, zone: Tz) -> Result<Self, ScheduleError> {
        let start = match unit {
            Unit::Day => name.parse().ok(),
            Unit::Week => week(name),
            Unit::Month => format!("{name}-01").parse().ok(),
        };
        let period = start.map(|start| Self::starting(unit, start, zone));
        match period.transpose()? {
            // Nothing but the name itself is taken: 2026-2 is none.
            Some(period) if period.to_string() == name => Ok(period),
            _ => Err(ScheduleError::Period(format!(
                "{name:?} is no {}: they are named as {}",
                unit.name(),
                match unit {
                    Unit::Day => "2026-02-14",
                    Unit::Week => "2026-W07",
                    Unit::Month => "2026-02",
                }
            ))),
        }
    }

    fn starting(unit: Unit, start: NaiveDate, zone: Tz) -> Result<Self, ScheduleError> {
        let end = step(unit, start, 1).ok_or_else(out_of_calendar)?;
        Ok(Self {
            unit,
            start,
            zone,
            from: midnight(start, zone)?,
            until: midnight(end, zone)?,
        })
    }

    /// The one after it.
    ///
    /// # Errors
    ///
    /// The calendar does not reach that far.
    pub fn next(&self) -> Result<Self, ScheduleError> {
        let start = step(self.unit, self.start, 1).ok_or_else(out_of_calendar)?;
        Self::starting(self.unit, start, self.zone)
    }

    /// The one before it.
    ///
    /// # Errors
    ///
    /// The calendar does not reach that far.
    pub fn previous(&self) -> Result<Self, ScheduleError> {
        let start = step(self.unit, self.start, -1).ok_or_else(out_of_calendar)?;
        Self::starting(self.unit, start, self.zone)
    }

    /// A time by the clocks of the period's time zone, as RFC 3339.
    pub fn show(&self, time: DateTime<Utc>) -> String {
        time.with_timezone(&self.zone)
            .to_rfc3339_opts(SecondsFormat::Secs, false)
    }

    /// Whether the calendar of the time zone leaves it out: a day that was skipped on the other
    /// side of the date line.
    pub fn is_empty(&self) -> bool {
        self.from >= self.until
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            Unit::Day => write!(f, "{}", self.start.format("%Y-%m-%d")),
            Unit::Week => write!(f, "{}", self.start.format("%G-W%V")),
            Unit::Month => write!(f, "{}", self.start.format("%Y-%m")),
        }
    }
}

fn week(name: &str) -> Option<NaiveDate> {
    let (year, week) = name.split_once("-W")?;
    NaiveDate::from_isoywd_opt(year.parse().ok()?, week.parse().ok()?, Weekday::Mon)
}

fn step(unit: Unit, start: NaiveDate, by: i32) -> Option<NaiveDate> {
    let days = |days: u64| match by {
        1 => start.checked_add_days(Days::new(days)),
        _ => start.checked_sub_days(Days::new(days)),
    };
    match (unit, by) {
        (Unit::Day, _) => days(1),
        (Unit::Week, _) => days(7),
        (Unit::Month, 1) => start.checked_add_months(Months::new(1)),
        (Unit::Month, _) => start.checked_sub_months(Months::new(1)),
    }
}

/// The first moment of a date: clocks that go forward at midnight skip it.
fn midnight(date: NaiveDate, zone: Tz) -> Result<DateTime<Utc>, ScheduleError> {
    let midnight = date.and_time(NaiveTime::MIN);
    // No zone has ever skipped more than a day.
    for minutes in 0..=(24 * 60) {
        let local = midnight.checked_add_signed(Duration::minutes(minutes));
        match zone.from_local_datetime(&local.ok_or_else(out_of_calendar)?) {
            LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => {
                return Ok(time.with_timezone(&Utc));
            }
            LocalResult::None => (),
        }
    }
    Err(out_of_calendar())
}

fn out_of_calendar() -> ScheduleError {
    ScheduleError::Period("a time is out of the calendar".to_owned())
}

#[cfg(test)]
mod tests {
    use chrono_tz::{
        America::{Havana, Sao_Paulo},
        Europe::Berlin,
        Pacific::Apia,
        UTC,
    };
    use proptest::prelude::*;

    use super::*;

    fn before(unit: Unit, time: &str, zone: Tz) -> Period {
        Period::before(unit, time.parse().expect("a time"), zone).expect("a period")
    }

    fn hours(period: Period) -> i64 {
        (period.until - period.from).num_hours()
    }

    #[test]
    fn days_are_as_long_as_clocks_make_them() {
        assert_eq!(hours(before(Unit::Day, "2026-03-30T04:00:00Z", Berlin)), 23);
        assert_eq!(hours(before(Unit::Day, "2026-10-26T04:00:00Z", Berlin)), 25);
        // Clocks skip midnight itself.
        let day = before(Unit::Day, "2018-11-05T12:00:00Z", Sao_Paulo);
        assert_eq!(day.show(day.from), "2018-11-04T01:00:00-02:00");
        // Midnight comes twice.
        let day = before(Unit::Day, "2026-11-02T12:00:00Z", Havana);
        assert_eq!(day.show(day.from), "2026-11-01T00:00:00-04:00");
        assert_eq!(hours(day), 25);
    }

    #[test]
    fn a_day_that_never_was_is_empty() {
        // Samoa went from 29 to 31 December 2011.
        let day = Period::parse(Unit::Day, "2011-12-30", Apia).expect("a day");
        assert!(day.is_empty());
        let day = before(Unit::Day, "2011-12-31T12:00:00Z", Apia);
        assert_eq!(day.to_string(), "2011-12-31");
        let day = before(Unit::Day, "2011-12-31T06:00:00Z", Apia);
        assert_eq!(day.to_string(), "2011-12-29");
    }

    #[test]
    fn leap_days_month_ends_and_long_years() {
        let month = before(Unit::Month, "2024-03-31T10:00:00Z", UTC);
        assert_eq!(
            (month.to_string().as_str(), hours(month)),
            ("2024-02", 29 * 24)
        );
        let month = before(Unit::Month, "2023-03-31T10:00:00Z", UTC);
        assert_eq!(
            (month.to_string().as_str(), hours(month)),
            ("2023-02", 28 * 24)
        );
        let week = before(Unit::Week, "2027-01-04T00:00:00Z", UTC);
        assert_eq!(week.to_string(), "2026-W53");
        let day = before(Unit::Day, "2028-03-01T00:00:00Z", UTC);
        assert_eq!(day.to_string(), "2028-02-29");
    }

    #[test]
    fn other_names_are_refused() {
        for (unit, name) in [
            (Unit::Day, "2026-02-29"),
            (Unit::Day, "2026-2-14"),
            (Unit::Day, "2026-02"),
            (Unit::Week, "2026-W54"),
            (Unit::Week, "2026-W7"),
            (Unit::Week, "../../x"),
            (Unit::Month, "2026-13"),
            (Unit::Month, "2026-02-14"),
            (Unit::Month, ""),
        ] {
            let error = Period::parse(unit, name, UTC).expect_err(name).to_string();
            assert!(error.contains("they are named as"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn periods_join_without_gap_and_have_names(
            seconds in 0_i64..4_000_000_000,
            unit in prop::sample::select(vec![Unit::Day, Unit::Week, Unit::Month]),
            zone in prop::sample::select(vec![UTC, Berlin, Havana, Sao_Paulo, Apia]),
        ) {
            let time = DateTime::from_timestamp(seconds, 0).expect("a time");
            let period = Period::before(unit, time, zone).expect("a period");
            let next = period.next().expect("a period");
            prop_assert!(period.until <= time && time < next.until);
            prop_assert_eq!(period.until, next.from);
            prop_assert!(!period.is_empty());
            prop_assert_eq!(next.previous().expect("a period"), period);
            let name = period.to_string();
            prop_assert_eq!(Period::parse(unit, &name, zone).expect("a period"), period);
        }
    }
}
