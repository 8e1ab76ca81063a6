//! Which message of a failed call is a refusal and which is transport.

use serde_json::{Value, json};

use super::text;
use crate::harness::{Workplace, record};

/// The causes that calls failing with these messages get, in their order.
fn causes(messages: &[String]) -> Vec<String> {
    let lines: Vec<_> = messages
        .iter()
        .enumerate()
        .map(|(number, message)| {
            record(&json!({
                "action_key": format!("u_{number}:bank.transfer"),
                "execution_decision": "failed",
                "reason": format!("execute: unknown_fields=0 / call failed: {message}"),
            }))
        })
        .collect();
    let workplace = Workplace::new();
    let log = workplace.file("log.jsonl", lines.join("\n"));
    workplace.run_well(&["ingest", &log]);
    let mut found = workplace.findings("gaps");
    found.sort_by_key(|finding| finding["line"].as_i64());
    let lines: Vec<_> = found
        .iter()
        .map(|finding| finding["line"].as_u64().unwrap())
        .collect();
    let all: Vec<_> = (1..=messages.len() as u64).collect();
    assert_eq!(lines, all, "each failed call has one cause");
    found.iter().map(|finding| text(finding, "name")).collect()
}

fn cause(kind: &str) -> &'static str {
    match kind {
        "refusal" => "undeclared_condition",
        "transport" => "transport",
        _ => "opaque_failure",
    }
}

fn assert_causes(expected: &[(&str, &str)]) {
    let messages: Vec<_> = expected
        .iter()
        .map(|(_, message)| (*message).to_owned())
        .collect();
    let found = causes(&messages);
    let found: Vec<_> = found.iter().map(String::as_str).zip(&messages).collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(kind, _)| cause(kind))
        .zip(&messages)
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn every_example_is_of_its_kind() {
    let workplace = Workplace::new();
    workplace.run_well(&["ingest", &workplace.file("log.jsonl", record(&json!({})))]);
    let patterns: Vec<Value> =
        workplace.sql("select kind, example from call_failures order by rank");
    assert!(patterns.len() > 15);
    let pairs: Vec<_> = patterns
        .iter()
        .map(|p| (text(p, "kind"), text(p, "example")))
        .collect();
    let pairs: Vec<_> = pairs
        .iter()
        .map(|(kind, example)| (&**kind, &**example))
        .collect();
    assert_causes(&pairs);
    let strangers = workplace.sql(
        "select pattern, example from call_failures where not regexp_like(example, pattern, 'i')",
    );
    assert_eq!(
        strangers,
        Vec::<Value>::new(),
        "an example that its own pattern does not match"
    );
}

#[test]
fn messages_of_the_design() {
    assert_causes(&[
        ("refusal", "Invalid params: approval_ticket is required"),
        ("refusal", "cost_center is required"),
        ("refusal", "insufficient funds"),
        ("refusal", "insufficient balance"),
        ("refusal", "permission denied: scope payments.write missing"),
        ("refusal", "403 Forbidden"),
        ("refusal", "amount exceeds the daily limit"),
        ("refusal", "target not allowed during maintenance window"),
        ("transport", "request timed out after 30000 ms"),
        ("transport", "timeout"),
        ("transport", "connect ECONNREFUSED 10.0.0.7:443"),
        ("transport", "connection reset by peer"),
        ("transport", "socket hang up"),
        ("transport", "429 Too Many Requests"),
        ("transport", "500"),
        ("transport", "502 Bad Gateway"),
        ("transport", "request failed with status code 504"),
        ("transport", "upstream unavailable"),
        ("opaque", "E-1187"),
        ("opaque", "null"),
        ("opaque", ""),
    ]);
}

/// Numbers and words that only look like the other kind.
#[test]
fn near_misses() {
    assert_causes(&[
        ("refusal", "503 recipients exceed the limit of 500"),
        ("refusal", "Invalid params: timeout must be positive"),
        ("refusal", "the amount of 500.00 is not allowed"),
        ("transport", "rate limit reached"),
        ("transport", "deadline exceeded"),
        ("transport", "connection refused"),
        ("opaque", "E-429"),
        ("opaque", "ticket 403"),
        ("opaque", "the requested time outside opening hours"),
    ]);
}
