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
        .row()
        .text("source", Some(rejected.source))
        .integer("line", Some(rejected.line as i64))
        .integer("byte_offset", Some(rejected.offset as i64))
        .integer("byte_length", Some(rejected.length as i64))
        .digest("record_digest", Some(rejected.digest.as_bytes()))
        .integer("column", Some(rejected.column as i64))
        .text("reason_code", Some(rejected.kind.code()))
        .text("reason", Some(&rejected.reason))
        .bytes("raw", Some(rejected.raw))
        .end();
}
