//! Chains are told apart: what one learns later explains nothing in another.

use serde_json::{Value, json};

use super::text;
use crate::harness::{Workplace, record};

fn refused(key: &str) -> String {
    record(&json!({
        "action_key": key, "timestamp": "2026-06-01T04:20:00.000Z",
        "fixed": {"c1_when_case": "immediate", "c2_user_action_name": "pay",
            "c3_provider_action_name": "bank.close_account", "c2_source": "instruction",
            "c3_match": {"approved": false, "reason": "scope mismatch"}},
        "fields": null, "unknown_count": null, "unverified_checklist_count": null,
        "gate": {"kind": "tool_undetermined", "_diag": {"candidate_tool": "bank.close_account",
            "reason": "scope mismatch"}},
        "execution_decision": "ask_user", "reason": "ask_user: tool undetermined"
    }))
}

fn asked(key: &str, minute: u32) -> String {
    record(&json!({
        "action_key": key, "timestamp": format!("2026-06-01T04:{minute}:00.000Z"),
        "fixed": {"c1_when_case": "immediate", "c2_user_action_name": "pay",
            "c3_provider_action_name": "bank.close_account", "c2_source": "instruction",
            "c3_match": {"approved": true, "reason": null}},
        "fields": [{"name": "amount", "status": "unknown", "source": null, "origin_source": null}],
        "user_checklist": [{"id": "chk", "description": "it is safe", "status": "unverified"}],
        "unknown_count": 1, "unverified_checklist_count": 1,
        "gate": {"unknown_fields": [{"name": "amount", "note": null}],
            "unverified_checklist": [{"id": "chk", "description": "it is safe", "note": null}]},
        "execution_decision": "ask_user",
        "reason": "ask_user: unknown_fields=1, unverified_checklist=1"
    }))
}

fn answered(key: &str) -> String {
    record(&json!({
        "action_key": key, "timestamp": "2026-06-01T04:40:00.000Z",
        "fields": [{"name": "amount", "value": 5, "status": "known", "source": "user_answer",
            "origin_source": "user_answer"}],
        "user_checklist": [{"id": "chk", "description": "it is safe", "status": "verified",
            "source": "user_answer"}]
    }))
}

/// The first chain ends open; the next one, in the order of keys and of time, is resolved.
#[test]
fn an_open_chain_learns_nothing_from_the_next_one() {
    let open = "u_1:pay";
    let resolved = "u_2:pay";
    let lines = [
        refused(open),
        asked(open, 21),
        asked(open, 22),
        refused(resolved),
        asked(resolved, 23),
        asked(resolved, 24),
        answered(resolved),
    ];
    let workplace = Workplace::new();
    let log = workplace.file("log.jsonl", lines.join("\n"));
    workplace.run_well(&["ingest", &log]);
    let finding = |row: &Value| (row["line"].as_i64().unwrap(), text(row, "name"));
    let mut found: Vec<_> = workplace.findings("gaps").iter().map(finding).collect();
    found.sort();
    let expected = [
        (1, "tool_missing"),
        (2, "condition_unmet"),
        (2, "value_unanswerable"),
        (3, "condition_unmet"),
        (3, "value_unanswerable"),
        (4, "wrong_tool"),
        (5, "condition_unconfirmed"),
        (5, "value_missing"),
        (6, "condition_unconfirmed"),
        (6, "value_missing"),
    ];
    assert_eq!(found, expected.map(|(line, name)| (line, name.to_owned())));
    let episodes = "select action_key, count(distinct episode) as n, count(*) as records
                    from steps group by action_key order by action_key";
    let expected = [
        json!({"action_key": open, "n": 1, "records": 3}),
        json!({"action_key": resolved, "n": 1, "records": 4}),
    ];
    assert_eq!(workplace.sql(episodes), expected);
}
