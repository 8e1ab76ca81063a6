//! What a statement's error says, and where it points.
//!
//! Much of it rests on the engine's wording: these tests tell when an update changes that.

use crate::{harness::Workplace, sql::lake};

/// What a statement's error says.
fn error(statement: &str) -> String {
    error_of(&lake(), &["sql", statement])
}

fn error_of(workplace: &Workplace, arguments: &[&str]) -> String {
    let outcome = workplace.run(arguments);
    assert_eq!((outcome.status, &*outcome.stdout), (2, ""), "{arguments:?}");
    assert!(!outcome.stderr.contains("\\n"), "{}", outcome.stderr);
    outcome.stderr
}

#[test]
fn an_unknown_table_is_pointed_at() {
    insta::assert_snapshot!(error("select line\nfrom recods where line = 1"), @r#"
    preflight: there is no table "recods" (line 2, column 6); did you mean records?
      2 | from recods where line = 1
               ^^^^^^
    "#);
}

#[test]
fn an_unknown_column_is_pointed_at() {
    insta::assert_snapshot!(error("select count(*), decison from records"), @r#"
    preflight: there is no column "decison" (line 1, column 18); did you mean decision?
      1 | select count(*), decison from records
                           ^^^^^^^
    "#);
}

#[test]
fn a_syntax_error_is_pointed_at() {
    insta::assert_snapshot!(error("select line frm records where"), @r"
    preflight: Expected: end of statement, found: records (line 1, column 17)
      1 | select line frm records where
                          ^^^^^^^
    ");
}

#[test]
fn a_failure_while_rows_are_computed_is_no_result() {
    let said = error_of(
        &lake(),
        &[
            "sql",
            "select 1 / (line - 1) from records",
            "--format",
            "csv",
        ],
    );
    assert_eq!(said, "preflight: a division by zero\n");
}

#[test]
fn a_column_of_another_table_is_pointed_at() {
    insta::assert_snapshot!(error("select r.line from records"), @r#"
    preflight: there is no column "r.line" (line 1, column 8); did you mean records.line?
      1 | select r.line from records
                 ^^^^^^
    "#);
}

#[test]
fn functions_that_do_not_exist_or_take_other_arguments() {
    insta::assert_snapshot!(error("select lenght(reason) from records"), @r#"
    preflight: there is no function "lenght" (line 1, column 8); did you mean length?
      1 | select lenght(reason) from records
                 ^^^^^^
    "#);
    insta::assert_snapshot!(error("select nosuch(reason) from records"), @r#"
    preflight: there is no function "nosuch" (line 1, column 8)
      1 | select nosuch(reason) from records
                 ^^^^^^
    "#);
    insta::assert_snapshot!(error("select sum(reason) from records"), @"preflight: sum(Utf8View): the function takes other arguments: sum(Decimal), sum(UInt64), sum(Int64), sum(Float64), sum(Duration), sum(Interval)");
    insta::assert_snapshot!(error("select length(1, 2)"), @"preflight: character_length(Int64, Int64): the function takes other arguments: character_length(String)");
}

#[test]
fn columns_that_are_not_grouped_are_pointed_at() {
    insta::assert_snapshot!(error("select action_key, count(*) from records group by tool"), @r#"
    preflight: "records.action_key" must be in GROUP BY or inside an aggregate function (line 1, column 8)
      1 | select action_key, count(*) from records group by tool
                 ^^^^^^^^^^
    "#);
}

#[test]
fn values_that_cannot_be_computed_with() {
    insta::assert_snapshot!(error("select cast('abc' as int)"), @r"
    preflight: Cannot cast string 'abc' to value of Int32 type (line 1, column 14)
      1 | select cast('abc' as int)
                       ^^^
    ");
    insta::assert_snapshot!(error("select cast(reason as int) from records"), @r#"preflight: Cannot cast string 'it, "went" well' to value of Int32 type"#);
    insta::assert_snapshot!(error("select timestamp > 'yesterday' from records"), @r"
    preflight: Error parsing timestamp from 'yesterday': timestamp must contain at least 10 characters (line 1, column 21)
      1 | select timestamp > 'yesterday' from records
                              ^^^^^^^^^
    ");
    insta::assert_snapshot!(error("select regexp_like(reason, '(') from records"), @"preflight: regex parse error: ( ^ error: unclosed group");
    insta::assert_snapshot!(error("select (select line from records)"), @"preflight: Scalar subquery returned more than one row");
}

#[test]
fn there_is_one_statement() {
    insta::assert_snapshot!(error("select 1; select 2"), @"preflight: one statement at a time: there are 2");
    insta::assert_snapshot!(error(""), @"preflight: there is no statement");
    insta::assert_snapshot!(error(" ;; "), @"preflight: there is no statement");
    insta::assert_snapshot!(error("/* nothing */"), @"preflight: there is no statement");
    assert_eq!(
        lake().run_well(&["sql", "select 1 as n;", "--format", "csv"]),
        "n\n1\n"
    );
}

#[test]
fn a_parameter_without_a_value_is_pointed_at() {
    insta::assert_snapshot!(error("select line from records\nwhere line = $n"), @r"
    preflight: $n has no value: give --param n=value (line 2, column 14)
      2 | where line = $n
                       ^^
    ");
    insta::assert_snapshot!(error("select line from records where line = ?"), @r"
    preflight: a parameter needs a name: write $name, and give --param name=value (line 1, column 39)
      1 | select line from records where line = ?
                                                ^
    ");
    insta::assert_snapshot!(error("select line from records limit $n"), @r"
    preflight: $n has no value: give --param n=value (line 1, column 32)
      1 | select line from records limit $n
                                         ^^
    ");
}

#[test]
fn a_parameter_that_nothing_names_is_refused() {
    let workplace = lake();
    let said =
        |statement, parameter| error_of(&workplace, &["sql", statement, "--param", parameter]);
    // Text that looks like a parameter is none, and neither is the beginning of a longer name.
    insta::assert_snapshot!(said("select '$n', \"$n\" from records -- $n", "n=1"), @"preflight: --param n: neither the statement nor a rule has $n");
    insta::assert_snapshot!(said("select line from records where tool = $tool", "too=x"), @"preflight: --param too: neither the statement nor a rule has $too; did you mean tool?");
    let explained = workplace.run_well(&["sql", "explain select $n", "--param", "n=1"]);
    assert!(explained.contains("logical_plan"), "{explained}");
    let nested = "select line from records where line in (select $n) limit $m";
    let rows = workplace.run_well(&[
        "sql", nested, "--param", "n=2", "--param", "m=1", "--format", "csv",
    ]);
    assert_eq!(rows, "line\n2\n");
    // A threshold of a rule or view is known too.
    workplace.run_well(&[
        "sql",
        "select count(*) from findings",
        "--param",
        "min_asks=3",
    ]);
}
