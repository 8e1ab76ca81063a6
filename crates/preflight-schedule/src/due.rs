//! Which periods are due.

use chrono::{DateTime, Duration, Utc};

use crate::{CronTimes, Period, ScheduleError, Unit};

/// The periods that times of the schedule in `(since, now]` stand for, oldest first, each once.
///
/// A time of the schedule stands for the last whole period before it. What ends by `covered` has
/// been due before.
///
/// ```
/// use preflight_schedule::{CronTimes, Unit, due};
///
/// let cron = CronTimes::parse("0 6 * * *", chrono_tz::Europe::Berlin)?;
/// let since = "2026-02-27T12:00:00Z".parse()?;
/// let now = "2026-03-02T12:00:00Z".parse()?;
/// let days = due(&cron, Unit::Day, since, None, now)?;
/// let days: Vec<String> = days.iter().map(ToString::to_string).collect();
/// assert_eq!(days, ["2026-02-27", "2026-02-28", "2026-03-01"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The calendar does not reach that far.
pub fn due(
    cron: &CronTimes,
    unit: Unit,
    since: DateTime<Utc>,
    covered: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<Vec<Period>, ScheduleError> {
    let mut periods = Vec::new();
    let mut period = Period::before(unit, now, cron.zone())?;
    // Times of the schedule that stand for the period are in [period.until, end).
    let mut end = period.next()?.until;
    while end > since && covered.is_none_or(|covered| period.until > covered) {
        let after = since.max(period.until - Duration::seconds(1));
        let time = cron.next_after(after);
        if time.is_some_and(|time| time < end && time <= now) {
            periods.push(period);
        }
        end = period.until;
        period = Period::before(unit, period.from, cron.zone())?;
    }
    periods.reverse();
    Ok(periods)
}

#[cfg(test)]
mod tests {
    use chrono_tz::{
        America::{Havana, New_York},
        Europe::Berlin,
        Tz, UTC,
    };
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().expect("a time")
    }

    fn cron(text: &str, zone: Tz) -> CronTimes {
        CronTimes::parse(text, zone).expect("an expression")
    }

    fn names(periods: &[Period]) -> Vec<String> {
        periods.iter().map(ToString::to_string).collect()
    }

    fn times(cron: &CronTimes, from: &str, until: &str) -> Vec<String> {
        let (mut time, until) = (at(from), at(until));
        let mut times = Vec::new();
        while let Some(next) = cron.next_after(time).filter(|next| *next < until) {
            times.push(next.format("%d %H:%M").to_string());
            time = next;
        }
        times
    }

    #[test]
    fn a_skipped_time_counts_after_the_gap_and_a_doubled_one_once() {
        let daily = cron("30 2 * * *", Berlin);
        let spring = times(&daily, "2026-03-27T12:00:00Z", "2026-03-31T00:00:00Z");
        assert_eq!(spring, ["28 01:30", "29 01:00", "30 00:30"]);
        let autumn = times(&daily, "2026-10-23T12:00:00Z", "2026-10-27T00:00:00Z");
        assert_eq!(autumn, ["24 00:30", "25 00:30", "26 01:30"]);
        let hourly = cron("0 * * * *", New_York);
        let autumn = times(&hourly, "2026-11-01T03:30:00Z", "2026-11-01T08:30:00Z");
        assert_eq!(
            autumn,
            ["01 04:00", "01 05:00", "01 06:00", "01 07:00", "01 08:00"]
        );
    }

    #[test]
    fn month_ends_and_leap_days() {
        let last = cron("0 0 L * *", UTC);
        assert_eq!(
            times(&last, "2028-01-31T00:00:00Z", "2028-04-01T00:00:00Z"),
            ["29 00:00", "31 00:00"]
        );
        let leap = cron("0 0 29 2 *", UTC);
        let next = leap.next_after(at("2096-03-01T00:00:00Z"));
        assert_eq!(next, Some(at("2104-02-29T00:00:00Z")));
    }

    #[test]
    fn what_never_happens_is_refused() {
        for text in [
            "0 0 30 2 *",
            "",
            "x",
            "61 * * * *",
            "* * * *",
            "0 0 1 1 * 2030 * *",
        ] {
            let error = CronTimes::parse(text, UTC).expect_err(text);
            assert!(
                error.starts_with("cron ") && !error.contains('\n'),
                "{error}"
            );
        }
    }

    #[test]
    fn many_times_for_one_period_are_one_run() {
        let hourly = cron("0 * * * *", UTC);
        let now = at("2026-06-03T12:00:00Z");
        let days = due(&hourly, Unit::Week, at("2026-05-31T12:00:00Z"), None, now);
        assert_eq!(names(&days.expect("periods")), ["2026-W21", "2026-W22"]);
    }

    #[test]
    fn a_day_that_never_was_is_left_out() {
        let daily = cron("0 6 * * *", chrono_tz::Pacific::Apia);
        let now = at("2012-01-02T00:00:00Z");
        let days = due(&daily, Unit::Day, at("2011-12-28T00:00:00Z"), None, now);
        let days = names(&days.expect("periods"));
        assert_eq!(
            days,
            [
                "2011-12-27",
                "2011-12-28",
                "2011-12-29",
                "2011-12-31",
                "2012-01-01"
            ]
        );
    }

    #[test]
    fn a_period_without_a_time_of_its_own_is_not_due() {
        let mondays = cron("0 6 * * MON", UTC);
        let now = at("2026-06-16T00:00:00Z");
        let days = due(&mondays, Unit::Day, at("2026-06-01T12:00:00Z"), None, now);
        assert_eq!(names(&days.expect("periods")), ["2026-06-07", "2026-06-14"]);
    }

    proptest! {
        /// However often and whenever somebody looks, each period comes up once, in order, and the
        /// same ones as by asking every time of the schedule.
        #[test]
        fn each_period_is_due_exactly_once(
            start in 1_700_000_000_i64..1_900_000_000,
            waits in prop::collection::vec(1_i64..2_000_000, 1..12),
            unit in prop::sample::select(vec![Unit::Day, Unit::Week, Unit::Month]),
            zone in prop::sample::select(vec![UTC, Berlin, Havana, New_York]),
            text in prop::sample::select(vec![
                "0 6 * * *", "30 2 * * *", "0 */7 * * *", "0 0 * * *", "0 6 * * MON",
                "0 0 1 * *", "15 1 13 * FRI", "59 23 L * *",
            ]),
        ) {
            let cron = cron(text, zone);
            let start = DateTime::from_timestamp(start, 0).expect("a time");
            let (mut since, mut covered) = (start, None);
            let mut found = Vec::new();
            for wait in waits {
                let now = since + Duration::seconds(wait);
                let periods = due(&cron, unit, since, covered, now).expect("periods");
                covered = periods.last().map(|period| period.until).or(covered);
                found.extend(names(&periods));
                since = now;
            }
            let (mut time, mut expected) = (start, Vec::new());
            while let Some(next) = cron.next_after(time).filter(|next| *next <= since) {
                let period = Period::before(unit, next, zone).expect("a period");
                expected.push(period.to_string());
                time = next;
            }
            expected.dedup();
            prop_assert_eq!(found, expected);
        }
    }
}
