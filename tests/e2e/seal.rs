//! Sealed logs: verified from the command line.

use std::fs;

use preflight_record::Entry;
use preflight_seal::{Hash, LogId, Sealer};
use serde_json::{Value, json};

use crate::harness::Workplace;

/// The labelled chains' first records, sealed.
fn sealed(count: usize) -> Vec<String> {
    let chains = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/chains/chains.jsonl"
    );
    let mut sealer = Sealer::new(LogId::new("bank/agent-7").unwrap());
    let seal = |line: &str| {
        let record = Entry::parse(line.as_bytes()).unwrap().record;
        let mut ordered = String::new();
        record.write_ordered(&mut ordered).unwrap();
        let key = record.action_key.given().map(|key| &**key);
        let mut sealed = String::new();
        sealer.seal(&ordered, Hash::of(ordered.as_bytes()), key, &mut sealed);
        sealed
    };
    let text = fs::read_to_string(chains).unwrap();
    text.lines().take(count).map(seal).collect()
}

#[test]
fn an_untouched_log_is_intact_and_an_edit_has_a_place() {
    let workplace = Workplace::new();
    let lines = sealed(40);
    workplace.file("records.jsonl", lines.concat());
    let text = workplace.run_well(&["verify", "records.jsonl"]);
    assert!(
        text.contains("40 records sealed in 1 file, number 0 to 39"),
        "{text}"
    );
    assert!(text.contains("intact as far as it was checked"), "{text}");
    // Whether its end is there was not checked.
    assert_eq!(
        workplace
            .run(&["verify", "records.jsonl", "--strict"])
            .status,
        1
    );

    let mut edited = lines.clone();
    edited[7] = edited[7].replacen("\"schema_version\":\"1.", "\"schema_version\":\"1.0", 1);
    edited.remove(20);
    let offset: usize = edited[..7].iter().map(String::len).sum();
    workplace.file("records.jsonl", edited.concat());
    let outcome = workplace.run(&["verify", "records.jsonl", "--format", "json"]);
    assert_eq!(outcome.status, 1);
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let problems = report["logs"][0]["problems"].as_array().unwrap();
    let names: Vec<_> = problems
        .iter()
        .map(|problem| (&problem["outcome"], &problem["line"], &problem["seq"]))
        .collect();
    assert_eq!(
        names,
        [
            (&json!("edited"), &json!(8), &json!(7)),
            (&json!("deleted"), &json!(21), &json!(20))
        ]
    );
    assert_eq!(problems[0]["offset"], json!(offset));
}

#[test]
fn what_is_not_sealed_or_not_there_is_told() {
    let workplace = Workplace::new();
    workplace.file("plain.jsonl", "{}\n");
    let outcome = workplace.run(&["verify", "plain.jsonl"]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.stdout.contains("unsealed"), "{}", outcome.stdout);
    let outcome = workplace.run(&["verify", "nowhere.jsonl"]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains("nowhere.jsonl"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn hostile_lines_reach_no_terminal() {
    let workplace = Workplace::new();
    let lines = sealed(3);
    let name = "a\u{1b}[31m\u{202e}.jsonl";
    let hostile = "{\"\u{1b}[2J\":1}\n";
    let text = format!("{}{hostile}{}{}", lines[0], lines[1], lines[2]);
    workplace.file(name, text);
    let outcome = workplace.run(&["verify", name]);
    assert_eq!(outcome.status, 1);
    assert!(
        !outcome.stdout.contains(['\u{1b}', '\u{202e}']),
        "{}",
        outcome.stdout
    );
}
