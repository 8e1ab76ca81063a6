//! Each rule with a definition that triggers it and one that must not.

use preflight_lint::{Problem, RULES, apply, lint, rule};
use proptest::prelude::*;
use serde_json::Value;

/// Code, what triggers it, what must not.
const CASES: &[(&str, &str, &str)] = &[
    ("TD001", r#"[{"description":"x"}]"#, r#"[{"name":"a.b"}]"#),
    (
        "TD002",
        r#"[{"name":"a","description":" "}]"#,
        r#"[{"name":"a","description":"Sends."}]"#,
    ),
    (
        "TD003",
        r#"[{"name":"a"}]"#,
        r#"[{"name":"a","inputSchema":{"type":"object"}}]"#,
    ),
    (
        "TD004",
        r#"[{"name":"a","inputSchema":{"oneOf":[{"properties":{"a":{}},"required":["a"]}]}}]"#,
        r#"[{"name":"a","inputSchema":{"oneOf":[{"required":["a"]},{"required":["b"]}]}}]"#,
    ),
    (
        "TD005",
        r#"[{"name":"a","inputSchema":{"properties":{"a":{"type":"nonsense"}}}}]"#,
        r#"[{"name":"a","inputSchema":{"properties":{"a":{"type":"string"}}}}]"#,
    ),
    (
        "TD006",
        r#"[{"name":"a","inputSchema":{"properties":{"a":{"$ref":"https://example.com/a.json"}}}}]"#,
        r##"[{"name":"a","inputSchema":{"$defs":{"a":{}},"properties":{"a":{"$ref":"#/$defs/a"}}}}]"##,
    ),
    (
        "TD007",
        r#"[{"name":"a","inputSchema":{"required":["to"]}}]"#,
        r#"[{"name":"a","inputSchema":{"properties":{"to":{}},"required":["to"]}}]"#,
    ),
    (
        "TD008",
        r#"[{"inputSchema":{"properties":{"to":{"description":"Who"}}}}]"#,
        r#"[{"inputSchema":{"properties":{"to":{"enum":["a"]}}}}]"#,
    ),
    (
        "TD009",
        r#"[{"inputSchema":{"properties":{"to":{"type":"string"}}}}]"#,
        r#"[{"inputSchema":{"properties":{"to":{"description":"Who"}}}}]"#,
    ),
    (
        "TD010",
        r#"[{"inputSchema":{"properties":{"startDate":{"type":"string"}}}}]"#,
        r#"[{"inputSchema":{"properties":{"start_date":{"type":"string","format":"date"},"update":{"type":"string"}}}}]"#,
    ),
    (
        "TD011",
        r#"[{"inputSchema":{"properties":{"p":{"type":"string","description":"One of low, high"}}}}]"#,
        r#"[{"inputSchema":{"properties":{"p":{"type":"string","enum":["low"],"description":"One of low, high"}}}}]"#,
    ),
    (
        "TD012",
        r#"[{"inputSchema":{"properties":{"account_id":{"type":"string"}},"required":["account_id"]}}]"#,
        r#"[{"inputSchema":{"properties":{"account_id":{"type":"string"},"paid":{"type":"string"}},"required":["paid"]}}]"#,
    ),
    (
        "TD013",
        r#"[{"description":"Sends. The account must be active."}]"#,
        r#"[{"description":"Sends.\n[Required] The account must be active."}]"#,
    ),
    (
        "TD014",
        r#"[{"name":"a"},{"name":"b"},{"name":"a"}]"#,
        r#"[{"name":"a"},{"name":"A"},{"description":"x"},{"description":"x"}]"#,
    ),
    (
        "TD015",
        r#"[{"inputSchema":{"properties":{"n":{"type":"integer","description":"How many, defaults to 5"}}}}]"#,
        r#"[{"inputSchema":{"properties":{"n":{"type":"integer","default":5,"description":"Defaults to 5"}}}}]"#,
    ),
];

#[test]
fn each_rule_has_a_definition_that_triggers_it_and_one_that_must_not() {
    let codes: Vec<_> = CASES.iter().map(|case| case.0).collect();
    let all: Vec<_> = RULES.iter().map(|rule| rule.code).collect();
    assert_eq!(codes, all);
    for (code, triggers, must_not) in CASES {
        let finds = |text: &str| {
            let linted = lint(text).expect("tools");
            linted
                .problems
                .iter()
                .any(|problem| problem.rule.code == *code)
        };
        assert!(finds(triggers), "{code} misses {triggers}");
        assert!(!finds(must_not), "{code} finds {must_not}");
    }
}

#[test]
fn the_three_forms_of_a_list_are_read() {
    for (text, pointer) in [
        (r#"[{"name":"a","description":"x"}]"#, "/0/inputSchema"),
        (
            r#"{"tools":[{"name":"a","description":"x"}]}"#,
            "/tools/0/inputSchema",
        ),
        (
            r#"{"result":{"tools":[{"name":"a","description":"x"}]}}"#,
            "/result/tools/0/inputSchema",
        ),
    ] {
        let linted = lint(text).expect("tools");
        let pointers: Vec<_> = linted.problems.iter().map(|p| p.pointer.as_str()).collect();
        assert_eq!(pointers, [pointer]);
    }
    for text in ["", "{}", "3", r#"{"tools":{}}"#, "[1"] {
        assert!(lint(text).is_err(), "{text}");
    }
}

#[test]
fn a_problem_has_a_line_and_a_column() {
    let text = "[\n  {\n    \"name\": \"a\",\n    \"description\": \"It must not run at night.\",\n    \"inputSchema\": {}\n  }\n]";
    let linted = lint(text).expect("tools");
    let places: Vec<_> = linted
        .problems
        .iter()
        .map(|p| (p.rule.code, p.line, p.column))
        .collect();
    assert_eq!(places, [("TD013", 4, 5)]);
}

/// A list in which each rule that can patch finds something, in depth too.
const FAULTY: &str = include_str!("faulty.json");

#[test]
fn each_patch_mends_its_problem_and_brings_no_other() {
    let linted = lint(FAULTY).expect("tools");
    let mut patched = Vec::new();
    for problem in &linted.problems {
        let Some(patch) = &problem.patch else {
            continue;
        };
        let mut tools: Value = serde_json::from_str(FAULTY).expect("JSON");
        apply(&mut tools, patch).expect("it applies");
        let after = lint(&tools.to_string()).expect("tools").problems;
        let is_in = |problems: &[Problem], wanted: &Problem| {
            problems.iter().any(|other| {
                (other.rule, &other.pointer, &other.says)
                    == (wanted.rule, &wanted.pointer, &wanted.says)
            })
        };
        assert!(!is_in(&after, problem), "{problem:?}");
        let new: Vec<_> = after
            .iter()
            .filter(|p| !is_in(&linted.problems, p))
            .collect();
        assert!(new.is_empty(), "{problem:?}: {new:?}");
        // It is for this list and no other.
        let mut others = serde_json::json!({"tools": [{"name": "other"}]});
        let before = others.clone();
        assert!(apply(&mut others, patch).is_err());
        assert_eq!(others, before);
        patched.push(problem.rule.code);
    }
    patched.sort_unstable();
    patched.dedup();
    let wanted = ["TD004", "TD008", "TD010", "TD011", "TD013", "TD015"];
    assert_eq!(patched, wanted);
}

/// What the lint calls usable the gate must be able to use, and the other way round.
#[test]
fn a_schema_is_invalid_where_the_gate_cannot_check() {
    for (schema, pointers) in [
        (
            r#"{"properties":{"a":{"pattern":"(?=x)y"},"b":{}}}"#,
            vec!["/properties/a"],
        ),
        (
            r##"{"properties":{"a":{"$ref":"#/$defs/none"}}}"##,
            vec!["/properties/a"],
        ),
        (
            r#"{"properties":{"a":{"type":"nonsense"}}}"#,
            vec!["/properties/a/type"],
        ),
        (r#"{"additionalProperties":{"pattern":"(?=x)y"}}"#, vec![""]),
        // A reference elsewhere does not hide what else is wrong.
        (
            r#"{"properties":{"a":{"$ref":"https://example.com/a.json"},"b":{"type":"nonsense"}}}"#,
            vec!["/properties/b/type"],
        ),
        (
            r#"{"properties":{"a":{"$ref":"https://example.com/a.json"}}}"#,
            vec![],
        ),
        (r#"{"properties":{"a":{"default":{"$ref":"x"}}}}"#, vec![]),
    ] {
        let text = format!(r#"[{{"name":"a","inputSchema":{schema}}}]"#);
        let linted = lint(&text).expect("tools");
        let invalid = linted.problems.iter().filter(|p| p.rule.code == "TD005");
        let at: Vec<_> = invalid.map(|p| p.pointer.clone()).collect();
        let wanted = pointers
            .iter()
            .map(|pointer| format!("/0/inputSchema{pointer}"));
        assert_eq!(at, wanted.collect::<Vec<_>>(), "{schema}");
    }
}

/// A field may be called as a keyword is.
#[test]
fn references_are_found_beside_names_like_keywords() {
    let text = r#"[{"name":"a","inputSchema":{"properties":{
        "default":{"$ref":"https://example.com/a.json"},
        "$ref":{"type":"string"},
        "b":{"default":{"$ref":"data"}}}}}]"#;
    let linted = lint(text).expect("tools");
    let remote = linted.problems.iter().filter(|p| p.rule.code == "TD006");
    let at: Vec<_> = remote.map(|p| p.place.as_str()).collect();
    assert_eq!(at, ["/inputSchema/properties/default/$ref"]);
}

#[test]
fn rules_are_found_by_code_and_by_name() {
    assert_eq!(rule("td004"), rule("schema_unsupported"));
    assert!(rule("TD999").is_none());
}

proptest! {
    #[test]
    fn no_text_panics(text in r#"[\[\]{}",:\\ant$/~é0-9 ]{0,60}"#) {
        let _ = lint(&text);
    }
}
