use std::io::Write;

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use preflight_audit::Answer;

use super::{Cells, cells::is_number};
use crate::{plain, terminal};

/// A table without lines between its rows; as wide as the terminal, if there is one.
pub(crate) fn new_table<'h>(header: impl IntoIterator<Item = &'h str>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header.into_iter().map(Cell::new).collect::<Vec<_>>());
    if terminal::shows_stdout() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    } else {
        table.set_content_arrangement(ContentArrangement::Disabled);
    }
    if !terminal::colours_stdout() {
        table.force_no_tty();
    }
    table
}

/// Writes rows in aligned columns.
pub(super) fn write(output: &mut impl Write, answer: &Answer) -> anyhow::Result<()> {
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
    for line in table.lines() {
        writeln!(output, "{}", line.trim_end())?;
    }
    Ok(())
}
