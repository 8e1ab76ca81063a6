//! Findings as one page that needs nothing else: no script, no font, no other file.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    io::Write,
};

use minijinja::{Environment, Value, context, value::Serde};
use preflight_audit::{Rule, Severity};
use serde::Serialize;

use crate::{
    commands::ingest::count,
    report::{Finding, Report},
};

const TEMPLATE: &str = include_str!("../../../../reports/findings.html");

/// Writes the page.
pub(super) fn write(output: &mut impl Write, report: &Report<'_>) -> anyhow::Result<()> {
    let mut environment = Environment::new();
    environment.add_filter("code", code);
    environment.add_filter("count", count);
    // The ending of the name turns escaping on.
    environment.add_template("findings.html", TEMPLATE)?;
    let lake = report.session.lake();
    let manifest = lake.manifest();
    let rules: Vec<RuleRow<'_>> = report.by_rule().into_iter().map(RuleRow::new).collect();
    let page = context! {
        version => env!("CARGO_PKG_VERSION"),
        lake => crate::plain::text(&lake.root().display().to_string()),
        digest => lake.digest(),
        counts => value(manifest.counts()),
        sources => manifest.sources.len() as u64,
        total => report.total,
        shown => report.findings.len(),
        first => report.findings.iter().filter_map(|f| f.timestamp.as_deref()).min(),
        last => report.findings.iter().filter_map(|f| f.timestamp.as_deref()).max(),
        severities => severities(&report.findings),
        classes => grouped(&report.findings, |finding| Some(&finding.class)),
        tools => grouped(&report.findings, |finding| finding.tool.as_ref()),
        rules => value(rules),
        findings => value(most_severe_first(&report.findings)),
    };
    let page = environment.get_template("findings.html")?.render(page)?;
    output.write_all(page.as_bytes())?;
    writeln!(output)?;
    Ok(())
}

/// A rule with how often it found something.
#[derive(Serialize)]
struct RuleRow<'r> {
    #[serde(flatten)]
    rule: &'r Rule,
    findings: usize,
    records: usize,
}

impl<'r> RuleRow<'r> {
    fn new((rule, found): (&'r Rule, Vec<&Finding>)) -> Self {
        let records: BTreeSet<u64> = found.iter().map(|finding| finding.record_id).collect();
        Self {
            rule,
            findings: found.len(),
            records: records.len(),
        }
    }
}

/// One line of a summary.
#[derive(Serialize)]
struct Count<'f> {
    name: Option<&'f str>,
    findings: usize,
    records: usize,
    /// The highest severity among them.
    severity: Option<Severity>,
}

/// Counts by a property, the most frequent first.
fn grouped<'f>(findings: &'f [Finding], of: impl Fn(&'f Finding) -> Option<&'f String>) -> Value {
    let mut groups: BTreeMap<Option<&str>, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        let name = of(finding).map(String::as_str);
        groups.entry(name).or_default().push(finding);
    }
    let counts = groups.into_iter().map(|(name, found)| {
        let records: BTreeSet<u64> = found.iter().map(|finding| finding.record_id).collect();
        let severities = found.iter().filter_map(|f| f.severity.parse().ok());
        Count {
            name,
            findings: found.len(),
            records: records.len(),
            severity: severities.max(),
        }
    });
    let mut counts: Vec<Count<'_>> = counts.collect();
    counts.sort_by_key(|count| Reverse(count.findings));
    value(counts)
}

/// The most severe first, those of one severity in the order they came in.
fn most_severe_first(findings: &[Finding]) -> Vec<&Finding> {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|finding| Reverse(finding.severity.parse::<Severity>().ok()));
    sorted
}

/// How many findings there are of each severity, the highest first.
fn severities(findings: &[Finding]) -> Value {
    let counts = Severity::ALL.into_iter().rev().map(|severity| {
        let of = |finding: &&Finding| finding.severity == severity.as_str();
        (severity.as_str(), findings.iter().filter(of).count())
    });
    value(counts.collect::<Vec<_>>())
}

/// Marks what stands between backticks as code.
fn code(text: String) -> Value {
    let parts = text.split('`').enumerate().map(|(at, part)| {
        let part = minijinja::HtmlEscape(part);
        match at % 2 {
            0 => part.to_string(),
            _ => format!("<code>{part}</code>"),
        }
    });
    Value::from_safe_string(parts.collect())
}

fn value(of: impl Serialize) -> Value {
    Value::from(Serde(of))
}
