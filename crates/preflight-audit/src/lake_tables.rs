//! The lake's tables as DataFusion sees them.

use std::{path::PathBuf, sync::Arc};

use datafusion::{
    arrow::{
        array::{ArrayRef, Int64Array, RecordBatch, StringViewArray},
        datatypes::{DataType, Field, Schema, SchemaRef},
        error::ArrowError,
    },
    catalog::TableProvider,
    datasource::{
        MemTable,
        file_format::parquet::ParquetFormat,
        listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl},
    },
    error::Result,
};
use preflight_lake::{Lake, Table};

/// A table over the Parquet files that the lake's manifest names.
pub(crate) fn provider(lake: &Lake, table: &Table) -> Result<Arc<dyn TableProvider>> {
    let files = lake.files(table).map(|(path, _)| path).collect();
    over_files(files, viewed(&table.schema()))
}

/// A table over Parquet files.
pub(crate) fn over_files(files: Vec<PathBuf>, schema: SchemaRef) -> Result<Arc<dyn TableProvider>> {
    let urls = files.into_iter().map(|path| {
        let path = std::path::absolute(&path)?;
        ListingTableUrl::parse(path.to_string_lossy())
    });
    let urls = urls.collect::<Result<Vec<_>>>()?;
    if urls.is_empty() {
        return Ok(Arc::new(MemTable::try_new(schema, vec![vec![]])?));
    }
    let options =
        ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension("parquet");
    let config = ListingTableConfig::new_with_multi_paths(urls)
        .with_listing_options(options)
        .with_schema(schema);
    Ok(Arc::new(ListingTable::try_new(config)?))
}

/// Text and bytes as views: fewer copies on the way through joins and sorts.
fn viewed(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| {
        let data_type = match field.data_type() {
            DataType::Utf8 => DataType::Utf8View,
            DataType::Binary => DataType::BinaryView,
            other => other.clone(),
        };
        field.as_ref().clone().with_data_type(data_type)
    });
    Arc::new(Schema::new(fields.collect::<Vec<Field>>()))
}

/// The columns of `sources` with their meanings.
pub(crate) const SOURCES_COLUMNS: [(&str, &str); 9] = [
    (
        "source",
        "Unique name of the source: its path, with @2 and so on for another content",
    ),
    ("path", "Path as it was given"),
    ("bytes", "Decompressed bytes that were read"),
    ("lines", "Lines that were read, or elements of an array"),
    ("records", "Lines that are records"),
    ("quarantined", "Lines that are not"),
    ("blank", "Lines of white space alone"),
    (
        "repeated",
        "Lines that an earlier content of the source had brought already",
    ),
    ("aliases", "Other paths with the same content"),
];

/// The table `sources`: what was read, from the manifest.
pub(crate) fn sources(lake: &Lake) -> std::result::Result<RecordBatch, ArrowError> {
    let manifest = lake.manifest();
    let counts: Vec<_> = (0..manifest.sources.len())
        .map(|source| {
            let bytes = manifest
                .segments_of(source)
                .last()
                .map_or(0, |segment| segment.end);
            (bytes, manifest.counts_of(source))
        })
        .collect();
    let number = |of: &dyn Fn(&(u64, preflight_lake::Counts)) -> u64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(
            counts.iter().map(|row| of(row) as i64),
        ))
    };
    let text = |of: &dyn Fn(&preflight_lake::Source) -> String| -> ArrayRef {
        Arc::new(StringViewArray::from_iter_values(
            manifest.sources.iter().map(of),
        ))
    };
    let columns: [ArrayRef; 9] = [
        text(&|source| source.name.clone()),
        text(&|source| source.path.clone()),
        number(&|(bytes, _)| *bytes),
        number(&|(_, counts)| counts.lines),
        number(&|(_, counts)| counts.records),
        number(&|(_, counts)| counts.quarantined),
        number(&|(_, counts)| counts.blank),
        number(&|(_, counts)| counts.repeated),
        text(&|source| source.aliases.join(" ")),
    ];
    let names = SOURCES_COLUMNS.iter().map(|(name, _)| *name);
    RecordBatch::try_from_iter(names.zip(columns))
}
