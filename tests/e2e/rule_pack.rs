//! The rule pack: every rule has a chain that triggers it and one that must not.

mod call_failures;
pub(crate) mod documentation;
mod invariants;
mod neighbours;
mod sample_data;

use std::{collections::BTreeSet, fmt::Write, fs, sync::LazyLock};

use serde_json::Value;

use crate::harness::{Workplace, data, rows};

/// The findings of all fixtures: one run of the binary for all tests.
static FIXTURES: LazyLock<Fixtures> = LazyLock::new(Fixtures::audit);

struct Fixtures {
    rules: Vec<Value>,
    folders: BTreeSet<String>,
    findings: Vec<Finding>,
    quarantined: Vec<Value>,
    /// Keys that occur in more than one file.
    shared_chains: Vec<Value>,
}

/// A finding, with the fixture that it was found in.
struct Finding {
    /// The rule that the folder is named for.
    folder: String,
    /// `triggers.jsonl` or `clean.jsonl`.
    file: String,
    row: Value,
}

impl Fixtures {
    fn audit() -> Self {
        let workplace = Workplace::new();
        let folder = data("rules");
        workplace.run_well(&["ingest", folder.to_str().unwrap()]);
        let rules = workplace.run_well(&["rules", "--format", "json"]);
        let findings = workplace.run_well(&["findings", "--format", "ndjson"]);
        let folders = fs::read_dir(folder).unwrap();
        Self {
            rules: serde_json::from_str(&rules).unwrap(),
            folders: folders
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect(),
            findings: rows(&findings).into_iter().map(Finding::new).collect(),
            quarantined: workplace.sql("select source, line, reason from quarantine"),
            shared_chains: workplace.sql(
                "select action_key from records where action_key is not null
                 group by action_key having count(distinct source) > 1",
            ),
        }
    }

    fn codes(&self) -> BTreeSet<String> {
        self.rules.iter().map(|rule| text(rule, "code")).collect()
    }

    /// How often a rule fires in a fixture of its own.
    fn hits(&self, code: &str, file: &str) -> usize {
        let hits = self.findings.iter().filter(|finding| {
            finding.folder == code && finding.file == file && finding.row["code"] == code
        });
        hits.count()
    }
}

impl Finding {
    fn new(row: Value) -> Self {
        let source = text(&row, "source").replace('\\', "/");
        let mut parts = source.rsplit('/').map(str::to_owned);
        let (file, folder) = (parts.next().unwrap(), parts.next().unwrap());
        Self { folder, file, row }
    }
}

fn text(row: &Value, key: &str) -> String {
    row[key].as_str().unwrap_or_default().to_owned()
}

#[test]
fn every_rule_has_fixtures_and_every_fixture_a_rule() {
    let codes = FIXTURES.codes();
    let without: Vec<_> = codes.difference(&FIXTURES.folders).collect();
    let forgotten: Vec<_> = FIXTURES.folders.difference(&codes).collect();
    assert!(
        without.is_empty(),
        "rules without tests/rules/CODE: {without:?}"
    );
    assert!(forgotten.is_empty(), "fixtures of no rule: {forgotten:?}");
    for code in &codes {
        for file in ["triggers.jsonl", "clean.jsonl"] {
            let path = data("rules").join(code).join(file);
            assert!(path.is_file(), "{} is missing", path.display());
        }
    }
}

#[test]
fn every_rule_fires_on_its_chain_and_not_on_the_near_miss() {
    for code in FIXTURES.codes() {
        let (hits, misfires) = (
            FIXTURES.hits(&code, "triggers.jsonl"),
            FIXTURES.hits(&code, "clean.jsonl"),
        );
        assert!(
            hits > 0,
            "{code} does not see tests/rules/{code}/triggers.jsonl"
        );
        assert_eq!(
            misfires, 0,
            "{code} fires on tests/rules/{code}/clean.jsonl"
        );
    }
}

/// A fixture proves nothing about its rule if another fixture continues its chain.
#[test]
fn fixtures_are_readable_and_stand_alone() {
    assert_eq!(FIXTURES.quarantined, Vec::<Value>::new());
    assert_eq!(FIXTURES.shared_chains, Vec::<Value>::new());
}

/// All that the triggers yield, findings of other rules included, group by group.
#[test]
fn what_the_triggers_yield() {
    let groups: BTreeSet<_> = FIXTURES
        .rules
        .iter()
        .map(|rule| text(rule, "group"))
        .collect();
    for group in groups {
        insta::assert_snapshot!(format!("triggers_{group}"), listing(&group));
    }
}

/// One paragraph a fixture of the group, one line a finding of the group.
fn listing(group: &str) -> String {
    let mut listing = String::new();
    for rule in FIXTURES.rules.iter().filter(|rule| rule["group"] == group) {
        let code = text(rule, "code");
        writeln!(listing, "{code} {}", text(rule, "name")).unwrap();
        let findings = FIXTURES.findings.iter().filter(|finding| {
            finding.folder == code
                && finding.file == "triggers.jsonl"
                && finding.row["group"] == group
        });
        let mut findings: Vec<_> = findings.collect();
        findings.sort_by_key(|finding| {
            let key = ["code", "field"].map(|key| text(&finding.row, key));
            (finding.row["line"].as_i64(), key)
        });
        for Finding { row, .. } in findings {
            writeln!(
                listing,
                "  line {}: {} {} ({}, {}) [{}] {}",
                row["line"],
                text(row, "code"),
                text(row, "name"),
                text(row, "class"),
                text(row, "severity"),
                row["field"].as_str().unwrap_or("-"),
                text(row, "detail"),
            )
            .unwrap();
        }
        listing.push('\n');
    }
    listing
}
