//! Rows as text.

use arrow::{
    array::{Array, RecordBatch},
    datatypes::{DataType, Schema},
    error::ArrowError,
    util::display::{ArrayFormatter, FormatOptions},
};

/// Times are in UTC, unless a statement asks for another zone.
const OPTIONS: FormatOptions<'static> = FormatOptions::new()
    .with_display_error(true)
    .with_timestamp_tz_format(Some("%Y-%m-%dT%H:%M:%S%.6f%:z"))
    .with_timestamp_format(Some("%Y-%m-%dT%H:%M:%S%.6f+00:00"));

/// The cells of one batch.
pub(crate) struct Cells<'b> {
    columns: Vec<(&'b dyn Array, ArrayFormatter<'b>)>,
}

impl<'b> Cells<'b> {
    pub(crate) fn of(batch: &'b RecordBatch) -> Result<Self, ArrowError> {
        let columns = batch.columns().iter().map(|column| {
            Ok((
                column.as_ref(),
                ArrayFormatter::try_new(column.as_ref(), &OPTIONS)?,
            ))
        });
        Ok(Self {
            columns: columns.collect::<Result<_, ArrowError>>()?,
        })
    }

    /// The text of a cell, `None` for NULL; whole milliseconds and seconds lose their zeros.
    pub(crate) fn get(&self, row: usize, column: usize) -> Option<String> {
        let (array, formatter) = &self.columns[column];
        if array.is_null(row) {
            return None;
        }
        let text = formatter.value(row).to_string();
        Some(match array.data_type() {
            DataType::Timestamp(..) => short(&text),
            _ => text,
        })
    }

    /// The cells of a row.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = Option<String>> {
        (0..self.columns.len()).map(move |column| self.get(row, column))
    }
}

/// `Z` for UTC, and no zeros that say nothing.
fn short(time: &str) -> String {
    let (time, zone) = time.split_at(time.len().saturating_sub("+00:00".len()));
    let zone = if zone == "+00:00" { "Z" } else { zone };
    let time = time.strip_suffix("000").unwrap_or(time);
    let time = time.strip_suffix(".000").unwrap_or(time);
    format!("{time}{zone}")
}

/// Whether a column holds numbers, which are aligned to the right and are no formulas.
pub(crate) fn is_number(schema: &Schema, column: usize) -> bool {
    schema.field(column).data_type().is_numeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let cases = [
            (
                "2026-06-01T04:27:09.546000+00:00",
                "2026-06-01T04:27:09.546Z",
            ),
            ("2026-06-01T04:27:09.000000+00:00", "2026-06-01T04:27:09Z"),
            (
                "2026-06-01T04:27:09.546001+00:00",
                "2026-06-01T04:27:09.546001Z",
            ),
            (
                "2026-06-01T06:27:09.000000+02:00",
                "2026-06-01T06:27:09+02:00",
            ),
        ];
        for (long, expected) in cases {
            assert_eq!(short(long), expected);
        }
    }
}
