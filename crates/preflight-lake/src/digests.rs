//! The digests of what was read from a source, to recognise lines that come again.

use std::{collections::HashMap, fs::File, path::Path};

use arrow::array::AsArray;
use parquet::arrow::{ProjectionMask, arrow_reader::ParquetRecordBatchReaderBuilder};

use crate::{LakeError, Manifest, QUARANTINE, RECORDS};

/// How often each digest occurs.
pub type Occurrences = HashMap<[u8; 32], u32>;

/// Adds the digests of a source's records and quarantined lines.
///
/// # Errors
///
/// A file of the lake can't be read.
pub fn digests_of(
    root: &Path,
    manifest: &Manifest,
    source: usize,
    digests: &mut Occurrences,
) -> Result<(), LakeError> {
    let name = &manifest.sources[source].name;
    let holds_source = |segment: &crate::Segment| segment.source == source;
    for batch in &manifest.batches {
        if !batch.segments.iter().any(holds_source) {
            continue;
        }
        let is_wanted = |table: &str| table == RECORDS.name || table == QUARANTINE.name;
        for file in batch.files.iter().filter(|file| is_wanted(&file.table)) {
            let path = root.join(&file.path);
            add_file(&path, name, digests).map_err(|error| LakeError::Parquet { path, error })?;
        }
    }
    Ok(())
}

fn add_file(path: &Path, source: &str, digests: &mut Occurrences) -> parquet::errors::Result<()> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?;
    let columns = ["source", "record_digest"];
    let projection = ProjectionMask::columns(builder.parquet_schema(), columns);
    for rows in builder.with_projection(projection).build()? {
        let rows = rows?;
        let sources = rows.column(0).as_string::<i32>();
        let found = rows.column(1).as_fixed_size_binary();
        for row in (0..rows.num_rows()).filter(|row| sources.value(*row) == source) {
            if let Ok(digest) = found.value(row).try_into() {
                *digests.entry(digest).or_default() += 1;
            }
        }
    }
    Ok(())
}
