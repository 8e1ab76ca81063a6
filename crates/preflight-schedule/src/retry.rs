//! How long to wait after a failure.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use chrono::{DateTime, Utc};

/// Waits that double, from the first to the longest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// After the first failure.
    pub first: Duration,
    /// Never longer than this.
    pub longest: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(30),
            longest: Duration::from_secs(3_600),
        }
    }
}

impl Retry {
    /// When to try again after so many attempts.
    pub(crate) fn next(&self, attempts: u32, now: DateTime<Utc>) -> DateTime<Utc> {
        let mut waits = ExponentialBuilder::new()
            .with_min_delay(self.first)
            .with_max_delay(self.longest)
            .without_max_times()
            .build();
        // Doubled so often, any wait is the longest.
        let before = attempts.saturating_sub(1).min(64) as usize;
        let wait = waits.nth(before).unwrap_or(self.longest);
        now + chrono::Duration::from_std(wait).unwrap_or(chrono::Duration::hours(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let retry = Retry {
            first: Duration::from_secs(10),
            longest: Duration::from_secs(60),
        };
        let waits = [1, 2, 3, 4, 5, 1_000, u32::MAX]
            .map(|attempts| retry.next(attempts, DateTime::UNIX_EPOCH).timestamp());
        assert_eq!(waits, [10, 20, 40, 60, 60, 60, 60]);
    }
}
