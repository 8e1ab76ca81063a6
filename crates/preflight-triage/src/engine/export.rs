//! Findings as files.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufWriter, Write},
    path::PathBuf,
};

use arrow::{
    array::{Array, AsArray, BooleanArray, RecordBatch},
    compute::{cast, filter_record_batch},
    datatypes::DataType,
    error::ArrowError,
    json::{WriterBuilder, writer::LineDelimited},
    util::display::{ArrayFormatter, FormatOptions},
};
use preflight_audit::{FindingId, Parameters, datafusion::error::DataFusionError, plain};
use preflight_evidence::{ExportOptions, Selection};

use super::Shared;
use crate::time;

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// Comma-separated values.
    Csv,
    /// One JSON object a line: also a baseline for `preflight findings`.
    Ndjson,
    /// A Markdown table.
    Markdown,
    /// A case file of the chains.
    Case,
}

impl ExportFormat {
    /// All formats, in the order offered.
    pub const ALL: [Self; 4] = [Self::Csv, Self::Ndjson, Self::Markdown, Self::Case];

    /// What it is called.
    pub fn words(self) -> &'static str {
        match self {
            Self::Csv => "CSV, for sheets",
            Self::Ndjson => "NDJSON, for programs",
            Self::Markdown => "Markdown, for tickets",
            Self::Case => "case file, for another person to check",
        }
    }

    /// How its files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
            Self::Markdown => "md",
            Self::Case => "tar.zst",
        }
    }
}

/// What is written where.
#[derive(Debug, Clone)]
pub struct ExportQuery {
    /// How.
    pub format: ExportFormat,
    /// Which findings.
    pub findings: Vec<FindingId>,
    /// Where; nothing that is there is replaced.
    pub path: PathBuf,
}

/// Writes, and says what was written.
pub(super) async fn run(shared: &Shared, query: ExportQuery) -> Result<String, String> {
    match query.format {
        ExportFormat::Case => case(shared, query).await,
        _ => rows(shared, query).await,
    }
}

async fn case(shared: &Shared, query: ExportQuery) -> Result<String, String> {
    let session = shared.session().ok_or("the lake is not read yet")?;
    let selection = Selection {
        findings: query.findings.iter().map(ToString::to_string).collect(),
        ..Selection::default()
    };
    let now = time::now();
    let options = ExportOptions {
        source_roots: Vec::new(),
        created_at: time::rfc3339(now),
        created_seconds: (now / 1_000_000).try_into().unwrap_or_default(),
        mask: None,
        checkpoints: Vec::new(),
    };
    let exported = preflight_evidence::export(&session, &selection, &options, &query.path);
    let exported = exported.await.map_err(|error| error.to_string())?;
    Ok(match exported.missing.len() {
        0 => format!("a case with {} records", exported.records),
        missing => format!(
            "a case with {} records, {missing} of them missing",
            exported.records
        ),
    })
}

const ROWS: &str = "select * except (record_id) from findings
    order by timestamp nulls first, source, line, record_id, code, field, detail";

async fn rows(shared: &Shared, query: ExportQuery) -> Result<String, String> {
    let session = shared.session().ok_or("the lake is not read yet")?;
    let failed = |error: io::Error| format!("{}: {error}", query.path.display());
    let file = File::create_new(&query.path).map_err(failed)?;
    let mut writer = RowWriter::new(query.format, BufWriter::new(file));
    let wanted: HashSet<FindingId> = query.findings.iter().copied().collect();
    let take = |batch: RecordBatch| {
        let batch = selected(&batch, &wanted)?;
        writer.write(&batch).map_err(DataFusionError::IoError)
    };
    let written = session.for_each_batch(ROWS, &Parameters::new(), take).await;
    let written = written.map_err(|error| error.to_string());
    let written = written.and_then(|()| writer.finish().map_err(failed));
    if written.is_err() {
        // Half a file would be taken for a whole one.
        let _ = std::fs::remove_file(&query.path);
    }
    written.map(|rows| match rows {
        1 => "1 finding".to_owned(),
        rows => format!("{rows} findings"),
    })
}

fn selected(batch: &RecordBatch, wanted: &HashSet<FindingId>) -> Result<RecordBatch, ArrowError> {
    let ids = cast(batch.column(0), &DataType::Utf8View)?;
    let is_wanted = ids.as_string_view().iter().map(|id| {
        let id = id.and_then(|id| id.parse().ok());
        Some(id.is_some_and(|id| wanted.contains(&id)))
    });
    filter_record_batch(batch, &BooleanArray::from_iter(is_wanted))
}

/// Writes rows in one of the formats; what records quote stays text in each.
struct RowWriter<W: Write> {
    format: ExportFormat,
    output: W,
    rows: usize,
    has_header: bool,
}

impl<W: Write> RowWriter<W> {
    fn new(format: ExportFormat, output: W) -> Self {
        Self {
            format,
            output,
            rows: 0,
            has_header: false,
        }
    }

    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.rows += batch.num_rows();
        if self.format == ExportFormat::Ndjson {
            return self.write_json(batch);
        }
        let schema = batch.schema();
        if !self.has_header {
            self.has_header = true;
            let names: Vec<String> = schema
                .fields()
                .iter()
                .map(|field| field.name().clone())
                .collect();
            self.write_row(names)?;
            if self.format == ExportFormat::Markdown {
                let rule = vec!["---"; schema.fields().len()].join(" | ");
                writeln!(self.output, "| {rule} |")?;
            }
        }
        let options = FormatOptions::new().with_timestamp_tz_format(Some("%Y-%m-%dT%H:%M:%S%.fZ"));
        let columns = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column.as_ref(), &options));
        let columns = columns
            .collect::<Result<Vec<_>, _>>()
            .map_err(io::Error::other)?;
        for row in 0..batch.num_rows() {
            let cells = columns.iter().zip(batch.columns()).map(|(column, array)| {
                match array.is_null(row) {
                    true => String::new(),
                    false => column.value(row).to_string(),
                }
            });
            self.write_row(cells.collect())?;
        }
        Ok(())
    }

    fn write_row(&mut self, cells: Vec<String>) -> io::Result<()> {
        match self.format {
            ExportFormat::Csv => {
                let mut writer = csv::Writer::from_writer(&mut self.output);
                writer.write_record(cells.iter().map(|cell| plain::cell(cell)))?;
                writer.flush()
            }
            _ => {
                let cells: Vec<String> = cells.iter().map(|cell| plain::markdown(cell)).collect();
                writeln!(self.output, "| {} |", cells.join(" | "))
            }
        }
    }

    fn write_json(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let mut lines = Vec::new();
        let mut writer = WriterBuilder::new()
            .with_explicit_nulls(true)
            .with_timestamp_format("%Y-%m-%dT%H:%M:%S%.fZ".to_owned())
            .build::<_, LineDelimited>(&mut lines);
        writer
            .write(batch)
            .and_then(|()| writer.finish())
            .map_err(io::Error::other)?;
        let text = String::from_utf8_lossy(&lines);
        self.output.write_all(plain::json(&text).as_bytes())
    }

    fn finish(mut self) -> io::Result<usize> {
        self.output.flush()?;
        Ok(self.rows)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, StringArray};

    use super::*;

    fn written(format: ExportFormat) -> String {
        let ids: ArrayRef = Arc::new(StringArray::from(vec![
            "00000000000000ff",
            "0000000000000001",
        ]));
        let texts = vec![Some("=1|\u{1b}[2J<b>\u{202e}"), None];
        let texts: ArrayRef = Arc::new(StringArray::from(texts));
        let columns = [("id", ids, false), ("detail", texts, true)];
        let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("a batch");
        let wanted = HashSet::from([FindingId(255)]);
        let mut output = Vec::new();
        let mut writer = RowWriter::new(format, &mut output);
        writer
            .write(&selected(&batch, &wanted).expect("rows"))
            .expect("written");
        assert_eq!(writer.finish().expect("written"), 1);
        String::from_utf8(output).expect("text")
    }

    #[test]
    fn what_is_quoted_stays_text_in_each_format() {
        let csv = "id,detail\n00000000000000ff,'=1|\\u{1b}[2J<b>\\u{202e}\n";
        assert_eq!(written(ExportFormat::Csv), csv);
        let json = "{\"id\":\"00000000000000ff\",\"detail\":\"=1|\\u001b[2J<b>\\u202e\"}\n";
        assert_eq!(written(ExportFormat::Ndjson), json);
        let markdown = "| id | detail |\n| --- | --- |\n| 00000000000000ff | =1\\|\\\\u{1b}\\[2J&lt;b&gt;\\\\u{202e} |\n";
        assert_eq!(written(ExportFormat::Markdown), markdown);
    }
}
