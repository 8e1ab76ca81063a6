//! Points in simulated time, written as records write them.

use std::ops::Add;

use serde::ser::{Error, Serialize, Serializer};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// Day 0 of the log, 2026-06-01, counted from 1970-01-01.
const FIRST_DAY: u64 = 20_605;

/// Milliseconds since the log's first midnight (2026-06-01, UTC).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Timestamp(pub(crate) u64);

impl Timestamp {
    /// The same time of day, `days` earlier, if the log had begun by then.
    pub(crate) fn days_earlier(self, days: u64) -> Option<Self> {
        self.0.checked_sub(days * DAY_MS).map(Self)
    }

    /// The text `YYYY-MM-DDThh:mm:ss.mmmZ`.
    fn text(self) -> [u8; 24] {
        let (year, month, day) = civil(FIRST_DAY + self.0 / DAY_MS);
        let ms = self.0 % DAY_MS;
        let mut text = *b"0000-00-00T00:00:00.000Z";
        digits(&mut text[0..4], year);
        digits(&mut text[5..7], month);
        digits(&mut text[8..10], day);
        digits(&mut text[11..13], ms / 3_600_000);
        digits(&mut text[14..16], ms / 60_000 % 60);
        digits(&mut text[17..19], ms / 1000 % 60);
        digits(&mut text[20..23], ms % 1000);
        text
    }
}

impl Add<u64> for Timestamp {
    type Output = Self;

    fn add(self, ms: u64) -> Self {
        Self(self.0 + ms)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.text();
        serializer.serialize_str(std::str::from_utf8(&text).map_err(S::Error::custom)?)
    }
}

/// Year, month and day of a count of days since 1970-01-01.
///
/// Counts in eras of 400 years that begin on 1 March, so that a leap day is the
/// last day of its year.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let leap_days = day_of_era / 1460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// Writes `number` right-aligned into `place`, padded with zeros.
fn digits(place: &mut [u8], mut number: u64) {
    for byte in place.iter_mut().rev() {
        *byte = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(ms: u64) -> String {
        String::from_utf8_lossy(&Timestamp(ms).text()).into_owned()
    }

    #[test]
    fn counts_from_the_first_of_june_2026() {
        assert_eq!(text(0), "2026-06-01T00:00:00.000Z");
        assert_eq!(text(16_029_546), "2026-06-01T04:27:09.546Z");
    }

    #[test]
    fn knows_month_ends_and_leap_days() {
        assert_eq!(text(30 * DAY_MS - 1), "2026-06-30T23:59:59.999Z");
        assert_eq!(text(214 * DAY_MS), "2027-01-01T00:00:00.000Z");
        assert_eq!(text(638 * DAY_MS), "2028-02-29T00:00:00.000Z");
    }
}
