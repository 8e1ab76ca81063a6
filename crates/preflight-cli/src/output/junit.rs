//! Findings as a JUnit report, for CI: a rule is a test, and fails where it found something.

use std::{collections::BTreeMap, io::Write};

use preflight_audit::{NotApplicable, Rule};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::{
    commands::ingest::count,
    plain,
    report::{Finding, Report},
    tool_problems::{Row, ToolProblems},
};

/// Writes a suite for each class.
pub(super) fn write_findings(output: &mut impl Write, report: &Report<'_>) -> anyhow::Result<()> {
    let mut suites: BTreeMap<String, TestSuite> = BTreeMap::new();
    for (rule, found) in report.by_rule() {
        let name = format!("{}.{}", rule.group, rule.class);
        let suite = suites
            .entry(name)
            .or_insert_with_key(|name| TestSuite::new(name));
        let older = report
            .not_applicable
            .iter()
            .find(|older| older.code == rule.code);
        suite.add_test_case(test_case(rule, &found, older));
    }
    serialize(output, suites.into_values())
}

/// Writes one suite, the rules on tool definitions.
pub(super) fn write_problems(
    output: &mut impl Write,
    problems: &ToolProblems,
) -> anyhow::Result<()> {
    let mut suite = TestSuite::new("tool_definitions");
    for rule in &problems.rules {
        let found = problems.rows.iter().filter(|row| row.code == rule.code);
        let lines: Vec<String> = found.map(problem_line).collect();
        let status = match lines.is_empty() {
            true => TestCaseStatus::success(),
            false => failed(rule.severity, rule.summary, "problem", rule.fix, &lines),
        };
        let mut case = TestCase::new(format!("{} {}", rule.code, rule.name), status);
        case.set_classname("preflight.tool_definitions");
        suite.add_test_case(case);
    }
    serialize(output, [suite])
}

fn serialize(
    output: &mut impl Write,
    suites: impl IntoIterator<Item = TestSuite>,
) -> anyhow::Result<()> {
    let mut document = quick_junit::Report::new("preflight");
    document.add_test_suites(suites);
    document.serialize(&mut *output)?;
    Ok(())
}

/// `older` says that some records are too old for the rule.
fn test_case(rule: &Rule, found: &[&Finding], older: Option<&NotApplicable>) -> TestCase {
    let status = match (found, older) {
        ([], Some(older)) if older.is_all => skipped(older),
        ([], _) => TestCaseStatus::success(),
        (found, _) => failure(rule, found),
    };
    let mut case = TestCase::new(format!("{} {}", rule.code, rule.name), status);
    case.set_classname(format!("preflight.{}.{}", rule.group, rule.class));
    case
}

fn skipped(older: &NotApplicable) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(format!(
        "every record is of a schema before {}",
        older.schema
    ));
    status
}

fn failure(rule: &Rule, found: &[&Finding]) -> TestCaseStatus {
    let lines: Vec<String> = found.iter().map(|finding| line(finding)).collect();
    let severity = rule.severity.as_str();
    failed(severity, &rule.summary, "finding", &rule.fix, &lines)
}

fn failed(
    severity: &str,
    summary: &str,
    noun: &str,
    fix: &str,
    lines: &[String],
) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let number = count(lines.len() as u64, noun);
    status.set_type(severity);
    status.set_message(format!("{number}: {summary}"));
    status.set_description(format!("{}\n\nWhat to do: {fix}", lines.join("\n")));
    status
}

/// Where it is, and what: a line in which other tools find file and line.
fn line(finding: &Finding) -> String {
    let about = [&finding.action_key, &finding.tool, &finding.field];
    let about: Vec<&str> = about.into_iter().flatten().map(String::as_str).collect();
    format!(
        "{}:{}: {} [{}] {}",
        finding.source,
        finding.line,
        finding.words(),
        about.join(", "),
        finding.id
    )
}

fn problem_line(row: &Row) -> String {
    let about = format!("{} {}", row.tool, row.pointer);
    let words = format!("{}: {} [{about}] {}", row.place(), row.problem, row.id);
    plain::text(&words).into_owned()
}
