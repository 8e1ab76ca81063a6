//! `preflight rules`, and folders of one's own rules.

use serde_json::{Value, json};

use crate::harness::{Workplace, record, rows};

fn rule(code: &str, name: &str, sql: &str) -> String {
    let class = if code.starts_with("AD") {
        "action_definition_gap"
    } else {
        "instruction_gap"
    };
    let severity = if code.starts_with("AD") {
        "critical"
    } else {
        "low"
    };
    format!(
        "-- code: {code}\n-- name: {name}\n-- class: {class}\n-- severity: {severity}\n\
         -- status: preview\n-- since: 0.1.0\n-- schema: 1.4\n-- summary: Ours.\n-- what: w\n-- why: y\n\
         -- example: e\n-- fix: f\n-- parameters: max_reason = 3 (longest reason)\n\n{sql}\n"
    )
}

#[test]
fn rules_are_listed() {
    let workplace = Workplace::new();
    let table = workplace.run_well(&["rules"]);
    assert!(table.contains("AD003  value_unanswerable"), "{table}");
    let json: Vec<Value> =
        serde_json::from_str(&workplace.run_well(&["rules", "--format", "json"])).unwrap();
    assert_eq!(table.lines().count(), json.len() + 1);
    for key in [
        "group", "code", "name", "class", "severity", "summary", "what", "why", "example", "fix",
        "version", "schema", "sql",
    ] {
        assert!(
            json.iter()
                .all(|rule| rule[key].as_str().is_some_and(|text| !text.is_empty())),
            "{key}"
        );
    }
    let markdown = workplace.run_well(&["rules", "--format", "markdown"]);
    assert_eq!(markdown.lines().count(), json.len() + 2);
}

#[test]
fn a_rule_is_explained_by_code_and_by_name() {
    let workplace = Workplace::new();
    let by_code = workplace.run_well(&["rules", "explain", "ad003"]);
    assert_eq!(
        by_code,
        workplace.run_well(&["rules", "explain", "value_unanswerable"])
    );
    for part in [
        "What it finds",
        "Why it matters",
        "Example",
        "What to do",
        "--param min_asks=2",
        "SQL (",
    ] {
        assert!(by_code.contains(part), "{part}: {by_code}");
    }
    let json = workplace.run_well(&["rules", "explain", "AD003", "--format", "json"]);
    assert_eq!(
        serde_json::from_str::<Value>(&json).unwrap()["name"],
        "value_unanswerable"
    );
    let unknown = workplace.run(&["rules", "explain", "value_mising"]);
    assert_eq!(unknown.status, 2);
    assert!(
        unknown.stderr.contains("did you mean value_missing?"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn a_folder_adds_and_replaces_rules() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", record(&json!({"reason": "long"})));
    workplace.ingest(&["log.jsonl"]);
    let long = "select record_id, cast(null as varchar) as field, reason as detail from records
        where length(reason) > $max_reason";
    workplace.file(
        "ours/gaps/IG900-long_reason.sql",
        rule("IG900", "long_reason", long),
    );
    workplace.file(
        "ours/gaps/AD003-value_unanswerable.sql",
        rule("AD003", "value_unanswerable", long),
    );
    let find = |more: &[&str]| {
        let common = [
            "findings",
            "--queries",
            "ours",
            "--rule",
            "IG900,AD003",
            "--format",
            "ndjson",
        ];
        rows(&workplace.run_well(&[&common, more].concat()))
    };
    let found = find(&[]);
    let told: Vec<_> = found
        .iter()
        .map(|f| {
            (
                f["code"].as_str().unwrap(),
                f["severity"].as_str().unwrap(),
                f["detail"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [("AD003", "critical", "long"), ("IG900", "low", "long")]
    );
    assert_eq!(find(&["--param", "max_reason=4"]), [] as [Value; 0]);
    let explained = workplace.run_well(&["rules", "explain", "IG900", "--queries", "ours"]);
    assert!(
        explained.contains("ours/gaps/IG900-long_reason.sql"),
        "{explained}"
    );
}

#[test]
fn a_view_may_be_replaced_by_one_that_needs_a_new_view() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", record(&json!({})));
    workplace.ingest(&["log.jsonl"]);
    let view = |name: &str, sql: &str| {
        format!("-- name: {name}\n-- summary: Ours.\n-- parameters: none\n\n{sql}\n")
    };
    workplace.file("ours/views/05-one.sql", view("one", "select 7 as n"));
    let tools = "select record_id, cast(n as varchar) as tool, null as gate_reason,
        'another' as approved_tool, 'wrong_tool' as cause from records cross join one";
    workplace.file(
        "ours/views/32-refused_tools.sql",
        view("refused_tools", tools),
    );
    let found = workplace.run_well(&[
        "findings",
        "--queries",
        "ours",
        "--rule",
        "AD001",
        "--format",
        "ndjson",
    ]);
    let details: Vec<_> = rows(&found)
        .iter()
        .map(|row| row["detail"].clone())
        .collect();
    assert_eq!(details, ["7 was refused, another was approved later"]);
}

/// Records of an old schema lack what a rule reads: neither clean nor a finding.
#[test]
fn what_a_rule_does_not_apply_to_is_counted() {
    let workplace = Workplace::new();
    let without_match = |version: &str| {
        record(
            &json!({"schema_version": version, "action_key": format!("u_1:{version}"),
            "fixed": {"c1_when_case": "immediate", "c2_user_action_name": "pay",
                "c3_provider_action_name": "bank.transfer"}}),
        )
    };
    let log: Vec<_> = ["1.6", "1.7", "1.8"].map(without_match).into();
    workplace.file("log.jsonl", log.join("\n"));
    let audit = workplace.run_well(&["audit", "log.jsonl"]);
    let said: Vec<_> = audit
        .lines()
        .filter(|line| line.starts_with("Not applicable"))
        .collect();
    assert_eq!(
        said,
        [
            "Not applicable: IM001 lookup_failed to 1 record before schema 1.7",
            "Not applicable: IV007 unapproved_tool to 2 records before schema 1.8",
        ]
    );
    let found = workplace.run_well(&["findings", "--rule", "IV007", "--format", "ndjson"]);
    let lines: Vec<_> = rows(&found).iter().map(|row| row["line"].clone()).collect();
    assert_eq!(lines, [3]);
}

/// What is said about a folder with one file that is not right.
fn fault(file: &str, text: &str) -> String {
    let workplace = Workplace::new();
    workplace.file(&format!("ours/gaps/{file}"), text);
    let outcome = workplace.run(&["rules", "--queries", "ours"]);
    assert_eq!((outcome.status, &*outcome.stdout), (2, ""));
    outcome.stderr
}

#[test]
fn broken_headers_are_told_with_file_and_line() {
    let good = rule("IG900", "ours", "select 1");
    let file = "IG900-ours.sql";
    let cases = [
        (
            good.replace("-- severity: low", "-- severity: grave"),
            "4: ",
        ),
        (good.replace("-- why: y", "-- wye: y"), "10: unknown key"),
        (
            good.replace("-- why: y\n", ""),
            "12: the key \"why\" is missing",
        ),
        (
            good.replace("-- why: y", "-- what: y"),
            "10: the key \"what\" stands twice",
        ),
        (good.replace("IG900", "XX900"), "1: "),
        (
            good.replace("-- schema: 1.4", "-- schema: 1.9"),
            "7: the schema is a version from 1.4 to 1.8",
        ),
        (
            good.replace("-- name: ours", "-- name: theirs"),
            "2: the file should be called IG900-theirs.sql",
        ),
        (good.replace("select 1\n", ""), "there is no statement"),
    ];
    for (text, message) in cases {
        assert_ne!(text, good);
        let said = fault(file, &text);
        let start = format!("preflight: ours/gaps/{file}:");
        let rest = said
            .strip_prefix(&start)
            .unwrap_or_else(|| panic!("{said}"));
        assert!(rest.contains(message), "{message}: {said}");
    }
    let taken = fault(
        "IG900-value_missing.sql",
        &rule("IG900", "value_missing", "select 1"),
    );
    assert!(
        taken.contains(":2: the name value_missing belongs to IG002"),
        "{taken}"
    );
}

#[test]
fn a_rule_that_fails_is_never_a_clean_result() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", record(&json!({})));
    workplace.ingest(&["log.jsonl"]);
    let cases = [
        (
            "select record_id, tool as field, reson as detail from records",
            "there is no column \"reson\"",
        ),
        ("select 1", "a rule selects record_id, field, detail"),
        ("insert into records select * from records", "read-only"),
    ];
    for (sql, message) in cases {
        workplace.file("ours/gaps/IG900-ours.sql", rule("IG900", "ours", sql));
        let outcome = workplace.run(&["findings", "--queries", "ours"]);
        assert_eq!((outcome.status, &*outcome.stdout), (2, ""), "{sql}");
        assert!(
            outcome.stderr.contains("IG900-ours.sql"),
            "{}",
            outcome.stderr
        );
        assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
    }
}

#[test]
fn folders_without_rules_and_unknown_parameters_are_refused() {
    let workplace = Workplace::new();
    workplace.file("empty/README.md", "");
    let empty = workplace.run(&["rules", "--queries", "empty"]);
    assert_eq!(empty.status, 2);
    assert!(
        empty.stderr.contains("empty holds no rules"),
        "{}",
        empty.stderr
    );
    let missing = workplace.run(&["rules", "--queries", "none"]);
    assert_eq!(missing.status, 2);
    assert!(missing.stderr.contains("none: "), "{}", missing.stderr);
    let parameter = workplace.run(&["rules", "--param", "min_ask=3"]);
    assert_eq!(parameter.status, 2);
    assert!(parameter.stderr.contains("min_ask"), "{}", parameter.stderr);
}
