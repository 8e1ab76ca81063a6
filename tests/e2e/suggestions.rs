//! `preflight report gaps --tools FILE`: what would fix the gaps, as patches that do.

use std::fs;

use preflight_lint::{apply, lint};
use serde_json::{Value, json};

use crate::{
    formats::page,
    harness::{Workplace, data, record},
};

/// The definitions that the records below ran into.
fn tools() -> Value {
    json!({"tools": [
        {
            "name": "shop.order",
            "description": "Orders goods. Orders are final.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "sku": {"type": "string", "description": "Article"},
                    "warehouse": {"description": "Where it is taken from"},
                    "ship_date": {"type": "string", "description": "When it leaves"},
                    "speed": {"type": "string", "description": "One of: slow, fast"},
                    "parcels": {"type": "integer", "description": "How many, default 1"},
                    "ledger_id": {"type": "string"},
                    "gift_note": {"type": "string", "description": "A few words"}
                },
                "required": [
                    "sku", "warehouse", "ship_date", "speed", "parcels", "ledger_id", "invoice_to"
                ]
            }
        },
        {
            "name": "shop.book",
            "description": "Books a visit.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "phone": {"type": "string", "description": "Number for questions"},
                    "mail": {"type": "string", "description": "Address for questions"}
                },
                "anyOf": [{"required": ["phone"]}, {"required": ["mail"]}]
            }
        },
        {"name": "shop.refund", "inputSchema": {"type": "object"}},
        {"name": "shop.refund_part", "description": "Refunds a part.", "inputSchema": {"type": "object"}}
    ]})
}

const ASKED: [&str; 6] = [
    "warehouse",
    "ship_date",
    "speed",
    "parcels",
    "ledger_id",
    "invoice_to",
];

fn fixed(tool: &str, approved: bool) -> Value {
    json!({"c1_when_case": "immediate", "c2_user_action_name": "do it",
        "c3_provider_action_name": tool, "c2_source": "instruction",
        "c3_match": {"approved": approved, "reason": null}})
}

fn time(user: usize, minute: usize) -> String {
    format!("2026-06-12T{user:02}:{minute:02}:00.000Z")
}

/// What one user went through.
fn story(user: usize) -> Vec<String> {
    let known = |name: &str, value: &str| {
        json!({"name": name, "value": value, "status": "known", "source": "pre_set_data",
            "origin_source": "pre_set_data", "resolved_at": time(user, 0)})
    };
    let prose = "Orders goods. Orders are final.";
    let mut lines = Vec::new();
    for minute in [1, 2] {
        let unknown = |name: &&str| json!({"name": name, "note": null});
        let fields = ASKED.map(|name| {
            json!({"name": name, "status": "unknown", "source": null, "origin_source": null,
                "resolved_at": time(user, minute)})
        });
        lines.push(record(&json!({
            "action_key": format!("u_{user}:shop.order"), "fixed": fixed("shop.order", true),
            "fields": fields, "advisory_notes": prose, "unknown_count": ASKED.len(),
            "gate": {"unknown_fields": ASKED.iter().map(unknown).collect::<Vec<_>>(),
                "unverified_checklist": []},
            "execution_decision": "ask_user", "reason": "ask_user: unknown_fields",
            "timestamp": time(user, minute)
        })));
    }
    let ended = |key: &str, decision: &str, reason: &str, minute: usize| {
        record(&json!({
            "action_key": format!("u_{user}:{key}"), "fixed": fixed("shop.order", true),
            "fields": [known("warehouse", "W-1"), known("invoice_to", "me")],
            "advisory_notes": prose, "execution_decision": decision, "reason": reason,
            "timestamp": time(user, minute)
        }))
    };
    let refused = |message: &str| format!("execute / call failed: {message}");
    lines.push(ended("other", "executed", "execute / call succeeded", 10));
    lines.push(ended(
        "balance",
        "failed",
        &refused("insufficient balance"),
        11,
    ));
    lines.push(ended(
        "note",
        "failed",
        &refused("Invalid params: gift_note is required"),
        12,
    ));
    lines.push(record(&json!({
        "action_key": format!("u_{user}:shop.book"), "fixed": fixed("shop.book", true),
        "fields": null, "unknown_count": null, "unverified_checklist_count": null,
        "gate": {"kind": "schema_unsupported", "user_message": "m", "_diag": {"reason": "anyOf"}},
        "execution_decision": "hold", "reason": "hold: schema unsupported",
        "timestamp": time(user, 20)
    })));
    let refund = |tool: &str, approved: bool, minute: usize| {
        let gate = match approved {
            true => json!({"unknown_fields": [], "unverified_checklist": []}),
            false => json!({"kind": "tool_undetermined", "user_message": "m",
                "_diag": {"candidate_tool": tool, "user_action": "refund", "reason": "no"}}),
        };
        record(&json!({
            "action_key": format!("u_{user}:refund"), "fixed": fixed(tool, approved),
            "gate": gate, "execution_decision": if approved { "execute" } else { "ask_user" },
            "reason": "r", "timestamp": time(user, minute)
        }))
    };
    lines.push(refund("shop.refund", false, 30));
    lines.push(refund("shop.refund_part", true, 31));
    lines
}

/// Reports about the stories of three users, with definitions.
fn reported(definitions: &str, more: &[&str]) -> Workplace {
    let workplace = Workplace::new();
    let lines: Vec<String> = (1..=3).flat_map(story).collect();
    workplace.file("log.jsonl", lines.join("\n"));
    workplace.file("tools.json", definitions);
    workplace.ingest(&["log.jsonl"]);
    let arguments = [
        "report",
        "gaps",
        "--provider",
        "shop",
        "--since",
        "2026-06-10",
        "--until",
        "2026-06-25",
        "--tools",
        "tools.json",
        "--out",
        "out",
        "--format",
        "html,markdown,json,csv",
    ];
    workplace.run_well(&[&arguments, more].concat());
    workplace
}

fn read(workplace: &Workplace, ending: &str) -> String {
    let name = format!("out/shop/gaps-2026-06-10-2026-06-25{ending}");
    fs::read_to_string(workplace.path(&name)).unwrap()
}

fn suggestions(workplace: &Workplace) -> Vec<Value> {
    let report: Value = serde_json::from_str(&read(workplace, ".json")).unwrap();
    report["suggestions"].as_array().unwrap().clone()
}

#[test]
fn gaps_lead_to_suggestions() {
    let workplace = reported(&tools().to_string(), &[]);
    let lines = suggestions(&workplace).into_iter().map(|suggestion| {
        let text = |key: &str| suggestion[key].as_str().unwrap_or("-").to_owned();
        format!(
            "{} {} {} {}: {} {} in {} of {}, {} users, {} records, {}\n  {}",
            text("rule"),
            text("definition_rule"),
            text("tool"),
            text("field"),
            suggestion["count"],
            text("counted"),
            suggestion["episodes"],
            suggestion["tool_episodes"],
            suggestion["users"],
            suggestion["records"].as_array().unwrap().len(),
            if suggestion["patch"].is_null() {
                "no patch"
            } else {
                "patch"
            },
            text("says"),
        )
    });
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
}

/// Each patch applies to the definitions that were given, and what it is for is gone.
#[test]
fn each_patch_fixes_what_it_is_for() {
    let definitions = tools();
    let workplace = reported(&definitions.to_string(), &[]);
    let before = lint(&definitions.to_string()).unwrap().problems;
    let mut patched = 0;
    for suggestion in suggestions(&workplace) {
        let patch = &suggestion["patch"];
        if patch.is_null() {
            continue;
        }
        patched += 1;
        let mut changed = definitions.clone();
        apply(&mut changed, patch).unwrap();
        assert_ne!(changed, definitions);
        let after = lint(&changed.to_string()).unwrap().problems;
        let is_in = |problems: &[preflight_lint::Problem], wanted: &preflight_lint::Problem| {
            problems.iter().any(|other| {
                let key =
                    |p: &preflight_lint::Problem| (p.rule.code, p.field.clone(), p.tool.clone());
                key(other) == key(wanted)
            })
        };
        let is_meant = |problem: &&preflight_lint::Problem| {
            suggestion["definition_rule"] == problem.rule.code
                && suggestion["tool"] == *problem.tool
                && suggestion["field"].as_str() == problem.field.as_deref()
        };
        let meant: Vec<_> = before.iter().filter(is_meant).collect();
        if suggestion["definition_rule"].is_string() {
            assert_eq!(meant.len(), 1, "{suggestion}");
            assert!(!is_in(&after, meant[0]), "{suggestion}");
        }
        // A field that is declared at last may still want a description; nothing else is new.
        let new = after.iter().filter(|problem| !is_in(&before, problem));
        let new: Vec<_> = new.map(|problem| problem.rule.code).collect();
        let is_declared = suggestion["definition_rule"] == "TD007";
        assert_eq!(
            new,
            if is_declared { vec!["TD009"] } else { vec![] },
            "{suggestion}"
        );
        // What a refusal said is declared, by a label line or by the schema.
        if suggestion["rule"] == "AD004" && suggestion["definition_rule"].is_null() {
            let tool = &changed["tools"][0];
            let description = tool["description"].as_str().unwrap();
            let required = tool["inputSchema"]["required"].as_array().unwrap();
            assert!(
                description.ends_with("\n[Required] insufficient balance")
                    || required.contains(&json!("gift_note")),
                "{suggestion}"
            );
        }
        // The list has changed since: the patch does nothing.
        let mut turned = definitions.clone();
        turned["tools"].as_array_mut().unwrap().reverse();
        let as_given = turned.clone();
        assert!(apply(&mut turned, patch).is_err(), "{suggestion}");
        assert_eq!(turned, as_given);
    }
    assert_eq!(patched, 14);
}

/// Rule and records behind each, by the lake.
#[test]
fn suggestions_name_the_records_behind_them() {
    let workplace = reported(&tools().to_string(), &[]);
    let known = workplace.sql(
        "select code, tool, record_digest as digest from findings
         union all select 'TD013', tool, encode(record_digest, 'hex') from records
         where advisory_notes like '%Orders are final.%'",
    );
    let all = suggestions(&workplace);
    assert!(!all.is_empty());
    for suggestion in all {
        let records = suggestion["records"].as_array().unwrap();
        assert!(!records.is_empty(), "{suggestion}");
        for digest in records {
            let wanted =
                json!({"code": suggestion["rule"], "tool": suggestion["tool"], "digest": digest});
            assert!(known.contains(&wanted), "{wanted}");
        }
    }
}

/// So do the other tables of a report.
#[test]
fn tables_name_the_records_behind_them() {
    let workplace = reported(&tools().to_string(), &[]);
    let report: Value = serde_json::from_str(&read(&workplace, ".json")).unwrap();
    let (markdown, html) = (read(&workplace, ".md"), read(&workplace, ".html"));
    let known = workplace.sql(
        "select name, tool, record_digest as digest from findings
         union all select 'prose', tool, encode(record_digest, 'hex') from records",
    );
    let check = |name: &str, row: &Value, digest: &Value| {
        let wanted = json!({"name": name, "tool": row["tool"], "digest": digest});
        assert!(known.contains(&wanted), "{wanted}");
        let short = digest.as_str().unwrap().get(..12).unwrap();
        assert!(markdown.contains(short), "{short}");
        assert!(
            html.contains(&format!("<span class=\"digest\">{short}</span>")),
            "{short}"
        );
    };
    for (table, cause) in [
        ("wrong_tools", "wrong_tool"),
        ("refusals", "undeclared_condition"),
    ] {
        let rows = report[table].as_array().unwrap();
        assert!(!rows.is_empty(), "{table}");
        for row in rows {
            let records = row["records"].as_array().unwrap();
            assert_eq!(records.len(), 2, "the latest ones: {row}");
            for digest in records {
                check(cause, row, digest);
            }
        }
    }
    let prose = report["prose"].as_array().unwrap();
    assert_eq!(prose.len(), 1);
    check("prose", &prose[0], &prose[0]["record_digest"]);
}

#[test]
fn every_format_has_them() {
    let workplace = reported(&tools().to_string(), &[]);
    let all = suggestions(&workplace);
    let csv = read(&workplace, "-suggestions.csv");
    let mut csv = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<_> = csv.records().map(|row| row.unwrap()).collect();
    assert_eq!(rows.len(), all.len());
    let markdown = read(&workplace, ".md");
    let html = read(&workplace, ".html");
    let (text, _) = page(&html);
    for (row, suggestion) in rows.iter().zip(&all) {
        assert_eq!(row[8], *suggestion["says"].as_str().unwrap());
        assert_eq!(row[10], suggestion["count"].to_string());
        let patch = suggestion["patch"].as_array();
        assert_eq!(row[15].is_empty(), patch.is_none());
        if let Some(operations) = patch {
            assert_eq!(
                serde_json::from_str::<Value>(&row[15]).unwrap(),
                suggestion["patch"]
            );
            for operation in operations {
                let line = operation.to_string();
                assert!(markdown.contains(&line), "{line}");
                assert!(text.contains(&line), "{line}");
            }
        }
        assert!(text.contains(suggestion["says"].as_str().unwrap()));
        let episodes = match suggestion["episodes"].as_u64() {
            Some(episodes) => format!(" in {episodes} of {} episodes", suggestion["tool_episodes"]),
            None => String::new(),
        };
        let counted = format!(
            "{} {}{episodes}",
            suggestion["count"],
            suggestion["counted"].as_str().unwrap()
        );
        assert!(
            markdown.contains(&format!("| {counted} | {} |", suggestion["users"])),
            "{counted}"
        );
        assert!(
            html.contains(&format!("{counted}, {} users", suggestion["users"])),
            "{counted}"
        );
    }
}

/// A page stays one that opens; JSON and CSV have all.
#[test]
fn a_page_shows_the_most_counted() {
    let workplace = Workplace::new();
    let names = ["colour", "shape", "size"];
    let field = json!({"type": "string", "description": "One of: a, b"});
    let schema = json!({"type": "object", "required": names,
        "properties": {"colour": field, "shape": field, "size": field}});
    let tools = (0..200).map(|number| {
        json!({"name": format!("shop.order_{number}"), "description": "Orders.", "inputSchema": schema})
    });
    let tools = Value::from(tools.collect::<Vec<_>>());
    workplace.file("tools.json", tools.to_string());
    let ask = |number: usize, user: usize, minute: usize| {
        let unknown = names.map(|name| json!({"name": name, "note": null}));
        let fields = names.map(|name| {
            json!({"name": name, "status": "unknown", "source": null, "origin_source": null,
                "resolved_at": time(user, minute)})
        });
        let tool = format!("shop.order_{number}");
        record(&json!({
            "action_key": format!("u_{user}:{tool}"), "fixed": fixed(&tool, true),
            "fields": fields, "unknown_count": names.len(),
            "gate": {"unknown_fields": unknown, "unverified_checklist": []},
            "execution_decision": "ask_user", "reason": "ask_user", "timestamp": time(user, minute)
        }))
    };
    let users = (0..200).flat_map(|number| (1..=3).map(move |user| (number, user)));
    let lines: Vec<String> = users
        .flat_map(|(number, user)| [ask(number, user, 1), ask(number, user, 2)])
        .collect();
    workplace.file("log.jsonl", lines.join("\n"));
    workplace.ingest(&["log.jsonl"]);
    workplace.run_well(&[
        "report",
        "gaps",
        "--provider",
        "shop",
        "--since",
        "2026-06-10",
        "--until",
        "2026-06-25",
        "--tools",
        "tools.json",
        "--out",
        "out",
        "--format",
        "html,markdown,json,csv",
    ]);
    // Each field lacks its enum, and is asked for in vain.
    assert_eq!(suggestions(&workplace).len(), 1_200);
    assert_eq!(
        csv::Reader::from_reader(read(&workplace, "-suggestions.csv").as_bytes())
            .records()
            .count(),
        1_200
    );
    let (markdown, html) = (read(&workplace, ".md"), read(&workplace, ".html"));
    for text in [&markdown, &html] {
        assert!(
            text.contains(
                "These are the 1000 most counted; the report as JSON or CSV has 200 more."
            )
        );
    }
    assert_eq!(html.matches("<pre>").count(), 1_000);
    assert_eq!(markdown.matches("```json").count(), 1_000);
    page(&html);
}

#[test]
fn few_users_get_no_suggestion() {
    let workplace = reported(&tools().to_string(), &["-k", "4"]);
    assert_eq!(suggestions(&workplace), [] as [Value; 0]);
    let out = fs::read_dir(workplace.path("out/shop")).unwrap();
    assert_eq!(out.count(), 4, "no file of suggestions");
}

#[test]
fn definitions_that_say_enough_get_no_suggestion() {
    let fixed = json!([{
        "name": "shop.order",
        "description": "Orders goods.\n[Notice] Orders are final.\n[Required] insufficient balance",
        "inputSchema": {"type": "object", "properties": {
            "gift_note": {"type": "string", "description": "A few words"}}, "required": ["gift_note"]}
    }]);
    let workplace = reported(&fixed.to_string(), &[]);
    let left = suggestions(&workplace);
    let says: Vec<_> = left.iter().map(|s| s["says"].as_str().unwrap()).collect();
    // The answer is not what the schema says now, so it is still asked for as a line.
    assert_eq!(says.len(), 1, "{says:?}");
    assert!(says[0].contains("gift_note is required"), "{says:?}");
}

#[test]
fn definitions_that_cannot_be_read_are_told() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", fs::read(data("chains/chains.jsonl")).unwrap());
    workplace.ingest(&["log.jsonl"]);
    workplace.file("tools.json", "{\n  \"tools\": [}");
    let outcome = workplace.run(&[
        "report",
        "gaps",
        "--all",
        "--tools",
        "tools.json",
        "--out",
        "out",
    ]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains("tools.json:2:13: this is no JSON"),
        "{}",
        outcome.stderr
    );
    assert!(!workplace.path("out").exists());
}

#[test]
fn hostile_definitions_stay_text() {
    let evil =
        "</pre></script><script>alert(1)</script>=cmd|'x'!A1\u{202e}\u{1b}[31m```[x](javascript:y)";
    let mut definitions = tools();
    let schema = &mut definitions["tools"][0]["inputSchema"];
    schema["properties"]["speed"]["title"] = evil.into();
    schema["required"].as_array_mut().unwrap().push(evil.into());
    let workplace = reported(&definitions.to_string(), &[]);
    for ending in [".html", ".md", ".json", ".csv", "-suggestions.csv"] {
        let text = read(&workplace, ending);
        for raw in ["\u{1b}", "\u{202e}"] {
            assert!(!text.contains(raw), "{raw:?} in {ending}");
        }
        if ending == ".html" {
            assert!(!text.contains("<script"), "{text}");
            page(&text);
        }
    }
    assert!(read(&workplace, ".html").contains("&lt;script&gt;"));
    // A code block of Markdown ends at a line of its own alone.
    let fences = read(&workplace, ".md");
    let fences = fences
        .lines()
        .filter(|line| line.trim_start().starts_with("```"));
    assert_eq!(fences.count(), 2 * 14);
}
