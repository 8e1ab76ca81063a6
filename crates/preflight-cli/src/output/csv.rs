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
            .map(|field| defused(field.name())),
    )?;
    for batch in &answer.batches {
        let cells = Cells::of(batch)?;
        for row in 0..batch.num_rows() {
            let row = (0..).zip(cells.row(row)).map(|(column, cell)| {
                let cell = cell.unwrap_or_default();
                match is_number(&answer.schema, column) {
                    true => cell,
                    false => defused(&cell),
                }
            });
            writer.write_record(row)?;
        }
    }
    writer.flush()?;
    Ok(())
}

/// Spreadsheets run cells that start like this; an apostrophe makes them text.
fn defused(text: &str) -> String {
    let text = plain::text(text);
    match text.chars().next() {
        Some('=' | '+' | '-' | '@' | '\\' | '|' | '％' | '＝' | '＋' | '－' | '＠') => {
            format!("'{text}")
        }
        _ => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_defused() {
        assert_eq!(defused("=cmd|'/c calc'!A1"), "'=cmd|'/c calc'!A1");
        assert_eq!(defused("\t=1"), "'\\t=1");
        assert_eq!(defused("u_1:bank"), "u_1:bank");
    }
}
