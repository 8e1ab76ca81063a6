//! What every generated log must be, whatever its seed.

use std::collections::{BTreeMap, BTreeSet};

use preflight_bench::{Anomaly, Plan, Size, Summary, generate};
use serde_json::Value;

fn plan(seed: u64, records: u64) -> Plan {
    Plan {
        seed,
        size: Size::Records(records),
        anomalies: 0.0,
    }
}

fn write(plan: &Plan) -> (Vec<u8>, Summary) {
    let mut sinks = [Vec::new()];
    let summary = generate(plan, &mut sinks).expect("a vector takes all writes");
    let [bytes] = sinks;
    (bytes, summary)
}

fn records(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).expect("the log is UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect()
}

fn gate_kind(record: &Value) -> &str {
    match &record["gate"] {
        Value::Null => "none",
        gate => gate["kind"].as_str().unwrap_or("value"),
    }
}

fn list(record: &Value, key: &str) -> Vec<Value> {
    record[key].as_array().cloned().unwrap_or_default()
}

fn names(items: &[Value], key: &str) -> Vec<String> {
    items.iter().map(|item| item[key].to_string()).collect()
}

/// The entries of a record's list whose status is `status`, by name or id.
fn with_status(record: &Value, list_key: &str, status: &str, name_key: &str) -> Vec<String> {
    let mut items = list(record, list_key);
    items.retain(|item| item["status"] == status);
    names(&items, name_key)
}

#[test]
fn equal_plans_give_equal_bytes() {
    assert_eq!(write(&plan(7, 3000)).0, write(&plan(7, 3000)).0);
    assert_ne!(write(&plan(7, 3000)).0, write(&plan(8, 3000)).0);
}

/// A deliberate change of the generator changes this number, and with it what
/// earlier benchmark results can be compared with.
#[test]
fn the_bytes_of_a_seed_stay_the_same() {
    assert_eq!(fnv1a(&write(&plan(1, 1000)).0), 9_603_107_068_166_367_304);
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn shares_join_to_the_whole() {
    let plan = plan(3, 2000);
    let mut shares = vec![Vec::new(); 4];
    generate(&plan, &mut shares).expect("a vector takes all writes");
    for share in &shares {
        assert_eq!(records(share).len(), 500);
    }
    assert_eq!(shares.concat(), write(&plan).0);
}

#[test]
fn ends_at_the_size_asked_for() {
    let (bytes, summary) = write(&Plan {
        size: Size::Bytes(200_000),
        ..plan(1, 0)
    });
    assert_eq!(bytes.len() as u64, summary.bytes);
    assert_eq!(records(&bytes).len() as u64, summary.records);
    assert!((200_000..203_000).contains(&bytes.len()));
}

#[test]
fn every_decision_and_gate_occurs() {
    let records = records(&write(&plan(1, 5000)).0);
    let seen: BTreeSet<_> = records
        .iter()
        .map(|record| (record["execution_decision"].as_str(), gate_kind(record)))
        .collect();
    let expected = BTreeSet::from([
        (Some("ask_user"), "intent_undetermined"),
        (Some("ask_user"), "tool_undetermined"),
        (Some("ask_user"), "value"),
        (Some("deferred"), "none"),
        (Some("execute"), "value"),
        (Some("executed"), "value"),
        (Some("failed"), "value"),
        (Some("hold"), "intent_undetermined_exhausted"),
        (Some("hold"), "none"),
        (Some("hold"), "tool_undetermined_exhausted"),
    ]);
    assert_eq!(seen, expected);
}

#[test]
fn every_source_is_inherited() {
    let records = records(&write(&plan(1, 5000)).0);
    let origins: BTreeSet<_> = records
        .iter()
        .flat_map(|record| list(record, "fields"))
        .filter(|field| field["source"] == "prior_state")
        .map(|field| field["origin_source"].as_str().map(str::to_owned))
        .collect();
    let expected = [
        "instruction",
        "measured_data",
        "pre_set_data",
        "user_answer",
    ];
    assert!(origins.iter().flatten().eq(expected), "{origins:?}");
}

#[test]
fn time_never_goes_back() {
    let records = records(&write(&plan(2, 5000)).0);
    assert!(records.is_sorted_by_key(|record| record["timestamp"].to_string()));
}

#[test]
fn counts_and_gates_match_the_lists() {
    for record in records(&write(&plan(4, 5000)).0) {
        let unknown = with_status(&record, "fields", "unknown", "name");
        let unverified = with_status(&record, "user_checklist", "unverified", "id");
        if record["fields"].is_null() {
            assert!(record["unknown_count"].is_null());
            assert!(record["unverified_checklist_count"].is_null());
        } else {
            assert_eq!(record["unknown_count"], unknown.len());
        }
        if gate_kind(&record) == "value" {
            let gate = &record["gate"];
            assert_eq!(record["unverified_checklist_count"], unverified.len());
            assert_eq!(names(&list(gate, "unknown_fields"), "name"), unknown);
            assert_eq!(names(&list(gate, "unverified_checklist"), "id"), unverified);
        }
    }
}

#[test]
fn an_outcome_repeats_its_verdict() {
    let mut verdicts = BTreeMap::new();
    for record in records(&write(&plan(5, 5000)).0) {
        let key = record["action_key"].to_string();
        match record["execution_decision"].as_str() {
            Some("execute") => drop(verdicts.insert(key, record)),
            Some("executed" | "failed") => {
                let verdict = verdicts.remove(&key).expect("a verdict comes first");
                for part in ["fixed", "fields", "user_checklist", "gate"] {
                    assert_eq!(record[part], verdict[part]);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn an_inherited_value_is_that_of_the_baseline() {
    let mut baselines: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for record in records(&write(&plan(6, 5000)).0) {
        let key = record["action_key"].to_string();
        let fields = list(&record, "fields");
        for field in fields
            .iter()
            .filter(|field| field["source"] == "prior_state")
        {
            let same = |old: &&Value| old["name"] == field["name"];
            let old = baselines[&key].iter().find(same).expect("a baseline");
            assert_eq!(field["value"], old["value"]);
            assert_eq!(field["origin_source"], old["origin_source"]);
        }
        if record["execution_decision"] == "executed" {
            baselines.insert(key, fields);
        }
    }
}

#[test]
fn every_anomaly_can_be_planted() {
    let (bytes, summary) = write(&Plan {
        anomalies: 1.0,
        ..plan(1, 10_000)
    });
    records(&bytes);
    let all: BTreeSet<_> = Anomaly::ALL.iter().map(|anomaly| anomaly.name()).collect();
    assert!(summary.anomalies.keys().copied().eq(all));
}

#[test]
fn an_honest_log_has_no_anomaly() {
    assert!(write(&plan(1, 5000)).1.anomalies.is_empty());
}
