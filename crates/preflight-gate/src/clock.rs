//! Where timestamps come from.

use std::{
    cell::RefCell,
    time::{Duration, SystemTime},
};

use preflight_record::Timestamp;

use crate::guard::caught;

/// The time that goes into records; replaced in tests and replays.
///
/// Where one panics, the machine's clock is read in its place: a call's end goes on record whatever
/// happens.
pub trait Clock: Send + Sync {
    /// The present.
    fn now(&self) -> SystemTime;
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// A clock that stands still.
impl Clock for SystemTime {
    fn now(&self) -> SystemTime {
        *self
    }
}

/// What a clock says, or the machine's if it panics.
pub(crate) fn read(clock: &dyn Clock) -> SystemTime {
    caught(|| clock.now()).unwrap_or_else(|_| SystemTime::now())
}

/// The end of a span of time, at the latest the last point in time that can be written.
pub(crate) fn stamp_after(start: SystemTime, span: Duration) -> Timestamp<'static> {
    stamp(
        start
            .checked_add(span)
            .unwrap_or(SystemTime::UNIX_EPOCH + LAST),
    )
}

/// Years past 9999 have no RFC 3339 form.
const LAST: Duration = Duration::from_millis(253_402_300_799_999);

/// `2026-06-01T04:27:09.546Z`: milliseconds, UTC, as all gates write it.
pub(crate) fn stamp(time: SystemTime) -> Timestamp<'static> {
    // A clock before 1970 is a broken clock.
    let since = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default()
        .min(LAST);
    let millis = since.as_millis() as u64;
    Timestamp {
        text: text_of(millis).into(),
        micros: (millis * 1_000) as i64,
        canonical: true,
    }
}

thread_local! {
    /// The last timestamp of this thread: a decision takes several within one millisecond.
    static STAMPED: RefCell<(u64, String)> = const { RefCell::new((u64::MAX, String::new())) };
}

fn text_of(millis: u64) -> String {
    STAMPED.with_borrow_mut(|(last, text)| {
        if *last != millis {
            *last = millis;
            *text = rfc3339(millis).iter().copied().map(char::from).collect();
        }
        text.clone()
    })
}

fn rfc3339(millis: u64) -> [u8; 24] {
    let (days, in_day) = (millis / 86_400_000, millis % 86_400_000);
    let (year, month, day) = civil(days);
    let mut text = *b"0000-00-00T00:00:00.000Z";
    put(&mut text[0..4], year);
    put(&mut text[5..7], month);
    put(&mut text[8..10], day);
    put(&mut text[11..13], in_day / 3_600_000);
    put(&mut text[14..16], in_day / 60_000 % 60);
    put(&mut text[17..19], in_day / 1_000 % 60);
    put(&mut text[20..23], in_day % 1_000);
    text
}

fn put(digits: &mut [u8], mut number: u64) {
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Year, month and day of a day since 1970, by the proleptic Gregorian calendar.
fn civil(days: u64) -> (u64, u64, u64) {
    // Counted in 400-year eras from 0000-03-01, so that the leap day ends a year.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn stamps_read_back(millis in 0u64..253_402_300_799_999) {
            let stamped = stamp(SystemTime::UNIX_EPOCH + Duration::from_millis(millis));
            let read = Timestamp::parse(stamped.text.clone());
            prop_assert_eq!(read, Ok(stamped));
        }
    }
}
