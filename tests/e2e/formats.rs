//! `preflight findings --format sarif|junit|html`: documents that other programs read.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::harness::{Workplace, data, record, rows};

fn with_chains() -> Workplace {
    let workplace = Workplace::new();
    workplace.file(
        "logs/chains.jsonl",
        std::fs::read(data("chains/chains.jsonl")).unwrap(),
    );
    workplace.ingest(&["logs/chains.jsonl"]);
    workplace
}

fn document(workplace: &Workplace, format: &str, filter: &[&str]) -> String {
    workplace.run_well(&[&["findings", "--format", format], filter].concat())
}

/// The findings, as a valid document.
pub fn sarif(workplace: &Workplace, filter: &[&str]) -> Value {
    valid_sarif(&document(workplace, "sarif", filter))
}

/// The document, which must be valid by the format's schema.
pub fn valid_sarif(document: &str) -> Value {
    let schema = std::fs::read_to_string(data("schemas/sarif-2.1.0.json")).unwrap();
    // A pattern of the schema is no regular expression by the letter: its last bracket stands alone.
    let schema = schema.replace("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    let document: Value = serde_json::from_str(document).unwrap();
    let faults: Vec<String> = validator
        .iter_errors(&document)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert_eq!(faults, [] as [String; 0]);
    document
}

/// What a person reads of a page, and the names of its elements and attributes.
pub fn page(html: &str) -> (String, BTreeSet<String>) {
    // Elements that are never closed are no XML; the rest of the page is.
    let open: Vec<&str> = html
        .lines()
        .filter(|line| !line.starts_with("<meta "))
        .collect();
    let xml = open.join("\n").replace("<br>", "<br/>");
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..Default::default()
    };
    let tree = roxmltree::Document::parse_with_options(&xml, options).unwrap();
    let mut names = BTreeSet::new();
    for node in tree.descendants().filter(|node| node.is_element()) {
        names.insert(node.tag_name().name().to_owned());
        names.extend(
            node.attributes()
                .map(|attribute| format!("@{}", attribute.name())),
        );
    }
    let texts = tree.descendants().filter(|node| node.is_text());
    (
        texts
            .filter_map(|node| node.text())
            .collect::<Vec<_>>()
            .join(" "),
        names,
    )
}

#[test]
fn sarif_holds_every_finding_with_its_place() {
    let workplace = with_chains();
    let findings = rows(&document(&workplace, "ndjson", &[]));
    let sarif = sarif(&workplace, &[]);
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), findings.len());
    for (result, finding) in results.iter().zip(&findings) {
        assert_eq!(
            result["partialFingerprints"]["preflightFindingId/v1"],
            finding["id"]
        );
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(
            (&rule["id"], &rule["name"]),
            (&finding["code"], &finding["name"])
        );
        assert_eq!(result["level"], rule["defaultConfiguration"]["level"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "logs/chains.jsonl");
        assert_eq!(place["region"]["startLine"], finding["line"]);
    }
    // The bytes are those of the record.
    let log = std::fs::read(workplace.path("logs/chains.jsonl")).unwrap();
    let region = &results[7]["locations"][0]["physicalLocation"]["region"];
    let of = |key: &str| region[key].as_u64().unwrap() as usize;
    let line = log
        .split(|byte| *byte == b'\n')
        .nth(of("startLine") - 1)
        .unwrap();
    assert_eq!(
        &log[of("byteOffset")..of("byteOffset") + of("byteLength")],
        line
    );
}

#[test]
fn sarif_explains_its_rules() {
    let workplace = with_chains();
    let sarif = sarif(&workplace, &["--rule", "AD003"]);
    let rules = &sarif["runs"][0]["tool"]["driver"]["rules"];
    assert_eq!(
        rules.as_array().unwrap().len(),
        1,
        "those that were asked for"
    );
    let explained: Value = serde_json::from_str(
        &workplace.run_well(&["rules", "explain", "AD003", "--format", "json"]),
    )
    .unwrap();
    let rule = &rules[0];
    assert_eq!(rule["shortDescription"]["text"], explained["summary"]);
    for part in ["what", "why", "example", "fix"] {
        let text = explained[part].as_str().unwrap();
        for help in ["text", "markdown"] {
            assert!(
                rule["help"][help].as_str().unwrap().contains(text),
                "{part}: {rule}"
            );
        }
    }
    assert_eq!(rule["defaultConfiguration"]["level"], "error");
    assert_eq!(rule["properties"]["version"], explained["version"]);
    let mut result = sarif["runs"][0]["results"][0].clone();
    result["properties"]["ruleVersion"] = json!("...");
    insta::assert_snapshot!(serde_json::to_string_pretty(&result).unwrap(), @r#"
    {
      "ruleId": "AD003",
      "ruleIndex": 0,
      "level": "error",
      "message": {
        "text": "asked for 6 times in the episode, and never known from the user"
      },
      "locations": [
        {
          "physicalLocation": {
            "artifactLocation": {
              "uri": "logs/chains.jsonl"
            },
            "region": {
              "startLine": 133,
              "byteOffset": 130478,
              "byteLength": 1112
            }
          },
          "logicalLocations": [
            {
              "name": "u_0029:shop.place_order",
              "fullyQualifiedName": "u_0029:shop.place_order",
              "kind": "resource"
            },
            {
              "name": "warehouse_code",
              "fullyQualifiedName": "u_0029:shop.place_order/warehouse_code",
              "kind": "property"
            }
          ]
        }
      ],
      "partialFingerprints": {
        "preflightFindingId/v1": "7cb5ea225e62d424"
      },
      "properties": {
        "class": "action_definition_gap",
        "severity": "high",
        "tool": "shop.place_order",
        "decision": "ask_user",
        "timestamp": "2026-06-05T01:56:43.698Z",
        "recordDigest": "80e62fc5e1925446f18b2d7250696d31735111d5896203f018944da99895fdc4",
        "ruleVersion": "..."
      }
    }
    "#);
}

#[test]
fn sarif_names_odd_places_and_none() {
    let workplace = Workplace::new();
    let stopped =
        json!({"execution_decision": "hold", "gate": null, "reason": "x", "action_key": null});
    workplace.file("a b/ä#1.jsonl", record(&stopped));
    let absolute = workplace.file("whole.jsonl", record(&stopped).replace("u_1", "u_2") + " ");
    workplace.ingest(&["a b", &absolute]);
    let other = record(&stopped).replace("2026-06-01", "2026-06-02");
    assert_eq!(workplace.run_with(&["ingest", "-"], other).status, 0);
    let sarif = sarif(&workplace, &[]);
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let places: Vec<String> = results
        .iter()
        .map(|result| result["locations"][0]["physicalLocation"]["artifactLocation"].to_string())
        .collect();
    assert_eq!(places.len(), 3);
    assert!(
        places
            .iter()
            .any(|place| place.contains("\"a%20b/%C3%A4%231.jsonl\"")),
        "{places:?}"
    );
    assert!(
        places.iter().any(|place| place.contains("\"file:///")),
        "{places:?}"
    );
    assert!(
        places.iter().any(|place| place.contains("standard input")),
        "{places:?}"
    );
}

#[test]
fn junit_has_a_test_for_each_rule() {
    let workplace = with_chains();
    let findings = rows(&document(&workplace, "ndjson", &[]));
    let mut expected: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in &findings {
        *expected
            .entry(finding["code"].as_str().unwrap())
            .or_default() += 1;
    }
    let xml = document(&workplace, "junit", &[]);
    let tree = roxmltree::Document::parse(&xml).unwrap();
    let of = |name: &'static str| {
        tree.descendants()
            .filter(move |node| node.has_tag_name(name))
    };
    let rules: Vec<Value> =
        serde_json::from_str(&workplace.run_well(&["rules", "--format", "json"])).unwrap();
    assert_eq!(of("testcase").count(), rules.len());
    assert_eq!(of("failure").count(), expected.len());
    assert_eq!(
        tree.root_element().attribute("failures"),
        Some(&*expected.len().to_string())
    );
    for case in of("testcase") {
        let code = case.attribute("name").unwrap().split(' ').next().unwrap();
        let failure = case.children().find(|child| child.has_tag_name("failure"));
        let lines = failure
            .and_then(|failure| failure.text())
            .unwrap_or_default();
        let places = lines
            .lines()
            .filter(|line| line.starts_with("logs/chains.jsonl:"));
        assert_eq!(
            places.count(),
            expected.get(code).copied().unwrap_or(0),
            "{code}"
        );
    }
    let one = document(
        &workplace,
        "junit",
        &["--rule", "AD004,UN002", "--tool", "bank.transfer"],
    );
    insta::assert_snapshot!(one, @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="preflight" tests="2" skipped="0" failures="1" errors="0">
        <testsuite name="gaps.action_definition_gap" tests="1" skipped="0" errors="0" failures="1">
            <testcase name="AD004 undeclared_condition" classname="preflight.gaps.action_definition_gap">
                <failure message="1 finding: The provider refused a call for a condition that its definition does not declare." type="high">logs/chains.jsonl:769: the provider refused: Invalid params: approval_ticket is required [u_0001:bank.transfer, bank.transfer] 38892f7e641149bd

    What to do: Declare the condition: a required argument, a schema constraint, or a pre-execution check in the description.</failure>
            </testcase>
        </testsuite>
        <testsuite name="gaps.unclassified" tests="1" skipped="0" errors="0" failures="0">
            <testcase name="UN002 unexplained_stop" classname="preflight.gaps.unclassified"/>
        </testsuite>
    </testsuites>
    "#);
    // A rule must not pass because its findings were left out.
    let limited = workplace.run(&["findings", "--format", "junit", "--limit", "1"]);
    assert_eq!((limited.status, &*limited.stdout), (2, ""));
    assert!(limited.stderr.contains("--limit"), "{}", limited.stderr);
}

/// A rule that can't apply to any record has not passed.
#[test]
fn junit_skips_rules_that_do_not_apply() {
    let workplace = Workplace::new();
    workplace.file("old.jsonl", record(&json!({"schema_version": "1.7"})));
    workplace.ingest(&["old.jsonl"]);
    let skipped = |lake: &str| -> Vec<String> {
        let xml = document(&workplace, "junit", &["--lake", lake]);
        let tree = roxmltree::Document::parse(&xml).unwrap();
        let nodes = tree
            .descendants()
            .filter(|node| node.has_tag_name("skipped"));
        let cases = nodes.map(|node| node.parent().unwrap().attribute("name").unwrap().to_owned());
        cases.collect()
    };
    assert_eq!(skipped("preflight-lake"), ["IV007 unapproved_tool"]);
    let both = [
        record(&json!({"schema_version": "1.7"})),
        record(&json!({"action_key": "u_2"})),
    ];
    workplace.file("both.jsonl", both.join("\n"));
    workplace.run_well(&["ingest", "both.jsonl", "--lake", "both"]);
    assert_eq!(skipped("both"), [] as [&str; 0], "one record is new enough");
}

#[test]
fn sarif_keeps_what_is_set_aside_and_what_is_new() {
    let workplace = with_chains();
    workplace.file("old", document(&workplace, "ndjson", &["--rule", "LN001"]));
    workplace.file(
        "preflight.toml",
        "[[suppress]]\nrule = \"LN004\"\nreason = \"[known](x)\"\nwho = \"audit\"\n",
    );
    let document = sarif(
        &workplace,
        &["--rule", "LN001,LN003,LN004", "--baseline", "old"],
    );
    let results = document["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 6 + 10 + 4);
    for result in results {
        let code = result["ruleId"].as_str().unwrap();
        let state = if code == "LN001" { "unchanged" } else { "new" };
        assert_eq!(result["baselineState"], state, "{code}");
        let reason = json!([{"kind": "external", "justification": "\\[known\\](x) (audit)"}]);
        let expected = if code == "LN004" { reason } else { Value::Null };
        assert_eq!(result["suppressions"], expected, "{code}");
    }
}

#[test]
fn html_is_one_page_of_everything() {
    let workplace = with_chains();
    let findings = rows(&document(&workplace, "ndjson", &[]));
    let html = document(&workplace, "html", &[]);
    let (text, names) = page(&html);
    assert!(
        text.contains(&format!("{} findings", findings.len())),
        "{text}"
    );
    for finding in &findings {
        let id = finding["id"].as_str().unwrap();
        assert!(html.contains(&format!("<tr id=\"f-{id}\">")), "{id}");
    }
    // Nothing runs, and nothing is fetched.
    for name in [
        "script", "link", "img", "iframe", "@src", "@style", "@onclick",
    ] {
        assert!(!names.contains(name), "{name}");
    }
    assert!(!html.contains("url(") && !html.contains("http://") && !html.contains("https://"));
    // Every link leads somewhere on the page.
    let targets: Vec<&str> = html
        .split("href=\"#")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert!(targets.len() > findings.len());
    for target in targets {
        assert!(html.contains(&format!("id=\"{target}\"")), "{target}");
    }
    let few = document(&workplace, "html", &["--limit", "2"]);
    assert!(
        page(&few)
            .0
            .contains(&format!("Only 2 of {} findings", findings.len()))
    );
}

#[test]
fn documents_without_findings_say_so() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", record(&json!({})));
    workplace.ingest(&["log.jsonl"]);
    assert_eq!(sarif(&workplace, &[])["runs"][0]["results"], json!([]));
    let xml = document(&workplace, "junit", &[]);
    assert!(xml.contains("failures=\"0\""), "{xml}");
    assert!(
        page(&document(&workplace, "html", &[]))
            .0
            .contains("No findings")
    );
}

#[test]
fn documents_are_for_findings_alone_and_gate_like_rows() {
    let workplace = with_chains();
    for format in ["sarif", "junit", "html"] {
        let refused = workplace.run(&["sql", "select 1", "--format", format]);
        assert_eq!(refused.status, 2);
        let gate = workplace.run(&["findings", "--format", format, "--fail-on", "high"]);
        assert_eq!(gate.status, 1);
    }
}
