//! Masked cases: values are gone, equality and findings stay, and who has the key can check them.

use preflight_evidence::VerifyOptions;
use serde_json::json;

use super::{ExportOptions, Mask, MaskKey, Workplace, log, options, record};

const BYTES: [u8; 32] = [7; 32];

fn masked(workplace: &Workplace, mask: &str) {
    let options = ExportOptions {
        mask: Some((Mask::parse(mask), MaskKey::of(BYTES))),
        ..options()
    };
    assert!(
        workplace
            .export_with("case", options)
            .unwrap()
            .is_complete()
    );
}

fn compared(workplace: &Workplace, original: &str, key: [u8; 32]) -> VerifyOptions {
    VerifyOptions {
        original: Some(workplace.path(original)),
        key: Some(MaskKey::of(key)),
        ..VerifyOptions::default()
    }
}

#[test]
fn values_are_gone_and_findings_stay() {
    let workplace = Workplace::with_log();
    masked(&workplace, "all");
    for (path, bytes) in workplace.files("case") {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains("CC-4711"), "{}", path.display());
    }
    let third = workplace.json("case/records/000003.json");
    let digest = blake3::keyed_hash(&BYTES, b"\"CC-4711\"").to_hex();
    assert_eq!(
        third["fields"][0]["value"],
        format!("blake3-keyed:{digest}")
    );
    assert_eq!(
        third["reason"],
        format!("no such [masked {}]", &digest[..16])
    );
    let index = workplace.json("case/index.json");
    let original = blake3::hash(log().lines().nth(4).unwrap().as_bytes()).to_hex();
    assert_eq!(index["records"][2]["digest"], original.as_str());
    let verification = workplace.verify();
    assert!(verification.matches(), "{:?}", verification.problems);
    assert_eq!(verification.findings.len(), 3);
    let readme = workplace.read("case/README.md");
    assert!(
        readme.contains("## What is masked\n\nThe values of all fields"),
        "{readme}"
    );
}

#[test]
fn fields_are_masked_by_name() {
    let known = |name: &str, value: &str| json!({"name": name, "value": value, "status": "known"});
    let fields = json!([known("amount", "100"), known("cost_center", "CC-4711")]);
    let lines = [
        record(&json!({"fields": [{"name": "amount", "status": "unknown"}]})),
        record(&json!({"fields": [known("amount", "70")]})),
        record(&json!({"fields": fields, "reason": "no such CC-4711"})),
    ];
    let workplace = Workplace::with("log.jsonl", lines.join("\n"));
    masked(&workplace, "amount");
    let third = workplace.read("case/records/000003.json");
    assert!(
        third.contains("CC-4711") && !third.contains("100"),
        "{third}"
    );
    let readme = workplace.read("case/README.md");
    assert!(
        readme.contains("Masked in this case: 2 values in 2 records."),
        "{readme}"
    );
    std::fs::remove_dir_all(workplace.path("case")).unwrap();
    masked(&workplace, "amount,cost_center");
    assert!(
        !workplace
            .read("case/records/000003.json")
            .contains("CC-4711")
    );
    let readme = workplace.read("case/README.md");
    assert!(
        readme.contains("The values of these fields: amount, cost_center."),
        "{readme}"
    );
}

#[test]
fn a_name_that_no_record_has_is_an_error_and_nothing_is_written() {
    let workplace = Workplace::with_log();
    for names in ["cost_centre", "cost_center,cost_centre"] {
        let options = ExportOptions {
            mask: Some((Mask::parse(names), MaskKey::of(BYTES))),
            ..options()
        };
        let error = workplace.export_with("case", options).unwrap_err();
        let says = "\"cost_centre\" (did you mean \"cost_center\"?)";
        assert!(error.to_string().ends_with(says), "{error}");
        assert!(!workplace.path("case").exists());
    }
}

#[test]
fn who_has_the_key_and_the_source_can_check() {
    let workplace = Workplace::with_log();
    masked(&workplace, "all");
    for original in ["lake", ""] {
        let options = compared(&workplace, original, BYTES);
        let verification = workplace.verify_with("case", options).unwrap();
        assert!(verification.matches(), "{:?}", verification.original);
        assert_eq!(verification.original.unwrap().same, 3);
    }
    // Without the key they can't be compared; with another one they must not be.
    let mut options = compared(&workplace, "", BYTES);
    options.key = None;
    assert!(workplace.verify_with("case", options).is_err());
    assert!(
        workplace
            .verify_with("case", compared(&workplace, "", [8; 32]))
            .is_err()
    );
    // A masked value that is not the original one's is found.
    let digest = |value: &[u8]| blake3::keyed_hash(&BYTES, value).to_hex().to_string();
    let (from, to) = (digest(b"\"CC-4711\""), digest(b"\"CC-4712\""));
    workplace.edit("case/records/000003.json", &from, &to);
    let options = compared(&workplace, "", BYTES);
    let original = workplace
        .verify_with("case", options)
        .unwrap()
        .original
        .unwrap();
    assert_eq!(original.same, 2);
    let detail = &original.problems[0].detail;
    assert!(
        detail.contains("not the original record, masked"),
        "{detail}"
    );
    assert!(detail.contains("log.jsonl:5"), "{detail}");
}

#[test]
fn numbers_are_masked_as_they_were_written() {
    let values = [
        "9007199254740993",
        "9007199254740992",
        "1.0",
        "1.00",
        "1.0",
        "null",
        "[1.0]",
    ];
    let lines = (0..).zip(values).map(|(at, value)| {
        let field = json!({"name": "amount", "value": "VALUE", "status": "known"});
        let time = format!("2026-06-01T00:00:0{at}Z");
        record(&json!({"fields": [field], "timestamp": time})).replace("\"VALUE\"", value)
    });
    let workplace = Workplace::with("log.jsonl", lines.collect::<Vec<_>>().join("\n"));
    masked(&workplace, "all");
    let value = |number: usize| {
        let record = workplace.json(&format!("case/records/{number:06}.json"));
        record["fields"][0]["value"].clone()
    };
    let shown: Vec<_> = (1..=7).map(value).collect();
    assert_ne!(shown[0], shown[1]);
    assert_ne!(shown[2], shown[3]);
    assert_eq!(shown[2], shown[4]);
    assert!(shown[5].is_null() && shown[6].is_string());
    let options = compared(&workplace, "", BYTES);
    assert!(workplace.verify_with("case", options).unwrap().matches());
}
