//! `preflight lint-tools`: definitions, before any record exists.

use std::{collections::BTreeSet, fs, time::Instant};

use serde_json::{Value, json};

use crate::{
    formats::valid_sarif,
    harness::{Workplace, data, rows},
};

const SAMPLE: &str = "../reports/sample-tools.json";

fn with_sample() -> Workplace {
    let workplace = Workplace::new();
    workplace.file("tools.json", fs::read(data(SAMPLE)).unwrap());
    workplace
}

fn problems(workplace: &Workplace, file: &str) -> Vec<Value> {
    rows(&workplace.run_well(&["lint-tools", file, "--format", "ndjson"]))
}

#[test]
fn the_sample_is_linted() {
    let workplace = with_sample();
    let outcome = workplace.run(&["lint-tools", "tools.json"]);
    assert_eq!(outcome.status, 0);
    insta::assert_snapshot!(outcome.stdout);
    assert_eq!(
        outcome.stderr,
        "17 problems in 11 tools, 9 with a patch (--format json)\n"
    );
    let from_stdin = workplace.run_with(&["lint-tools", "-"], fs::read(data(SAMPLE)).unwrap());
    assert!(
        from_stdin.stdout.contains(" stdin:5:7 "),
        "{}",
        from_stdin.stdout
    );
}

#[test]
fn a_problem_as_json() {
    let workplace = with_sample();
    let whole = workplace.run_well(&["lint-tools", "tools.json", "--format", "json"]);
    let whole: Vec<Value> = serde_json::from_str(&whole).unwrap();
    assert_eq!(whole, problems(&workplace, "tools.json"));
    insta::assert_snapshot!(serde_json::to_string_pretty(&whole[0]).unwrap());
}

#[test]
fn every_format_holds_every_problem() {
    let workplace = with_sample();
    let found = problems(&workplace, "tools.json");
    let codes: BTreeSet<&str> = found.iter().map(|p| p["code"].as_str().unwrap()).collect();
    let read = |format: &str| workplace.run_well(&["lint-tools", "tools.json", "--format", format]);
    let mut csv = csv_rows(&read("csv"));
    let header = csv.remove(0);
    assert_eq!(csv.len(), found.len());
    for (row, problem) in csv.iter().zip(&found) {
        for (name, cell) in header.iter().zip(row) {
            let wanted = match &problem[name] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(*cell, wanted, "{name}");
        }
    }
    assert_eq!(read("markdown").lines().count(), found.len() + 2);
    assert_eq!(read("expanded").matches("\nproblem").count(), found.len());
    let junit = read("junit");
    let junit = roxmltree::Document::parse(&junit).unwrap();
    let failed: BTreeSet<&str> = junit
        .descendants()
        .filter(|node| node.has_tag_name("failure"))
        .map(|node| node.parent().unwrap().attribute("name").unwrap())
        .map(|name| name.split_once(' ').unwrap().0)
        .collect();
    assert_eq!(failed, codes);
}

fn csv_rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    let rows = reader.records().map(|row| row.unwrap());
    rows.map(|row| row.iter().map(str::to_owned).collect())
        .collect()
}

#[test]
fn sarif_holds_every_problem_with_its_place() {
    let workplace = with_sample();
    let found = problems(&workplace, "tools.json");
    let sarif =
        valid_sarif(&workplace.run_well(&["lint-tools", "tools.json", "--format", "sarif"]));
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), found.len());
    for (result, problem) in results.iter().zip(&found) {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(
            (&rule["id"], &rule["name"]),
            (&problem["code"], &problem["name"])
        );
        assert_eq!(result["level"], rule["defaultConfiguration"]["level"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "tools.json");
        assert_eq!(place["region"]["startLine"], problem["line"]);
        assert_eq!(place["region"]["startColumn"], problem["column"]);
        let id = &result["partialFingerprints"]["preflightProblemId/v1"];
        assert_eq!(id, &problem["id"]);
        assert_eq!(
            result["properties"].get("patch").unwrap_or(&Value::Null),
            &problem["patch"]
        );
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&results[2]).unwrap());
}

/// The id of a problem stays where the list around the tool changes.
#[test]
fn ids_do_not_depend_on_the_list() {
    let workplace = with_sample();
    let tools: Value = serde_json::from_slice(&fs::read(data(SAMPLE)).unwrap()).unwrap();
    let mut list = tools["tools"].as_array().unwrap().clone();
    list.reverse();
    workplace.file(
        "turned.json",
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": list}}).to_string(),
    );
    let ids = |file: &str| -> BTreeSet<String> {
        let found = problems(&workplace, file);
        let ids = found
            .iter()
            .map(|problem| problem["id"].as_str().unwrap().to_owned());
        let ids: BTreeSet<String> = ids.collect();
        assert_eq!(ids.len(), found.len(), "each has its own");
        ids
    };
    assert_eq!(ids("tools.json"), ids("turned.json"));
}

#[test]
fn the_status_says_how_bad_it_is() {
    let workplace = with_sample();
    let status = |more: &[&str]| {
        workplace
            .run(&[&["lint-tools", "tools.json"], more].concat())
            .status
    };
    assert_eq!(status(&[]), 0);
    assert_eq!(status(&["--fail-on", "high"]), 1);
    assert_eq!(status(&["--fail-on", "critical"]), 0);
    assert_eq!(status(&["--rule", "TD013", "--fail-on", "high"]), 0);
    assert_eq!(
        status(&["--rule", "TD013,schema_unsupported", "--fail-on", "high"]),
        1
    );
    assert_eq!(status(&["--format", "sarif", "--fail-on", "medium"]), 1);
    let outcome = workplace.run(&["lint-tools", "tools.json", "--rule", "schema_unsuported"]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains("did you mean schema_unsupported?"),
        "{}",
        outcome.stderr
    );

    workplace.file(
        "good.json",
        r#"[{"name":"a","description":"Does it.","inputSchema":{"type":"object"}}]"#,
    );
    let good = workplace.run(&["lint-tools", "good.json", "--fail-on", "info"]);
    assert_eq!((good.status, &*good.stdout), (0, ""));
    assert_eq!(good.stderr, "no problems: 1 tool checked\n");
    workplace.file("none.json", r#"{"tools":[]}"#);
    let none = workplace.run(&["lint-tools", "none.json"]);
    assert_eq!(
        (none.status, &*none.stderr),
        (0, "nothing was checked: the list holds no tool\n")
    );
    assert_eq!(
        workplace
            .run(&["lint-tools", "none.json", "--fail-on", "low"])
            .status,
        2
    );
}

#[test]
fn a_file_that_holds_no_tools_is_told() {
    let workplace = Workplace::new();
    let cases = [
        (
            "{\n  \"tools\": [\n    {\"name\": }\n  ]\n}",
            "broken.json:3:14: this is no JSON",
        ),
        ("", "broken.json:1:0: this is no JSON"),
        ("{\"tools\": [", "broken.json:1:11: this is no JSON"),
        ("{\"name\":\"a\"}", "broken.json: this holds no tools"),
        ("[{}, 3]", "broken.json: /1 is no tool"),
        ("{\"tools\":{}}", "this holds no tools"),
    ];
    for (text, says) in cases {
        workplace.file("broken.json", text);
        for format in ["table", "json", "sarif"] {
            let outcome = workplace.run(&["lint-tools", "broken.json", "--format", format]);
            assert_eq!((outcome.status, &*outcome.stdout), (2, ""), "{text}");
            assert!(outcome.stderr.contains(says), "{says}: {}", outcome.stderr);
        }
    }
    workplace.file("broken.json", b"[{\"name\":\"\xff\"}]");
    let outcome = workplace.run(&["lint-tools", "broken.json"]);
    assert!(
        outcome.stderr.contains("broken.json is no UTF-8: byte 10"),
        "{}",
        outcome.stderr
    );
    let outcome = workplace.run(&["lint-tools", "absent.json"]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains("cannot read absent.json"),
        "{}",
        outcome.stderr
    );
    // Some editors write a mark at the start.
    workplace.file("marked.json", "\u{feff}[{\"name\":\"a\"}]");
    assert_eq!(problems(&workplace, "marked.json")[0]["line"], 1);
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    workplace.file("deep.json", deep);
    assert_eq!(workplace.run(&["lint-tools", "deep.json"]).status, 2);
}

#[test]
fn hostile_text_stays_text() {
    let evil = "=HYPERLINK(\"x\")</script><script>alert(1)</script>\u{1b}[31m\u{202e}[x](javascript:y){0}|\r\n";
    let workplace = Workplace::new();
    let tools = json!([{
        "name": evil,
        "description": format!("You must {evil}."),
        "inputSchema": {"required": [evil], "properties": {
            format!("{evil}a"): {"type": "string", "description": format!("One of: x, {evil}")},
            "r": {"$ref": evil},
        }},
    }]);
    workplace.file("evil.json", tools.to_string());
    for format in [
        "table", "expanded", "json", "ndjson", "csv", "markdown", "sarif", "junit",
    ] {
        let text = workplace.run_well(&["lint-tools", "evil.json", "--format", format]);
        for raw in ["\u{1b}", "\u{202e}"] {
            assert!(!text.contains(raw), "{raw:?} in {format}: {text}");
        }
        match format {
            "csv" => {
                for cell in csv_rows(&text).iter().flatten() {
                    assert!(!cell.starts_with('='), "{cell}");
                }
            }
            "markdown" => assert!(
                !text.contains("](javascript:") && !text.contains("<script"),
                "{text}"
            ),
            "junit" => {
                roxmltree::Document::parse(&text).unwrap();
                assert!(!text.contains("<script"), "{text}");
            }
            "sarif" => {
                let sarif = valid_sarif(&text);
                for result in sarif["runs"][0]["results"].as_array().unwrap() {
                    let message = result["message"]["text"].as_str().unwrap();
                    assert!(
                        !message.contains("[x](") && !message.contains(" {0}"),
                        "{message}"
                    );
                }
            }
            "table" => assert_eq!(
                text.lines().count(),
                1 + problems(&workplace, "evil.json").len() + 2 + text.matches("\n TD").count()
            ),
            _ => {}
        }
    }
}

#[test]
fn rules_on_definitions_are_listed_and_explained() {
    let workplace = Workplace::new();
    let table = workplace.run_well(&["rules", "definitions"]);
    let json = workplace.run_well(&["rules", "definitions", "--format", "json"]);
    let json: Vec<Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(table.lines().count(), json.len() + 1);
    let markdown = workplace.run_well(&["rules", "definitions", "--format", "markdown"]);
    assert_eq!(markdown.lines().count(), json.len() + 2);
    for rule in &json {
        let code = rule["code"].as_str().unwrap();
        let explained = workplace.run_well(&["rules", "explain", code]);
        for part in ["summary", "why", "fix"] {
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(
                words(&explained).contains(&words(rule[part].as_str().unwrap())),
                "{code} {part}"
            );
        }
    }
    // A name that both have is that of the rule on records.
    let explained = workplace.run_well(&["rules", "explain", "schema_unsupported"]);
    assert!(explained.starts_with("AD005 "), "{explained}");
    let outcome = workplace.run(&["rules", "explain", "enum_in_pros"]);
    assert!(
        outcome.stderr.contains("did you mean enum_in_prose?"),
        "{}",
        outcome.stderr
    );
}

/// Definitions are no records: the sample lies beside `sample-data`, since a folder is read whole.
#[test]
fn many_tools_are_linted_in_time() {
    let workplace = Workplace::new();
    let sample: Value = serde_json::from_slice(&fs::read(data(SAMPLE)).unwrap()).unwrap();
    let sample = sample["tools"].as_array().unwrap();
    let tools: Vec<Value> = (0..3_000)
        .map(|number| {
            let mut tool = sample[number % sample.len()].clone();
            tool["name"] = format!("tool.{number}").into();
            tool
        })
        .collect();
    // On one line, as servers write it.
    workplace.file("many.json", json!({"tools": tools}).to_string());
    let start = Instant::now();
    let found = problems(&workplace, "many.json");
    let took = start.elapsed();
    assert!(found.len() > 4_000, "{}", found.len());
    assert!(
        took.as_secs() < 30,
        "{took:?}, also where nothing is optimised"
    );
}
