//! `preflight findings` and `preflight audit`: filters, limits, exit status.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::{Workplace, data, rows};

fn with_chains() -> Workplace {
    let workplace = Workplace::new();
    workplace.ingest(&[data("chains/chains.jsonl").to_str().unwrap()]);
    workplace
}

fn of_filter(workplace: &Workplace, filter: &[&str]) -> Vec<Value> {
    let arguments = [
        &["findings", "--group", "gaps", "--format", "ndjson"],
        filter,
    ]
    .concat();
    rows(&workplace.run_well(&arguments))
}

fn ids<'v>(findings: impl IntoIterator<Item = &'v Value>) -> Vec<&'v str> {
    findings
        .into_iter()
        .map(|finding| finding["id"].as_str().unwrap())
        .collect()
}

fn assert_same<'v>(found: &[Value], expected: impl Iterator<Item = &'v Value>) {
    let expected = ids(expected);
    assert!(
        !expected.is_empty(),
        "the filter selects nothing: the test tells nothing"
    );
    assert_eq!(ids(found), expected);
}

#[test]
fn a_name_that_no_record_has_is_said() {
    let workplace = with_chains();
    let said = |filter: &[&str]| {
        let outcome = workplace.run(&[&["findings", "--rule", "IG002"], filter].concat());
        // It may come to be: status 0.
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        outcome.stderr
    };
    for (filter, note) in [
        (
            ["--tool", "bank.transfr"],
            "note: no record names a tool \"bank.transfr\"; did you mean \"bank.transfer\"?\n",
        ),
        (
            ["--tool", "nope.*"],
            "note: no record names a tool \"nope.*\"\n",
        ),
        (
            ["--action-key", "\u{202e}nobody"],
            "note: no record is of a chain \"\\u{202e}nobody\"\n",
        ),
    ] {
        let stderr = said(&filter);
        assert!(stderr.contains(note), "{stderr}");
        let result = "no findings: nothing was checked, no record is of what was asked for\n";
        assert!(stderr.contains(result), "{stderr}");
        assert!(!stderr.contains("were checked"), "{stderr}");
    }
    // One of two is there, and has findings.
    let stderr = said(&["--tool", "bank.transfer,bank.transfr", "--format", "ndjson"]);
    assert!(
        stderr.contains("note: no record names a tool \"bank.transfr\""),
        "{stderr}"
    );
    assert!(!said(&["--tool", "bank.*"]).contains("no record"));
}

#[test]
fn filters_select_and_keep_the_order() {
    let workplace = with_chains();
    let all = of_filter(&workplace, &[]);
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        ids(&all).into_iter().collect::<BTreeSet<_>>().len(),
        all.len(),
        "ids are unique"
    );

    // By code in any case, by name, and by pattern.
    let found = of_filter(
        &workplace,
        &[
            "--rule",
            "ad003,value_missing",
            "--tool",
            "shop.*",
            "--tool",
            "bank.transfer",
        ],
    );
    assert_same(
        &found,
        all.iter().filter(|finding| {
            let tool = text(finding, "tool");
            ["AD003", "IG002"].contains(&&*text(finding, "code"))
                && (tool.starts_with("shop.") || tool == "bank.transfer")
        }),
    );

    let found = of_filter(
        &workplace,
        &[
            "--class",
            "instruction_gap,condition_unmet",
            "--since",
            "2026-06-10",
            "--until",
            "2026-06-20T12:00:00+02:00",
        ],
    );
    assert_same(
        &found,
        all.iter().filter(|finding| {
            let timestamp = text(finding, "timestamp");
            ["instruction_gap", "condition_unmet"].contains(&&*text(finding, "class"))
                && ("2026-06-10T00:00:00Z".."2026-06-20T10:00:00Z").contains(&&*timestamp)
        }),
    );

    let found = of_filter(&workplace, &["--severity", "medium", "--limit", "7"]);
    assert_same(
        &found,
        all.iter()
            .filter(|finding| ["medium", "high", "critical"].contains(&&*text(finding, "severity")))
            .take(7),
    );

    // A star is the only pattern: an underscore stands for itself.
    let found = of_filter(&workplace, &["--action-key", "u_0*:*"]);
    assert_same(
        &found,
        all.iter()
            .filter(|finding| text(finding, "action_key").starts_with("u_0")),
    );
}

#[test]
fn each_finding_names_its_evidence() {
    let workplace = with_chains();
    let found = of_filter(&workplace, &["--limit", "1"]);
    let keys: Vec<&str> = found[0]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    for key in [
        "group",
        "code",
        "name",
        "class",
        "severity",
        "source",
        "line",
        "action_key",
        "tool",
        "field",
        "timestamp",
        "record_digest",
        "detail",
        "rule_version",
    ] {
        assert!(keys.contains(&key), "{key} is missing: {keys:?}");
    }
    let source = std::fs::read_to_string(found[0]["source"].as_str().unwrap()).unwrap();
    let line = found[0]["line"].as_u64().unwrap();
    let digest = workplace.value(&format!(
        "select encode(record_digest, 'hex') from records where line = {line}"
    ));
    assert_eq!(found[0]["record_digest"], digest);
    assert!(source.lines().nth(line as usize - 1).is_some());
}

#[test]
fn the_exit_status_tells_whether_there_is_a_severe_finding() {
    let workplace = with_chains();
    let status = |arguments: &[&str]| workplace.run(&[&["findings"], arguments].concat()).status;
    // What is not shown counts as well.
    assert_eq!(status(&["--fail-on", "high", "--limit", "0"]), 1);
    assert_eq!(
        status(&["--rule", "condition_unmet", "--fail-on", "low"]),
        0
    );
    assert_eq!(
        status(&["--rule", "condition_unmet", "--fail-on", "info"]),
        1
    );
}

#[test]
fn what_a_limit_leaves_out_is_said() {
    let workplace = with_chains();
    let arguments = ["findings", "--tool", "bank.transfer", "--format", "ndjson"];
    let all = workplace.run(&arguments);
    assert_eq!(all.stderr, "");
    let total = all.stdout.lines().count();
    let limited = workplace.run(&[&arguments[..], &["--limit", "3"]].concat());
    assert_eq!(limited.stdout.lines().count(), 3);
    assert_eq!(
        limited.stderr,
        format!("note: 3 of {total} findings shown (--limit)\n")
    );
    let none = workplace.run(&["findings", "--limit", "0", "--tool", "bank.transfer"]);
    assert!(
        none.stderr.contains(&format!("0 of {total} ")),
        "{}",
        none.stderr
    );
    let enough = workplace.run(&[&arguments[..], &["--limit", "100000"]].concat());
    assert_eq!(enough.stderr, "");
}

#[test]
fn a_gate_on_nothing_is_no_pass() {
    let workplace = with_chains();
    let nothing = ["findings", "--rule", "AD003", "--class", "instruction_gap"];
    let outcome = workplace.run(&[&nothing[..], &["--fail-on", "high"]].concat());
    assert_eq!((outcome.status, &*outcome.stdout), (2, ""));
    assert!(
        outcome.stderr.contains("nothing was checked"),
        "{}",
        outcome.stderr
    );
    // Without a gate it is said all the same.
    let outcome = workplace.run(&nothing);
    assert_eq!(outcome.status, 0);
    assert!(
        outcome.stderr.contains("nothing was checked"),
        "{}",
        outcome.stderr
    );
    // A rule that found nothing has checked.
    let clean = [
        "findings",
        "--rule",
        "AD003",
        "--tool",
        "no.such",
        "--fail-on",
        "info",
    ];
    assert_eq!(workplace.run(&clean).status, 0);
}

#[test]
fn a_filter_that_selects_nothing_says_what_was_checked() {
    let workplace = with_chains();
    let said = |arguments: &[&str]| {
        let outcome = workplace.run(&[&["findings"], arguments].concat());
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        outcome.stderr
    };
    let later = said(&["--since", "2999-01-01T00:00:00Z"]);
    assert!(
        later.contains("no findings: 1,179 records were checked"),
        "{later}"
    );
    let nobody = said(&["--tool", "no.such.tool"]);
    assert!(
        nobody.contains("no findings: nothing was checked, no record is of what was asked for"),
        "{nobody}"
    );
    assert!(
        nobody.contains("no record names a tool \"no.such.tool\""),
        "{nobody}"
    );
}

#[test]
fn audit_sums_up_and_fails_on_demand() {
    let workplace = Workplace::new();
    let chains = data("chains/chains.jsonl");
    let outcome = workplace.run(&["audit", chains.to_str().unwrap(), "--fail-on", "high"]);
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
    for part in [
        "1,179 lines = 1,179 records + 0 quarantined + 0 blank",
        "By class",
        "By cause",
        "By tool",
        "Worst offenders",
        "chains.jsonl:",
        "Where next",
        "preflight rules explain",
    ] {
        assert!(outcome.stdout.contains(part), "{part}: {}", outcome.stdout);
    }
    let classes = outcome
        .stdout
        .lines()
        .find(|line| line.starts_with("  action_definition_gap "))
        .unwrap();
    let findings: u64 = classes.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(findings > 0);
}

#[test]
fn audit_writes_documents_as_well() {
    let workplace = Workplace::new();
    let chains = data("chains/chains.jsonl");
    let outcome = workplace.run(&["audit", chains.to_str().unwrap(), "--format", "junit"]);
    assert_eq!(outcome.status, 0);
    assert!(
        outcome.stderr.starts_with("1,179 lines = "),
        "{}",
        outcome.stderr
    );
    assert_eq!(
        outcome.stdout,
        workplace.run_well(&["findings", "--format", "junit"])
    );
}

#[test]
fn unknown_names_are_refused_and_near_ones_suggested() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", crate::harness::record(&serde_json::json!({})));
    workplace.ingest(&["log.jsonl"]);
    let cases: [(&[&str], &str); 8] = [
        (
            &["--rule", "value_mising"],
            "no rule is called \"value_mising\"; did you mean value_missing?",
        ),
        (&["--rule", "AD03"], "did you mean AD003?"),
        (&["--class", "instruction"], "did you mean instruction_gap?"),
        (&["--group", "gap"], "did you mean gaps?"),
        (&["--severity", "grave"], "grave"),
        (&["--since", "yesterday"], "a time is 2026-06-01T04:27:09Z"),
        (&["--format", "xml"], "possible values"),
        (&["--lmit", "3"], "--limit"),
    ];
    for (arguments, message) in cases {
        let outcome = workplace.run(&[&["findings"], arguments].concat());
        assert_eq!(outcome.status, 2, "{arguments:?}");
        assert_eq!(outcome.stdout, "");
        assert!(
            outcome.stderr.contains(message),
            "{arguments:?}: {}",
            outcome.stderr
        );
    }
}
