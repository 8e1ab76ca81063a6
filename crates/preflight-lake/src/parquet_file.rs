//! How a table's Parquet files are written.

use std::{fs::File, panic, path::Path};

use arrow::{
    array::{Array, ArrayRef},
    record_batch::RecordBatch,
};
use parquet::{
    arrow::{
        ArrowSchemaConverter, ArrowWriter, add_encoded_arrow_schema_to_metadata,
        arrow_reader::ParquetRecordBatchReaderBuilder, arrow_writer::ArrowWriterOptions,
    },
    basic::{Compression, Encoding, ZstdLevel},
    file::{
        metadata::SortingColumn,
        properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder},
    },
    schema::types::ColumnPath,
};

use crate::{
    Column, ColumnType, LakeError, Table,
    checked_file::{CheckedFile, Written},
};

/// Rows of a row group: large enough to compress, small enough to be skipped.
const ROW_GROUP_ROWS: usize = 128 * 1024;

/// Writes a sorted batch of a table; the file is not synced yet.
///
/// Texts and bytes may come as views: the file is that of the table's own types.
pub(crate) fn write(path: &Path, table: &Table, batch: &RecordBatch) -> Result<Written, LakeError> {
    let file = CheckedFile::create(path).map_err(LakeError::io(path))?;
    let options = options(table, batch).map_err(parquet_error(path))?;
    let mut writer = ArrowWriter::try_new_with_options(file, batch.schema(), options)
        .map_err(parquet_error(path))?;
    writer.write(batch).map_err(parquet_error(path))?;
    let file = writer.into_inner().map_err(parquet_error(path))?;
    Ok(file.written())
}

/// Reads a file to its end; the error is what is wrong with it.
pub(crate) fn check(path: &Path, rows: u64) -> Result<(), String> {
    // The decoder panics over some bytes that no writer of its own writes.
    panic::catch_unwind(|| read_whole(path, rows))
        .unwrap_or_else(|_| Err("it can't be decoded".to_owned()))
}

fn read_whole(path: &Path, rows: u64) -> Result<(), String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).and_then(|reader| reader.build());
    let mut read = 0;
    for batch in reader.map_err(|error| error.to_string())? {
        read += batch.map_err(|error| error.to_string())?.num_rows() as u64;
    }
    match read == rows {
        true => Ok(()),
        false => Err(format!("{read} rows where the manifest has {rows}")),
    }
}

fn options(table: &Table, batch: &RecordBatch) -> parquet::errors::Result<ArrowWriterOptions> {
    let schema = table.schema();
    let mut properties = properties(table, batch.columns())?;
    add_encoded_arrow_schema_to_metadata(&schema, &mut properties);
    Ok(ArrowWriterOptions::new()
        .with_properties(properties)
        .with_skip_arrow_metadata(true)
        .with_parquet_schema(ArrowSchemaConverter::new().convert(&schema)?))
}

fn properties(table: &Table, rows: &[ArrayRef]) -> parquet::errors::Result<WriterProperties> {
    let sorting = table.sorted_by.iter().filter_map(|name| {
        let column_idx = i32::try_from(table.position(name)?).ok()?;
        Some(SortingColumn {
            column_idx,
            descending: false,
            nulls_first: true,
        })
    });
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_sorting_columns(Some(sorting.collect()));
    Ok(table
        .columns
        .iter()
        .zip(rows)
        .fold(properties, |properties, (column, rows)| {
            column_properties(properties, column, rows)
        })
        .build())
}

fn column_properties(
    mut properties: WriterPropertiesBuilder,
    column: &Column,
    rows: &dyn Array,
) -> WriterPropertiesBuilder {
    let path = || ColumnPath::from(column.name);
    let is_empty = rows.null_count() == rows.len();
    if column.searched {
        properties = properties.set_column_statistics_enabled(path(), EnabledStatistics::Page);
    }
    // Neither shrinks, and setting up a compressor costs more than all else that an empty column does.
    if column.column_type == ColumnType::Digest || is_empty {
        properties = properties.set_column_compression(path(), Compression::UNCOMPRESSED);
    }
    if column.distinct || is_empty {
        let encoding = match column.column_type {
            ColumnType::Integer | ColumnType::Timestamp => Encoding::DELTA_BINARY_PACKED,
            _ => Encoding::PLAIN,
        };
        properties = properties
            .set_column_dictionary_enabled(path(), false)
            .set_column_encoding(path(), encoding);
    }
    properties
}

/// A full disk reaches us through the Parquet writer: say so in the file system's words.
fn parquet_error(path: &Path) -> impl Fn(parquet::errors::ParquetError) -> LakeError {
    let path = path.to_path_buf();
    move |error| match error {
        parquet::errors::ParquetError::External(inner) => {
            match inner.downcast::<std::io::Error>() {
                Ok(error) => LakeError::Io {
                    path: path.clone(),
                    error: *error,
                },
                Err(inner) => LakeError::Parquet {
                    path: path.clone(),
                    error: parquet::errors::ParquetError::External(inner),
                },
            }
        }
        error => LakeError::Parquet {
            path: path.clone(),
            error,
        },
    }
}
