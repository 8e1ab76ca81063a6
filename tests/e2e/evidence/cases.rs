//! Making and verifying one small case.

use std::{collections::BTreeMap, fs};

use super::{KEY, files_of, log, read_json};
use crate::harness::{Workplace, rows};

fn with_log() -> Workplace {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", log());
    workplace.ingest(&["log.jsonl"]);
    workplace
}

/// Digests and numbers that change with the tool, spelled out as what they are.
fn without(text: &str, parts: &BTreeMap<&str, String>) -> String {
    let mut text = text.to_owned();
    for (name, part) in parts {
        text = text.replace(part, name);
    }
    text
}

#[test]
fn a_case_can_be_read_by_people() {
    let workplace = with_log();
    let arguments = [
        "evidence",
        KEY,
        "--out",
        "case",
        "--created-at",
        "2026-07-01T09:00:00Z",
    ];
    let made = workplace.run_well(&arguments);
    let manifest = fs::read(workplace.path("case/manifest.json")).unwrap();
    let lake = read_json(&workplace.path("case/manifest.json"))["lake_manifest"].clone();
    let rules = workplace.run_well(&["rules", "--format", "json"]);
    let rules: Vec<serde_json::Value> = serde_json::from_str(&rules).unwrap();
    let files = made.lines().next().unwrap().rsplit(": ").next().unwrap();
    let parts = BTreeMap::from([
        (
            "[case digest]",
            blake3::hash(&manifest).to_hex().to_string(),
        ),
        ("[lake digest]", lake.as_str().unwrap().to_owned()),
        ("all [n] rules", format!("all {} rules", rules.len())),
        ("case: [n] files", format!("case: {files}")),
    ]);
    insta::assert_snapshot!("made", without(&made, &parts));
    let read = |name: &str| fs::read_to_string(workplace.path("case").join(name)).unwrap();
    insta::assert_snapshot!("readme", without(&read("README.md"), &parts));
    insta::assert_snapshot!("index", read("index.json"));
    let findings = read("findings.md");
    for part in [
        "## AD003 value_unanswerable",
        "## AD004 undeclared_condition",
        "log.jsonl:5",
    ] {
        assert!(findings.contains(part), "{part}: {findings}");
    }

    // Neither the lake nor the source is needed, and the environment does not matter.
    fs::remove_dir_all(workplace.path("preflight-lake")).unwrap();
    fs::remove_file(workplace.path("log.jsonl")).unwrap();
    let mut command = workplace.command(&["evidence", "verify", "case"]);
    let output = command
        .env("PREFLIGHT_LAKE", "elsewhere")
        .env("SOURCE_DATE_EPOCH", "0")
        .output();
    let verified = crate::harness::Outcome::of(output.unwrap());
    assert_eq!(verified.status, 0, "{}", verified.stderr);
    insta::assert_snapshot!("verified", without(&verified.stdout, &parts));
}

#[test]
fn tampering_is_named_and_ends_with_status_1() {
    let workplace = with_log();
    // By a finding, as an archive, with a time from the environment.
    let finding =
        &rows(&workplace.run_well(&["findings", "--rule", "AD004", "--format", "ndjson"]))[0];
    let id = finding["id"].as_str().unwrap();
    let mut command = workplace.command(&["evidence", "--finding", id, "--out", "case.tar.zst"]);
    let output = command
        .env("SOURCE_DATE_EPOCH", "1782896400")
        .output()
        .unwrap();
    let made = String::from_utf8(output.stdout).unwrap();
    assert!(
        made.contains("Records   3: 3 as they were, 0 missing"),
        "{made}"
    );

    let archive = fs::File::open(workplace.path("case.tar.zst")).unwrap();
    let mut archive = tar::Archive::new(zstd::Decoder::new(archive).unwrap());
    archive.unpack(workplace.path(".")).unwrap();
    assert_eq!(
        read_json(&workplace.path("case/manifest.json"))["created_at"],
        "2026-07-01T09:00:00Z"
    );
    let record = workplace.path("case/records/000003.json");
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replace("insufficient", "sufficient")).unwrap();
    let outcome = workplace.run(&["evidence", "verify", "case"]);
    assert_eq!(outcome.status, 1);
    for part in [
        "Records   2 of 3",
        "record_edited        records/000003.json: expected ",
        "NOT all of it matches",
    ] {
        assert!(outcome.stdout.contains(part), "{part}: {}", outcome.stdout);
    }
    let outcome = workplace.run(&["evidence", "verify", "case", "--format", "json"]);
    assert_eq!(outcome.status, 1);
    let result: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(result["matches"], false);
    assert_eq!(result["problems"][0]["kind"], "record_edited");
}

#[test]
fn the_rules_go_along_with_what_was_set() {
    let workplace = with_log();
    let view = "-- name: more\n-- summary: s\n-- parameters: none\n\nselect 1 as one";
    workplace.file("mine/views/99-more.sql", view);
    workplace.run_well(&[
        "evidence",
        KEY,
        "--out",
        "case",
        "--queries",
        "mine",
        "--param",
        "min_asks=3",
    ]);
    let verified = workplace.run_well(&["evidence", "verify", "case"]);
    for part in [
        "Rules     not the same as those of this version",
        "added     views/99-more.sql",
        "parameter min_asks = 3",
    ] {
        assert!(verified.contains(part), "{part}: {verified}");
    }
    // With three asks needed, nobody was asked in vain.
    assert!(!verified.contains("AD003"), "{verified}");
    let readme = fs::read_to_string(workplace.path("case/README.md")).unwrap();
    assert!(readme.contains("another value: min_asks = 3"), "{readme}");
    // The folder is a rule pack of its own.
    workplace.run_well(&["rules", "--queries", "case/rules"]);
}

#[test]
fn nothing_is_written_over() {
    let workplace = with_log();
    workplace.file("case/mine.txt", "mine");
    workplace.file("a.tar.zst", "mine");
    for out in ["case", "a.tar.zst"] {
        let outcome = workplace.run(&["evidence", KEY, "--out", out]);
        assert_eq!(outcome.status, 2);
        assert!(
            outcome.stderr.contains("is there already"),
            "{}",
            outcome.stderr
        );
    }
    assert_eq!(files_of(&workplace.path("case")).len(), 1);
    assert_eq!(fs::read(workplace.path("a.tar.zst")).unwrap(), b"mine");
}

#[test]
fn what_was_not_reproduced_or_checked_is_said() {
    let workplace = with_log();
    let log = fs::read_to_string(workplace.path("log.jsonl")).unwrap();
    // The first line of the chain, and with it what follows from it.
    workplace.file("log.jsonl", log.replacen("ask_user", "ask-user", 1));
    let outcome = workplace.run(&["evidence", KEY, "--out", "case"]);
    assert_eq!(outcome.status, 1);
    let says = "cannot be reproduced from the records of the case alone\n";
    assert!(outcome.stdout.contains(says), "{}", outcome.stdout);
    let rule = workplace.path("case/rules/gaps/AD003-value_unanswerable.sql");
    let sql = fs::read_to_string(&rule).unwrap();
    fs::write(&rule, sql + " select select").unwrap();
    let outcome = workplace.run(&["evidence", "verify", "case"]);
    assert_eq!(outcome.status, 1);
    let says = " before; NOT checked: the rules could not be run again\n";
    assert!(outcome.stdout.contains(says), "{}", outcome.stdout);
    assert!(
        outcome.stdout.contains("  not checked     AD003"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn mistakes_are_said_in_one_line() {
    let workplace = with_log();
    for (arguments, message) in [
        (&["--out", "case"][..], "ACTION_KEY"),
        (&[KEY], "--out"),
        (
            &["u_1:bank", "--out", "case"],
            "no chain is called \"u_1:bank\"",
        ),
        (
            &["--record", "00000000", "--out", "case"],
            "no record in the lake starts with",
        ),
        (
            &["--record", "xyz", "--out", "case"],
            "is not a record's digest",
        ),
        (
            &["--finding", "xyz", "--out", "case"],
            "is not a finding's id",
        ),
        (&[KEY, "--out", "case", "--mask"], "--key-file"),
        (
            &[KEY, "--out", "case", "--mask", "--key-file", "none"],
            "head -c 32 /dev/urandom",
        ),
        (&[KEY, "--out", "case", "--created-at", "now"], "a time is"),
        (&["verify", "log.jsonl"], "is not a case that can be read"),
        (
            &["verify", "preflight-lake"],
            "is not a case that can be read",
        ),
        (&["verify", "none"], "none"),
    ] {
        let outcome = workplace.run(&[&["evidence"], arguments].concat());
        assert_eq!(outcome.status, 2, "{arguments:?}: {}", outcome.stdout);
        assert!(
            outcome.stderr.contains(message),
            "{arguments:?}: {}",
            outcome.stderr
        );
        assert!(!workplace.path("case").exists(), "{arguments:?}");
    }
}
