//! A report as Markdown.

use std::fmt::Write;

use preflight_audit::plain;

use super::{count, percent};
use crate::{
    Suggestion,
    model::{Outcome, Report},
};

/// The report as a Markdown document.
pub fn markdown(report: &Report) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_report(&mut text, report);
    text
}

fn write_report(out: &mut String, report: &Report) -> std::fmt::Result {
    let k = report.min_users;
    let checked = &report.checked;
    let period = &report.period;
    writeln!(
        out,
        "# Gap report for {}\n",
        plain::markdown(&report.provider)
    )?;
    writeln!(
        out,
        "{} to {} ({}).\n",
        period.from, period.until, period.time_zone
    )?;
    let of = format!(
        "{} tools, {} calls, {} episodes, {} users",
        checked.tools,
        count(checked.calls, k),
        count(checked.episodes, k),
        count(checked.users, k)
    );
    match report.outcome {
        Outcome::NothingChecked => {
            writeln!(
                out,
                "**Nothing checked:** no record of this period is about a tool of this provider.\n"
            )?;
        }
        Outcome::TooFewUsers => writeln!(out, "**Withheld:** there are fewer than {k} users.\n")?,
        Outcome::NothingFound => writeln!(out, "**No gap found.** Checked: {of}.\n")?,
        Outcome::GapsFound => {
            let gaps = count(report.gaps_total, k);
            let before = count(report.gaps_total_before, k);
            writeln!(
                out,
                "**{gaps} gaps** (the period before: {before}). Checked: {of}.\n"
            )?;
        }
    }
    if !report.others.is_empty() {
        let others = report
            .others
            .iter()
            .map(|other| format!("{} {}", other.gaps, other.class.replace('_', " ")));
        writeln!(
            out,
            "Not yours, and not in this report: {}.\n",
            others.collect::<Vec<_>>().join(", ")
        )?;
    }
    let withheld = report.withheld;
    if withheld.groups + withheld.texts > 0 {
        writeln!(
            out,
            "Withheld, of fewer than {k} users each: {} groups of gaps, {} wordings.\n",
            withheld.groups, withheld.texts
        )?;
    }
    table(
        out,
        "Tools",
        &[
            "tool",
            "calls",
            "episodes",
            "users",
            "gaps",
            "before",
            "episodes with a gap",
        ],
        report.tools.iter().map(|tool| {
            let share = tool
                .rate
                .map_or_else(String::new, |rate| format!(" ({})", percent(rate)));
            vec![
                plain::markdown(&tool.tool),
                count(tool.checked.calls, k),
                count(tool.checked.episodes, k),
                count(tool.checked.users, k),
                count(tool.gaps, k),
                count(tool.gaps_before, k),
                format!("{}{share}", count(tool.gap_episodes, k)),
            ]
        }),
    )?;
    table(
        out,
        "Gaps",
        &[
            "tool",
            "cause",
            "field",
            "status",
            "gaps",
            "before",
            "episodes",
            "users",
            "first seen",
            "last seen",
        ],
        report.gaps.iter().map(|gap| {
            vec![
                plain::markdown(&gap.tool),
                format!("{} {}", gap.code, gap.cause.replace('_', " ")),
                plain::markdown(gap.field.as_deref().unwrap_or_default()),
                gap.status.words().to_owned(),
                gap.gaps.to_string(),
                count(gap.gaps_before, k),
                format!(
                    "{} of {} ({})",
                    gap.episodes,
                    gap.tool_episodes,
                    percent(gap.rate)
                ),
                gap.users.to_string(),
                gap.first_seen.clone(),
                gap.last_seen.clone(),
            ]
        }),
    )?;
    table(
        out,
        "Wrong tools",
        &["asked as", "picked", "did it", "gaps", "users", "records"],
        report.wrong_tools.iter().map(|pair| {
            vec![
                plain::markdown(pair.asked_as.as_deref().unwrap_or("(many wordings)")),
                plain::markdown(&pair.tool),
                plain::markdown(
                    pair.instead
                        .as_deref()
                        .unwrap_or("(another provider's tool)"),
                ),
                pair.gaps.to_string(),
                pair.users.to_string(),
                short(&pair.records),
            ]
        }),
    )?;
    table(
        out,
        "Missing tools",
        &["asked as", "picked", "gaps", "users", "records"],
        report.missing_tools.iter().map(|missing| {
            vec![
                plain::markdown(&missing.asked_as),
                plain::markdown(&missing.tool),
                missing.gaps.to_string(),
                missing.users.to_string(),
                short(&missing.records),
            ]
        }),
    )?;
    table(
        out,
        "Refusals that the definition does not declare",
        &["tool", "answer", "gaps", "users", "records"],
        report.refusals.iter().map(|refusal| {
            vec![
                plain::markdown(&refusal.tool),
                plain::markdown(&refusal.message),
                refusal.gaps.to_string(),
                refusal.users.to_string(),
                short(&refusal.records),
            ]
        }),
    )?;
    table(
        out,
        "Conditions that only the description states",
        &["tool", "sentence", "label", "calls under it", "record"],
        report.prose.iter().map(|prose| {
            vec![
                plain::markdown(&prose.tool),
                plain::markdown(&prose.sentence),
                prose.label.clone(),
                prose.calls.to_string(),
                short(std::slice::from_ref(&prose.record_digest)),
            ]
        }),
    )?;
    let (suggestions, more) = super::suggestions_shown(report);
    table(
        out,
        "What would fix it",
        &[
            "rule",
            "tool",
            "field",
            "suggestion",
            "counted",
            "users",
            "records",
        ],
        suggestions.iter().map(|suggestion| {
            vec![
                rules(suggestion),
                plain::markdown(&suggestion.tool),
                plain::markdown(suggestion.field.as_deref().unwrap_or_default()),
                plain::markdown(&suggestion.says),
                counted(suggestion),
                suggestion.users.to_string(),
                short(&suggestion.records),
            ]
        }),
    )?;
    if more > 0 {
        let shown = suggestions.len();
        writeln!(
            out,
            "These are the {shown} most counted; the report as JSON or CSV has {more} more.\n"
        )?;
    }
    patches(out, suggestions)
}

/// Digests by their first digits.
fn short(digests: &[String]) -> String {
    let digests = digests
        .iter()
        .map(|digest| digest.get(..12).unwrap_or(digest));
    digests.collect::<Vec<_>>().join(" ")
}

/// The rule whose gaps were counted, and the one on definitions.
fn rules(suggestion: &Suggestion) -> String {
    match suggestion.definition_rule {
        Some(code) if code != suggestion.rule => format!("{} {code}", suggestion.rule),
        _ => suggestion.rule.clone(),
    }
}

/// What a suggestion is bound to, with its denominator.
fn counted(suggestion: &Suggestion) -> String {
    let episodes = suggestion.episodes.zip(suggestion.tool_episodes);
    let episodes = episodes.map_or_else(String::new, |(part, all)| {
        format!(" in {part} of {all} episodes")
    });
    let noun = match suggestion.count {
        1 => suggestion.counted.trim_end_matches('s'),
        _ => suggestion.counted,
    };
    format!("{} {noun}{episodes}", suggestion.count)
}

/// As code blocks: JSON with its escapes cannot end one.
fn patches(out: &mut String, suggestions: &[Suggestion]) -> std::fmt::Result {
    let patched = suggestions
        .iter()
        .filter_map(|s| Some((s, s.patch.as_ref()?)));
    for (number, (suggestion, patch)) in (1..).zip(patched) {
        if number == 1 {
            writeln!(out, "## Patches\n")?;
            writeln!(
                out,
                "RFC 6902, each for the definitions that were given; each was applied to them alone.\n"
            )?;
        }
        let (tool, rules) = (plain::markdown(&suggestion.tool), rules(suggestion));
        let field = suggestion.field.as_deref().unwrap_or_default();
        let field = plain::markdown(field);
        writeln!(out, "{number}. {tool} {field} ({rules})\n")?;
        let lines = super::patch_lines(patch);
        writeln!(
            out,
            "   ```json\n   [\n     {}\n   ]\n   ```\n",
            lines.join(",\n     ")
        )?;
    }
    Ok(())
}

fn table(
    out: &mut String,
    title: &str,
    columns: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> std::fmt::Result {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "## {title}\n")?;
    writeln!(out, "| {} |", columns.join(" | "))?;
    writeln!(
        out,
        "| {} |",
        columns
            .iter()
            .map(|_| "---")
            .collect::<Vec<_>>()
            .join(" | ")
    )?;
    for row in rows {
        writeln!(out, "| {} |", row.join(" | "))?;
    }
    writeln!(out)
}
