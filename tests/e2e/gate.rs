//! `gate`: the conformance vectors through the binary.

use std::fs;

use crate::harness::{Workplace, data};

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
}
