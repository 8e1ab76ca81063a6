//! Auditors' questions: what each answers for a few records that a person can read, for none, and
//! for the labelled chains, counted a second time here.

mod command;
mod counted;
mod fixtures;

use serde_json::{Value, json};

use crate::harness::{Workplace, record, rows};

/// A record of a chain, at a minute of 2026-06-01 or at a time; its tool is what follows the
/// user's name in the key.
fn at(key: &str, time: &str, decision: &str, changes: Value) -> String {
    let time = match time.len() {
        5 => format!("2026-06-01T{time}:00.000Z"),
        _ => time.to_owned(),
    };
    let tool = key.split_once(':').map(|(_, tool)| tool);
    let mut all = json!({
        "action_key": key, "timestamp": time, "execution_decision": decision,
        "fixed": {"c1_when_case": "immediate", "c2_user_action_name": "act",
            "c3_provider_action_name": tool, "c2_source": "instruction",
            "c3_match": {"approved": true, "reason": null}},
    });
    for (name, value) in changes.as_object().unwrap() {
        all[name] = value.clone();
    }
    record(&all)
}

/// A known field; `origin` may be null.
fn known(name: &str, value: &str, source: &str, origin: impl Into<Value>) -> Value {
    json!({"name": name, "value": value, "status": "known", "source": source,
        "origin_source": origin.into()})
}

fn unknown(name: &str) -> Value {
    json!({"name": name, "status": "unknown", "source": null, "origin_source": null})
}

/// A value gate that asks for fields and conditions.
fn asks_for(fields: &[&str], items: &[&str]) -> Value {
    let fields: Vec<Value> = fields.iter().map(|name| json!({"name": name})).collect();
    let items: Vec<Value> = items.iter().map(|id| json!({"id": id})).collect();
    json!({"unknown_fields": fields, "unverified_checklist": items})
}

/// A lake with these records, one a line of `log.jsonl`.
fn lake(records: &[String]) -> Workplace {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", records.join("\n"));
    let outcome = workplace.ingest(&["log.jsonl"]);
    assert_eq!(
        outcome.counts()[1],
        records.len() as u64,
        "{}",
        outcome.stdout
    );
    workplace
}

/// The rows of an answer.
fn ask(workplace: &Workplace, question: &str, parameters: &[&str]) -> Vec<Value> {
    let parameters = parameters.iter().flat_map(|given| ["--param", given]);
    let arguments = ["ask", question, "--format", "ndjson"].into_iter();
    let arguments: Vec<&str> = arguments.chain(parameters).collect();
    rows(&workplace.run_well(&arguments))
}

/// Some columns of each row.
fn columns(rows: &[Value], names: &[&str]) -> Vec<Value> {
    let rows = rows.iter().map(|row| {
        let cells = names.iter().map(|name| {
            let cell = row.get(name).unwrap_or_else(|| panic!("{name}: {row}"));
            cell.clone()
        });
        Value::Array(cells.collect())
    });
    rows.collect()
}

/// All questions as JSON.
fn all(workplace: &Workplace) -> Vec<Value> {
    serde_json::from_str(&workplace.run_well(&["ask", "--format", "json"])).unwrap()
}

fn name(question: &Value) -> &str {
    question["name"].as_str().unwrap()
}
