//! What a lake holds: the sources that were read and the batches that hold their records.
//!
//! The manifest is the commit point: a file that it does not name is not part of the lake.

use serde::{Deserialize, Serialize};

/// The newest lake format that this version reads and writes.
///
/// 2 adds the checksums of files; lakes of format 1 are read, and get checksums file by file as they
/// are written to. 3 adds the columns of seals to `records`; in files of older formats they are NULL.
pub const FORMAT: u64 = 3;

/// The content of `manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`FORMAT`] of the writer.
    pub format: u64,
    /// Commits so far.
    pub generation: u64,
    /// The number that the next batch gets.
    pub next_batch: u64,
    /// What was read, in the order first seen.
    pub sources: Vec<Source>,
    /// Where it is, in the order committed.
    pub batches: Vec<Batch>,
}

/// One stream of entries that was read: a file, or standard input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Unique name: the path as given, with `@2` and so on when another content took its place.
    pub name: String,
    /// The path as given.
    pub path: String,
    /// BLAKE3 of the first line, by which a renamed or compressed copy is recognised.
    pub opening: String,
    /// Size of the file in bytes when it was last read to its end.
    pub size: Option<u64>,
    /// Modification time of the file then, in microseconds since 1970.
    pub modified: Option<i64>,
    /// Sources whose lines are not taken again while this one is not read to its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub follows: Vec<usize>,
    /// Other paths at which the same content was seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

/// A set of Parquet files that was committed at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// Unique number.
    pub id: u64,
    /// The stretches of sources that the batch holds.
    pub segments: Vec<Segment>,
    /// The files, at most one for each table.
    pub files: Vec<TableFile>,
}

/// A stretch of one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// Position in [`Manifest::sources`].
    pub source: usize,
    /// Decompressed bytes before the stretch.
    pub start: u64,
    /// Decompressed bytes up to its end.
    pub end: u64,
    /// Line on which it starts, from 1.
    pub first_line: u64,
    /// Line on which the next stretch starts.
    pub next_line: u64,
    /// XXH3 of its bytes, by which a file that was read before is recognised. Evidence rests on the
    /// digests of the records.
    pub checksum: String,
    /// Whether it ends inside a line: the source had no final line end when it was read.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unterminated: bool,
    /// Whether its only line may still be completed by the writer: read again when the source grows.
    #[serde(default, skip_serializing_if = "is_false")]
    pub provisional: bool,
    /// What became of its lines.
    pub counts: Counts,
}

/// What became of the lines of a stretch, a source or a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Lines, or elements of a top-level array.
    pub lines: u64,
    /// Lines that are records, and are in the lake.
    pub records: u64,
    /// Lines that are not.
    pub quarantined: u64,
    /// Lines of white space alone.
    pub blank: u64,
    /// Lines that are in the lake already, from an earlier content of the same source.
    #[serde(default)]
    pub repeated: u64,
}

/// One Parquet file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableFile {
    /// Name of the table.
    pub table: String,
    /// Path below the lake's folder.
    pub path: String,
    /// Rows.
    pub rows: u64,
    /// Bytes.
    pub bytes: u64,
    /// XXH3-128 of these, in hexadecimal; absent where lake format 1 wrote the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            format: FORMAT,
            generation: 0,
            next_batch: 1,
            sources: Vec::new(),
            batches: Vec::new(),
        }
    }
}

impl Manifest {
    /// The stretches of a source, from its start.
    pub fn segments_of(&self, source: usize) -> Vec<&Segment> {
        let segments = self.batches.iter().flat_map(|batch| &batch.segments);
        let mut segments: Vec<&Segment> = segments
            .filter(|segment| segment.source == source)
            .collect();
        segments.sort_by_key(|segment| segment.start);
        segments
    }

    /// What became of the lines of a source.
    pub fn counts_of(&self, source: usize) -> Counts {
        self.segments_of(source)
            .iter()
            .map(|segment| segment.counts)
            .sum()
    }

    /// What became of all lines.
    pub fn counts(&self) -> Counts {
        let segments = self.batches.iter().flat_map(|batch| &batch.segments);
        segments.map(|segment| segment.counts).sum()
    }

    /// The files of a table.
    pub fn files_of<'a>(&'a self, table: &'a str) -> impl Iterator<Item = &'a TableFile> {
        let files = self.batches.iter().flat_map(|batch| &batch.files);
        files.filter(move |file| file.table == table)
    }
}

impl Counts {
    /// Whether every line is accounted for.
    pub fn reconcile(&self) -> bool {
        self.lines == self.records + self.quarantined + self.blank + self.repeated
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.lines += other.lines;
        self.records += other.records;
        self.quarantined += other.quarantined;
        self.blank += other.blank;
        self.repeated += other.repeated;
    }
}

impl std::iter::Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |mut sum, counts| {
            sum += counts;
            sum
        })
    }
}

fn is_false(flag: &bool) -> bool {
    !flag
}
