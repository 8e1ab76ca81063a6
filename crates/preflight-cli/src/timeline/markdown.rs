//! A chain as Markdown.

use std::io::Write;

use preflight_audit::{Chain, ChainFinding, ChainRecord};

use super::{Window, circumstances, evidence, lineage, overview, text::condition, title, value};
use crate::{lake_arguments::block_on, plain};

pub(crate) fn write(
    output: &mut impl Write,
    chain: &Chain<'_>,
    window: &Window,
) -> anyhow::Result<()> {
    let summary = chain.summary();
    writeln!(
        output,
        "# {}\n\n{}",
        plain::markdown(title(summary)),
        plain::markdown(&overview(summary))
    )?;
    if let Some(left_out) = window.left_out(chain) {
        writeln!(output, "\n{}", plain::markdown(&left_out))?;
    }
    let focus = chain.focus();
    for page in window.pages() {
        for record in block_on(chain.records(page))? {
            let is_focus = focus.contains(&(record.number - 1));
            write_record(output, &record, is_focus)?;
        }
    }
    Ok(())
}

fn write_record(
    output: &mut impl Write,
    record: &ChainRecord,
    is_focus: bool,
) -> anyhow::Result<()> {
    let time = record.timestamp.as_deref().unwrap_or("(no time)");
    let mut title = vec![record.decision.clone(), time.to_owned()];
    title.extend(circumstances(record));
    let asked_for = if is_focus { " (asked for)" } else { "" };
    let title = plain::markdown(&title.join(", "));
    writeln!(output, "\n## {}\\. {title}{asked_for}\n", record.number)?;
    writeln!(output, "- {}", plain::markdown(&evidence(record)))?;
    if let Some(reason) = &record.reason {
        writeln!(output, "- {}", plain::markdown(reason))?;
    }
    for ask in &record.asks {
        writeln!(output, "- {}", plain::markdown(&ask.to_string()))?;
        write_findings(output, &ask.findings)?;
    }
    if let Some(message) = &record.user_message {
        writeln!(output, "- tells the user: {}", plain::markdown(message))?;
    }
    for item in record.checklist.iter().flatten() {
        writeln!(output, "- {}", plain::markdown(&condition(item)))?;
        write_findings(output, &item.findings)?;
    }
    if record.fields.is_none() {
        writeln!(output, "- no decision about fields")?;
    }
    if !record.dropped_fields.is_empty() {
        writeln!(
            output,
            "- no longer listed: {}",
            plain::markdown(&record.dropped_fields.join(", "))
        )?;
    }
    write_findings(output, &record.findings)?;
    let fields = record.fields.iter().flatten();
    fields
        .clone()
        .try_for_each(|field| write_findings(output, &field.findings))?;
    if fields.clone().next().is_some() {
        writeln!(output, "\n| field | value | source | origin | lineage |")?;
        writeln!(output, "| --- | --- | --- | --- | --- |")?;
    }
    for field in fields {
        let cells = [
            field.name.clone(),
            value(&field.value),
            field.source.to_string(),
            field.origin_source.to_string(),
            lineage(field).join("; "),
        ];
        writeln!(
            output,
            "| {} |",
            cells.map(|cell| plain::markdown(&cell)).join(" | ")
        )?;
    }
    Ok(())
}

fn write_findings(output: &mut impl Write, findings: &[ChainFinding]) -> anyhow::Result<()> {
    for finding in findings {
        let text = plain::markdown(&format!("{finding} ({})", finding.id));
        writeln!(output, "- **Finding**: {text}")?;
    }
    Ok(())
}
