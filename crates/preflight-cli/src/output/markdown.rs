use std::io::Write;

use preflight_audit::Answer;

use super::{Cells, cells::is_number};
use crate::plain;

/// Writes a Markdown table.
pub(super) fn write(output: &mut impl Write, answer: &Answer) -> anyhow::Result<()> {
    let fields = answer.schema.fields();
    let names = fields.iter().map(|field| plain::markdown(field.name()));
    writeln!(output, "| {} |", names.collect::<Vec<_>>().join(" | "))?;
    let rules = (0..fields.len()).map(|column| match is_number(&answer.schema, column) {
        true => "--:",
        false => "---",
    });
    writeln!(output, "| {} |", rules.collect::<Vec<_>>().join(" | "))?;
    for batch in &answer.batches {
        let cells = Cells::of(batch)?;
        for row in 0..batch.num_rows() {
            let row = cells
                .row(row)
                .map(|cell| plain::markdown(&cell.unwrap_or_default()));
            writeln!(output, "| {} |", row.collect::<Vec<_>>().join(" | "))?;
        }
    }
    Ok(())
}
