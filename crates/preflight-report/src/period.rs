//! Which time a report is about, and which one it is compared with: by the calendar of a time zone.

use chrono::{
    DateTime, Datelike, Days, Duration, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Utc,
    offset::LocalResult,
};
use chrono_tz::Tz;

use crate::ReportError;

/// A half-open stretch of time, and the equally long one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// Start of the period before, in microseconds since 1970.
    pub before: i64,
    /// Start, in microseconds since 1970.
    pub from: i64,
    /// End, in microseconds since 1970; not part of it.
    pub until: i64,
    /// Whose calendar counts.
    pub zone: Tz,
}

/// A stretch by the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calendar {
    /// Midnight to midnight.
    LastDay,
    /// Monday to Sunday.
    LastWeek,
    /// From the first of the month on.
    LastMonth,
}

impl Calendar {
    /// Reads `last_day`, `last_week` or `last_month`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "last_day" => Some(Self::LastDay),
            "last_week" => Some(Self::LastWeek),
            "last_month" => Some(Self::LastMonth),
            _ => None,
        }
    }
}

/// How wide the steps of a trend are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// 60 minutes.
    Hour,
    /// Midnight to midnight, 23 to 25 hours.
    Day,
    /// Monday to Sunday.
    Week,
    /// From the first of the month on.
    Month,
}

impl Step {
    /// As Polars spells it.
    pub(crate) fn every(self) -> &'static str {
        match self {
            Self::Hour => "1h",
            Self::Day => "1d",
            Self::Week => "1w",
            Self::Month => "1mo",
        }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }
}

impl Period {
    /// The last whole day, week or month before a time.
    ///
    /// ```
    /// use preflight_report::{Calendar, Period};
    ///
    /// let now = "2028-03-15T09:00:00Z".parse()?;
    /// let period = Period::calendar(Calendar::LastMonth, now, chrono_tz::Europe::Berlin)?;
    /// assert_eq!(period.show(period.from), "2028-02-01T00:00:00+01:00");
    /// assert_eq!(period.show(period.until), "2028-03-01T00:00:00+01:00");
    /// assert_eq!(period.show(period.before), "2028-01-01T00:00:00+01:00");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The calendar does not reach that far.
    pub fn calendar(calendar: Calendar, now: DateTime<Utc>, zone: Tz) -> Result<Self, ReportError> {
        let today = now.with_timezone(&zone).date_naive();
        let back = |date: NaiveDate, times: u32| match calendar {
            Calendar::LastDay => date.checked_sub_days(Days::new(times.into())),
            Calendar::LastWeek => date.checked_sub_days(Days::new(u64::from(times) * 7)),
            Calendar::LastMonth => date.checked_sub_months(Months::new(times)),
        };
        let end = match calendar {
            Calendar::LastDay => Some(today),
            Calendar::LastWeek => {
                today.checked_sub_days(Days::new(today.weekday().num_days_from_monday().into()))
            }
            Calendar::LastMonth => today.with_day(1),
        };
        let dates = end.and_then(|end| Some((back(end, 2)?, back(end, 1)?, end)));
        let (before, from, until) = dates.ok_or_else(out_of_calendar)?;
        let midnight = |date: NaiveDate| earliest(zone, date.and_time(NaiveTime::MIN));
        Ok(Self {
            before: midnight(before)?,
            from: midnight(from)?,
            until: midnight(until)?,
            zone,
        })
    }

    /// From `since` to `until`. `since` is RFC 3339, a date, or a length such as `12h`, `30d` or
    /// `2w`; days and weeks are those of the calendar.
    ///
    /// # Errors
    ///
    /// One of them is not understood, or the end is not after the start.
    pub fn between(
        since: &str,
        until: Option<&str>,
        now: DateTime<Utc>,
        zone: Tz,
    ) -> Result<Self, ReportError> {
        let until = match until {
            None => now.timestamp_micros(),
            Some(text) => moment(text, zone)?.ok_or_else(|| not_understood(text))?,
        };
        let back = |from: i64| length_before(since, from, zone);
        let (before, from) = match moment(since, zone)? {
            Some(from) => (from.checked_sub(until.saturating_sub(from)), from),
            None => {
                let from = back(until)?.ok_or_else(|| not_understood(since))?;
                (back(from)?, from)
            }
        };
        let before = before.ok_or_else(out_of_calendar)?;
        if from >= until {
            return Err(ReportError::Period(
                "the period ends before it starts: until is later than since".to_owned(),
            ));
        }
        Ok(Self {
            before,
            from,
            until,
            zone,
        })
    }

    /// A time in the period's time zone, as RFC 3339.
    pub fn show(&self, micros: i64) -> String {
        let time = DateTime::from_timestamp_micros(micros).unwrap_or_default();
        let form = match micros % 1_000_000 {
            0 => chrono::SecondsFormat::Secs,
            _ => chrono::SecondsFormat::Millis,
        };
        time.with_timezone(&self.zone).to_rfc3339_opts(form, false)
    }

    /// The day of a time in the period's time zone.
    pub fn day(&self, micros: i64) -> String {
        let time = DateTime::from_timestamp_micros(micros).unwrap_or_default();
        time.with_timezone(&self.zone).date_naive().to_string()
    }

    /// How wide the trend's steps are, so that there are at most about 60 of them.
    pub fn step(&self) -> Step {
        match (self.until - self.from) / 3_600_000_000 {
            ..=72 => Step::Hour,
            73..=1_500 => Step::Day,
            1_501..=10_000 => Step::Week,
            _ => Step::Month,
        }
    }

    /// The starts of all steps that the period touches, empty ones included.
    pub fn steps(&self) -> Result<Vec<i64>, ReportError> {
        let step = self.step();
        if step == Step::Hour {
            let hour = 3_600_000_000;
            let first = self.from - self.from.rem_euclid(hour);
            return Ok((0..)
                .map(|n| first + n * hour)
                .take_while(|at| *at < self.until)
                .collect());
        }
        let local = DateTime::from_timestamp_micros(self.from).ok_or_else(out_of_calendar)?;
        let mut date = local.with_timezone(&self.zone).date_naive();
        match step {
            Step::Week => {
                let back = Days::new(date.weekday().num_days_from_monday().into());
                date = date.checked_sub_days(back).ok_or_else(out_of_calendar)?;
            }
            Step::Month => date = date.with_day(1).ok_or_else(out_of_calendar)?,
            Step::Day | Step::Hour => (),
        }
        let mut starts = Vec::new();
        loop {
            let start = earliest(self.zone, date.and_time(NaiveTime::MIN))?;
            if start >= self.until {
                return Ok(starts);
            }
            starts.push(start);
            let next = match step {
                Step::Week => date.checked_add_days(Days::new(7)),
                Step::Month => date.checked_add_months(Months::new(1)),
                Step::Day | Step::Hour => date.checked_add_days(Days::new(1)),
            };
            date = next.ok_or_else(out_of_calendar)?;
        }
    }
}

fn out_of_calendar() -> ReportError {
    ReportError::Period("a time is out of the calendar".to_owned())
}

fn not_understood(text: &str) -> ReportError {
    ReportError::Period(format!(
        "{text:?} is no time: say 2026-06-01T04:27:09Z, a date 2026-06-01, or (for since) a length 12h, 30d or 2w"
    ))
}

/// The first moment that a clock shows this time or a later one: clocks skip times in spring.
fn earliest(zone: Tz, local: NaiveDateTime) -> Result<i64, ReportError> {
    // No zone has ever skipped more than a day.
    for minutes in 0..=(24 * 60) {
        let local = local.checked_add_signed(Duration::minutes(minutes));
        let local = local.ok_or_else(out_of_calendar)?;
        match zone.from_local_datetime(&local) {
            LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => {
                return Ok(time.timestamp_micros());
            }
            LocalResult::None => (),
        }
    }
    Err(out_of_calendar())
}

fn moment(text: &str, zone: Tz) -> Result<Option<i64>, ReportError> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(Some(time.timestamp_micros()));
    }
    match text.parse::<NaiveDate>() {
        Ok(date) => earliest(zone, date.and_time(NaiveTime::MIN)).map(Some),
        Err(_) => Ok(None),
    }
}

fn length_before(text: &str, end: i64, zone: Tz) -> Result<Option<i64>, ReportError> {
    let mut rest = text.chars();
    let unit = rest.next_back();
    let Some(number) = rest
        .as_str()
        .parse::<u32>()
        .ok()
        .filter(|number| *number > 0)
    else {
        return Ok(None);
    };
    let days = match unit {
        Some('h') => return Ok(end.checked_sub(i64::from(number) * 3_600_000_000)),
        Some('d') => u64::from(number),
        Some('w') => u64::from(number) * 7,
        _ => return Ok(None),
    };
    let local = DateTime::from_timestamp_micros(end).ok_or_else(out_of_calendar)?;
    let local = local.with_timezone(&zone).naive_local();
    let local = local
        .checked_sub_days(Days::new(days))
        .ok_or_else(out_of_calendar)?;
    earliest(zone, local).map(Some)
}

#[cfg(test)]
mod tests {
    use chrono_tz::{America::Sao_Paulo, Europe::Berlin, UTC};

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().expect("a time")
    }

    fn shown(period: Period) -> [String; 3] {
        [period.before, period.from, period.until].map(|time| period.show(time))
    }

    #[test]
    fn weeks_with_a_change_of_clocks_are_shorter_and_longer() {
        let spring = Period::calendar(Calendar::LastWeek, at("2026-03-30T04:00:00Z"), Berlin);
        let spring = spring.expect("a period");
        assert_eq!(
            shown(spring),
            [
                "2026-03-16T00:00:00+01:00",
                "2026-03-23T00:00:00+01:00",
                "2026-03-30T00:00:00+02:00"
            ]
        );
        assert_eq!((spring.until - spring.from) / 3_600_000_000, 7 * 24 - 1);
        let autumn = Period::calendar(Calendar::LastDay, at("2026-10-26T04:00:00Z"), Berlin);
        let autumn = autumn.expect("a period");
        assert_eq!((autumn.until - autumn.from) / 3_600_000_000, 25);
        assert_eq!(autumn.steps().expect("steps").len(), 25);
    }

    #[test]
    fn a_midnight_that_is_skipped_starts_later() {
        let period = Period::calendar(Calendar::LastDay, at("2018-11-05T12:00:00Z"), Sao_Paulo);
        let period = period.expect("a period");
        assert_eq!(period.show(period.from), "2018-11-04T01:00:00-02:00");
        assert_eq!((period.until - period.from) / 3_600_000_000, 23);
    }

    #[test]
    fn month_ends_and_leap_days() {
        let month = Period::calendar(Calendar::LastMonth, at("2024-03-31T10:00:00Z"), UTC);
        assert_eq!(
            shown(month.expect("a period")),
            [
                "2024-01-01T00:00:00+00:00",
                "2024-02-01T00:00:00+00:00",
                "2024-03-01T00:00:00+00:00"
            ]
        );
        let month = month_of("2024-03-31T10:00:00Z");
        assert_eq!(month.steps().expect("steps").len(), 29);
        assert_eq!(
            month_of("2023-03-31T10:00:00Z")
                .steps()
                .expect("steps")
                .len(),
            28
        );
    }

    fn month_of(now: &str) -> Period {
        Period::calendar(Calendar::LastMonth, at(now), UTC).expect("a period")
    }

    #[test]
    fn lengths_are_of_the_calendar() {
        let period = Period::between("7d", Some("2026-03-30"), at("2026-06-01T00:00:00Z"), Berlin);
        let period = period.expect("a period");
        assert_eq!(period.show(period.from), "2026-03-23T00:00:00+01:00");
        assert_eq!(period.show(period.before), "2026-03-16T00:00:00+01:00");
        for (since, until) in [
            ("0d", None),
            ("d", None),
            ("7y", None),
            ("日", None),
            ("2026-06-02", None),
            ("1d", Some("1d")),
        ] {
            let period = Period::between(since, until, at("2026-06-01T00:00:00Z"), UTC);
            assert!(period.is_err(), "{since}");
        }
    }
}
