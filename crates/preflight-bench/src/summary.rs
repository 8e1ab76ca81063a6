//! What a log holds.

use std::collections::BTreeMap;

use crate::record::Record;

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Records, one per line.
    pub records: u64,
    /// Bytes, line feeds included.
    pub bytes: u64,
    /// Chains that were opened; some of the last have no record yet.
    pub chains: u64,
    /// Records per `execution_decision`.
    pub decisions: BTreeMap<&'static str, u64>,
    /// Anomalies planted, in runs that end within the log.
    pub anomalies: BTreeMap<&'static str, u64>,
}

impl Summary {
    pub(crate) fn count(&mut self, record: &Record, bytes: u64) {
        self.records += 1;
        self.bytes += bytes;
        *self
            .decisions
            .entry(record.execution_decision.name())
            .or_default() += 1;
    }
}
