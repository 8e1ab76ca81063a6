//! `preflight ask`: the list, the documentation, parameters, formats, folders of one's own.

use std::fs;

use serde_json::{Value, json};

use super::{all, at, known, lake, name};
use crate::{
    harness::{Workplace, data},
    rule_pack::documentation::marked,
};

/// A question of one's own.
fn question(name: &str, sql: &str) -> String {
    format!(
        "-- name: {name}\n-- title: Ours\n-- since: 0.1.0\n-- question: How many?\n\
         -- answer: n = how many\n-- reading: As it is.\n\
         -- parameters: least = 0 (at least so many)\n\n{sql}\n"
    )
}

#[test]
fn the_question_table_is_current() {
    let table = Workplace::new().run_well(&["ask", "--format", "markdown"]);
    assert!(
        marked("queries/README.md", "questions") == table.trim(),
        "queries/README.md is not current; between its markers belongs:\n\n{table}"
    );
}

#[test]
fn the_answer_in_the_readme_is_current() {
    let readme = fs::read_to_string(data("../README.md")).unwrap();
    let (_, rest) = readme.split_once("$ preflight ask ").unwrap();
    let (shown, _) = rest.split_once("```").unwrap();
    let (asked, shown) = shown.split_once('\n').unwrap();
    let workplace = Workplace::new();
    let samples = data("../sample-data");
    workplace.run(&["ingest", samples.to_str().unwrap()]);
    let arguments: Vec<&str> = ["ask"].into_iter().chain(asked.split(' ')).collect();
    assert_eq!(workplace.run_well(&arguments), shown);
}

#[test]
fn an_empty_lake_gives_a_header_and_no_row() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", "\n");
    workplace.ingest(&["log.jsonl"]);
    for question in all(&workplace) {
        let columns = question["answer"].as_array().unwrap().iter();
        let columns: Vec<&str> = columns.map(name).collect();
        let outcome = workplace.run(&["ask", name(&question), "--format", "csv"]);
        assert_eq!(outcome.status, 0, "{}: {}", name(&question), outcome.stderr);
        assert_eq!(outcome.stdout.trim_end(), columns.join(","));
        assert_eq!(outcome.stderr, "no rows: the lake holds no records\n");
    }
}

#[test]
fn every_question_is_listed_and_explained() {
    let workplace = Workplace::new();
    let list = workplace.run_well(&["ask"]);
    let questions = all(&workplace);
    assert!(questions.len() >= 12);
    assert_eq!(list.lines().count(), questions.len() + 1);
    for question in &questions {
        assert!(list.contains(name(question)), "{list}");
        let text = workplace.run_well(&["ask", name(question), "--explain"]);
        for part in ["Question\n", "Answer\n", "How to read it\n", "Parameters\n"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let json = workplace.run_well(&["ask", name(question), "--explain", "--format", "json"]);
        assert_eq!(&serde_json::from_str::<Value>(&json).unwrap(), question);
        let sql = workplace.run_well(&["ask", name(question), "--sql"]);
        assert_eq!(sql.trim_end(), question["sql"]);
        for parameter in question["parameters"].as_array().unwrap() {
            assert!(sql.contains(&format!("${}", name(parameter))), "{sql}");
        }
    }
    let text = workplace.run_well(&["ask", "re_asks", "--explain"]);
    let (text, version) = text.rsplit_once("\n\nSince 0.1.0, version ").unwrap();
    assert!(
        version.ends_with(", in queries/questions/re_asks.sql\n"),
        "{version}"
    );
    insta::assert_snapshot!("explain", text);
}

#[test]
fn values_are_masked_unless_they_are_asked_for() {
    let secret = "DE44500105175407324931";
    let fields = json!([known("iban", secret, "measured_data", "measured_data"),
        known("iban", secret, "prior_state", "measured_data"),
        {"name": "to", "value": secret, "status": "unknown", "source": null, "lookup_failed": true}]);
    let record = |time: &str, decision: &str| {
        let gate =
            json!({"unknown_fields": [{"name": "to"}], "unverified_checklist": [{"id": "c"}]});
        at(
            "u_1:bank.transfer",
            time,
            decision,
            json!({"fields": fields, "gate": gate}),
        )
    };
    let times = ["10:00", "10:01", "10:02", "10:03"];
    let decisions = ["ask_user", "ask_user", "execute", "executed"];
    let mut records: Vec<String> = times
        .into_iter()
        .zip(decisions)
        .map(|(t, d)| record(t, d))
        .collect();
    records.push(record("2026-06-20T10:00:00.000Z", "executed"));
    let workplace = lake(&records);
    let mut answered = 0;
    for question in all(&workplace) {
        let text = workplace.run_well(&["ask", name(&question), "--format", "csv"]);
        assert!(!text.contains(secret), "{text}");
        answered += usize::from(text.lines().count() > 1);
    }
    assert!(
        answered >= 9,
        "only {answered} questions had something to say"
    );
    let shown = [
        "ask",
        "measured_only",
        "--param",
        "show_values=true",
        "--param",
        "tool=bank.transfer",
    ];
    assert!(workplace.run_well(&shown).contains(secret));
}

#[test]
fn answers_come_in_every_format_and_limited() {
    let key = |number: u32| format!("u_{number}:tool_{number}");
    let executed = |number| at(&key(number), "10:00", "execute", json!({}));
    let workplace = lake(&[executed(1), executed(2), executed(3)]);
    let asked = |format: &str, more: &[&str]| {
        let arguments = [&["ask", "tool_approvals", "--format", format], more].concat();
        workplace.run(&arguments)
    };
    for format in ["table", "expanded", "json", "ndjson", "csv", "markdown"] {
        let outcome = asked(format, &[]);
        assert_eq!(outcome.status, 0, "{format}: {}", outcome.stderr);
        assert!(outcome.stdout.contains("tool"), "{format}");
    }
    let parquet = workplace
        .command(&["ask", "tool_approvals", "--format", "parquet"])
        .output()
        .unwrap();
    assert!(parquet.stdout.starts_with(b"PAR1"));
    let limited = asked("csv", &["--limit", "2"]);
    assert_eq!(limited.stdout.lines().count(), 3);
    assert_eq!(limited.stderr, "note: 2 of 3 rows shown (--limit)\n");
}

#[test]
fn what_cannot_be_asked_is_told() {
    let workplace = lake(&[at("u_1:t", "10:00", "executed", json!({}))]);
    for (arguments, said) in [
        (&["whose_wrd"][..], "did you mean whose_word?"),
        (&["xyzzy"], "`preflight ask` lists them"),
        (
            &["retention", "--param", "retention_day=3"],
            "did you mean retention_days?",
        ),
        (
            &["retention", "--param", "tool=x"],
            "it has retention_days, as_of",
        ),
        (
            &["retention", "--param", "retention_days=soon"],
            "a whole number, as in retention_days=365",
        ),
        (
            &["retention", "--param", "as_of=yesterday"],
            "--param as_of=yesterday: a time is",
        ),
        (
            &["tool_approvals", "--param", "period=fortnight"],
            "fortnight",
        ),
        (&["--explain"], "<QUESTION>"),
        (&["retention", "--explain", "--sql"], "cannot be used with"),
    ] {
        let outcome = workplace.run(&[&["ask"], arguments].concat());
        assert_eq!((outcome.status, &*outcome.stdout), (2, ""), "{arguments:?}");
        assert!(
            outcome.stderr.contains(said),
            "{arguments:?}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn a_folder_adds_and_replaces_questions() {
    let workplace = lake(&[at("u_1:t", "10:00", "executed", json!({}))]);
    let sql = "select count(*) as n from records having count(*) >= $least";
    workplace.file("ours/questions/how_many.sql", question("how_many", sql));
    workplace.file("ours/questions/retention.sql", question("retention", sql));
    let ask = |more: &[&str]| {
        let common = ["ask", "--queries", "ours", "--format", "csv"];
        workplace.run_well(&[&common, more].concat())
    };
    assert!(ask(&[]).contains("how_many"));
    assert_eq!(ask(&["how_many"]), "n\n1\n");
    assert_eq!(ask(&["retention"]), "n\n1\n");
    assert_eq!(ask(&["how_many", "--param", "least=2"]), "n\n");
}

#[test]
fn broken_questions_are_told_with_file_and_line() {
    let good = question("ours", "select count(*) as n from records where $least = 0");
    let fault = |from: &str, to: &str| {
        let workplace = lake(&[at("u_1:t", "10:00", "executed", json!({}))]);
        let text = good.replace(from, to);
        assert_ne!(text, good);
        workplace.file("pack/questions/ours.sql", text);
        let outcome = workplace.run(&["ask", "ours", "--queries", "pack"]);
        assert_eq!((outcome.status, &*outcome.stdout), (2, ""), "{to}");
        outcome.stderr
    };
    for (from, to, said) in [
        (
            "-- reading: As it is.\n",
            "",
            ":6: the key \"reading\" is missing",
        ),
        ("-- reading", "-- how", ":6: unknown key"),
        (
            "name: ours",
            "name: theirs",
            ":1: the file should be called theirs.sql",
        ),
        ("n = how many", "n", ":5: the answer is"),
        (
            "as n",
            "as m",
            ": its header names n; its statement selects m",
        ),
        ("records", "record", "did you mean records?"),
        (
            "select count(*) as n from records",
            "drop table records --",
            "read-only",
        ),
        (
            "least = 0 (",
            "min_asks = 9 (",
            "the parameter min_asks has the default 9",
        ),
    ] {
        let stderr = fault(from, to);
        assert!(
            stderr.starts_with("preflight: pack/questions/ours.sql"),
            "{stderr}"
        );
        assert!(stderr.contains(said), "{said}: {stderr}");
    }
}
