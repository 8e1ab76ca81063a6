//! The labelled chains, all of them in one masked case: the findings are those of the lake.

use std::collections::BTreeSet;

use serde_json::Value;

use super::read_json;
use crate::harness::{Workplace, data, rows};

/// What a finding says, but for the words that may quote a value.
fn essence(finding: &Value) -> String {
    ["code", "field", "severity", "rule_version"]
        .map(|key| finding[key].to_string())
        .join(" ")
}

#[test]
fn the_labelled_chains_lead_to_the_same_findings_when_masked() {
    let workplace = Workplace::new();
    workplace.file("case.key", [7; 32]);
    workplace.ingest(&[data("chains/chains.jsonl").to_str().unwrap()]);
    let keys =
        workplace.sql("select distinct action_key as k from records where action_key is not null");
    let unkeyed = workplace.sql(
        "select distinct encode(record_digest, 'hex') as k from records where action_key is null",
    );
    let mut arguments = vec![
        "evidence",
        "--out",
        "case",
        "--mask",
        "--key-file",
        "case.key",
    ];
    arguments.extend(keys.iter().map(|row| row["k"].as_str().unwrap()));
    for row in &unkeyed {
        arguments.extend(["--record", row["k"].as_str().unwrap()]);
    }
    // No note says that masking changes what is found.
    let outcome = workplace.run(&arguments);
    assert_eq!((outcome.status, &*outcome.stderr), (0, ""));
    let of_lake = rows(&workplace.run_well(&["findings", "--format", "ndjson"]));
    let of_lake: BTreeSet<(i64, String)> = of_lake
        .iter()
        .map(|finding| (finding["line"].as_i64().unwrap(), essence(finding)))
        .collect();
    let index = read_json(&workplace.path("case/index.json"));
    assert_eq!(index["records"].as_array().unwrap().len(), 1179);
    let findings = read_json(&workplace.path("case/findings.json"));
    let of_case: BTreeSet<(i64, String)> = findings
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let record = finding["record"].as_u64().unwrap() as usize;
            let line = index["records"][record - 1]["line"].as_i64().unwrap();
            (line, essence(finding))
        })
        .collect();
    assert_eq!(of_case, of_lake);
    let chains = data("chains").display().to_string();
    let verified = workplace.run(&[
        "evidence",
        "verify",
        "case",
        "--original",
        &chains,
        "--key-file",
        "case.key",
    ]);
    assert_eq!(verified.status, 0, "{}", verified.stdout);
    assert!(
        verified.stdout.contains("Original  1,179 records the same"),
        "{}",
        verified.stdout
    );
}
