//! What to generate.

use crate::dice::MILLION;

/// How many chains are in progress at once, at most.
const MOST_CHAINS: u64 = 4096;
/// Records that a place for a chain is expected to give in the course of a log.
const RECORDS_PER_PLACE: u64 = 20;
/// About how long a record is, its line feed included.
const BYTES_PER_RECORD: u64 = 1000;

/// When a log is long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// It ends with the record that reaches this many bytes.
    Bytes(u64),
    /// It has exactly this many records.
    Records(u64),
}

/// What to generate: equal plans give equal bytes.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which of the possible logs.
    pub seed: u64,
    /// How long the log is.
    pub size: Size,
    /// How many of the runs get an anomaly, from 0 to 1.
    pub anomalies: f64,
}

impl Plan {
    /// How many places for chains the log has.
    ///
    /// A short log has few, or it would hold nothing but beginnings.
    pub(crate) fn chains_at_once(&self) -> usize {
        self.places().clamp(8, MOST_CHAINS) as usize
    }

    /// By what factor the chains of a very long log are sped up, so that it spans
    /// months and not decades.
    pub(crate) fn pace(&self) -> u64 {
        (self.places() / MOST_CHAINS).clamp(1, 10_000)
    }

    pub(crate) fn anomalies_per_million(&self) -> u64 {
        (self.anomalies.clamp(0.0, 1.0) * MILLION as f64).round() as u64
    }

    fn places(&self) -> u64 {
        let records = match self.size {
            Size::Bytes(bytes) => bytes / BYTES_PER_RECORD,
            Size::Records(records) => records,
        };
        records / RECORDS_PER_PLACE
    }
}
