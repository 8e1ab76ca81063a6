//! A chain as a timeline in a terminal.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use comfy_table::Table;
use preflight_audit::{Chain, ChainFinding, ChainItem, ChainRecord};

use super::{Window, circumstances, evidence, lineage, overview, title, value};
use crate::{lake_arguments::block_on, output::new_table, plain, terminal};

pub(crate) fn write(
    output: &mut impl Write,
    chain: &Chain<'_>,
    window: &Window,
) -> anyhow::Result<()> {
    let summary = chain.summary();
    let mut timeline = Timeline {
        output,
        colours: terminal::colours_stdout(),
    };
    timeline.line("", Style::new().bold(), title(summary))?;
    timeline.line("", Style::new(), &overview(summary))?;
    let focus = chain.focus();
    for page in window.pages() {
        for record in block_on(chain.records(page))? {
            let is_focus = focus.contains(&(record.number - 1));
            timeline.record(&record, is_focus)?;
        }
    }
    Ok(())
}

/// What stands before the lines of a record.
const INDENT: &str = "│  ";

struct Timeline<W> {
    output: W,
    colours: bool,
}

impl<W: Write> Timeline<W> {
    /// One line of text from records, made safe to show.
    fn line(&mut self, before: &str, style: Style, text: &str) -> io::Result<()> {
        let text = plain::text(text);
        match self.colours {
            true => writeln!(self.output, "{before}{style}{text}{style:#}"),
            false => writeln!(self.output, "{before}{text}"),
        }
    }

    fn record(&mut self, record: &ChainRecord, is_focus: bool) -> anyhow::Result<()> {
        writeln!(self.output, "│")?;
        let (mark, colour) = mark(&record.decision);
        let time = record.timestamp.as_deref().unwrap_or("(no time)");
        let mut parts = vec![
            format!("#{}", record.number),
            time.to_owned(),
            record.decision.clone(),
        ];
        parts.extend(circumstances(record));
        if is_focus {
            parts.push("<- asked for".to_owned());
        }
        let style = Style::new().bold().fg_color(Some(colour.into()));
        self.line(&format!("{mark} "), style, &parts.join("  "))?;
        let dim = Style::new().dimmed();
        self.line(INDENT, dim, &evidence(record))?;
        if let Some(reason) = &record.reason {
            self.line(INDENT, Style::new(), reason)?;
        }
        self.asks(record)?;
        self.fields(record)?;
        self.items(record)?;
        self.findings(INDENT, &record.findings)
    }

    fn asks(&mut self, record: &ChainRecord) -> anyhow::Result<()> {
        for ask in &record.asks {
            self.line("│  ? ", Style::new(), &ask.to_string())?;
            self.findings("│    ", &ask.findings)?;
        }
        if let Some(message) = &record.user_message {
            self.line("│  ? ", Style::new(), &format!("tells the user: {message}"))?;
        }
        Ok(())
    }

    fn fields(&mut self, record: &ChainRecord) -> anyhow::Result<()> {
        let Some(fields) = &record.fields else {
            return Ok(self.line(INDENT, Style::new(), "no decision about fields")?);
        };
        if !fields.is_empty() {
            let mut table = new_table(["field", "value", "source", "origin", "lineage"]);
            for field in fields {
                let cells = [
                    field.name.clone(),
                    value(&field.value),
                    field.source.to_string(),
                    field.origin_source.to_string(),
                    lineage(field).join("; "),
                ];
                table.add_row(cells.map(|cell| plain::text(&cell).into_owned()));
            }
            self.table(table)?;
        }
        if !record.dropped_fields.is_empty() {
            let names = record.dropped_fields.join(", ");
            self.line(INDENT, Style::new(), &format!("no longer listed: {names}"))?;
        }
        for field in fields {
            self.findings(INDENT, &field.findings)?;
        }
        Ok(())
    }

    fn table(&mut self, mut table: Table) -> io::Result<()> {
        if let Some(width) = table.width() {
            table.set_width(width.saturating_sub(4));
        }
        for line in table.lines() {
            writeln!(self.output, "│ {}", line.trim_end())?;
        }
        Ok(())
    }

    fn items(&mut self, record: &ChainRecord) -> anyhow::Result<()> {
        for item in record.checklist.iter().flatten() {
            self.line(INDENT, Style::new(), &condition(item))?;
            self.findings("│    ", &item.findings)?;
        }
        Ok(())
    }

    fn findings(&mut self, indent: &str, findings: &[ChainFinding]) -> anyhow::Result<()> {
        let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
        for finding in findings {
            self.line(
                &format!("{indent}! "),
                style,
                &format!("{finding} ({})", finding.id),
            )?;
        }
        Ok(())
    }
}

/// A condition in words.
pub(super) fn condition(item: &ChainItem) -> String {
    let status = item.status.as_deref().unwrap_or("not checked");
    let id = item.id.as_deref().unwrap_or("(no id)");
    let by = item.source.named().map(|source| format!(" by {source}"));
    let at = item.verified_at.as_deref().map(|at| format!(" at {at}"));
    let description = item.description.as_deref().map(|text| format!(", {text}"));
    let note = item.note.as_deref().map(|note| format!(": {note}"));
    let rest = [by, at, description, note]
        .map(Option::unwrap_or_default)
        .concat();
    format!("condition {id}: {status}{rest}")
}

/// A sign for each decision, so that colour alone says nothing.
fn mark(decision: &str) -> (char, AnsiColor) {
    match decision {
        "execute" => ('○', AnsiColor::Green),
        "executed" => ('●', AnsiColor::Green),
        "ask_user" => ('?', AnsiColor::Yellow),
        "hold" => ('■', AnsiColor::Yellow),
        "deferred" => ('»', AnsiColor::Cyan),
        _ => ('×', AnsiColor::Red),
    }
}
