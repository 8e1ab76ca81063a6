use std::io::Write;

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use preflight_audit::Answer;

use super::{Cells, cells::is_number, expanded};
use crate::{plain, terminal};

/// A table without lines between its rows; as wide as the terminal, if there is one.
pub(crate) fn new_table<'h>(header: impl IntoIterator<Item = &'h str>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header.into_iter().map(Cell::new).collect::<Vec<_>>());
    match terminal::width().map(u16::try_from) {
        Some(Ok(width)) => table
            .set_width(width)
            .set_content_arrangement(ContentArrangement::Dynamic),
        _ => table.set_content_arrangement(ContentArrangement::Disabled),
    };
    if !terminal::colours_stdout() {
        table.force_no_tty();
    }
    table
}

/// How narrow the widest column may get before rows are better written as blocks.
const NARROWEST: usize = 40;

/// Writes rows in aligned columns, or, where the terminal is too narrow for that, as blocks.
pub(super) fn write(output: &mut impl Write, answer: &Answer) -> anyhow::Result<()> {
    let mut table = table_of(answer)?;
    match terminal::width().map_or(Fit::Whole, |width| fit(&table, width)) {
        Fit::Whole => table.set_content_arrangement(ContentArrangement::Disabled),
        Fit::Wrapped(widest) => {
            for (at, column) in table.column_iter_mut().enumerate() {
                if at != widest {
                    column.set_constraint(ColumnConstraint::ContentWidth);
                }
            }
            table.set_content_arrangement(ContentArrangement::Dynamic)
        }
        Fit::No => return expanded::write(output, answer),
    };
    for line in table.lines() {
        writeln!(output, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Whether rows fit in columns next to each other.
pub(crate) fn fits(answer: &Answer) -> anyhow::Result<bool> {
    Ok(match terminal::width() {
        Some(width) => fit(&table_of(answer)?, width) != Fit::No,
        None => true,
    })
}

/// How a table fits into a terminal.
#[derive(Debug, PartialEq, Eq)]
enum Fit {
    Whole,
    /// This column has to go over several lines.
    Wrapped(usize),
    No,
}

fn fit(table: &Table, width: usize) -> Fit {
    let widths = table.column_max_content_widths();
    // Each column has a blank on either side.
    let padded = widths.iter().map(|width| usize::from(*width) + 2);
    let all: usize = padded.sum();
    let widest = (0..).zip(&widths).max_by_key(|(_, width)| **width);
    match widest {
        Some((column, widest)) if all > width + 1 => {
            match all - usize::from(*widest) + NARROWEST <= width {
                true => Fit::Wrapped(column),
                false => Fit::No,
            }
        }
        _ => Fit::Whole,
    }
}

fn table_of(answer: &Answer) -> anyhow::Result<Table> {
    let names = answer
        .schema
        .fields()
        .iter()
        .map(|field| plain::text(field.name()));
    let names: Vec<_> = names.collect();
    let mut table = new_table(names.iter().map(|name| &**name));
    for batch in &answer.batches {
        let cells = Cells::of(batch)?;
        for row in 0..batch.num_rows() {
            let cells = (0..).zip(cells.row(row)).map(|(column, cell)| {
                let text = cell.unwrap_or_default();
                let alignment = match is_number(&answer.schema, column) {
                    true => CellAlignment::Right,
                    false => CellAlignment::Left,
                };
                Cell::new(plain::text(&text)).set_alignment(alignment)
            });
            table.add_row(cells.collect::<Vec<_>>());
        }
    }
    Ok(table)
}
