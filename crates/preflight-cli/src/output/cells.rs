//! Rows as text.

use arrow::{
    array::{Array, RecordBatch},
    datatypes::{DataType, Schema},
    error::ArrowError,
    util::display::{ArrayFormatter, FormatOptions},
};

const OPTIONS: FormatOptions<'static> = FormatOptions::new()
    .with_display_error(true)
    .with_timestamp_tz_format(Some("%Y-%m-%dT%H:%M:%S%.6fZ"))
    .with_timestamp_format(Some("%Y-%m-%dT%H:%M:%S%.6f"));

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
            DataType::Timestamp(..) => without_zeros(&text),
            _ => text,
        })
    }

    /// The cells of a row.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = Option<String>> {
        (0..self.columns.len()).map(move |column| self.get(row, column))
    }
}

fn without_zeros(time: &str) -> String {
    let (zone, time) = match time.strip_suffix('Z') {
        Some(time) => ("Z", time),
        None => ("", time),
    };
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
        assert_eq!(
            without_zeros("2026-06-01T04:27:09.546000Z"),
            "2026-06-01T04:27:09.546Z"
        );
        assert_eq!(
            without_zeros("2026-06-01T04:27:09.000000Z"),
            "2026-06-01T04:27:09Z"
        );
        assert_eq!(
            without_zeros("2026-06-01T04:27:09.546001Z"),
            "2026-06-01T04:27:09.546001Z"
        );
    }
}
