//! `preflight chain`: a chain as a timeline.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Workplace, data, record, rows};

/// A lake of the chains in `tests/provenance`.
fn provenance() -> Workplace {
    let workplace = Workplace::new();
    for name in ["honest.jsonl", "laundered.jsonl"] {
        let chain = fs::read(data("provenance").join(name)).unwrap();
        workplace.file(name, chain);
    }
    workplace.ingest(&["honest.jsonl", "laundered.jsonl"]);
    workplace
}

/// A timeline without what the rule pack adds: which rules there are is tested elsewhere.
fn without_findings(text: &str) -> String {
    let lines = text
        .lines()
        .filter(|line| !line.contains("! ") && !line.contains("**Finding**"));
    let lines = lines.map(|line| match line.rsplit_once(", ") {
        Some((rest, count)) if count.ends_with(" findings") || count == "1 finding" => rest,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn chain(workplace: &Workplace, arguments: &[&str]) -> Value {
    let arguments = [&["chain", "--format", "json"], arguments].concat();
    serde_json::from_str(&workplace.run_well(&arguments)).unwrap()
}

#[test]
fn an_honest_chain_reads_well() {
    let workplace = provenance();
    let masked = workplace.run_well(&["chain", "ann:bank.transfer"]);
    insta::assert_snapshot!("honest_masked", without_findings(&masked));
    let shown = workplace.run_well(&["chain", "ann:bank.transfer", "--show-values"]);
    insta::assert_snapshot!("honest_shown", without_findings(&shown));
}

#[test]
fn laundering_stands_out_in_each_format() {
    let workplace = provenance();
    for format in ["text", "markdown"] {
        let text = workplace.run_well(&["chain", "bob:bank.transfer", "--format", format]);
        insta::assert_snapshot!(format!("laundered_{format}"), without_findings(&text));
    }
    let chain = chain(&workplace, &["bob:bank.transfer"]);
    let fields = chain["records"][2]["fields"].as_array().unwrap();
    let inheritance: Vec<String> = fields
        .iter()
        .map(|field| {
            format!(
                "{}: {}",
                field["name"].as_str().unwrap(),
                field["inheritance"]
            )
        })
        .collect();
    insta::assert_snapshot!(inheritance.join("\n"));
}

#[test]
fn every_finding_of_a_chain_stands_at_its_record_and_field() {
    let workplace = Workplace::new();
    workplace.ingest(&[data("chains/chains.jsonl").to_str().unwrap()]);
    let findings = rows(&workplace.run_well(&["findings", "--format", "ndjson"]));
    let key = findings
        .iter()
        .filter_map(|finding| finding["action_key"].as_str())
        .max_by_key(|key| {
            findings
                .iter()
                .filter(|other| other["action_key"] == **key)
                .count()
        })
        .unwrap();
    let mut expected: Vec<(i64, String)> = findings
        .iter()
        .filter(|finding| finding["action_key"] == key)
        .map(|finding| (finding["line"].as_i64().unwrap(), finding["id"].to_string()))
        .collect();
    assert!(expected.len() > 1);
    let chain = chain(&workplace, &[key]);
    assert_eq!(chain["chain"]["findings"], expected.len());
    let mut found = Vec::new();
    for record in chain["records"].as_array().unwrap() {
        let line = record["line"].as_i64().unwrap();
        let mut note = |findings: &Value, place: &Value| {
            for finding in findings.as_array().unwrap() {
                assert!(place.is_null() || finding["field"] == *place, "{finding}");
                found.push((line, finding["id"].to_string()));
            }
        };
        note(&record["findings"], &Value::Null);
        for (list, name) in [("fields", "name"), ("checklist", "id"), ("asks", "subject")] {
            for part in record[list].as_array().into_iter().flatten() {
                note(&part["findings"], &part[name]);
            }
        }
    }
    expected.sort();
    found.sort();
    assert_eq!(found, expected);

    // A finding leads to its chain.
    let finding = findings
        .iter()
        .find(|finding| finding["action_key"] == key)
        .unwrap();
    let by_id = self::chain(&workplace, &["--finding", finding["id"].as_str().unwrap()]);
    assert_eq!(by_id["records"], chain["records"]);
    let number = by_id["asked_for"][0].as_u64().unwrap() as usize;
    assert_eq!(by_id["records"][number - 1]["line"], finding["line"]);
}

#[test]
fn absent_null_zero_and_empty_look_different() {
    let workplace = Workplace::new();
    let known = |name: &str, value: Value| json!({"name": name, "value": value, "status": "known"});
    let fields = json!([
        known("a", json!(null)), known("b", json!(0)), known("c", json!("")),
        {"name": "d", "status": "known", "source": null, "origin_source": "instruction"},
    ]);
    workplace.file("log.jsonl", record(&json!({"fields": fields})));
    workplace.ingest(&["log.jsonl"]);
    for arguments in [&[][..], &["--show-values"]] {
        let chain = chain(&workplace, &[&["u_1:bank.transfer"], arguments].concat());
        let fields = chain["records"][0]["fields"].as_array().unwrap();
        let types: Vec<&Value> = fields.iter().map(|field| &field["value"]["type"]).collect();
        assert_eq!(
            types,
            [
                &json!("null"),
                &json!("number"),
                &json!("string"),
                &Value::Null
            ]
        );
        assert!(fields[3]["value"].is_null());
        assert_eq!(fields[3].get("source"), Some(&Value::Null));
        assert_eq!(fields[0].get("source"), None);
        let text = workplace.run_well(&[&["chain", "u_1:bank.transfer"], arguments].concat());
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("│  "))
            .collect();
        let cells = |name: &str| {
            let start = format!("│  {name} ");
            let line = lines.iter().find(|line| line.starts_with(&start)).unwrap();
            line[start.len()..].trim().to_owned()
        };
        assert!(cells("a").starts_with("null #"), "{text}");
        assert!(cells("b").starts_with(['0', '•']), "{text}");
        assert!(cells("c").starts_with("\"\" #"), "{text}");
        assert!(cells("d").starts_with("no value"), "{text}");
        assert!(
            cells("d").contains(" null ") && cells("a").contains(" absent "),
            "{text}"
        );
    }
}

#[test]
fn masked_values_appear_nowhere() {
    let workplace = Workplace::new();
    let field = |value: &str| json!({"name": "to", "value": value, "status": "known", "source": "instruction", "origin_source": "instruction"});
    let first = json!({"execution_decision": "executed", "fields": [field("account-4410")]});
    let second = json!({
        "timestamp": "2026-06-02T04:27:09.559Z", "execution_decision": "failed", "fields": [field("account-9921")],
        "reason": "call failed: account-9921 is not account-4410",
        "gate": {"unknown_fields": [{"name": "to", "note": "not \"account-4410\""}], "unverified_checklist": [], "user_message": "account-9921?"},
    });
    workplace.file(
        "log.jsonl",
        format!("{}\n{}", record(&first), record(&second)),
    );
    workplace.ingest(&["log.jsonl"]);
    for format in ["text", "json", "markdown"] {
        let masked = workplace.run_well(&["chain", "u_1:bank.transfer", "--format", format]);
        assert!(
            !masked.contains("4410") && !masked.contains("9921"),
            "{masked}"
        );
    }
    let shown = workplace.run_well(&["chain", "u_1:bank.transfer", "--show-values"]);
    assert!(shown.contains("4410") && shown.contains("9921"), "{shown}");
}

#[test]
fn numbers_keep_their_digits() {
    let workplace = Workplace::new();
    let line = record(&json!({"fields": [{"name": "n", "value": 12345, "status": "known"}]}));
    workplace.file("log.jsonl", line.replace("12345", "9007199254740993.10"));
    workplace.ingest(&["log.jsonl"]);
    let chain = chain(&workplace, &["u_1:bank.transfer", "--show-values"]);
    assert_eq!(
        chain["records"][0]["fields"][0]["value"]["json"],
        "9007199254740993.10"
    );
}

#[test]
fn one_chain_over_files_with_equal_times_has_one_order() {
    let field = |value: i64, source: &str| json!([{"name": "n", "value": value, "status": "known", "source": source, "origin_source": "instruction"}]);
    let executed = |value, source| {
        record(&json!({"execution_decision": "executed", "fields": field(value, source)}))
    };
    let workplace = Workplace::new();
    workplace.file(
        "b.jsonl",
        format!(
            "{}\n{}",
            executed(2, "instruction"),
            executed(2, "prior_state")
        ),
    );
    workplace.file("a.jsonl", executed(1, "instruction"));
    workplace.ingest(&["b.jsonl", "a.jsonl"]);
    let chain = chain(&workplace, &["u_1:bank.transfer"]);
    assert_eq!(chain["chain"]["sources"], 2);
    let records = chain["records"].as_array().unwrap();
    let places: Vec<String> = records
        .iter()
        .map(|r| format!("{}:{}", r["source"].as_str().unwrap(), r["line"]))
        .collect();
    assert_eq!(places, ["a.jsonl:1", "b.jsonl:1", "b.jsonl:2"]);
    let inherited = &records[2]["fields"][0]["inheritance"];
    assert_eq!(inherited, &json!({"state": "intact", "baseline": 2}));
}

#[test]
fn a_long_chain_is_shown_in_part_and_says_so() {
    let workplace = Workplace::new();
    let lines: Vec<String> = (0..250)
        .map(|n| {
            let time = format!("2026-06-01T{:02}:{:02}:00.000Z", n / 60, n % 60);
            record(&json!({"timestamp": time, "execution_decision": "executed", "fields": [
                {"name": "n", "value": 7, "status": "known", "source": if n == 0 { "instruction" } else { "prior_state" }, "origin_source": "instruction"}]}))
        })
        .collect();
    workplace.file("log.jsonl", lines.join("\n"));
    workplace.ingest(&["log.jsonl"]);
    let run = |arguments: &[&str]| {
        let outcome = workplace.run(&[&["chain"], arguments].concat());
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        let lines = outcome
            .stdout
            .lines()
            .filter(|line| line.starts_with("● #"));
        let numbers = lines.map(|line| {
            line.split_whitespace().nth(1).unwrap()[1..]
                .parse()
                .unwrap()
        });
        (numbers.collect::<Vec<usize>>(), outcome.stderr)
    };
    let (numbers, note) = run(&["u_1:bank.transfer"]);
    assert_eq!(numbers, (151..=250).collect::<Vec<_>>());
    assert!(note.contains("left out: 150 earlier records; "), "{note}");
    let (numbers, note) = run(&["u_1:bank.transfer", "--limit", "2"]);
    assert_eq!(
        (numbers, note.contains("248 later records")),
        (vec![1, 2], true)
    );
    let (numbers, note) = run(&["--record", "log.jsonl:100"]);
    assert_eq!(numbers, (50..150).collect::<Vec<_>>());
    assert!(
        note.contains("49 earlier records and 101 later records"),
        "{note}"
    );
    let all = chain(&workplace, &["u_1:bank.transfer"]);
    assert_eq!(all["records"].as_array().unwrap().len(), 250);
    // A record tells what it inherits from one that is left out.
    let last = chain(&workplace, &["u_1:bank.transfer", "--last", "1"]);
    assert_eq!(last["left_out"], json!({"earlier": 249, "later": 0}));
    assert_eq!(last["records"][0], all["records"][249]);
    assert_eq!(
        last["records"][0]["fields"][0]["inheritance"]["baseline"],
        249
    );
}

#[test]
fn an_unkeyed_record_stands_alone() {
    let workplace = Workplace::new();
    let unkeyed = |reason: &str| {
        record(
            &json!({"action_key": null, "execution_decision": "hold", "gate": null, "fields": null,
            "unknown_count": null, "unverified_checklist_count": null, "reason": reason}),
        )
    };
    workplace.file(
        "log.jsonl",
        format!("{}\n{}", unkeyed("one"), unkeyed("two")),
    );
    workplace.ingest(&["log.jsonl"]);
    let chain = chain(&workplace, &["--record", "log.jsonl:2"]);
    assert_eq!(chain["chain"]["action_key"], Value::Null);
    assert_eq!(chain["records"].as_array().unwrap().len(), 1);
    assert_eq!(chain["records"][0]["reason"], "two");
    assert_eq!(chain["records"][0]["fields"], Value::Null);
    let text = workplace.run_well(&["chain", "--record", "log.jsonl:2"]);
    assert!(
        text.contains("no action key") && text.contains("no decision about fields"),
        "{text}"
    );
    let bucket = workplace.run(&["chain", "__preflight_unkeyed__"]);
    assert_eq!(bucket.status, 2);
    assert!(bucket.stderr.contains("form no chain"), "{}", bucket.stderr);
}

#[test]
fn what_is_not_there_is_said_with_what_is_near() {
    let workplace = provenance();
    for (arguments, message) in [
        (
            &["ann:bank.transfr"][..],
            "did you mean \"ann:bank.transfer\"",
        ),
        (&["BOB:"], "did you mean \"bob:bank.transfer\"?"),
        (&["zzz"], "no chain is called \"zzz\"; `preflight sql"),
        (&[""], "no chain is called \"\""),
        (&["--record", "abc"], "at least 4 of its hexadecimal digits"),
        (&["--record", "xyzxyz"], "names no record"),
        (&["--record", "00000000"], "no record in the lake"),
        (&["--record", "honest.jsonl:99"], "no record in the lake"),
        (&["--finding", "0000000000000000"], "no finding has the id"),
        (&[], "required"),
        (
            &["ann:bank.transfer", "--record", "abcd"],
            "cannot be used with",
        ),
        (
            &["ann:bank.transfer", "--last", "1", "--limit", "1"],
            "cannot be used with",
        ),
    ] {
        let outcome = workplace.run(&[&["chain"], arguments].concat());
        assert_eq!(outcome.status, 2, "{arguments:?}");
        assert_eq!(outcome.stdout, "", "{arguments:?}");
        assert!(
            outcome.stderr.contains(message),
            "{arguments:?}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn a_record_is_found_by_the_beginning_of_its_digest_or_said_not_to_be_one() {
    let workplace = Workplace::new();
    let lines: Vec<String> = (0..2_000)
        .map(|n| record(&json!({"reason": n.to_string()})))
        .collect();
    workplace.file("log.jsonl", lines.join("\n"));
    workplace.ingest(&["log.jsonl"]);
    let mut digests = workplace.digests();
    digests.sort();
    let twins = digests.windows(2).find(|pair| pair[0][..4] == pair[1][..4]);
    let twins = twins.expect("2,000 digests, 65,536 beginnings");
    let outcome = workplace.run(&["chain", "--record", &twins[0][..4]]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains(&twins[1][..16]),
        "{}",
        outcome.stderr
    );
    let chain = chain(&workplace, &["--record", &twins[0].to_uppercase()[..12]]);
    let number = chain["asked_for"][0].as_u64().unwrap() as usize;
    assert_eq!(
        chain["records"][number - 1]["record_digest"],
        twins[0].as_str()
    );
}

#[test]
fn a_record_that_two_files_hold_is_one() {
    let workplace = Workplace::new();
    workplace.file("a.jsonl", record(&json!({"reason": "x"})));
    workplace.file(
        "b.jsonl",
        format!(
            "{}\n{}",
            record(&json!({})),
            record(&json!({"reason": "x"}))
        ),
    );
    workplace.ingest(&["a.jsonl", "b.jsonl"]);
    let digest = workplace
        .value("select encode(record_digest, 'hex') from records where source = 'a.jsonl'");
    let chain = chain(&workplace, &["--record", digest.as_str().unwrap()]);
    assert_eq!(chain["asked_for"], json!([1, 3]));
}
