//! What is said of each run: one JSON object on a line.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

/// A line of what happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// When.
    pub time: DateTime<Utc>,
    /// The schedule.
    pub schedule: String,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The daemon waits for the schedule.
    Waiting {
        /// When it is due next.
        next: Option<DateTime<Utc>>,
    },
    /// A run has made what it should.
    Done {
        /// The period.
        period: String,
        /// Its folder.
        run: String,
        /// Digest of what was made.
        digest: String,
        /// Whether the very same was made before.
        is_unchanged: bool,
        /// What it was made from.
        source: Value,
        /// What the job had to say.
        notes: Value,
        /// What was looked at and found in each part, by its name.
        parts: Value,
        /// What became of the deliveries.
        #[serde(flatten)]
        deliveries: Counts,
        /// How long it took.
        milliseconds: u64,
    },
    /// A run has failed.
    Failed {
        /// The period.
        period: String,
        /// Why.
        error: String,
        /// How often it was tried.
        attempts: u32,
        /// When it is tried next.
        next_attempt: DateTime<Utc>,
    },
    /// Another process is at it.
    Busy,
    /// More periods were missed than are made up for.
    Skipped {
        /// Those.
        periods: Vec<String>,
    },
    /// A delivery arrived, failed or was refused.
    Delivery {
        /// The period.
        period: String,
        /// Whose it is.
        part: String,
        /// Name of the target.
        target: String,
        /// What a receiver can know it again by.
        key: String,
        /// delivered, failed or refused.
        result: &'static str,
        /// How often it was begun to be sent.
        attempts: u32,
        /// What the receiver said.
        #[serde(skip_serializing_if = "Option::is_none")]
        receipt: Option<String>,
        /// Why it did not arrive.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// When it is sent next.
        #[serde(skip_serializing_if = "Option::is_none")]
        next_attempt: Option<DateTime<Utc>>,
    },
    /// The daemon ends.
    Stopped,
    /// The state can't be read or written.
    Broken {
        /// Why.
        error: String,
    },
}

/// What became of deliveries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Those that arrived, now or before.
    pub delivered: usize,
    /// Those that are sent again later.
    pub pending: usize,
    /// Those that were refused, and are kept.
    pub refused: usize,
}
