//! The unit of work: whole entries of one source or of several.

use std::{
    ops::Range,
    sync::{Arc, Mutex},
};

use preflight_lake::Occurrences;

/// Digests of lines that are in the lake already and are not taken again.
pub(crate) type KnownDigests = Arc<Mutex<Occurrences>>;

/// What a worker turns into a batch.
#[derive(Default)]
pub(crate) struct Chunk {
    /// Position in the order of commits.
    pub(crate) sequence: u64,
    pub(crate) buffer: Vec<u8>,
    pub(crate) stretches: Vec<Stretch>,
    /// Batches that hold an earlier reading of the same stretch.
    pub(crate) replaced: Vec<u64>,
    /// Sources whose end is in this chunk or before it.
    pub(crate) finished: Vec<Finished>,
}

impl Chunk {
    /// Whether there is nothing to do or to commit.
    pub(crate) fn is_empty(&self) -> bool {
        self.stretches.is_empty() && self.replaced.is_empty() && self.finished.is_empty()
    }
}

/// Whole entries of one source.
pub(crate) struct Stretch {
    pub(crate) source: usize,
    pub(crate) name: Arc<str>,
    /// Where its bytes are in the chunk's buffer.
    pub(crate) range: Range<usize>,
    /// Decompressed bytes before it in its source.
    pub(crate) start: u64,
    /// Line on which it starts, from 1.
    pub(crate) first_line: u64,
    /// Line on which the next stretch starts.
    pub(crate) next_line: u64,
    pub(crate) entries: Entries,
    pub(crate) unterminated: bool,
    pub(crate) provisional: bool,
    pub(crate) known: Option<KnownDigests>,
}

/// How the entries of a stretch are found.
pub(crate) enum Entries {
    /// One entry each line.
    Lines,
    /// Values of a top-level array, or of a document.
    Values(Vec<Value>),
    /// One line that was too long to keep.
    TooLong(TooLong),
}

/// An entry that is not a line.
pub(crate) struct Value {
    /// Where it is in the stretch.
    pub(crate) range: Range<usize>,
    /// Line on which it starts.
    pub(crate) line: u64,
}

/// A line past the limit: its head is in the stretch's range.
pub(crate) struct TooLong {
    pub(crate) length: u64,
    pub(crate) digest: [u8; 32],
    /// Bytes with the line end.
    pub(crate) consumed: u64,
    /// Checksum of those.
    pub(crate) checksum: String,
}

/// A source that was read to its end.
pub(crate) struct Finished {
    pub(crate) source: usize,
    pub(crate) size: Option<u64>,
    pub(crate) modified: Option<i64>,
}
