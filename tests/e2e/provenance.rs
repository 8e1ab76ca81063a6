//! `preflight chain --format dot|svg` and `preflight trace`: where values come from.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Workplace, data, record};

fn provenance() -> Workplace {
    let workplace = Workplace::new();
    for name in ["honest.jsonl", "laundered.jsonl"] {
        let chain = fs::read(data("provenance").join(name)).unwrap();
        workplace.file(name, chain);
    }
    workplace.ingest(&["honest.jsonl", "laundered.jsonl"]);
    workplace
}

fn trace(workplace: &Workplace, arguments: &[&str]) -> Value {
    let arguments = [&["trace", "--format", "json"], arguments].concat();
    serde_json::from_str(&workplace.run_well(&arguments)).unwrap()
}

/// The elements of a picture, by class.
fn count(svg: &str, element: &str, class: &str) -> usize {
    svg.matches(&format!("<{element} class=\"{class}\""))
        .count()
}

#[test]
fn an_honest_chain_is_drawn_straight_and_a_laundered_one_bent() {
    let workplace = provenance();
    let draw = |key| workplace.run_well(&["chain", key, "--format", "svg"]);
    // Each kind of edge is drawn once more, in the legend.
    let (honest, laundered) = (draw("ann:bank.transfer"), draw("bob:bank.transfer"));
    let edges = |svg: &str| {
        ["inherits", "bent", "missing", "answers", "unasked"]
            .map(|kind| count(svg, "path", kind) - 1)
    };
    assert_eq!(edges(&honest), [4, 0, 0, 2, 0]);
    assert_eq!(edges(&laundered), [0, 6, 2, 0, 2]);
    for svg in [&honest, &laundered] {
        assert!(svg.contains("role=\"img\" aria-labelledby=\"title desc\""));
        assert!(svg.contains("<title id=\"title\">Provenance of "));
        assert!(svg.contains("prefers-color-scheme:dark"));
        assert!(!svg.contains("<script") && !svg.contains("href"));
    }
    assert!(laundered.contains("origin there: measured_data"));
    assert!(
        laundered.contains(
            "0 as their baseline holds them, 6 that differ from it, 2 without a baseline."
        )
    );
    // The picture without what the rule pack adds.
    let laundered = laundered.replace("\"cell found\"", "\"cell\"");
    let lines = laundered.lines().filter(|line| !line.contains("! "));
    let body: Vec<&str> = lines.skip_while(|line| *line != "</defs>").collect();
    insta::assert_snapshot!("laundered_svg", body.join("\n"));
}

#[test]
fn a_graph_for_graphviz_says_the_same() {
    let workplace = provenance();
    let dot = workplace.run_well(&["chain", "bob:bank.transfer", "--format", "dot"]);
    let edges = dot.lines().filter(|line| line.contains("-> f"));
    insta::assert_snapshot!("laundered_dot", edges.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_picture_that_would_be_too_large_is_refused() {
    let workplace = Workplace::new();
    let lines: Vec<String> = (0..70)
        .map(|n| {
            let time = format!("2026-06-01T00:{:02}:{:02}.000Z", n / 60, n % 60);
            record(&json!({"timestamp": time, "execution_decision": "executed", "fields": [
                {"name": "n", "value": 7, "status": "known", "source": if n == 0 { "instruction" } else { "prior_state" }, "origin_source": "instruction"}]}))
        })
        .collect();
    workplace.file("log.jsonl", lines.join("\n"));
    workplace.ingest(&["log.jsonl"]);
    for format in ["svg", "dot"] {
        let outcome = workplace.run(&["chain", "u_1:bank.transfer", "--format", format]);
        assert_eq!((outcome.status, &*outcome.stdout), (2, ""));
        let message = "a picture has room for 60 records, not for 70: narrow it with --last N";
        assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
    }
    let arguments = [
        "chain",
        "u_1:bank.transfer",
        "--format",
        "svg",
        "--last",
        "3",
    ];
    let part = workplace.run_well(&arguments);
    assert!(part.contains("from #67, not drawn"), "{part}");
}

const EVIL: &str =
    "\u{1b}[31m\u{202e}txt.exe</text><script>alert(1)</script>\"]; a -> b [label=\"\\N\u{0}\\";

#[test]
fn nothing_that_a_record_quotes_is_markup_in_a_picture() {
    let workplace = Workplace::new();
    let line = record(&json!({
        "execution_decision": "ask_user", "reason": EVIL,
        "fixed": {"c1_when_case": "immediate", "c3_provider_action_name": EVIL},
        "fields": [{"name": EVIL, "value": EVIL, "status": "known", "source": EVIL, "origin_source": "=HYPERLINK(\"javascript:alert(1)\")"}],
        "gate": {"unknown_fields": [{"name": EVIL, "note": EVIL}], "unverified_checklist": []},
    }));
    workplace.file("log.jsonl", line);
    workplace.ingest(&["log.jsonl"]);
    let draw = |format| {
        workplace.run_well(&[
            "chain",
            "u_1:bank.transfer",
            "--show-values",
            "--format",
            format,
        ])
    };
    for text in [draw("svg"), draw("dot")] {
        assert!(text.contains("txt.exe"));
        assert!(
            !text
                .chars()
                .any(|c| c != '\n' && c.is_control() || c == '\u{202e}'),
            "{text}"
        );
    }
    let svg = draw("svg");
    assert!(
        !svg.contains("<script") && svg.contains("&lt;/text…"),
        "{svg}"
    );
    // Outside of its quoted strings, the graph is what it would be without the record's texts.
    let dot = draw("dot");
    let mut outside = String::new();
    let (mut quoted, mut escaped) = (false, false);
    for c in dot.chars() {
        match c {
            '"' if !escaped => quoted = !quoted,
            _ if !quoted => outside.push(c),
            _ => {}
        }
        escaped = quoted && c == '\\' && !escaped;
    }
    assert!(
        !quoted && !outside.contains("a -> b") && !outside.contains("alert"),
        "{dot}"
    );
}

#[test]
fn a_field_is_traced_through_its_chain() {
    let workplace = provenance();
    let arguments = [
        "trace",
        "--field",
        "to_account",
        "--action-key",
        "bob:bank.transfer",
    ];
    insta::assert_snapshot!("trace_table", workplace.run_well(&arguments));
    let markdown = workplace.run_well(&[&arguments[..], &["--format", "markdown"]].concat());
    insta::assert_snapshot!("trace_markdown", markdown);
}

#[test]
fn a_value_is_traced_through_all_chains_to_a_cleaner_claim() {
    let field = |name: &str, value: &str, source: &str| {
        json!([{"name": name, "value": "VALUE", "status": "known", "source": source, "origin_source": source}])
            .to_string()
            .replace("\"VALUE\"", value)
    };
    let line = |key: &str, time: &str, fields: String| {
        let line = record(
            &json!({"action_key": key, "timestamp": time, "fields": "FIELDS", "execution_decision": "executed"}),
        );
        line.replace("\"FIELDS\"", &fields)
    };
    let workplace = Workplace::new();
    let first = line(
        "a:x",
        "2026-06-01T00:00:00.000Z",
        field("to", "{\"iban\":\"X1\",\"n\":1.0}", "measured_data"),
    );
    let other = line(
        "a:x",
        "2026-06-01T00:01:00.000Z",
        field("to", "{\"iban\":\"X2\"}", "measured_data"),
    );
    let second = line(
        "b:y",
        "2026-06-02T00:00:00.000Z",
        field("payee", "{ \"n\": 1, \"iban\": \"X1\" }", "user_answer"),
    );
    workplace.file("one.jsonl", format!("{first}\n{other}"));
    workplace.file("two.jsonl", second);
    workplace.ingest(&["one.jsonl", "two.jsonl"]);
    let value = "{\"iban\":\"X1\",\"n\":1e0}";
    let found = trace(&workplace, &["--value", value]);
    let hops = found["hops"].as_array().unwrap();
    let told: Vec<_> = hops
        .iter()
        .map(|hop| {
            (
                hop["action_key"].as_str().unwrap(),
                hop["step"].as_str().unwrap(),
                &hop["cleaner_than"],
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("a:x", "first_known", &Value::Null),
            ("b:y", "enters", &json!("measured_data"))
        ]
    );
    assert!(hops[0]["value"].get("json").is_none());
    assert_eq!(found["claims"].as_array().unwrap().len(), 2);

    // The digest that the output prints leads to the same.
    let digest = hops[0]["value"]["digest"].as_str().unwrap();
    for digest in [digest, &format!("#{}", &digest[..8])] {
        assert_eq!(trace(&workplace, &["--value-digest", digest]), found);
    }
    let part = workplace.run(&["trace", "--value", value, "--limit", "1"]);
    assert!(
        part.stderr.contains("left out: 1 later hop;"),
        "{}",
        part.stderr
    );
    let shown = trace(&workplace, &["--value", value, "--show-values"]);
    assert_eq!(
        shown["hops"][0]["value"]["json"],
        "{\"iban\":\"X1\",\"n\":1.0}"
    );
}

#[test]
fn what_cannot_be_traced_is_said() {
    let workplace = provenance();
    for (arguments, message) in [
        (
            &["--field", "to_acount", "--action-key", "bob:bank.transfer"][..],
            "did you mean \"to_account\"?",
        ),
        (
            &["--field", "amount", "--action-key", "bob:bank.tranfer"],
            "did you mean \"bob:bank.transfer\"",
        ),
        (&["--field", "amount"], "--action-key"),
        (&["--value", "5500-1000"], "a text is JSON with its quotes"),
        (&["--value", "\"never\""], "no value there has the digest"),
        (&["--value-digest", "xy"], "is no value digest"),
        (
            &["--value", "1", "--value-digest", "abcd"],
            "cannot be used with",
        ),
        (&[], "required"),
    ] {
        let outcome = workplace.run(&[&["trace"], arguments].concat());
        assert_eq!(outcome.status, 2, "{arguments:?}");
        assert!(
            outcome.stderr.contains(message),
            "{arguments:?}: {}",
            outcome.stderr
        );
    }
}
