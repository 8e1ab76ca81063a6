//! The index of a case: where each record was, and what became of it.

use serde::{Deserialize, Serialize};

use crate::{SealEntry, subject::RecordRow};

/// The content of `index.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// The sources that the records were read from, by name.
    pub sources: Vec<SourceEntry>,
    /// The records, in the order of source and line: for equal timestamps, that of the chain.
    pub records: Vec<RecordEntry>,
}

/// A source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceEntry {
    /// The name under which ingest read it.
    pub name: String,
    /// `gzip` or `zstandard`, where it is compressed; offsets count decompressed bytes.
    pub compression: Option<String>,
    /// Lines that were read from it, of all chains.
    pub lines: u64,
    /// How many of them are records.
    pub records: u64,
    /// How many could not be read as records: they belong to no chain.
    pub quarantined: u64,
}

/// A record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordEntry {
    /// Number in this case, from 1.
    pub number: usize,
    /// Its file in this case; none where it is missing.
    pub file: Option<String>,
    /// Name of its source.
    pub source: String,
    /// Line in the source on which it starts, from 1.
    pub line: u64,
    /// Bytes before it in the source, decompressed.
    pub byte_offset: u64,
    /// Bytes that it has there.
    pub byte_length: u64,
    /// BLAKE3 of these bytes, as the lake took it down when it read them.
    pub digest: String,
    /// BLAKE3 of the file, where it is masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masked_digest: Option<String>,
    /// What the record says of itself.
    pub schema_version: String,
    /// Its chain.
    pub action_key: Option<String>,
    /// When it was written, in UTC.
    pub timestamp: Option<String>,
    /// How the run ended.
    pub decision: String,
    /// `at_trigger` or `at_instruction`.
    pub phase: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// Its seal, where it has one and is not masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<SealEntry>,
    /// Why its bytes are not in this case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
}

/// Why a record's bytes could not be read again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// The kind.
    pub kind: MissingKind,
    /// BLAKE3 of what stands in its place, where anything does.
    pub found_digest: Option<String>,
    /// The same in words.
    pub detail: String,
}

/// The kinds of [`Missing`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingKind {
    /// There is no such file.
    SourceGone,
    /// The file can't be read.
    SourceUnreadable,
    /// The file ends before the record does.
    SourceShortened,
    /// Other bytes stand in its place.
    SourceAltered,
}

impl RecordEntry {
    pub(crate) fn new(number: usize, row: &RecordRow) -> Self {
        let row = row.clone();
        Self {
            number,
            file: Some(record_file(number)),
            source: row.source,
            line: row.line,
            byte_offset: row.byte_offset,
            byte_length: row.byte_length,
            digest: row.digest,
            masked_digest: None,
            schema_version: row.schema_version,
            action_key: row.action_key,
            timestamp: row.timestamp,
            decision: row.decision,
            phase: row.phase,
            tool: row.tool,
            seal: None,
            missing: None,
        }
    }

    /// BLAKE3 that the file must have.
    pub(crate) fn file_digest(&self) -> &str {
        self.masked_digest.as_ref().unwrap_or(&self.digest)
    }

    /// Whether the index says of the record what the record says.
    pub(crate) fn agrees_with(&self, row: &RecordRow) -> bool {
        self.schema_version == row.schema_version
            && self.action_key == row.action_key
            && self.timestamp == row.timestamp
            && self.decision == row.decision
            && self.phase == row.phase
            && self.tool == row.tool
    }
}

/// Where a record is in a case: the name comes from its number, never from what it says.
pub(crate) fn record_file(number: usize) -> String {
    format!("records/{number:06}.json")
}

/// Where the proof for a record is.
pub(crate) fn proof_file(number: usize) -> String {
    format!("proofs/{number:06}.tlog-proof")
}
