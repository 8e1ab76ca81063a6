//! A case of a sealed log, made and checked by the binary with all rules.

use std::fs;

use super::read_json;
use crate::{harness::Workplace, seal::sealed};

#[test]
fn a_case_of_a_sealed_log_is_proved_by_a_checkpoint_kept_elsewhere() {
    let workplace = Workplace::new();
    let lines = sealed(60);
    workplace.file("records.jsonl", lines[..55].concat());
    workplace.run_well(&["log", "key", "bank.example/agents", "--out", "log.key"]);
    let sign = [
        "log",
        "checkpoint",
        "records.jsonl",
        "--key-file",
        "log.key",
    ];
    let checkpoint = workplace.run_well(&sign);
    workplace.file("kept/2026-06.checkpoint", checkpoint);
    workplace.file("records.jsonl", lines.concat());
    workplace.ingest(&["records.jsonl"]);
    // A chain with records on both sides of the checkpoint.
    let keys = workplace.sql(
        "select action_key as k from records group by action_key
         having min(line) <= 55 and max(line) > 55 and count(*) > 2 order by k limit 1",
    );
    let key = keys[0]["k"].as_str().unwrap();
    let export = [
        "evidence",
        key,
        "--out",
        "case",
        "--checkpoint",
        "kept/2026-06.checkpoint",
    ];
    let made = workplace.run_well(&export);
    let index = read_json(&workplace.path("case/index.json"));
    let records = index["records"].as_array().unwrap();
    let proved = records
        .iter()
        .filter(|record| record["line"].as_u64().unwrap() <= 55)
        .count();
    assert!(proved > 0 && proved < records.len());
    let says = format!(
        "Seals     {0} of {0} records sealed, {proved} proved",
        records.len()
    );
    assert!(made.contains(&says), "{says}: {made}");

    // Alone, without the log.
    fs::remove_file(workplace.path("records.jsonl")).unwrap();
    let verified = workplace.run_well(&["evidence", "verify", "case"]);
    for says in [
        "in bank/agent-7 when it had 55 records\n",
        ": it came after the last checkpoint, over 55 records\n",
        "Unchecked who signed the checkpoints: no key was given",
        "Result    all of it matches",
    ] {
        assert!(verified.contains(says), "{says}: {verified}");
    }
    let key = ["evidence", "verify", "case", "--key", "log.key.pub"];
    let asked = workplace.run(&key);
    assert_eq!(asked.status, 1, "{}", asked.stdout);
    assert!(asked.stdout.contains("  no_proof "), "{}", asked.stdout);
    assert!(
        asked.stdout.contains("signed by bank.example/agents+"),
        "{}",
        asked.stdout
    );
    // One record alone.
    let file = records
        .iter()
        .position(|record| !record["seal"]["proof"].is_null());
    let number = format!("{:06}", file.unwrap() + 1);
    let (proof, record) = (
        format!("case/proofs/{number}.tlog-proof"),
        format!("case/records/{number}.json"),
    );
    let one = workplace.run_well(&["log", "check", &proof, &record, "--key", "log.key.pub"]);
    assert!(one.starts_with("holds: "), "{one}");
}

/// Of a log with a broken seal and a gap, a chain's case has other neighbours: those rules need the log.
#[test]
fn rules_over_whole_logs_are_not_run_over_a_case() {
    let workplace = Workplace::new();
    let mut lines = sealed(40);
    lines[7] = lines[7].replacen("\"schema_version\":\"1.", "\"schema_version\":\"1.0", 1);
    lines.remove(20);
    workplace.file("records.jsonl", lines.concat());
    workplace.ingest(&["records.jsonl"]);
    let findings = workplace.run_well(&["findings", "--rule", "IV015", "--format", "ndjson"]);
    let finding: serde_json::Value =
        serde_json::from_str(findings.lines().next().unwrap()).unwrap();
    let id = finding["id"].as_str().unwrap();
    workplace.run_well(&["evidence", "--finding", id, "--out", "case"]);
    let verified = workplace.run_well(&["evidence", "verify", "case"]);
    assert!(verified.contains("  needs the log   IV015"), "{verified}");
    assert!(
        verified.contains("Result    all of it matches"),
        "{verified}"
    );
}
