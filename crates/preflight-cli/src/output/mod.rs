//! Results on standard output, in the formats that people and programs read.

mod cells;
mod csv;
mod document;
mod expanded;
mod html;
mod json;
mod junit;
mod markdown;
mod parquet;
mod sarif;
mod table;

pub(crate) use cells::Cells;
pub(crate) use document::{
    Document, FindingsFormat, ProblemsFormat, write_document, write_problems,
};
pub(crate) use json::{Escaping, write_json, write_lines};
pub(crate) use table::{fits, new_table};

use std::io::{self, BufWriter, Write};

use clap::ValueEnum;
use preflight_audit::Answer;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for reading, or blocks where the terminal is too narrow for them
    Table,
    /// A block for each row, a line for each value
    Expanded,
    /// One JSON array
    Json,
    /// One JSON object per line
    Ndjson,
    /// Comma-separated, with spreadsheet formulas defused
    Csv,
    /// A Markdown table
    Markdown,
    /// A Parquet file, to be redirected
    Parquet,
}

/// Writes rows to standard output.
pub(crate) fn write(answer: &Answer, format: Format) -> anyhow::Result<()> {
    if format == Format::Parquet && crate::terminal::shows_stdout() {
        anyhow::bail!("Parquet is not for a terminal: redirect it to a file (> FILE)");
    }
    let mut output = BufWriter::new(io::stdout().lock());
    match format {
        Format::Table => table::write(&mut output, answer)?,
        Format::Expanded => expanded::write(&mut output, answer)?,
        Format::Json => json::write_array(&mut output, answer)?,
        Format::Ndjson => json::write_lines(&mut output, answer)?,
        Format::Csv => csv::write(&mut output, answer)?,
        Format::Markdown => markdown::write(&mut output, answer)?,
        Format::Parquet => parquet::write(io::stdout(), answer)?,
    }
    output.flush()?;
    Ok(())
}
