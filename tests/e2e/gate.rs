//! `gate`: the conformance vectors through the binary, and a gate's own log through the audit.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Outcome, Workplace, data, rows};

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
        outcome
            .stderr
            .contains("notes.txt holds no vector; line 1: "),
        "{}",
        outcome.stderr
    );
    assert_eq!(outcome.stdout, "");
    let mut command = workplace.command(&["gate", "check", "-"]);
    command.write_stdin("{\"id\":\"a\"}");
    let outcome = Outcome::of(command.output().unwrap());
    assert_eq!(outcome.status, 2);
    let says = "standard input is no script of a run";
    assert!(outcome.stderr.contains(says), "{}", outcome.stderr);

    // A line that cannot be read among vectors that can is a difference.
    let vectors = fs::read_to_string(data("conformance/gate-vectors.jsonl")).unwrap();
    let first = vectors.lines().next().unwrap();
    workplace.file("mixed.jsonl", format!("{first}\nnot JSON\n"));
    let outcome = workplace.run(&["gate", "replay", "mixed.jsonl"]);
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
}

/// What a script or a vector quotes reaches no screen as what could reorder or hide text.
#[test]
fn json_output_has_no_hidden_characters() {
    let hostile = "\u{202e}\u{2066}\u{200b}\u{feff}\u{9b}\u{e0041}é";
    let script = json!({
        "id": hostile,
        "input": {
            "userId": "u", "instruction": [{"text": "pay", "trust": "user"}],
            "mcpTool": {"name": format!("pay{hostile}"), "inputSchema": {"type": "object"}},
        },
        "hooks": {
            "classifyWhenCase": {"return": "immediate"},
            "extractUserActionName": {"return": hostile},
            "confirmToolNameMatchesIntent": {"return": {"approved": false, "reason": hostile}},
        },
        "expect": {"status": hostile},
    });
    let workplace = Workplace::new();
    workplace.file("vector.jsonl", script.to_string());
    for command in ["check", "replay"] {
        for format in ["json", "text"] {
            let outcome = workplace.run(&["gate", command, "vector.jsonl", "--format", format]);
            assert!(outcome.status < 2, "{command}: {}", outcome.stderr);
            let hidden = |c: char| hostile.contains(c) && c != 'é';
            assert!(!outcome.stdout.contains(hidden), "{:?}", outcome.stdout);
            assert!(outcome.stdout.contains('é'), "{}", outcome.stdout);
            if format == "json" {
                let value: Value = serde_json::from_str(&outcome.stdout).unwrap();
                assert!(
                    value.to_string().contains(hostile),
                    "the JSON means the same"
                );
            }
        }
    }
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
