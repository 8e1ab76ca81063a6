//! One chunk to the tables of one batch.

use arrow::{buffer::Buffer, error::ArrowError, record_batch::RecordBatch};
use memchr::memchr_iter;
use preflight_lake::{Counts, Segment, Table};
use preflight_record::{Entry, RecordDigest, RejectionKind};

use crate::{
    checksum,
    chunk::{Chunk, Entries, Stretch, TooLong},
    columns::{Rejected, Row, RowSeal, Tables, trimmed},
};

/// What became of a chunk.
pub(crate) struct Parsed {
    pub(crate) segments: Vec<Segment>,
    pub(crate) tables: Vec<(&'static Table, RecordBatch)>,
    /// Records of a newer schema than this build knows.
    pub(crate) newer_schema: u64,
}

/// How much of a line past the limit is kept.
pub(crate) const HEAD: usize = 64 * 1024;
/// Bytes of a record, on the low side.
const TYPICAL_RECORD: usize = 768;
/// Record ids count up from a batch's number times this.
const IDS_OF_A_BATCH: u64 = 1 << 32;

/// Parses a chunk's entries and sorts them for the queries that follow, as batch number `id`.
///
/// Entries of more than `limit` bytes are rejected unread.
///
/// `buffer` is the chunk's; the tables hold views into it.
pub(crate) fn parse(
    chunk: &Chunk,
    buffer: &Buffer,
    id: u64,
    limit: usize,
) -> Result<Parsed, ArrowError> {
    let mut parser = Parser {
        tables: Tables::with_capacity(buffer.len() / TYPICAL_RECORD, buffer),
        counts: Counts::default(),
        newer_schema: 0,
        limit,
    };
    let mut segments = Vec::with_capacity(chunk.stretches.len());
    for stretch in &chunk.stretches {
        segments.push(parser.stretch(stretch, &buffer[stretch.range.clone()]));
    }
    Ok(Parsed {
        segments,
        tables: parser.tables.finish((id * IDS_OF_A_BATCH) as i64)?,
        newer_schema: parser.newer_schema,
    })
}

/// An entry with its place.
struct Place<'a> {
    bytes: &'a [u8],
    line: u64,
    offset: u64,
}

struct Parser<'a> {
    tables: Tables<'a>,
    counts: Counts,
    newer_schema: u64,
    limit: usize,
}

impl<'a> Parser<'a> {
    fn stretch(&mut self, stretch: &'a Stretch, bytes: &'a [u8]) -> Segment {
        self.counts = Counts::default();
        let mut end = stretch.start + bytes.len() as u64;
        let mut sum = None;
        match &stretch.entries {
            Entries::Lines => self.lines(stretch, bytes),
            Entries::Values(values) => {
                for value in values {
                    let range = value.range.clone();
                    let offset = stretch.start + range.start as u64;
                    self.entry(
                        stretch,
                        Place {
                            bytes: &bytes[range],
                            line: value.line,
                            offset,
                        },
                    );
                }
            }
            Entries::TooLong(line) => {
                end = stretch.start + line.consumed;
                sum = Some(line.checksum.clone());
                self.too_long(stretch, line, bytes);
            }
        }
        Segment {
            source: stretch.source,
            start: stretch.start,
            end,
            first_line: stretch.first_line,
            next_line: stretch.next_line,
            checksum: sum.unwrap_or_else(|| checksum::of(bytes)),
            unterminated: stretch.unterminated,
            provisional: stretch.provisional,
            counts: self.counts,
        }
    }

    fn lines(&mut self, stretch: &'a Stretch, bytes: &'a [u8]) {
        let mut start = 0;
        let unterminated = (!bytes.ends_with(b"\n")).then_some(bytes.len());
        let ends = memchr_iter(b'\n', bytes).chain(unterminated);
        for (line, end) in (stretch.first_line..).zip(ends) {
            let offset = stretch.start + start as u64;
            let bytes = &bytes[start..end];
            self.entry(
                stretch,
                Place {
                    bytes,
                    line,
                    offset,
                },
            );
            start = end + 1;
        }
    }

    fn entry(&mut self, stretch: &'a Stretch, place: Place<'a>) {
        self.counts.lines += 1;
        let (bom, bytes) = without_bom(&place);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let is_line = matches!(stretch.entries, Entries::Lines);
        if is_line && trimmed(bytes).is_empty() {
            self.counts.blank += 1;
            return;
        }
        let place = Place {
            bytes,
            line: place.line,
            offset: place.offset + bom,
        };
        let digest = RecordDigest::of(bytes);
        if is_known(stretch, &digest) {
            self.counts.repeated += 1;
            return;
        }
        if bytes.len() > self.limit {
            let length = bytes.len() as u64;
            return self.reject_long(stretch, &place, digest, length);
        }
        match Entry::parse(bytes) {
            Ok(entry) => self.record(stretch, place, digest, entry),
            Err(rejection) => {
                let column = rejection.column(bytes);
                let kind = rejection.kind;
                self.reject(stretch, place, digest, kind, column, rejection.to_string());
            }
        }
    }

    fn record(
        &mut self,
        stretch: &'a Stretch,
        place: Place<'a>,
        digest: RecordDigest,
        entry: Entry<'a>,
    ) {
        self.counts.records += 1;
        self.newer_schema += u64::from(entry.record.schema_version.is_newer());
        let seal = RowSeal::of(&entry.record, place.bytes);
        let place = (&*stretch.name, place.line, place.offset, place.bytes.len());
        self.tables
            .push(Row::new(place, digest, entry).with_seal(seal));
    }

    fn reject(
        &mut self,
        stretch: &'a Stretch,
        place: Place<'a>,
        digest: RecordDigest,
        kind: RejectionKind,
        column: usize,
        reason: String,
    ) {
        self.counts.quarantined += 1;
        self.tables.push_rejected(&Rejected {
            source: &stretch.name,
            line: place.line,
            offset: place.offset,
            length: place.bytes.len() as u64,
            digest,
            column,
            kind,
            reason,
            raw: place.bytes,
        });
    }

    fn too_long(&mut self, stretch: &'a Stretch, line: &TooLong, head: &'a [u8]) {
        self.counts.lines += 1;
        let digest = RecordDigest::from(line.digest);
        if is_known(stretch, &digest) {
            self.counts.repeated += 1;
            return;
        }
        let place = Place {
            bytes: head,
            line: stretch.first_line,
            offset: stretch.start,
        };
        self.reject_long(stretch, &place, digest, line.length);
    }

    /// Rejects an entry past the limit, of which `place` holds the whole or the head.
    fn reject_long(
        &mut self,
        stretch: &'a Stretch,
        place: &Place<'a>,
        digest: RecordDigest,
        length: u64,
    ) {
        let head = &place.bytes[..place.bytes.len().min(HEAD)];
        self.counts.quarantined += 1;
        self.tables.push_rejected(&Rejected {
            source: &stretch.name,
            line: place.line,
            offset: place.offset,
            length,
            digest,
            column: 1,
            kind: RejectionKind::TooLong,
            reason: format!(
                "it has {length} bytes, more than the limit allows; its first {} are kept",
                head.len()
            ),
            raw: head,
        });
    }
}

/// A byte order mark is allowed in front of the first entry of a source, and nowhere else.
fn without_bom<'a>(place: &Place<'a>) -> (u64, &'a [u8]) {
    match place.bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) if place.offset == 0 => (3, rest),
        _ => (0, place.bytes),
    }
}

/// Whether the line is in the lake already; each occurrence there answers for one here.
fn is_known(stretch: &Stretch, digest: &RecordDigest) -> bool {
    let Some(known) = &stretch.known else {
        return false;
    };
    let mut known = known
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    match known.get_mut(digest.as_bytes()) {
        Some(occurrences) if *occurrences > 0 => {
            *occurrences -= 1;
            true
        }
        _ => false,
    }
}
