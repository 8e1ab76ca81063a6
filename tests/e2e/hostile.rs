//! What an attacker wrote into records reaches nobody's screen, spreadsheet or page as what it is.

use serde_json::{Value, json};

use crate::harness::{Workplace, record};

/// Colours, a title, a C1 escape, text that runs backwards, an invisible tag and a deleted line.
pub const EVIL: &str = "\u{1b}[31mred\u{1b}]0;title\u{7}\u{9b}2J\u{202e}txt.exe\u{2066}\u{200b}\u{e0041}\u{7f}\r\n\u{2028}end";

fn lake() -> Workplace {
    let workplace = Workplace::new();
    let evil = record(&json!({
        "action_key": EVIL, "execution_decision": "ask_user", "reason": EVIL, "advisory_notes": EVIL,
        "fixed": {"c1_when_case": "immediate", "c2_user_action_name": EVIL, "c3_provider_action_name": EVIL,
            "c3_match": {"approved": true, "reason": EVIL}},
        "fields": [{"name": EVIL, "value": EVIL, "status": "unknown", "source": null, "note": EVIL}],
        "gate": {"unknown_fields": [{"name": EVIL, "note": EVIL}], "unverified_checklist": [], "user_message": EVIL},
        EVIL: EVIL
    }));
    let decision = record(&json!({"execution_decision": EVIL}));
    let junk = format!("{EVIL:?} \u{1b}[2J");
    workplace.file(
        "logs/\u{1b}[31m\u{202e}.jsonl",
        format!("{evil}\n{decision}\n{junk}\n"),
    );
    let outcome = workplace.run(&["ingest", "logs", "\u{1b}[31m/missing"]);
    assert_eq!(outcome.counts(), [3, 1, 2, 0, 0]);
    assert_harmless(&outcome.stdout);
    assert_harmless(&outcome.stderr);
    workplace
}

/// No character of a text moves the cursor, hides text or changes its order.
pub fn assert_harmless(text: &str) {
    let is_evil = |c: char| {
        c != '\n' && c.is_control()
            || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
    };
    let found = text.char_indices().find(|(_, c)| is_evil(*c));
    assert_eq!(
        found,
        None,
        "{:?}",
        found.map(|(at, _)| text[at..].chars().take(40).collect::<String>())
    );
}

const TABLES: [&str; 4] = ["records", "fields", "asks", "quarantine"];

#[test]
fn no_format_of_a_statement_is_harmful() {
    let workplace = lake();
    for format in ["table", "expanded", "json", "ndjson", "csv", "markdown"] {
        for table in TABLES {
            let rows =
                workplace.run_well(&["sql", &format!("select * from {table}"), "--format", format]);
            assert!(
                rows.contains("red") || table == "quarantine",
                "{format} {table}: {rows}"
            );
            assert_harmless(&rows);
        }
    }
}

#[test]
fn json_means_what_the_record_says() {
    let workplace = lake();
    for format in ["json", "ndjson"] {
        let rows = workplace.run_well(&["sql", "select reason from records", "--format", format]);
        let value: Value = serde_json::from_str(rows.trim()).unwrap();
        let row = if format == "json" { &value[0] } else { &value };
        assert_eq!(row["reason"], EVIL);
    }
}

#[test]
fn findings_and_summaries_are_harmless() {
    let workplace = lake();
    let findings = workplace.run_well(&["findings", "--rule", "value_missing"]);
    assert!(findings.contains("txt.exe"), "{findings}");
    assert_harmless(&findings);
    let audit = workplace.run(&["audit", "logs"]);
    assert!(audit.stdout.contains("Worst offenders"), "{}", audit.stdout);
    assert_harmless(&audit.stdout);
    assert_harmless(&audit.stderr);
}

#[test]
fn timelines_are_harmless() {
    let workplace = lake();
    for format in ["text", "json", "markdown"] {
        let timeline = workplace.run_well(&["chain", EVIL, "--format", format, "--show-values"]);
        assert!(timeline.contains("txt.exe"), "{timeline}");
        assert_harmless(&timeline);
    }
    let known = json!([{"name": EVIL, "value": EVIL, "status": "known", "source": EVIL}]);
    workplace.file(
        "known.jsonl",
        record(&json!({"action_key": EVIL, "fields": known})),
    );
    workplace.ingest(&["known.jsonl"]);
    let arguments = [
        "trace",
        "--action-key",
        EVIL,
        "--field",
        EVIL,
        "--show-values",
    ];
    for format in ["table", "json", "markdown"] {
        let trace = workplace.run_well(&[&arguments[..], &["--format", format]].concat());
        assert!(trace.contains("txt.exe"), "{trace}");
        assert_harmless(&trace);
    }
}

#[test]
fn answers_to_questions_are_harmless() {
    let workplace = lake();
    let abandoned = ["abandoned_requests", "--param", "older_than_days=0"];
    for question in [&abandoned[..], &["blocked_calls"], &["tool_approvals"]] {
        for format in ["table", "expanded", "json", "csv", "markdown"] {
            let asked = [&["ask"], question, &["--format", format]].concat();
            let answer = workplace.run_well(&asked);
            assert!(answer.contains("txt.exe"), "{asked:?}: {answer}");
            assert_harmless(&answer);
        }
    }
}

#[test]
fn errors_that_quote_are_harmless() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", record(&json!({})));
    workplace.ingest(&["log.jsonl"]);
    for arguments in [
        &["sql", "select \"\u{1b}[31m\u{202e}\" from records"][..],
        &["sql", "select * from \"\u{1b}[31m\u{202e}\""],
        &["findings", "--rule", "\u{1b}[31m\u{202e}"],
        &["tables", "\u{1b}[31m\u{202e}"],
        &["ask", "\u{1b}[31m\u{202e}"],
        &["ask", "retention", "--param", "\u{1b}[31m\u{202e}=1"],
        &["chain", "\u{1b}[31m\u{202e}"],
        &["chain", "--record", "\u{1b}[31m\u{202e}:1"],
        &["sql", "select 1", "--lake", "\u{1b}[31m\u{202e}"],
    ] {
        let outcome = workplace.run(arguments);
        assert_eq!(outcome.status, 2, "{arguments:?}");
        assert_harmless(&outcome.stderr);
    }
    let header = workplace.run_well(&["sql", "select 1 as \"\u{1b}[31m\u{202e}\""]);
    assert_harmless(&header);
}

#[test]
fn formulas_stay_text_in_csv() {
    let workplace = Workplace::new();
    let formulas = [
        "=1+1",
        "+1",
        "-1+cmd|'/c calc'!A1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "|x",
        "＝1",
    ];
    let lines: Vec<String> = formulas
        .iter()
        .map(|text| record(&json!({"reason": text})))
        .collect();
    workplace.file("log.jsonl", lines.join("\n"));
    workplace.ingest(&["log.jsonl"]);
    let csv = workplace.run_well(&[
        "sql",
        "select reason, line - 9 as n from records order by line",
        "--format",
        "csv",
    ]);
    for line in csv.lines().skip(1) {
        assert!(line.starts_with('\'') || line.starts_with("\"'"), "{line}");
        // A number is no formula.
        assert!(line.contains(",-"), "{line}");
    }
    assert_eq!(csv.lines().count(), 1 + formulas.len());
}

#[test]
fn markup_stays_text_in_markdown() {
    let workplace = Workplace::new();
    let markup = "a|b <img src=x onerror=alert(1)> [x](javascript:alert(1)) `c` **d** <!-- e\nf";
    workplace.file("log.jsonl", record(&json!({"reason": markup})));
    workplace.ingest(&["log.jsonl"]);
    let rows = workplace.run_well(&["sql", "select reason from records", "--format", "markdown"]);
    insta::assert_snapshot!(rows, @r"
    | reason |
    | --- |
    | a\|b &lt;img src=x onerror=alert(1)&gt; \[x\](javascript&#58;alert(1)) \`c\` \*\*d\*\* &lt;\!-- e\\nf |
    ");
}

#[test]
fn no_colours_where_no_terminal_is() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", record(&json!({})));
    let forced = |arguments: &[&str]| {
        let mut command = workplace.command(arguments);
        command
            .env("TERM", "xterm-256color")
            .env("COLORTERM", "truecolor")
            .env_remove("NO_COLOR");
        let output = command.output().unwrap();
        [output.stdout, output.stderr].concat()
    };
    for arguments in [
        &["ingest", "log.jsonl"][..],
        &["audit", "log.jsonl"],
        &["sql", "select * from records"],
        &["sql", "selec"],
        &["rules"],
        &["--help"],
        &["findings", "--bad"],
    ] {
        let bytes = forced(arguments);
        assert!(!bytes.is_empty() && !bytes.contains(&0x1b), "{arguments:?}");
    }
}
