use std::io::Write;

use preflight_audit::Answer;

use super::{Cells, cells::is_number};
use crate::plain;

/// Writes a Markdown table.
pub(super) fn write(output: &mut impl Write, answer: &Answer) -> anyhow::Result<()> {
    let fields = answer.schema.fields();
    let names = fields.iter().map(|field| escaped(field.name()));
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
                .map(|cell| escaped(&cell.unwrap_or_default()));
            writeln!(output, "| {} |", row.collect::<Vec<_>>().join(" | "))?;
        }
    }
    Ok(())
}

/// Text that stays text: no markup, no HTML, no links, no line breaks.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in plain::text(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '!' | '#' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            ':' => escaped.push_str("&#58;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_defused() {
        let text = "[a](javascript:x) <b>|`*_";
        assert_eq!(
            escaped(text),
            "\\[a\\](javascript&#58;x) &lt;b&gt;\\|\\`\\*\\_"
        );
    }
}
