//! The labelled chains: the gaps equal their labels, no more and no fewer.

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use crate::harness::{Workplace, data, rows};

type Label = (i64, String, String, Option<String>);

fn labels(kind: &str) -> BTreeSet<Label> {
    let truth = fs::read_to_string(data("chains/truth.jsonl")).unwrap();
    let labels = rows(&truth);
    let labels = labels.iter().filter(|label| label["kind"] == kind);
    labels.map(|label| gap(label, "cause")).collect()
}

fn gap(value: &Value, cause: &str) -> Label {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    (
        value["line"].as_i64().unwrap(),
        text("class").unwrap(),
        text(cause).unwrap(),
        text("field"),
    )
}

fn assert_equal_to_labels(found: &[Label]) {
    let labels = labels("gap");
    let set: BTreeSet<Label> = found.iter().cloned().collect();
    let missed: Vec<_> = labels.difference(&set).collect();
    let wrong: Vec<_> = set.difference(&labels).collect();
    assert!(
        missed.is_empty() && wrong.is_empty(),
        "missed {missed:#?}\nwrong {wrong:#?}"
    );
    assert_eq!(found.len(), labels.len(), "a gap is reported twice");
}

/// The gaps of a lake, by their line in `chains.jsonl`, whatever files the lines came from.
fn gaps(workplace: &Workplace) -> Vec<Label> {
    workplace
        .findings("gaps")
        .iter()
        .map(|finding| gap(finding, "name"))
        .collect()
}

#[test]
fn gaps_equal_the_labels() {
    let workplace = Workplace::new();
    let chains = data("chains/chains.jsonl");
    workplace.run_well(&["ingest", chains.to_str().unwrap()]);
    assert_equal_to_labels(&gaps(&workplace));
}
