//! `sample-data/` holds what its README says.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    sync::LazyLock,
};

use serde_json::Value;

use super::{documentation::marked, text};
use crate::harness::{Workplace, data, rows};

/// The lake of the sample data, audited once.
static SAMPLE: LazyLock<Sample> = LazyLock::new(Sample::audit);

struct Sample {
    rules: Vec<Value>,
    findings: Vec<Value>,
    sources: Vec<Value>,
    quarantine: Vec<Value>,
}

impl Sample {
    fn audit() -> Self {
        let workplace = Workplace::new();
        let folder = data("../sample-data");
        workplace.run_well(&["ingest", folder.to_str().unwrap()]);
        let rules = workplace.run_well(&["rules", "--format", "json"]);
        Self {
            rules: serde_json::from_str(&rules).unwrap(),
            findings: rows(&workplace.run_well(&["findings", "--format", "ndjson"])),
            sources: workplace
                .sql("select source, count(*) as records from records group by source"),
            quarantine: workplace.sql("select source, line, reason_code from quarantine"),
        }
    }

    fn gaps(&self) -> impl Iterator<Item = &Value> {
        self.findings.iter().filter(|row| row["group"] == "gaps")
    }
}

fn file_name(row: &Value) -> String {
    let source = text(row, "source").replace('\\', "/");
    let (_, name) = source.rsplit_once("sample-data/").unwrap();
    name.to_owned()
}

fn counts(names: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

#[test]
fn every_rule_fires_on_the_sample_data() {
    let rules = SAMPLE.rules.iter().map(|rule| text(rule, "code"));
    let rules: BTreeSet<_> = rules.collect();
    let fired: BTreeSet<_> = SAMPLE
        .findings
        .iter()
        .map(|finding| text(finding, "code"))
        .collect();
    assert_eq!(rules, fired);
}

#[test]
fn the_table_of_files_is_current() {
    let bad = counts(SAMPLE.quarantine.iter().map(file_name));
    let gaps = counts(SAMPLE.gaps().map(file_name));
    let found = counts(SAMPLE.findings.iter().map(file_name));
    let records: BTreeMap<_, _> = SAMPLE
        .sources
        .iter()
        .map(|row| (file_name(row), row["records"].as_u64().unwrap()))
        .collect();
    let mut table = "| file | records | bad lines | gaps | other findings |\n\
                     | --- | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    let mut row = |name: &str, records: u64, bad: usize, gaps: usize, found: usize| {
        let others = found - gaps;
        writeln!(table, "| {name} | {records} | {bad} | {gaps} | {others} |").unwrap();
    };
    for (file, records) in &records {
        let of = |counts: &BTreeMap<String, usize>| counts.get(file).copied().unwrap_or(0);
        row(
            &format!("`{file}`"),
            *records,
            of(&bad),
            of(&gaps),
            of(&found),
        );
    }
    let (records, bad) = (records.values().sum(), SAMPLE.quarantine.len());
    row(
        "all",
        records,
        bad,
        SAMPLE.gaps().count(),
        SAMPLE.findings.len(),
    );
    assert_current("files", &table);
}

#[test]
fn the_table_of_findings_is_current() {
    let found = counts(SAMPLE.findings.iter().map(|finding| text(finding, "code")));
    let mut table = "| code | cause | class | findings |\n| --- | --- | --- | ---: |\n".to_owned();
    for rule in &SAMPLE.rules {
        let code = text(rule, "code");
        let found = found.get(&code).unwrap_or(&0);
        let (name, class) = (text(rule, "name"), text(rule, "class"));
        writeln!(table, "| {code} | `{name}` | {class} | {found} |").unwrap();
    }
    assert_current("findings", &table);
}

fn assert_current(name: &str, table: &str) {
    assert!(
        marked("sample-data/README.md", name) == table.trim(),
        "sample-data/README.md is not current; between its {name} markers belongs:\n\n{table}"
    );
}

#[test]
fn bad_lines_are_quarantined_for_their_faults() {
    let faults: BTreeSet<_> = SAMPLE
        .quarantine
        .iter()
        .map(|row| {
            (
                file_name(row),
                row["line"].as_i64().unwrap(),
                text(row, "reason_code"),
            )
        })
        .collect();
    let expected = [
        (2, "duplicate_key"),
        (3, "lone_surrogate"),
        (5, "unexpected_end"),
    ];
    let expected =
        expected.map(|(line, code)| ("incident.jsonl".to_owned(), line, code.to_owned()));
    assert_eq!(faults, BTreeSet::from(expected));
}

/// Half of the chain stands in each of two files; only both together show that asking did not help.
#[test]
fn a_chain_over_two_files_is_one_chain() {
    let files: BTreeSet<_> = SAMPLE
        .gaps()
        .filter(|finding| finding["action_key"] == "u_127:deploy.rollout:over midnight")
        .map(|finding| (text(finding, "code"), file_name(finding)))
        .collect();
    let expected = ["agent-2026-05.jsonl.gz", "agent-2026-06.jsonl"];
    assert_eq!(
        files,
        expected
            .map(|file| ("AD003".to_owned(), file.to_owned()))
            .into()
    );
}

#[test]
fn the_sealed_samples_are_intact_and_tampered_with() {
    let workplace = Workplace::new();
    let sealed = |name: &str| {
        data(&format!("../sample-data/sealed/{name}"))
            .display()
            .to_string()
    };
    let (log, key) = (sealed("treasury.jsonl"), sealed("treasury.pub"));
    let intact = workplace.run(&["verify", &log, "--key", &key, "--strict"]);
    assert_eq!(intact.status, 0, "{}", intact.stdout);

    let tampered = workplace.run(&["verify", &sealed("tampered.jsonl"), "--format", "json"]);
    assert_eq!(tampered.status, 1);
    let report: Value = serde_json::from_str(&tampered.stdout).unwrap();
    let problems = report["logs"][0]["problems"].as_array().unwrap().iter();
    let named: Vec<(String, u64)> = problems
        .map(|problem| (text(problem, "outcome"), problem["line"].as_u64().unwrap()))
        .collect();
    let expected = [
        ("edited", 1),
        ("edited", 2),
        ("deleted", 4),
        ("edited", 5),
        ("fork", 9),
        ("unsealed", 11),
    ];
    assert_eq!(named, expected.map(|(name, line)| (name.to_owned(), line)));
}

#[test]
fn the_seed_records_are_untouched() {
    let seed = |path| fs::read(data(path)).unwrap();
    assert_eq!(
        seed("../sample-data/seed-v1.4.jsonl"),
        seed("chains/seed-v1.4.jsonl")
    );
}
