use std::io::Write;

use preflight_audit::Answer;

use super::{Cells, cells::is_number};
use crate::plain;

/// Writes comma-separated values; NULL is an empty cell.
pub(super) fn write(output: &mut impl Write, answer: &Answer) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(output);
    writer.write_record(
        answer
            .schema
            .fields()
            .iter()
            .map(|field| plain::cell(field.name())),
    )?;
    for batch in &answer.batches {
        let cells = Cells::of(batch)?;
        for row in 0..batch.num_rows() {
            let row = (0..).zip(cells.row(row)).map(|(column, cell)| {
                let cell = cell.unwrap_or_default();
                match is_number(&answer.schema, column) {
                    true => cell,
                    false => plain::cell(&cell),
                }
            });
            writer.write_record(row)?;
        }
    }
    writer.flush()?;
    Ok(())
}
