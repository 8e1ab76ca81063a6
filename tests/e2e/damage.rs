//! Files of the lake that are not what was written.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Workplace, record};

fn lake(workplace: &Workplace) -> Value {
    let text = fs::read(workplace.path("preflight-lake/manifest.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn with_a_lake() -> Workplace {
    let workplace = Workplace::new();
    let fields = json!([{"name": "n", "value": 1, "status": "known", "source": "instruction"}]);
    let line = |key| record(&json!({"action_key": key, "fields": fields})) + "\n";
    workplace.file("log.jsonl", line("a") + &line("b"));
    workplace.ingest(&["log.jsonl"]);
    workplace
}

/// Flips one bit of a file of the lake.
fn flip(workplace: &Workplace, file: &str, at: usize) {
    let path = workplace.path("preflight-lake").join(file);
    let mut bytes = fs::read(&path).unwrap();
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn every_file_has_its_checksum_in_the_manifest() {
    let workplace = with_a_lake();
    let manifest = lake(&workplace);
    assert_eq!(manifest["format"], 3);
    for file in manifest["batches"][0]["files"].as_array().unwrap() {
        assert_eq!(file["checksum"].as_str().unwrap().len(), 32, "{file}");
    }
    let outcome = workplace.run(&["tables", "--verify"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(
        outcome.stdout.starts_with("2 of 2 files as written"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn each_flipped_bit_is_found() {
    let workplace = with_a_lake();
    let file = workplace.path("preflight-lake/records/000001.parquet");
    let length = fs::metadata(file).unwrap().len() as usize;
    for at in [0, 4, length / 3, length / 2, length - 9, length - 1] {
        flip(&workplace, "records/000001.parquet", at);
        let outcome = workplace.run(&["tables", "--verify"]);
        assert_eq!(outcome.status, 1, "byte {at}: {}", outcome.stdout);
        let lines: Vec<&str> = outcome.stdout.lines().collect();
        assert!(
            lines[0].contains("records/000001.parquet: its XXH3-128 is "),
            "{lines:?}"
        );
        assert!(lines[0].contains(" where the manifest has "), "{lines:?}");
        assert!(lines[1].starts_with("1 of 2 files as written"), "{lines:?}");
        flip(&workplace, "records/000001.parquet", at);
    }
    assert_eq!(workplace.run(&["tables", "--verify"]).status, 0);
}

#[test]
fn every_damaged_file_is_named() {
    let workplace = with_a_lake();
    flip(&workplace, "records/000001.parquet", 100);
    fs::remove_file(workplace.path("preflight-lake/fields/000001.parquet")).unwrap();
    let outcome = workplace.run(&["tables", "--verify"]);
    assert_eq!(outcome.status, 1);
    assert!(
        outcome.stdout.contains("records/000001.parquet: "),
        "{}",
        outcome.stdout
    );
    assert!(
        outcome.stdout.contains("fields/000001.parquet: "),
        "{}",
        outcome.stdout
    );
    assert!(
        outcome.stdout.contains("0 of 2 files"),
        "{}",
        outcome.stdout
    );
}

/// A lake of format 1 is read, verified as far as that goes, and written on as the newest one.
#[test]
fn a_lake_without_checksums_is_read_and_written_to() {
    let workplace = with_a_lake();
    let mut manifest = lake(&workplace);
    manifest["format"] = json!(1);
    for file in manifest["batches"][0]["files"].as_array_mut().unwrap() {
        file.as_object_mut().unwrap().remove("checksum");
    }
    workplace.file("preflight-lake/manifest.json", manifest.to_string());
    let outcome = workplace.run(&["tables", "--verify"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("2 files of an older lake format"),
        "{}",
        outcome.stderr
    );
    workplace.file("more.jsonl", record(&json!({"action_key": "c"})) + "\n");
    workplace.ingest(&["more.jsonl"]);
    assert_eq!(workplace.value("select count(*) from records"), 3);
    let manifest = lake(&workplace);
    assert_eq!(manifest["format"], 3);
    assert!(manifest["batches"][0]["files"][0].get("checksum").is_none());
    assert!(manifest["batches"][1]["files"][0].get("checksum").is_some());
}
