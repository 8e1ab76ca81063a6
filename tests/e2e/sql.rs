//! `preflight sql`: read-only, formats, parameters, errors that point at their place.

use serde_json::{Value, json};

use crate::harness::{Workplace, record};

pub fn lake() -> Workplace {
    let workplace = Workplace::new();
    let field = json!({"name": "amount", "value": 5, "status": "known", "source": "instruction"});
    let lines = [
        record(&json!({"action_key": "a", "fields": [field], "reason": "it, \"went\" well"})),
        record(&json!({"action_key": "b", "execution_decision": "hold", "timestamp": null})),
    ];
    workplace.file("log.jsonl", lines.join("\n"));
    workplace.ingest(&["log.jsonl"]);
    workplace
}

const ROWS: &str = "select action_key, timestamp, line, has_gate from records order by line";

fn answer(workplace: &Workplace, format: &str) -> String {
    workplace.run_well(&["sql", ROWS, "--format", format])
}

#[test]
fn json_is_one_array() {
    let workplace = lake();
    let rows: Value = serde_json::from_str(&answer(&workplace, "json")).unwrap();
    let expected = json!([
        {"action_key": "a", "timestamp": "2026-06-01T04:27:09.559Z", "line": 1, "has_gate": true},
        {"action_key": "b", "timestamp": null, "line": 2, "has_gate": true}
    ]);
    assert_eq!(rows, expected);
    let none = workplace.run_well(&["sql", "select 1 where false", "--format", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&none).unwrap(), json!([]));
}

#[test]
fn every_time_says_its_zone() {
    let workplace = lake();
    let times = "select timestamp '2026-01-01' as naive, date_trunc('day', max(timestamp)) as day,
        max(timestamp) at time zone '+02:00' as theirs, now() as now from records";
    for format in ["ndjson", "csv", "table"] {
        let row = workplace.run_well(&["sql", times, "--format", format]);
        for time in [
            "2026-01-01T00:00:00Z",
            "2026-06-01T00:00:00Z",
            "2026-06-01T06:27:09.559+02:00",
        ] {
            assert!(row.contains(time), "{time}: {row}");
        }
    }
    let now = workplace.value("select now() as now");
    assert!(now.as_str().unwrap().ends_with('Z'), "{now}");
}

#[test]
fn expanded_is_a_line_a_value() {
    insta::assert_snapshot!(answer(&lake(), "expanded"), @r"
    -[ 1 ]------------
    action_key  a
    timestamp   2026-06-01T04:27:09.559Z
    line        1
    has_gate    true
    -[ 2 ]------------
    action_key  b
    line        2
    has_gate    true
    ");
}

#[test]
fn ndjson_is_one_object_a_line() {
    insta::assert_snapshot!(answer(&lake(), "ndjson"), @r#"
    {"action_key":"a","timestamp":"2026-06-01T04:27:09.559Z","line":1,"has_gate":true}
    {"action_key":"b","timestamp":null,"line":2,"has_gate":true}
    "#);
}

#[test]
fn csv_has_a_header_and_quotes() {
    let workplace = lake();
    insta::assert_snapshot!(answer(&workplace, "csv"), @r"
    action_key,timestamp,line,has_gate
    a,2026-06-01T04:27:09.559Z,1,true
    b,,2,true
    ");
    let quoted = workplace.run_well(&[
        "sql",
        "select reason from records where line = 1",
        "--format",
        "csv",
    ]);
    assert_eq!(quoted, "reason\n\"it, \"\"went\"\" well\"\n");
    let header = workplace.run_well(&[
        "sql",
        "select reason from records where false",
        "--format",
        "csv",
    ]);
    assert_eq!(header, "reason\n");
}

#[test]
fn markdown_is_a_table() {
    insta::assert_snapshot!(answer(&lake(), "markdown"), @r"
    | action_key | timestamp | line | has_gate |
    | --- | --- | --: | --- |
    | a | 2026-06-01T04:27:09.559Z | 1 | true |
    | b |  | 2 | true |
    ");
}

#[test]
fn a_table_is_aligned() {
    insta::assert_snapshot!(answer(&lake(), "table"), @r"
    action_key  timestamp                 line  has_gate
    a           2026-06-01T04:27:09.559Z     1  true
    b                                        2  true
    ");
}

#[test]
fn parquet_is_a_file() {
    let workplace = lake();
    let output = workplace
        .command(&["sql", ROWS, "--format", "parquet"])
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(output.stdout.starts_with(b"PAR1") && output.stdout.ends_with(b"PAR1"));
    let length = output.stdout.len();
    let footer: [u8; 4] = output.stdout[length - 8..length - 4].try_into().unwrap();
    assert!(
        (u32::from_le_bytes(footer) as usize) < length - 8,
        "the footer is larger than the file"
    );
}

#[test]
fn nothing_can_be_written() {
    let workplace = lake();
    let statements = [
        "insert into records select * from records",
        "update records set line = 1",
        "delete from records",
        "create table t as select 1",
        "create view v as select 1",
        "create external table t stored as csv location '/etc/passwd'",
        "drop table records",
        "copy records to 'out.parquet'",
        "copy (select 1) to '/tmp/preflight-must-not-write.csv' stored as csv",
        "set datafusion.execution.batch_size = 1",
        "explain analyze insert into records select * from records",
        "prepare p as select 1",
        "begin",
    ];
    for statement in statements {
        let outcome = workplace.run(&["sql", statement]);
        assert_eq!(outcome.status, 2, "{statement}: {}", outcome.stdout);
        assert_eq!(outcome.stdout, "", "{statement}");
    }
    assert!(!workplace.path("out.parquet").exists());
    assert_eq!(workplace.digests().len(), 2);
}

#[test]
fn files_outside_the_lake_cannot_be_read() {
    let workplace = lake();
    workplace.file("secret.csv", "a\n1\n");
    for statement in [
        "select * from 'secret.csv'",
        "select * from '/etc/passwd'",
        "select * from \"file:///etc/passwd\"",
    ] {
        let outcome = workplace.run(&["sql", statement]);
        assert_eq!(outcome.status, 2, "{statement}: {}", outcome.stdout);
    }
}

#[test]
fn parameters_are_bound_and_never_spliced() {
    let workplace = lake();
    let of = |parameter: &str| {
        let statement = "select line from records where action_key = $key order by line";
        workplace.run_well(&["sql", statement, "--param", parameter, "--format", "ndjson"])
    };
    assert_eq!(of("key=b"), "{\"line\":2}\n");
    assert_eq!(of("$key=a"), "{\"line\":1}\n");
    assert_eq!(of("key=a' or 'a' = 'a"), "");
    let number = workplace.run_well(&[
        "sql",
        "select line from records where line >= $n",
        "--param",
        "n=2",
        "--format",
        "csv",
    ]);
    assert_eq!(number, "line\n2\n");
    let missing = workplace.run(&["sql", "select line from records where action_key = $key"]);
    assert_eq!(missing.status, 2);
    assert!(missing.stderr.contains("$key"), "{}", missing.stderr);
    let malformed = workplace.run(&["sql", "select 1", "--param", "key"]);
    assert_eq!(malformed.status, 2);
    assert!(
        malformed.stderr.contains("NAME=VALUE"),
        "{}",
        malformed.stderr
    );
}

#[test]
fn statements_come_from_files_and_standard_input() {
    let workplace = lake();
    let file = workplace.file(
        "question.sql",
        "-- how many?\nselect count(*) as n\nfrom records;\n",
    );
    assert_eq!(
        workplace.run_well(&["sql", "--file", &file, "--format", "csv"]),
        "n\n2\n"
    );
    let piped = workplace.run_with(&["sql", "-", "--format", "csv"], "select 3 as n");
    assert_eq!(piped.stdout, "n\n3\n");
    let without = workplace.run_with(&["sql", "--format", "csv"], "select 4 as n");
    assert_eq!(without.stdout, "n\n4\n");
    let nothing = workplace.run_with(&["sql"], " \n");
    assert_eq!(nothing.status, 2);
    assert!(
        nothing.stderr.contains("no statement was given"),
        "{}",
        nothing.stderr
    );
    let missing = workplace.run(&["sql", "--file", "none.sql"]);
    assert_eq!(missing.status, 2);
    assert!(missing.stderr.contains("none.sql"), "{}", missing.stderr);
    let both = workplace.run(&["sql", "select 1", "--file", &file]);
    assert_eq!(both.status, 2);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let workplace = lake();
    let rows = "select * from generate_series(1, 200000)";
    let mut child = workplace
        .process(&["sql", rows, "--format", "ndjson"])
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let outcome = child.wait_with_output().unwrap();
    assert!(outcome.status.success());
    assert_eq!(String::from_utf8_lossy(&outcome.stderr), "");
}
