//! One small log for each question, with rows of its answer worked out by hand.

use serde_json::{Value, json};

use super::{ask, asks_for, at, columns, known, lake, unknown};

/// The answer as a person sees it.
macro_rules! assert_table {
    ($workplace:expr, $name:literal) => {
        insta::assert_snapshot!($name, $workplace.run_well(&["ask", $name]));
    };
}

#[test]
fn whose_word() {
    let lake = lake(&[
        at(
            "u_1:bank.transfer",
            "10:00",
            "ask_user",
            json!({
            "fields": [known("amount", "5", "instruction", "instruction"), unknown("to")],
            "unknown_count": 1, "gate": asks_for(&["to"], &[])}),
        ),
        at(
            "u_1:bank.transfer",
            "10:05",
            "executed",
            json!({
            "fields": [known("amount", "5", "instruction", "instruction"),
                known("to", "A", "user_answer", "user_answer")]}),
        ),
        at(
            "u_1:bank.transfer",
            "11:00",
            "executed",
            json!({
            "fields": [known("amount", "5", "prior_state", "instruction"),
                known("to", "A", "prior_state", Value::Null)]}),
        ),
        at(
            "u_2:shop.refund",
            "12:00",
            "executed",
            json!({
            "fields": [known("order", "7", "measured_data", "measured_data"), unknown("why")]}),
        ),
    ]);
    assert_table!(lake, "whose_word");
    let found = ask(&lake, "whose_word", &[]);
    let found = columns(
        &found,
        &[
            "tool",
            "source",
            "origin_source",
            "known_values",
            "share_of_tool",
            "share_of_all",
        ],
    );
    // Four values of the transfers and one of the refund; what was asked for did not run.
    assert_eq!(
        found,
        [
            json!(["bank.transfer", "instruction", "instruction", 1, 25.0, 20.0]),
            json!(["bank.transfer", "prior_state", null, 1, 25.0, 20.0]),
            json!(["bank.transfer", "prior_state", "instruction", 1, 25.0, 20.0]),
            json!(["bank.transfer", "user_answer", "user_answer", 1, 25.0, 20.0]),
            json!([
                "shop.refund",
                "measured_data",
                "measured_data",
                1,
                100.0,
                20.0
            ]),
        ]
    );
    let later = ask(
        &lake,
        "whose_word",
        &["since=2026-06-01T11:00:00Z", "until=2026-06-01T12:00:00Z"],
    );
    assert_eq!(
        columns(&later, &["origin_source"]),
        [json!([null]), json!(["instruction"])]
    );
}

#[test]
fn blocked_calls() {
    let asks = |fields: &[&str], items: &[&str]| json!({"gate": asks_for(fields, items)});
    let refused = |kind: &str, candidate: &str| {
        json!({"fields": null, "unknown_count": null,
        "unverified_checklist_count": null, "gate": {"kind": kind, "_diag": {"candidate_tool": candidate}}})
    };
    let lake = lake(&[
        // Asked twice, for a field and then for a condition too, and executed.
        at("u_1:bank.transfer", "10:00", "ask_user", asks(&["to"], &[])),
        at(
            "u_1:bank.transfer",
            "10:01",
            "ask_user",
            asks(&["to"], &["limit"]),
        ),
        at("u_1:bank.transfer", "10:02", "execute", json!({})),
        at("u_1:bank.transfer", "10:03", "executed", json!({})),
        // The next request of the chain is open.
        at(
            "u_1:bank.transfer",
            "2026-06-20T10:00:00.000Z",
            "ask_user",
            asks(&["to"], &[]),
        ),
        // Nobody answered.
        at("u_2:bank.transfer", "10:00", "ask_user", asks(&["to"], &[])),
        // Given up after the second refusal.
        at(
            "u_3:pay",
            "10:00",
            "ask_user",
            refused("tool_undetermined", "shop.refund"),
        ),
        at(
            "u_3:pay",
            "10:01",
            "hold",
            refused("tool_undetermined_exhausted", "shop.refund"),
        ),
        // A fault of the run itself.
        at(
            "u_4:bank.transfer",
            "2026-06-21T10:00:00.000Z",
            "hold",
            json!({"fields": null, "gate": null}),
        ),
    ]);
    assert_table!(lake, "blocked_calls");
    let found = ask(&lake, "blocked_calls", &[]);
    let ends = [
        "tool",
        "gate",
        "stops",
        "requests",
        "executed",
        "given_up",
        "abandoned",
        "still_open",
    ];
    assert_eq!(
        columns(&found, &ends),
        [
            json!(["bank.transfer", "value", 3, 3, 1, 0, 1, 1]),
            json!(["shop.refund", "tool", 2, 1, 0, 1, 0, 0]),
            json!(["bank.transfer", "none", 1, 1, 0, 0, 0, 1]),
            json!(["bank.transfer", "value and condition", 1, 1, 1, 0, 0, 0]),
        ]
    );
    // On the day itself nothing was executed yet, and nothing was old.
    let then = ask(
        &lake,
        "blocked_calls",
        &["as_of=2026-06-01T10:01:00Z", "tool=bank.transfer"],
    );
    let then = columns(
        &then,
        &["gate", "requests", "executed", "abandoned", "still_open"],
    );
    assert_eq!(
        then,
        [
            json!(["value", 2, 0, 0, 2]),
            json!(["value and condition", 1, 0, 0, 1]),
        ]
    );
    let patient = ask(&lake, "blocked_calls", &["abandoned_after_days=30"]);
    assert_eq!(
        columns(&patient[..1], &["abandoned", "still_open"]),
        [json!([0, 2])]
    );
}

#[test]
fn late_successes() {
    let ask_for_to = || json!({"gate": asks_for(&["to"], &[])});
    let lake = lake(&[
        at("u_1:bank.transfer", "10:00", "execute", json!({})),
        at("u_1:bank.transfer", "10:01", "executed", json!({})),
        // What was asked in the request before does not count here.
        at(
            "u_2:bank.transfer",
            "10:00",
            "ask_user",
            json!({"gate": {"kind": "intent_undetermined"}}),
        ),
        at("u_2:bank.transfer", "10:30", "ask_user", ask_for_to()),
        at("u_2:bank.transfer", "11:30", "executed", json!({})),
        at("u_2:bank.transfer", "12:00", "executed", json!({})),
        // A call that failed is no success.
        at("u_3:bank.transfer", "10:00", "ask_user", ask_for_to()),
        at("u_3:bank.transfer", "10:30", "failed", json!({})),
    ]);
    assert_table!(lake, "late_successes");
    let found = ask(&lake, "late_successes", &[]);
    let names = [
        "stops",
        "calls",
        "share_of_tool",
        "asked_intent",
        "asked_value",
        "longest",
        "longest_hours",
    ];
    assert_eq!(
        columns(&found, &names),
        [
            json!([0, 2, 66.7, 0, 0, null, null]),
            json!([2, 1, 33.3, 1, 1, "u_2:bank.transfer", 1.5]),
        ]
    );
    assert_eq!(ask(&lake, "late_successes", &["min_stops=1"]), found[1..]);
}

#[test]
fn abandoned_requests() {
    let lake = lake(&[
        at(
            "u_1:bank.transfer",
            "10:00",
            "ask_user",
            json!({"gate": asks_for(&["to", "amount"], &["limit"])}),
        ),
        at(
            "u_2:bank.transfer",
            "10:00",
            "ask_user",
            json!({"gate": asks_for(&["to"], &[])}),
        ),
        at("u_2:bank.transfer", "10:01", "executed", json!({})),
        at(
            "u_3:shop.refund",
            "2026-06-05T10:00:00.000Z",
            "ask_user",
            json!({"gate": asks_for(&["order"], &[])}),
        ),
        at(
            "u_4:shop.refund",
            "2026-06-08T12:00:00.000Z",
            "executed",
            json!({}),
        ),
        // Its time is not known, so neither is its age.
        at(
            "u_5:shop.refund",
            "10:00",
            "hold",
            json!({"timestamp": null, "gate": null}),
        ),
        // Without a key nobody knows how it went on.
        at(
            "u_6:shop.refund",
            "10:00",
            "ask_user",
            json!({"action_key": null,
            "gate": {"kind": "intent_undetermined", "_diag": {"issues": [{"slot": "c1_when_case", "code": "missing"}]}}}),
        ),
    ]);
    assert_table!(lake, "abandoned_requests");
    let names = [
        "action_key",
        "decision",
        "gate",
        "stops",
        "waits_for",
        "age_days",
        "place",
    ];
    assert_eq!(
        columns(&ask(&lake, "abandoned_requests", &[]), &names),
        [
            json!([
                "u_1:bank.transfer",
                "ask_user",
                "value and condition",
                1,
                "to, amount, limit",
                7,
                "log.jsonl:1"
            ]),
            json!([
                "u_5:shop.refund",
                "hold",
                "none",
                1,
                null,
                null,
                "log.jsonl:6"
            ]),
        ]
    );
    let keys = |parameters: &[&str]| {
        columns(
            &ask(&lake, "abandoned_requests", parameters),
            &["action_key"],
        )
    };
    assert_eq!(keys(&["older_than_days=3"]).len(), 3);
    assert_eq!(keys(&["older_than_days=8"]), [json!(["u_5:shop.refund"])]);
    assert_eq!(keys(&["unkeyed=true"]).len(), 3);
    // Half a minute after the question of `u_2` it was not answered yet.
    let then = keys(&[
        "as_of=2026-06-01T10:00:30Z",
        "older_than_days=0",
        "tool=bank.transfer",
    ]);
    assert_eq!(
        then,
        [json!(["u_1:bank.transfer"]), json!(["u_2:bank.transfer"])]
    );
}

#[test]
fn re_asks() {
    let lake = lake(&[
        at(
            "u_1:bank.transfer",
            "10:00",
            "ask_user",
            json!({"gate": asks_for(&["to", "to", "amount"], &[])}),
        ),
        at(
            "u_1:bank.transfer",
            "10:01",
            "ask_user",
            json!({"gate": asks_for(&["to"], &[])}),
        ),
        at(
            "u_1:bank.transfer",
            "10:02",
            "ask_user",
            json!({"gate": asks_for(&["to"], &[])}),
        ),
        at(
            "u_2:bank.transfer",
            "10:00",
            "ask_user",
            json!({"gate": asks_for(&[], &["limit"])}),
        ),
        at(
            "u_2:bank.transfer",
            "10:01",
            "ask_user",
            json!({"gate": asks_for(&[], &["limit"])}),
        ),
        at(
            "u_2:bank.transfer",
            "10:02",
            "execute",
            json!({
            "user_checklist": [{"id": "limit", "status": "verified", "source": "user_answer"}]}),
        ),
        at("u_2:bank.transfer", "10:03", "executed", json!({})),
        // Another request of the same chain.
        at(
            "u_2:bank.transfer",
            "10:04",
            "ask_user",
            json!({"gate": asks_for(&[], &["limit"])}),
        ),
        // Nothing was settled, nothing links the two.
        at(
            "u_3:bank.transfer",
            "10:00",
            "ask_user",
            json!({"action_key": null, "gate": asks_for(&["to"], &[])}),
        ),
        at(
            "u_3:bank.transfer",
            "10:01",
            "ask_user",
            json!({"action_key": null, "gate": asks_for(&["to"], &[])}),
        ),
    ]);
    assert_table!(lake, "re_asks");
    let names = ["action_key", "kind", "subject", "asks", "settled", "ended"];
    let found = columns(&ask(&lake, "re_asks", &[]), &names);
    assert_eq!(
        found,
        [
            json!([
                "u_1:bank.transfer",
                "unknown_field",
                "to",
                3,
                false,
                "ask_user"
            ]),
            json!([
                "u_2:bank.transfer",
                "unverified_item",
                "limit",
                2,
                true,
                "executed"
            ]),
        ]
    );
    assert_eq!(
        columns(&ask(&lake, "re_asks", &["min_asks=3"]), &names),
        found[..1]
    );
}

#[test]
fn fallback_intents() {
    let named_by = |source: Value| {
        json!({"fixed": {"c1_when_case": "immediate", "c2_user_action_name": "pay",
        "c3_provider_action_name": "bank.transfer", "c2_source": source}})
    };
    let lake = lake(&[
        at(
            "u_1:bank.transfer",
            "2026-06-05T10:00:00.000Z",
            "execute",
            named_by(json!("instruction")),
        ),
        // The call repeats its verdict.
        at(
            "u_1:bank.transfer",
            "2026-06-05T10:00:01.000Z",
            "executed",
            named_by(json!("instruction")),
        ),
        at(
            "u_2:bank.transfer",
            "2026-06-07T23:59:59.999Z",
            "ask_user",
            named_by(json!("pre_set_data")),
        ),
        // The next week starts on Monday.
        at(
            "u_3:bank.transfer",
            "2026-06-08T00:00:00.000Z",
            "hold",
            named_by(json!("pre_set_data")),
        ),
        at(
            "u_4:bank.transfer",
            "2026-06-09T10:00:00.000Z",
            "execute",
            named_by(json!(null)),
        ),
        at(
            "u_5:bank.transfer",
            "2026-06-16T10:00:00.000Z",
            "execute",
            named_by(json!(null)),
        ),
    ]);
    assert_table!(lake, "fallback_intents");
    let names = [
        "period",
        "runs",
        "pre_set",
        "instruction",
        "not_recorded",
        "share_pre_set",
    ];
    assert_eq!(
        columns(&ask(&lake, "fallback_intents", &[]), &names),
        [
            json!(["2026-06-01T00:00:00Z", 2, 1, 1, 0, 50.0]),
            json!(["2026-06-08T00:00:00Z", 2, 1, 0, 1, 100.0]),
            json!(["2026-06-15T00:00:00Z", 1, 0, 0, 1, null]),
        ]
    );
    let month = ask(
        &lake,
        "fallback_intents",
        &["period=month", "by_tool=false"],
    );
    assert_eq!(
        columns(&month, &["tool", "runs", "share_pre_set"]),
        [json!([null, 5, 66.7])]
    );
}

#[test]
fn failed_lookups() {
    let failed = |tier: &str, message: &str| {
        json!({"name": "to", "status": "unknown", "source": null,
        "lookup_failed": true, "note": format!("lookup hook failed (tier: {tier})"), "_diag_note": message})
    };
    let run = |field: Value| json!({"fields": [field], "unknown_count": 1, "gate": asks_for(&["to"], &[])});
    let lake = lake(&[
        at(
            "u_1:bank.transfer",
            "10:00",
            "ask_user",
            run(failed("instruction", "LLM 429")),
        ),
        at(
            "u_1:bank.transfer",
            "10:01",
            "ask_user",
            run(failed("instruction", "LLM 429")),
        ),
        at(
            "u_1:bank.transfer",
            "10:02",
            "ask_user",
            run(failed("measured_data", "timeout")),
        ),
        at("u_2:bank.transfer", "10:00", "ask_user", run(unknown("to"))),
        at(
            "u_3:bank.transfer",
            "2026-06-20T10:00:00.000Z",
            "ask_user",
            run(unknown("to")),
        ),
    ]);
    assert_table!(lake, "failed_lookups");
    let names = ["field", "tier", "message", "failures", "runs", "share"];
    assert_eq!(
        columns(&ask(&lake, "failed_lookups", &[]), &names),
        [
            json!(["to", "instruction", "LLM 429", 2, 4, 50.0]),
            json!(["to", "measured_data", "timeout", 1, 4, 25.0]),
        ]
    );
}

#[test]
fn inherited_values() {
    let run = |field: Value| json!({"fields": [field]});
    let day = |day: &str| format!("2026-06-{day}T10:00:00.000Z");
    let key = "u_1:bank.transfer";
    let prior = |value: &str| run(known("to", value, "prior_state", "instruction"));
    let lake = lake(&[
        at(
            key,
            &day("01"),
            "executed",
            run(known("to", "A", "instruction", "instruction")),
        ),
        at(key, &day("03"), "executed", prior("A")),
        // A verdict is no run, and a failed call hands nothing on.
        at(key, &day("04"), "execute", prior("A")),
        at(key, &day("04"), "failed", prior("A")),
        at(key, &day("05"), "executed", prior("A")),
        // Asked anew: the lineage starts again.
        at(
            key,
            &day("06"),
            "executed",
            run(known("to", "B", "user_answer", "user_answer")),
        ),
        at(key, &day("07"), "executed", prior("C")),
        // The run before does not hold it.
        at(key, &day("08"), "executed", json!({})),
        at(key, &day("09"), "executed", prior("C")),
    ]);
    assert_table!(lake, "inherited_values");
    let names = [
        "hops",
        "used",
        "median_age_days",
        "max_age_days",
        "changed",
        "without_start",
    ];
    assert_eq!(
        columns(&ask(&lake, "inherited_values", &[]), &names),
        [
            // After two days, after one with another value, and out of nowhere.
            json!([1, 3, 1.5, 2.0, 1, 1]),
            json!([2, 1, 4.0, 4.0, 0, 0]),
        ]
    );
    let old = ask(&lake, "inherited_values", &["min_age_days=3", "min_hops=2"]);
    assert_eq!(columns(&old, &["hops", "used"]), [json!([2, 1])]);
}

#[test]
fn measured_only() {
    let run = |fields: Value| json!({"fields": fields});
    let lake = lake(&[
        at(
            "u_1:robot.move",
            "10:00",
            "executed",
            run(json!([
                known("speed", "3", "measured_data", "measured_data"),
                known("target", "dock", "measured_data", "measured_data")
            ])),
        ),
        at(
            "u_1:robot.move",
            "11:00",
            "executed",
            run(json!([
                known("speed", "3", "prior_state", "measured_data"),
                known("target", "dock", "prior_state", "measured_data")
            ])),
        ),
        // Once, a person said where to.
        at(
            "u_2:robot.move",
            "10:00",
            "ask_user",
            run(json!([
                known("speed", "4", "measured_data", "measured_data"),
                known("target", "shelf", "instruction", "instruction"),
                unknown("load")
            ])),
        ),
        // Inherited from nobody knows where, and never run.
        at(
            "u_3:robot.lift",
            "10:00",
            "executed",
            run(json!([known("load", "9", "prior_state", Value::Null)])),
        ),
        at(
            "u_4:robot.park",
            "10:00",
            "execute",
            run(json!([known("bay", "2", "measured_data", "measured_data")])),
        ),
    ]);
    assert_table!(lake, "measured_only");
    let names = [
        "tool",
        "field",
        "known_values",
        "executed_values",
        "inherited",
        "distinct_values",
        "example_value",
    ];
    assert_eq!(
        columns(&ask(&lake, "measured_only", &[]), &names),
        [json!(["robot.move", "speed", 3, 2, 1, 2, null]),]
    );
    let shown = ask(&lake, "measured_only", &["show_values=true"]);
    assert_eq!(columns(&shown, &["example_value"]), [json!(["\"4\""])]);
}

#[test]
fn tool_approvals() {
    let refused = |reason: &str| {
        json!({"fields": null, "unknown_count": null,
        "fixed": {"c1_when_case": "immediate", "c2_user_action_name": "pay", "c3_provider_action_name": null},
        "gate": {"kind": "tool_undetermined", "_diag": {"candidate_tool": "bank.transfer", "reason": reason}}})
    };
    let old = json!({"schema_version": "1.7", "fixed": {"c1_when_case": "immediate",
        "c2_user_action_name": "pay", "c3_provider_action_name": "bank.transfer"}});
    let lake = lake(&[
        at(
            "u_1:bank.transfer",
            "10:00",
            "ask_user",
            refused("it cannot split a payment"),
        ),
        at(
            "u_1:bank.transfer",
            "10:01",
            "ask_user",
            refused("hook_error: timeout"),
        ),
        at("u_1:bank.transfer", "10:02", "execute", json!({})),
        at("u_1:bank.transfer", "10:03", "executed", json!({})),
        // Before 1.8, whoever came to the values had passed.
        at("u_2:bank.transfer", "10:00", "execute", old),
        // Since 1.8 that is no judgement.
        at(
            "u_4:bank.transfer",
            "10:00",
            "execute",
            json!({"fixed": {"c1_when_case": "immediate", "c2_user_action_name": "pay",
                "c3_provider_action_name": "bank.transfer"}}),
        ),
        // No tool was judged.
        at(
            "u_3:bank.transfer",
            "10:00",
            "ask_user",
            json!({"fields": null,
            "fixed": {"c1_when_case": null, "c2_user_action_name": null, "c3_provider_action_name": "bank.transfer"},
            "gate": {"kind": "intent_undetermined"}}),
        ),
    ]);
    assert_table!(lake, "tool_approvals");
    let names = [
        "tool",
        "judged",
        "approved",
        "inferred",
        "refused",
        "hook_failed",
        "share_approved",
        "unrecorded",
    ];
    assert_eq!(
        columns(&ask(&lake, "tool_approvals", &[]), &names),
        [json!(["bank.transfer", 4, 2, 1, 2, 1, 50.0, 1])]
    );
}

#[test]
fn unmet_conditions() {
    let item = |status: Value| {
        json!({"user_checklist": [{"id": "limit", "description": "below the limit",
        "status": status, "source": null}]})
    };
    let asks_limit = || json!({"gate": asks_for(&[], &["limit"])});
    let lake = lake(&[
        at(
            "u_1:bank.transfer",
            "10:00",
            "executed",
            item(json!("unverified")),
        ),
        // The call says verified, what allowed it does not.
        at("u_2:bank.transfer", "10:00", "execute", item(json!(null))),
        at(
            "u_2:bank.transfer",
            "10:01",
            "failed",
            item(json!("verified")),
        ),
        // The condition that was asked for is gone.
        at("u_3:bank.transfer", "10:00", "ask_user", asks_limit()),
        at("u_3:bank.transfer", "10:01", "execute", json!({})),
        at("u_3:bank.transfer", "10:02", "executed", json!({})),
        // As it should be.
        at("u_4:bank.transfer", "10:00", "ask_user", asks_limit()),
        at(
            "u_4:bank.transfer",
            "10:01",
            "execute",
            item(json!("verified")),
        ),
        at(
            "u_4:bank.transfer",
            "10:02",
            "executed",
            item(json!("verified")),
        ),
        // Asked for, and no call.
        at("u_5:bank.transfer", "10:00", "ask_user", asks_limit()),
    ]);
    assert_table!(lake, "unmet_conditions");
    let mut found = columns(
        &ask(&lake, "unmet_conditions", &[]),
        &["action_key", "decision", "item_id", "how"],
    );
    found.sort_by_key(Value::to_string);
    assert_eq!(
        found,
        [
            json!([
                "u_1:bank.transfer",
                "executed",
                "limit",
                "unverified in the call"
            ]),
            json!([
                "u_2:bank.transfer",
                "failed",
                "limit",
                "unverified in its verdict"
            ]),
            json!([
                "u_3:bank.transfer",
                "executed",
                "limit",
                "asked for and never verified"
            ]),
        ]
    );
}

#[test]
fn retention() {
    let lake = lake(&[
        at(
            "u_1:bank.transfer",
            "2025-01-01T00:00:00.000Z",
            "execute",
            json!({}),
        ),
        at(
            "u_1:bank.transfer",
            "2025-01-01T00:00:01.000Z",
            "executed",
            json!({}),
        ),
        // Old, and still in use.
        at(
            "u_2:bank.transfer",
            "2025-01-01T00:00:00.000Z",
            "executed",
            json!({}),
        ),
        at(
            "u_2:bank.transfer",
            "2026-06-01T00:00:00.000Z",
            "executed",
            json!({}),
        ),
        at(
            "u_3:bank.transfer",
            "2026-06-11T00:00:00.000Z",
            "executed",
            json!({}),
        ),
        at(
            "u_4:bank.transfer",
            "10:00",
            "executed",
            json!({"timestamp": null}),
        ),
        at(
            "u_5:bank.transfer",
            "2025-02-01T00:00:00.000Z",
            "ask_user",
            json!({"action_key": null}),
        ),
    ]);
    assert_table!(lake, "retention");
    let found = ask(&lake, "retention", &[]);
    let names = [
        "kind",
        "last_activity",
        "chains",
        "records",
        "largest_chain",
        "dropped_chains",
        "dropped_records",
    ];
    assert_eq!(
        columns(&found, &names),
        [
            json!(["unkeyed", "365 and more", 1, 1, 1, 1, 1]),
            json!(["keyed", "under 7", 1, 1, 1, 0, 0]),
            json!(["keyed", "7 to 29", 1, 2, 2, 0, 0]),
            json!(["keyed", "365 and more", 1, 2, 2, 1, 2]),
            json!(["keyed", "no time", 1, 1, 1, 0, 0]),
            json!(["all", "any", 5, 7, 2, 2, 3]),
        ]
    );
    let dropped = |parameter: &str| {
        let all = ask(&lake, "retention", &[parameter]).pop().unwrap();
        all["dropped_chains"].clone()
    };
    // The last record of `u_2` is ten days old.
    assert_eq!(dropped("retention_days=10"), 3);
    assert_eq!(dropped("retention_days=11"), 2);
    assert_eq!(dropped("as_of=2025-12-01"), 0);
}
