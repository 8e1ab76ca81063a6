use std::{borrow::Cow, io::Write};

use preflight_audit::Answer;

use super::Cells;
use crate::{plain, terminal};

/// How narrow a value may get before the terminal wraps it instead.
const NARROWEST: usize = 20;

/// Writes each row as a block of lines, a line for each value; NULL has none.
pub(super) fn write(output: &mut impl Write, answer: &Answer) -> anyhow::Result<()> {
    let fields = answer.schema.fields().iter();
    let names: Vec<_> = fields.map(|field| plain::text(field.name())).collect();
    let label = names.iter().map(|name| textwrap::core::display_width(name));
    let label = label.max().unwrap_or(0) + 2;
    let width = terminal::width().map(|width| width.saturating_sub(label).max(NARROWEST));
    let mut number = 0;
    for batch in &answer.batches {
        let cells = Cells::of(batch)?;
        for row in 0..batch.num_rows() {
            number += 1;
            writeln!(output, "-[ {number} ]{}", "-".repeat(label))?;
            for (name, cell) in names.iter().zip(cells.row(row)) {
                if let Some(cell) = cell {
                    value(output, name, label, &plain::text(&cell), width)?;
                }
            }
        }
    }
    Ok(())
}

/// Writes a name and its value, which goes on below itself.
fn value(
    output: &mut impl Write,
    name: &str,
    label: usize,
    text: &str,
    width: Option<usize>,
) -> std::io::Result<()> {
    let lines = match width {
        Some(width) => textwrap::wrap(text, width),
        None => vec![Cow::Borrowed(text)],
    };
    let mut name = name;
    for line in lines {
        let gap = label.saturating_sub(textwrap::core::display_width(name));
        let line = format!("{name}{:gap$}{line}", "");
        writeln!(output, "{}", line.trim_end())?;
        name = "";
    }
    Ok(())
}
