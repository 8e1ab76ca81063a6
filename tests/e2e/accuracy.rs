//! The labelled chains: the gaps equal their labels, no more and no fewer.

use std::{collections::BTreeSet, fs, io::Write, sync::OnceLock};

use serde_json::Value;

use crate::harness::{Dice, Workplace, chains, data, rows};

/// Line, class (of a gap), name and field.
type Label = (i64, Option<String>, String, Option<String>);

const GROUPS: &str = "gaps,laundering,integrity";

fn labels(kind: &str, name: &str) -> BTreeSet<Label> {
    let truth = fs::read_to_string(data("chains/truth.jsonl")).unwrap();
    let labels = rows(&truth);
    let labels = labels.iter().filter(|label| label["kind"] == kind);
    labels.map(|row| label(row, name)).collect()
}

fn label(value: &Value, name: &str) -> Label {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    (
        value["line"].as_i64().unwrap(),
        text("class"),
        text(name).unwrap(),
        text("field"),
    )
}

fn assert_equal(found: &[Label], labels: &BTreeSet<Label>) {
    let set: BTreeSet<Label> = found.iter().cloned().collect();
    let missed: Vec<_> = labels.difference(&set).collect();
    let wrong: Vec<_> = set.difference(labels).collect();
    assert!(
        missed.is_empty() && wrong.is_empty(),
        "missed {missed:#?}\nwrong {wrong:#?}"
    );
    assert_eq!(found.len(), labels.len(), "a finding is reported twice");
}

/// The findings by their line in `chains.jsonl`.
fn found(groups: &[&str]) -> Vec<Label> {
    let findings = plain_findings().iter();
    let findings = findings.filter(|finding| groups.iter().any(|group| finding["group"] == *group));
    findings.map(|finding| label(finding, "name")).collect()
}

#[test]
fn gaps_equal_the_labels() {
    assert_equal(&found(&["gaps"]), &labels("gap", "cause"));
}

#[test]
fn laundering_and_integrity_equal_the_labels() {
    let without_class = |(line, _, name, field)| (line, None, name, field);
    let found: Vec<Label> = found(&["laundering", "integrity"])
        .into_iter()
        .map(without_class)
        .collect();
    assert_equal(&found, &labels("finding", "rule"));
}

/// The records of the gate's vectors, each a chain of its own: they are honest.
#[test]
fn the_vectors_of_the_gate_break_no_integrity() {
    let workplace = Workplace::new();
    let vectors = fs::read_to_string(data("conformance/gate-vectors.jsonl")).unwrap();
    let mut log = String::new();
    for vector in rows(&vectors) {
        for persisted in vector["expect"]["persisted"].as_array().unwrap() {
            let mut record = persisted["record"].clone();
            if let Some(key) = record["action_key"].as_str() {
                record["action_key"] = format!("{}:{key}", vector["id"].as_str().unwrap()).into();
            }
            log += &record.to_string();
            log.push('\n');
        }
    }
    assert_eq!(log.lines().count(), 662);
    let path = workplace.file("vectors.jsonl", log);
    workplace.ingest(&[&path]);
    assert_eq!(workplace.findings("integrity"), Vec::<Value>::new());
    // What a run was given from outside, its chain does not hold.
    let names: BTreeSet<_> = workplace
        .findings("laundering")
        .iter()
        .map(|finding| finding["name"].as_str().unwrap().to_owned())
        .collect();
    let from_outside = ["no_baseline", "unasked_answer"].map(str::to_owned);
    assert_eq!(names, BTreeSet::from(from_outside));
}

/// What a finding says of its record, wherever the record came from.
fn essence(finding: &Value) -> String {
    let keys = [
        "timestamp",
        "action_key",
        "code",
        "field",
        "tool",
        "decision",
        "class",
        "severity",
        "detail",
    ];
    keys.map(|key| finding[key].to_string()).join(" ")
}

fn with_digest(finding: &Value) -> String {
    format!("{} {}", finding["record_digest"], essence(finding))
}

/// The findings over `chains.jsonl` as it is, computed once for all tests.
fn plain_findings() -> &'static [Value] {
    static FINDINGS: OnceLock<Vec<Value>> = OnceLock::new();
    FINDINGS.get_or_init(|| {
        let workplace = Workplace::new();
        workplace.ingest(&[data("chains/chains.jsonl").to_str().unwrap()]);
        workplace.findings(GROUPS)
    })
}

/// Ingests paths of a workplace and compares its findings with those of the plain file.
fn assert_same_findings(workplace: &Workplace, path: &str, of: fn(&Value) -> String) {
    let outcome = workplace.ingest(&[path]);
    assert_eq!(outcome.counts(), [1179, 1179, 0, 0, 0]);
    assert_as_plain(workplace, of);
}

fn assert_as_plain(workplace: &Workplace, of: fn(&Value) -> String) {
    let mut found: Vec<String> = workplace.findings(GROUPS).iter().map(of).collect();
    let mut expected: Vec<String> = plain_findings().iter().map(of).collect();
    found.sort();
    expected.sort();
    let lost: Vec<_> = expected.iter().filter(|one| !found.contains(one)).collect();
    let new: Vec<_> = found.iter().filter(|one| !expected.contains(one)).collect();
    assert!(
        lost.is_empty() && new.is_empty(),
        "lost {lost:#?}\nnew {new:#?}"
    );
    assert_eq!(found.len(), expected.len());
}

fn array(lines: &str) -> String {
    let lines: Vec<&str> = lines.lines().collect();
    format!("[{}]", lines.join(","))
}

#[test]
fn lines_shuffled_over_files() {
    let workplace = Workplace::new();
    let mut dice = Dice(1);
    let mut files = vec![String::new(); 7];
    let chains = chains();
    let mut lines: Vec<&str> = chains.lines().collect();
    for at in (1..lines.len()).rev() {
        lines.swap(at, dice.roll(at + 1));
    }
    for line in lines {
        let file = dice.roll(files.len());
        files[file] += line;
        files[file].push('\n');
    }
    for (number, file) in files.iter().enumerate() {
        workplace.file(&format!("logs/{number}.jsonl"), file);
    }
    assert_same_findings(&workplace, "logs", with_digest);
}

#[test]
fn a_log_split_by_time_and_read_in_several_runs() {
    let workplace = Workplace::new();
    let chains = chains();
    let lines: Vec<&str> = chains.lines().collect();
    for (number, lines) in lines.chunks(200).enumerate() {
        // The later part of the log is read first.
        let path = workplace.file(&format!("{}.jsonl", 9 - number), lines.join("\n"));
        workplace.ingest(&[&path]);
    }
    assert_as_plain(&workplace, with_digest);
}

#[test]
fn gzip() {
    let workplace = Workplace::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(chains().as_bytes()).unwrap();
    workplace.file("chains.jsonl.gz", gzip.finish().unwrap());
    assert_same_findings(&workplace, "chains.jsonl.gz", with_digest);
}

#[test]
fn zstandard() {
    let workplace = Workplace::new();
    let bytes = zstd::encode_all(chains().as_bytes(), 1).unwrap();
    workplace.file("logs/chains.jsonl.zst", bytes);
    assert_same_findings(&workplace, "logs", with_digest);
}

#[test]
fn wrapped_by_a_storage_adapter() {
    let workplace = Workplace::new();
    let wrap = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        let key = record["action_key"]
            .as_str()
            .unwrap_or("__preflight_unkeyed__");
        format!("{{\"key\":{key:?},\"record\":{line}}}\n")
    };
    workplace.file(
        "chains.jsonl",
        chains().lines().map(wrap).collect::<String>(),
    );
    assert_same_findings(&workplace, "chains.jsonl", essence);
    let keys = "select count(*) from records where storage_key = coalesce(action_key, '__preflight_unkeyed__')";
    assert_eq!(workplace.value(keys), 1179);
}

#[test]
fn one_array() {
    let workplace = Workplace::new();
    workplace.file("chains.json", array(&chains()));
    assert_same_findings(&workplace, "chains.json", with_digest);
}

#[test]
fn a_pretty_array() {
    let workplace = Workplace::new();
    let records: Value = serde_json::from_str(&array(&chains())).unwrap();
    workplace.file(
        "chains.json",
        serde_json::to_string_pretty(&records).unwrap(),
    );
    assert_same_findings(&workplace, "chains.json", essence);
}

#[test]
fn carriage_returns() {
    let workplace = Workplace::new();
    workplace.file("chains.ndjson", chains().replace('\n', "\r\n"));
    assert_same_findings(&workplace, "chains.ndjson", with_digest);
}

#[test]
fn standard_input() {
    let workplace = Workplace::new();
    let outcome = workplace.run_with(&["ingest", "-"], chains());
    assert_eq!(outcome.counts(), [1179, 1179, 0, 0, 0]);
    assert_as_plain(&workplace, with_digest);
    let again = workplace.run_with(&["ingest", "-"], chains());
    assert_eq!(again.counts()[1], 0, "the same input adds records");
}
