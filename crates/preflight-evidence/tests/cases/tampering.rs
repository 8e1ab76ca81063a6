//! A name for every kind of tampering.

use std::fs;

use preflight_evidence::{EvidenceError, FindingOutcome, VerifyOptions};
use serde_json::Value;

use super::{CALL_FAILED, Workplace, problems, with_outcome};

fn assert_problems(workplace: &Workplace, expected: &[(&str, &str)]) {
    let verification = workplace.verify();
    assert_eq!(problems(&verification), expected);
    assert_eq!(verification.matches, verification.matches());
    assert!(!verification.matches || expected.is_empty());
}

/// Computes all digests again, as whoever can change all files can.
pub(crate) fn reseal(workplace: &Workplace) {
    let mut manifest = workplace.json("case/manifest.json");
    let mut checksums = String::new();
    let set = |entry: &mut Value, bytes: &[u8]| {
        entry["blake3"] = blake3::hash(bytes).to_hex().to_string().into();
        entry["bytes"] = bytes.len().into();
    };
    let entries = manifest["files"].as_array_mut().unwrap();
    for entry in entries.iter_mut().filter(|entry| entry["path"] != "B3SUMS") {
        let name = entry["path"].as_str().unwrap().to_owned();
        set(
            entry,
            &fs::read(workplace.path("case").join(&name)).unwrap(),
        );
        checksums += &format!("{}  {name}\n", entry["blake3"].as_str().unwrap());
    }
    let sums = entries.iter_mut().find(|entry| entry["path"] == "B3SUMS");
    set(sums.unwrap(), checksums.as_bytes());
    workplace.file("case/B3SUMS", checksums);
    let manifest = serde_json::to_string_pretty(&manifest).unwrap() + "\n";
    workplace.file("case/manifest.json", manifest);
}

#[test]
fn a_case_that_nobody_touched_matches() {
    let workplace = Workplace::with_case();
    let verification = workplace.verify();
    assert!(verification.matches && verification.matches());
    assert_eq!((verification.records, verification.records_intact), (3, 3));
    let same = with_outcome(&verification, FindingOutcome::Reproduced);
    assert_eq!(same, ["UN090", "IG090", "EX090"]);
    assert_eq!(verification.rules.unwrap().added.len(), 3);
    reseal(&workplace);
    assert!(
        workplace.verify().matches(),
        "sealing again changes nothing"
    );
}

#[test]
fn an_edited_record() {
    let workplace = Workplace::with_case();
    workplace.edit("case/records/000003.json", "no such", "we have");
    assert_problems(&workplace, &[("record_edited", "records/000003.json")]);
    // What it says now is not what was found.
    let verification = workplace.verify();
    assert_eq!(verification.records_intact, 2);
    assert_eq!(
        with_outcome(&verification, FindingOutcome::Differs),
        ["EX090"]
    );
}

#[test]
fn a_removed_record() {
    let workplace = Workplace::with_case();
    fs::remove_file(workplace.path("case/records/000002.json")).unwrap();
    assert_problems(&workplace, &[("record_removed", "records/000002.json")]);
    let lost = workplace.verify();
    assert_eq!(
        with_outcome(&lost, FindingOutcome::NotReproduced),
        ["IG090"]
    );
}

#[test]
fn an_added_record() {
    let workplace = Workplace::with_case();
    workplace.file(
        "case/records/000004.json",
        workplace.read("case/records/000001.json"),
    );
    assert_problems(&workplace, &[("record_added", "records/000004.json")]);
}

#[test]
fn reordered_records() {
    let workplace = Workplace::with_case();
    let (one, two) = ("case/records/000001.json", "case/records/000002.json");
    let (first, second) = (workplace.read(one), workplace.read(two));
    workplace.file(one, second);
    workplace.file(two, first);
    assert_problems(
        &workplace,
        &[
            ("record_reordered", "records/000001.json"),
            ("record_reordered", "records/000002.json"),
        ],
    );
    // Their times are equal: which one is the first is another one now.
    let verification = workplace.verify();
    assert!(with_outcome(&verification, FindingOutcome::Differs).contains(&"UN090"));
}

#[test]
fn edited_findings() {
    let workplace = Workplace::with_case();
    workplace.edit("case/findings.json", "no such CC-4711", "all is well");
    assert_problems(&workplace, &[("findings_edited", "findings.json")]);
    let verification = workplace.verify();
    assert_eq!(
        with_outcome(&verification, FindingOutcome::Differs),
        ["EX090"]
    );
    workplace.edit("case/findings.md", "no such", "all is well");
    assert_problems(
        &workplace,
        &[
            ("findings_edited", "findings.json"),
            ("findings_edited", "findings.md"),
        ],
    );
}

#[test]
fn added_and_removed_findings() {
    let workplace = Workplace::with_case();
    let mut findings = workplace.json("case/findings.json");
    let list = findings.as_array_mut().unwrap();
    list.retain(|finding| finding["code"] != "EX090");
    let mut invented = list[0].clone();
    invented["record"] = 2.into();
    list.push(invented);
    workplace.file("case/findings.json", findings.to_string());
    reseal(&workplace);
    assert_problems(&workplace, &[]);
    let verification = workplace.verify();
    assert!(!verification.matches);
    assert_eq!(with_outcome(&verification, FindingOutcome::New), ["EX090"]);
    assert_eq!(
        with_outcome(&verification, FindingOutcome::NotReproduced),
        ["UN090"]
    );
}

#[test]
fn an_edited_rule() {
    let workplace = Workplace::with_case();
    let path = format!("case/{CALL_FAILED}");
    workplace.edit(&path, "decision = 'failed'", "decision = 'nothing'");
    assert_problems(&workplace, &[("rule_edited", CALL_FAILED)]);
    let verification = workplace.verify();
    assert_eq!(
        with_outcome(&verification, FindingOutcome::NotReproduced),
        ["EX090"]
    );
}

#[test]
fn an_edited_parameter() {
    let workplace = Workplace::with_case();
    workplace.edit("case/rules/parameters.json", "\"2\"", "\"3\"");
    assert_problems(&workplace, &[("rule_edited", "rules/parameters.json")]);
    let verification = workplace.verify();
    assert_eq!(
        with_outcome(&verification, FindingOutcome::NotReproduced),
        ["IG090"]
    );
}

#[test]
fn removed_and_added_rules() {
    let workplace = Workplace::with_case();
    fs::remove_file(workplace.path(&format!("case/{CALL_FAILED}"))).unwrap();
    let view = "-- name: mine\n-- summary: s\n-- parameters: none\nselect 1 as one";
    workplace.file("case/rules/views/98-mine.sql", view);
    assert_problems(
        &workplace,
        &[
            ("rule_removed", CALL_FAILED),
            ("rule_added", "rules/views/98-mine.sql"),
        ],
    );
}

#[test]
fn a_rule_that_can_not_run() {
    let workplace = Workplace::with_case();
    let path = format!("case/{CALL_FAILED}");
    let expected = [("rule_edited", CALL_FAILED), ("rules_fail", "rules/")];
    workplace.edit(&path, "from records", "from nothing");
    assert_problems(&workplace, &expected);
    let not_checked = with_outcome(&workplace.verify(), FindingOutcome::NotChecked).len();
    assert_eq!(not_checked, 3);
    workplace.edit(&path, "-- code: EX090", "-- cod: EX090");
    assert_problems(&workplace, &expected);
    let verification = workplace.verify();
    let not_checked = with_outcome(&verification, FindingOutcome::NotChecked).len();
    assert_eq!((not_checked, verification.listed_findings), (3, Some(3)));
}

/// A manifest that lists neither index nor findings asks for none of them.
#[test]
fn nothing_that_was_not_checked_matches() {
    for file in ["index.json", "findings.json"] {
        let workplace = Workplace::with_case();
        let mut manifest = workplace.json("case/manifest.json");
        let files = manifest["files"].as_array_mut().unwrap();
        files.retain(|entry| entry["path"] != file);
        workplace.file("case/manifest.json", manifest.to_string());
        fs::remove_file(workplace.path("case").join(file)).unwrap();
        let verification = workplace.verify();
        assert!(!verification.matches() && !verification.matches, "{file}");
    }
}

#[test]
fn a_rule_reads_and_writes_no_files() {
    let workplace = Workplace::with_case();
    let path = format!("case/{CALL_FAILED}");
    let secret = workplace.file("secret.csv", "a\n1\n");
    let original = workplace.read(&path);
    let header = original.split("\n\n").next().unwrap();
    for sql in [
        format!(
            "select 1 as record_id, null as field, a as detail from '{}'",
            secret.display()
        ),
        format!(
            "create external table t stored as csv location '{}'",
            secret.display()
        ),
        format!(
            "copy records to '{}'",
            workplace.path("stolen.csv").display()
        ),
    ] {
        workplace.file(&path, format!("{header}\n\n{sql}\n"));
        let expected = [("rule_edited", CALL_FAILED), ("rules_fail", "rules/")];
        assert_problems(&workplace, &expected);
    }
    assert!(!workplace.path("stolen.csv").exists());
}

#[test]
fn other_files() {
    let workplace = Workplace::with_case();
    workplace.edit("case/README.md", "Findings: 3", "Findings: 0");
    workplace.edit(
        "case/index.json",
        "\"decision\": \"failed\"",
        "\"decision\": \"executed\"",
    );
    workplace.file("case/notes.txt", "mine");
    fs::remove_file(workplace.path("case/B3SUMS")).unwrap();
    assert_problems(
        &workplace,
        &[
            ("file_removed", "B3SUMS"),
            ("readme_edited", "README.md"),
            ("index_edited", "index.json"),
            ("file_added", "notes.txt"),
            ("index_disagrees", "records/000003.json"),
        ],
    );
}

#[cfg(unix)]
#[test]
fn a_link_is_no_file() {
    let workplace = Workplace::with_case();
    let record = workplace.path("case/records/000001.json");
    fs::remove_file(&record).unwrap();
    std::os::unix::fs::symlink(workplace.path("log.jsonl"), record).unwrap();
    assert_problems(
        &workplace,
        &[
            ("record_removed", "records/000001.json"),
            ("not_a_file", "records/000001.json"),
        ],
    );
}

#[test]
fn an_edited_manifest() {
    let workplace = Workplace::with_case();
    let written_down = workplace.verify().case_digest;
    let against = || {
        let options = VerifyOptions {
            expected_digest: Some(written_down.to_uppercase()),
            ..VerifyOptions::default()
        };
        workplace.verify_with("case", options).unwrap()
    };
    assert!(against().matches());
    workplace.edit("case/manifest.json", "2026-07-01", "2026-07-02");
    // The manifest can't name its own digest: only who wrote it down can tell.
    assert_problems(&workplace, &[]);
    assert_eq!(
        problems(&against()),
        [("case_digest_differs", "manifest.json")]
    );
}

#[test]
fn a_record_edited_with_all_digests() {
    let workplace = Workplace::with_case();
    workplace.edit("case/records/000003.json", "\"CC-4711\"", "\"CC-4712\"");
    let old = workplace.json("case/index.json")["records"][2]["digest"].clone();
    let new = blake3::hash(workplace.read("case/records/000003.json").as_bytes()).to_hex();
    // All but the index: it disagrees.
    reseal(&workplace);
    assert_problems(&workplace, &[("index_disagrees", "records/000003.json")]);
    // The index as well: the ids of findings hang on the bytes.
    workplace.edit("case/index.json", old.as_str().unwrap(), new.as_str());
    reseal(&workplace);
    assert_problems(&workplace, &[]);
    let verification = workplace.verify();
    assert_eq!(
        with_outcome(&verification, FindingOutcome::Differs),
        ["EX090"]
    );
    // And the source tells in any case.
    let options = VerifyOptions {
        original: Some(workplace.path("")),
        ..VerifyOptions::default()
    };
    let original = workplace
        .verify_with("case", options)
        .unwrap()
        .original
        .unwrap();
    assert_eq!((original.same, original.problems.len()), (2, 1));
    assert!(original.problems[0].detail.contains("log.jsonl:5"));
}

#[test]
fn a_manifest_that_can_not_be_read_is_no_case() {
    let workplace = Workplace::with_case();
    for text in ["", "{}", "[1]", "{\"format\": 99}"] {
        workplace.file("case/manifest.json", text);
        match workplace.verify_with("case", VerifyOptions::default()) {
            Err(EvidenceError::NotACase { .. }) => {}
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn paths_in_a_case_lead_nowhere() {
    let workplace = Workplace::with_case();
    workplace.edit("case/manifest.json", "records/000001.json", "../log.jsonl");
    let verification = workplace.verify();
    let found = problems(&verification);
    assert!(
        found.contains(&("file_removed", "../log.jsonl")),
        "{found:?}"
    );
    assert!(
        found.contains(&("record_added", "records/000001.json")),
        "{found:?}"
    );
    let workplace = Workplace::with_case();
    workplace.edit("case/index.json", "records/000001.json", "../../log.jsonl");
    assert!(problems(&workplace.verify()).contains(&("index_disagrees", "../../log.jsonl")));
    // A source's name can't lead out of the folder in which originals are looked for.
    let workplace = Workplace::with_case();
    let log = workplace.path("log.jsonl").display().to_string();
    let index = workplace
        .read("case/index.json")
        .replace(&log, "../log.jsonl");
    workplace.file("case/index.json", index);
    fs::create_dir(workplace.path("empty")).unwrap();
    let options = VerifyOptions {
        original: Some(workplace.path("empty")),
        ..VerifyOptions::default()
    };
    let original = workplace
        .verify_with("case", options)
        .unwrap()
        .original
        .unwrap();
    assert_eq!((original.same, original.problems.len()), (0, 3));
}
