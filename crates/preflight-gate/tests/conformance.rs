//! Every conformance vector must come to what it expects.

use std::{fs::File, io::BufReader};

use preflight_gate::conformance::replay;

const VECTORS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/conformance/gate-vectors.jsonl"
);

#[tokio::test]
async fn all_vectors_pass() {
    let file = File::open(VECTORS).expect("the vectors are in the repository");
    let report = replay(BufReader::new(file)).await.expect("readable");
    assert!(report.is_clean(), "{}", report.to_text());
    assert_eq!(report.passed, 611);
}

#[tokio::test]
async fn a_difference_is_found_and_shown() {
    let text = std::fs::read_to_string(VECTORS).expect("the vectors are in the repository");
    let line = text.lines().next().expect("a vector");
    let changed = line.replace("\"next_tool_attempt\":1", "\"next_tool_attempt\":2");
    assert_ne!(line, changed);
    let report = replay(changed.as_bytes()).await.expect("readable");
    assert_eq!((report.passed, report.failures.len()), (0, 1));
    let shown = report.to_text();
    assert!(
        shown.contains("persisted[0].record.gate.next_tool_attempt"),
        "{shown}"
    );
    assert!(
        shown.contains("expected  2") && shown.contains("found     1"),
        "{shown}"
    );
}
