use preflight_record::{RecordDigest, RejectionKind};

use super::TableBuilder;

/// A line that is not a record, with its place and its fault.
pub(crate) struct Rejected<'a> {
    pub(crate) source: &'a str,
    pub(crate) line: u64,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) digest: RecordDigest,
    pub(crate) column: usize,
    pub(crate) kind: RejectionKind,
    pub(crate) reason: String,
    pub(crate) raw: &'a [u8],
}

/// Adds a rejected line to `quarantine`.
pub(super) fn push(builder: &mut TableBuilder, rejected: &Rejected<'_>) {
    builder
        .fill(std::slice::from_ref(rejected))
        .text("source", |line| Some(line.source))
        .integer("line", |line| Some(line.line as i64))
        .integer("byte_offset", |line| Some(line.offset as i64))
        .integer("byte_length", |line| Some(line.length as i64))
        .digest("record_digest", |line| Some(line.digest.as_bytes()))
        .integer("column", |line| Some(line.column as i64))
        .text("reason_code", |line| Some(line.kind.code()))
        .text("reason", |line| Some(&line.reason))
        .bytes("raw", |line| Some(line.raw))
        .end();
}
