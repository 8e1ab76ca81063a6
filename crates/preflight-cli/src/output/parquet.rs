use std::io::Write;

use parquet::{
    arrow::ArrowWriter,
    basic::{Compression, ZstdLevel},
    file::properties::WriterProperties,
};
use preflight_audit::Answer;

/// Writes a Parquet file.
pub(super) fn write(output: impl Write + Send, answer: &Answer) -> anyhow::Result<()> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let schema = answer.schema.clone();
    let mut writer = ArrowWriter::try_new(output, schema, Some(properties))?;
    for batch in &answer.batches {
        writer.write(batch)?;
    }
    writer.close()?;
    Ok(())
}
