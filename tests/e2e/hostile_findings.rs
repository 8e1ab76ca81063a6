//! What an attacker wrote stays text in every format of `preflight findings`.

use serde_json::{Value, json};

use crate::{
    formats::{page, sarif},
    harness::{Workplace, record, rows},
    hostile::assert_harmless,
};

/// A formula, markup that runs, links, the ends of quotes and sections, and text that runs backwards.
const EVIL: &str = "=HYPERLINK(\"http://evil.example\",\"pay\")<script>alert(1)</script>\
    [pay](javascript:alert(1)) javascript:alert(1) \"'/><img src=x onerror=alert(1)>]]>--><!-- {0} {{ x }} \
    {% raw %} `x` | **b** \u{1b}]0;title\u{7}\u{1b}[31m\u{202e}txt.exe\u{2066}\u{0}\u{b}\u{fffe}\r\n&lt;end";

/// The same as it is shown: what is not for a screen is spelled out.
const SHOWN: &str = "=HYPERLINK(\"http://evil.example\",\"pay\")<script>alert(1)</script>\
    [pay](javascript:alert(1)) javascript:alert(1) \"'/><img src=x onerror=alert(1)>]]>--><!-- {0} {{ x }} \
    {% raw %} `x` | **b** \\u{1b}]0;title\\u{7}\\u{1b}[31m\\u{202e}txt.exe\\u{2066}\\u{0}\\u{b}\\u{fffe}\\r\\n&lt;end";

fn lake() -> Workplace {
    let workplace = Workplace::new();
    let evil = record(&json!({
        "action_key": EVIL, "execution_decision": "ask_user",
        "fixed": {"c1_when_case": "immediate", "c2_user_action_name": EVIL, "c3_provider_action_name": EVIL,
            "c3_match": {"approved": true, "reason": EVIL}},
        "fields": [{"name": EVIL, "value": EVIL, "status": "unknown", "source": null, "note": EVIL}],
        "gate": {"unknown_fields": [{"name": EVIL, "note": EVIL}], "unverified_checklist": []}
    }));
    workplace.file("=1+1<b>\u{202e}\u{1b}[31m.jsonl", evil);
    workplace.ingest(&["."]);
    workplace
}

fn findings(workplace: &Workplace, format: &str) -> String {
    workplace.run_well(&["findings", "--rule", "IG002", "--format", format])
}

#[test]
fn on_a_screen() {
    let workplace = lake();
    for format in ["table", "expanded"] {
        let text = findings(&workplace, format);
        assert_harmless(&text);
        assert!(text.contains(SHOWN), "{text}");
    }
}

#[test]
fn in_a_sheet() {
    let workplace = lake();
    let text = findings(&workplace, "csv");
    assert_harmless(&text);
    // As a spreadsheet reads it: no cell starts like a formula.
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let row = reader.records().next().unwrap().unwrap();
    assert!(
        row.iter().any(|cell| cell == format!("'{SHOWN}")),
        "{row:?}"
    );
    for cell in &row {
        assert!(
            !cell.starts_with(['=', '+', '-', '@', '\t', '\r']),
            "{cell}"
        );
    }
}

#[test]
fn in_markdown() {
    let text = findings(&lake(), "markdown");
    assert_harmless(&text);
    assert_eq!(text.lines().count(), 3, "{text}");
    let unescaped = text.replace("\\]", "");
    for sign in [
        "<script",
        "<img",
        "<!--",
        "](",
        "javascript:",
        " `x`",
        " **b**",
    ] {
        assert!(!unescaped.contains(sign), "{sign}: {text}");
    }
}

#[test]
fn in_json() {
    let workplace = lake();
    for format in ["json", "ndjson"] {
        let text = findings(&workplace, format);
        assert_harmless(&text);
        // A program gets what the record says.
        let row: Value = match format {
            "json" => serde_json::from_str::<Value>(&text).unwrap()[0].clone(),
            _ => rows(&text).remove(0),
        };
        assert_eq!((&row["detail"], &row["tool"]), (&json!(EVIL), &json!(EVIL)));
    }
}

#[test]
fn in_sarif() {
    let workplace = lake();
    assert_harmless(&findings(&workplace, "sarif"));
    let sarif = sarif(&workplace, &["--rule", "IG002"]);
    let result = &sarif["runs"][0]["results"][0];
    let message = result["message"]["text"].as_str().unwrap();
    // Neither a link nor a placeholder of SARIF's own.
    let escaped = SHOWN.replace('{', "{{").replace('}', "}}");
    assert_eq!(message, escaped.replace('[', "\\[").replace(']', "\\]"));
    let place = &result["locations"][0]["physicalLocation"]["artifactLocation"];
    assert!(
        place["uri"]
            .as_str()
            .unwrap()
            .ends_with("%3D1%2B1%3Cb%3E%E2%80%AE%1B%5B31m.jsonl"),
        "{place}"
    );
}

#[test]
fn in_junit() {
    let text = findings(&lake(), "junit");
    assert_harmless(&text);
    let tree = roxmltree::Document::parse(&text).unwrap();
    let elements = tree.descendants().filter(|node| node.is_element());
    let names: Vec<&str> = elements.map(|node| node.tag_name().name()).collect();
    assert_eq!(names, ["testsuites", "testsuite", "testcase", "failure"]);
    let failure = tree
        .descendants()
        .find(|node| node.has_tag_name("failure"))
        .unwrap();
    assert!(failure.text().unwrap().contains(SHOWN), "{text}");
}

#[test]
fn in_html() {
    let workplace = lake();
    let html = findings(&workplace, "html");
    assert_harmless(&html);
    let (text, names) = page(&html);
    assert!(text.contains(SHOWN), "{text}");
    for name in ["script", "img", "@onerror", "@src"] {
        assert!(!names.contains(name), "{name}");
    }
    for target in html.split("href=\"").skip(1) {
        assert!(target.starts_with('#'), "{target}");
    }
}
