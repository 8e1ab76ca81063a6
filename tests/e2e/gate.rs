//! `gate`: the conformance vectors through the binary, and a gate's own log through the audit.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Workplace, data, rows};

#[allow(dead_code, reason = "its `main` is the example's")]
#[path = "../../crates/preflight-gate/examples/bank_transfer.rs"]
mod bank_transfer;

#[test]
fn all_vectors_pass() {
    let vectors = data("conformance/gate-vectors.jsonl");
    let stdout = Workplace::new().run_well(&["gate", "replay", vectors.to_str().unwrap()]);
    assert!(stdout.contains("611 passed"), "{stdout}");
}

#[test]
fn a_difference_is_shown_and_ends_with_status_1() {
    let vectors = fs::read_to_string(data("conformance/gate-vectors.jsonl")).unwrap();
    let first = vectors.lines().next().unwrap();
    let changed = first.replace("\"schema_version\":\"1.8\"", "\"schema_version\":\"0.0\"");
    let changed = changed.replace("\"schema_version\": \"1.8\"", "\"schema_version\": \"0.0\"");
    assert_ne!(first, changed);
    let workplace = Workplace::new();
    workplace.file("vectors.jsonl", changed + "\n");
    let outcome = workplace.run(&["gate", "replay", "vectors.jsonl"]);
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains("schema_version"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn an_unusable_file_ends_with_status_2() {
    let workplace = Workplace::new();
    workplace.file("vectors.jsonl", "\n");
    assert_eq!(
        workplace.run(&["gate", "replay", "vectors.jsonl"]).status,
        2
    );
    assert_eq!(workplace.run(&["gate", "check", "none.json"]).status, 2);

    // Lines, none of which is a vector: nothing was compared.
    workplace.file("notes.txt", "# Notes\n{\"id\":\"a\"}\n");
    let outcome = workplace.run(&["gate", "replay", "notes.txt"]);
    assert_eq!(outcome.status, 2, "{}", outcome.stdout);
    assert!(
        outcome.stderr.contains("notes.txt holds no vector"),
        "{}",
        outcome.stderr
    );

    // A line that cannot be read among vectors that can is a difference.
    let vectors = fs::read_to_string(data("conformance/gate-vectors.jsonl")).unwrap();
    let first = vectors.lines().next().unwrap();
    workplace.file("mixed.jsonl", format!("{first}\nnot JSON\n"));
    let outcome = workplace.run(&["gate", "replay", "mixed.jsonl"]);
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
}

/// The log that the bank transfer example writes, audited.
#[test]
fn the_bank_transfers_log_is_audited() {
    let workplace = Workplace::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let log = workplace.path("records.jsonl");
    runtime.block_on(bank_transfer::transfers(&log)).unwrap();

    // A question was asked once, and that is all there is to find: no value changed its origin.
    let summary = workplace.run_well(&["audit", "records.jsonl", "--fail-on", "medium"]);
    assert!(
        summary.contains("5 records in 1 chain and 2 episodes"),
        "{summary}"
    );
    assert!(summary.contains("1 finding in 1 record by"), "{summary}");
    let findings = rows(&workplace.run_well(&["findings", "--format", "ndjson"]));
    let named: Vec<_> = findings
        .iter()
        .map(|finding| (finding["code"].as_str(), finding["field"].as_str()))
        .collect();
    assert_eq!(named, [(Some("IG002"), Some("to_account"))]);

    // The second transfer inherits the account and still names the answer.
    let inherited = workplace.sql(
        "select f.name, f.value_source, f.origin_source from fields f
         join records r on r.record_id = f.record_id
         where r.decision = 'executed' and f.value_source = 'prior_state'",
    );
    let expected = json!([
        {"name": "to_account", "value_source": "prior_state", "origin_source": "user_answer"}
    ]);
    assert_eq!(Value::from(inherited), expected);
}
