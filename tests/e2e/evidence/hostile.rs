//! Records and archives that mean harm.

use std::fs;

use serde_json::json;

use crate::{
    harness::{Workplace, record},
    hostile::{EVIL, assert_harmless},
};

#[test]
fn what_a_record_says_stays_text_in_every_document() {
    let workplace = Workplace::new();
    let markup = format!(
        "{EVIL} <script>alert(1)</script> [x](javascript:alert(1)) | `a` https://evil.example"
    );
    let line = record(&json!({
        "action_key": format!("../../etc/{markup}"), "execution_decision": "failed",
        "reason": format!("insufficient {markup}"),
        "fields": [{"name": "../../name", "value": markup, "status": "known"}],
        "fixed": {"c3_provider_action_name": markup},
    }));
    workplace.file("log.jsonl", format!("{line}\n"));
    workplace.ingest(&["log.jsonl"]);
    let digest = blake3::hash(line.as_bytes()).to_hex();
    let outcome = workplace.run(&["evidence", "--record", &digest[..16], "--out", "case"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert_harmless(&outcome.stdout);
    for name in [
        "README.md",
        "findings.md",
        "index.json",
        "findings.json",
        "manifest.json",
    ] {
        let text = fs::read_to_string(workplace.path("case").join(name)).unwrap();
        assert!(text.contains("txt.exe"), "{name}");
        assert_harmless(&text);
        if name.ends_with(".md") {
            assert!(
                !text.contains("<script") && !text.contains("javascript:"),
                "{name}: {text}"
            );
            assert!(!text.contains("https://evil"), "{name}: {text}");
        }
    }
    let case = workplace.path("case");
    for (path, _) in super::files_of(&case) {
        let path = path.strip_prefix(&case).unwrap().display().to_string();
        assert!(path.is_ascii() && !path.contains("etc"), "{path}");
    }
    for format in ["text", "json"] {
        let verified = workplace.run(&["evidence", "verify", "case", "--format", format]);
        assert_eq!(verified.status, 0, "{}", verified.stdout);
        assert_harmless(&verified.stdout);
    }
}

#[test]
fn an_archive_that_means_harm_is_refused() {
    let workplace = Workplace::new();
    // Many zeros in few bytes, and no archive.
    let zeros = std::io::Read::take(std::io::repeat(0), 64 << 20);
    workplace.file("zeros.tar.zst", zstd::encode_all(zeros, 1).unwrap());
    workplace.file("torn.tar.zst", [0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3]);
    workplace.file("text.tar.zst", "case");
    for name in ["zeros.tar.zst", "torn.tar.zst", "text.tar.zst"] {
        let outcome = workplace.run(&["evidence", "verify", name]);
        assert_eq!(outcome.status, 2, "{name}: {}", outcome.stdout);
        assert!(outcome.stderr.contains(name), "{}", outcome.stderr);
    }
}
