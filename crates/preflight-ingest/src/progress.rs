//! What a run tells while it runs.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that another thread may read at any time.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    records: AtomicU64,
}

impl Progress {
    /// Bytes read so far, compressed ones where a file is compressed.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Records read so far.
    pub fn records(&self) -> u64 {
        self.records.load(Ordering::Relaxed)
    }

    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn add_records(&self, records: u64) {
        self.records.fetch_add(records, Ordering::Relaxed);
    }
}
