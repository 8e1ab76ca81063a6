//! Findings as a JUnit report, for CI: a rule is a test, and fails where it found something.

use std::{collections::BTreeMap, io::Write};

use preflight_audit::{NotApplicable, Rule};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::{
    commands::ingest::count,
    report::{Finding, Report},
};

/// Writes a suite for each class.
pub(super) fn write(output: &mut impl Write, report: &Report<'_>) -> anyhow::Result<()> {
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
    let mut document = quick_junit::Report::new("preflight");
    document.add_test_suites(suites.into_values());
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
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let number = count(found.len() as u64, "finding");
    status.set_type(rule.severity.as_str());
    status.set_message(format!("{number}: {}", rule.summary));
    let lines = found.iter().map(|finding| line(finding));
    let lines = lines.collect::<Vec<_>>().join("\n");
    status.set_description(format!("{lines}\n\nWhat to do: {}", rule.fix));
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
