//! Findings that are set aside on purpose, and findings beside earlier ones.

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use crate::harness::{Outcome, Workplace, data, rows};

/// A lake of the sample stories about lineage: 3 gaps, 12 of laundering, 13 of integrity.
fn lineage() -> Workplace {
    let workplace = Workplace::new();
    workplace.ingest(&[data("../sample-data/lineage.jsonl").to_str().unwrap()]);
    workplace
}

fn list(workplace: &Workplace, more: &[&str]) -> (Vec<Value>, Outcome) {
    let outcome = workplace.run(&[&["findings", "--format", "ndjson"], more].concat());
    assert!(outcome.status < 2, "{}", outcome.stderr);
    (rows(&outcome.stdout), outcome)
}

fn names(rows: &[Value]) -> BTreeSet<&str> {
    rows.iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect()
}

const OF_A_TOOL: &str = "[[suppress]]\nrule = \"LN005\"\ntool = \"shop.*\"\n\
    reason = \"the shop fills it in\"\nwho = \"compliance\"\nexpires = 2999-12-31\n";

#[test]
fn what_is_set_aside_is_counted_and_can_be_listed() {
    let workplace = lineage();
    let (before, _) = list(&workplace, &[]);
    workplace.file("preflight.toml", OF_A_TOOL);
    let (after, outcome) = list(&workplace, &[]);
    assert_eq!(before.len() - after.len(), 2);
    assert!(!names(&after).contains("origin_mismatch"));
    assert_eq!(
        outcome.stderr,
        "note: 2 findings are set aside by preflight.toml (--show-suppressed lists them)\n"
    );
    let (all, _) = list(&workplace, &["--show-suppressed"]);
    assert_eq!(all.len(), before.len());
    let reasons = all.iter().filter_map(|row| row["suppression"].as_str());
    let said = "the shop fills it in (compliance, until 2999-12-31)";
    assert_eq!(reasons.collect::<Vec<_>>(), [said, said]);
    let counted = "select count(*) from findings where suppression is not null and code = 'LN005'";
    assert_eq!(workplace.value(counted), 2);
    let audit = workplace.run_well(&[
        "audit",
        data("../sample-data/lineage.jsonl").to_str().unwrap(),
    ]);
    assert!(
        audit.contains("Set aside 2 findings by preflight.toml"),
        "{audit}"
    );
    assert!(!audit.contains("origin_mismatch"), "{audit}");
}

#[test]
fn every_scope_narrows() {
    let workplace = lineage();
    let (before, _) = list(&workplace, &[]);
    let left_with = |scope: &str| {
        let entry = format!("[[suppress]]\n{scope}\nreason = \"r\"\nwho = \"w\"\n");
        let file = workplace.file("decisions.toml", entry);
        list(&workplace, &["--config", &file]).0.len()
    };
    let without = |key: &str, value: &str| {
        let others = before.iter().filter(|row| row[key] != value);
        others.count()
    };
    assert_eq!(
        left_with("rule = \"known_without_source\""),
        without("code", "LN006")
    );
    assert_eq!(
        left_with("tool = \"shop.order\""),
        without("tool", "shop.order")
    );
    assert_eq!(
        left_with("action_key = \"u_201:*\""),
        without("action_key", "u_201:bank.transfer")
    );
    assert_eq!(left_with("field = \"amount\""), without("field", "amount"));
    let id = before[4]["id"].as_str().unwrap();
    assert_eq!(left_with(&format!("finding = \"{id}\"")), before.len() - 1);
    assert_eq!(
        left_with("rule = \"LN006\"\ntool = \"bank.*\""),
        before.len()
    );
}

#[test]
fn expired_and_unused_decisions_are_told() {
    let workplace = lineage();
    let (before, _) = list(&workplace, &[]);
    let expired = OF_A_TOOL.replace("2999-12-31", "2020-01-31");
    let unused = "[[suppress]]\nfield = \"no_such_field\"\nreason = \"r\"\nwho = \"w\"\n";
    workplace.file("preflight.toml", format!("{expired}\n{unused}"));
    let (after, outcome) = list(&workplace, &[]);
    assert_eq!(after.len(), before.len());
    assert_eq!(
        outcome.stderr,
        "note: preflight.toml:1: expired (2020-01-31), and would set 2 findings aside: \
         the shop fills it in (compliance)\n\
         note: preflight.toml:8: sets nothing aside: r (w)\n"
    );
    // Where its rule is not run, nothing can be said of the second one.
    let (_, outcome) = list(&workplace, &["--rule", "LN006"]);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn what_is_set_aside_fails_no_build() {
    let workplace = lineage();
    let fail = ["findings", "--rule", "LN006", "--fail-on", "high"];
    assert_eq!(workplace.run(&fail).status, 1);
    workplace.file("preflight.toml", OF_A_TOOL.replace("LN005", "LN006"));
    assert_eq!(workplace.run(&fail).status, 0);
    let audit = [
        "audit",
        data("../sample-data/lineage.jsonl").to_str().unwrap(),
        "--fail-on",
        "high",
    ]
    .map(str::to_owned);
    let audit: Vec<&str> = audit.iter().map(String::as_str).collect();
    assert_eq!(workplace.run(&audit).status, 1, "others are left");
}

#[test]
fn a_file_that_is_not_right_is_refused_with_its_place() {
    let workplace = lineage();
    for (change, message) in [
        (
            ("reason", "raison"),
            "preflight.toml:4: unknown field `raison`",
        ),
        (
            ("LN005", "LN05"),
            "preflight.toml:1: no rule is called \"LN05\"; did you mean LN005?",
        ),
        (("\"compliance\"", "\"\""), "preflight.toml:1: who is empty"),
    ] {
        workplace.file("preflight.toml", OF_A_TOOL.replace(change.0, change.1));
        let outcome = workplace.run(&["findings"]);
        assert_eq!((outcome.status, &*outcome.stdout), (2, ""));
        assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
    }
    let missing = workplace.run(&["findings", "--config", "none.toml"]);
    assert_eq!(missing.status, 2);
    assert!(missing.stderr.contains("none.toml"), "{}", missing.stderr);
}

/// The first and the last finding's records go; a chain with another finding comes.
fn changed_lake(workplace: &Workplace) {
    let log = fs::read_to_string(data("../sample-data/lineage.jsonl")).unwrap();
    let kept: Vec<String> = log
        .lines()
        .filter(|line| !line.contains("u_209:card.top_up"))
        .map(|line| line.replace("u_202:", "u_302:"))
        .collect();
    workplace.file("later/other_name.jsonl", kept.join("\n"));
    workplace.run_well(&["ingest", "later", "--lake", "later-lake"]);
}

#[test]
fn earlier_findings_tell_what_is_new_and_what_is_resolved() {
    let workplace = lineage();
    changed_lake(&workplace);
    for format in ["ndjson", "json"] {
        let old = workplace.run_well(&["findings", "--format", format]);
        workplace.file("old", old);
        let (found, outcome) = list(&workplace, &["--lake", "later-lake", "--baseline", "old"]);
        let of = |status: &str| {
            let rows = found.iter().filter(|row| row["status"] == status);
            rows.map(|row| {
                (
                    row["code"].as_str().unwrap(),
                    row["action_key"].as_str().unwrap(),
                )
            })
            .collect::<Vec<_>>()
        };
        assert_eq!(of("new"), [("LN002", "u_302:bank.transfer")]);
        let stale = ("IV010", "u_209:card.top_up");
        assert_eq!(
            of("resolved"),
            [("LN002", "u_202:bank.transfer"), stale, stale]
        );
        assert_eq!(of("persisting").len(), found.len() - 4);
        let said = format!("note: 1 new, {} persisting, 3 resolved", found.len() - 4);
        assert!(outcome.stderr.contains(&said), "{}", outcome.stderr);
    }
}

#[test]
fn only_new_findings_fail_a_build_that_has_earlier_ones() {
    let workplace = lineage();
    changed_lake(&workplace);
    let fail = |lake: &str, rule: &str| {
        let arguments = [
            "findings",
            "--lake",
            lake,
            "--baseline",
            "old",
            "--rule",
            rule,
            "--fail-on",
            "info",
        ];
        workplace.run(&arguments).status
    };
    workplace.file(
        "old",
        workplace.run_well(&["findings", "--format", "ndjson"]),
    );
    assert_eq!(fail("preflight-lake", "LN002"), 0);
    assert_eq!(fail("later-lake", "LN002"), 1);
    assert_eq!(fail("later-lake", "LN003"), 0);
    // Also where the configuration names them.
    workplace.file("preflight.toml", "baseline = \"old\"\n");
    assert_eq!(
        workplace
            .run(&["findings", "--rule", "LN002", "--fail-on", "info"])
            .status,
        0
    );
    let broken = workplace.file("broken", "severity,code\n");
    let outcome = workplace.run(&["findings", "--baseline", &broken]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains("broken: line 1: "),
        "{}",
        outcome.stderr
    );
}

/// Rules that were not asked for resolve nothing.
#[test]
fn a_narrowed_run_resolves_only_what_it_looked_for() {
    let workplace = lineage();
    workplace.file(
        "old",
        workplace.run_well(&["findings", "--format", "ndjson"]),
    );
    let (found, _) = list(&workplace, &["--rule", "LN006", "--baseline", "old"]);
    let statuses: BTreeSet<_> = found
        .iter()
        .map(|row| row["status"].as_str().unwrap())
        .collect();
    assert_eq!((found.len(), statuses), (2, BTreeSet::from(["persisting"])));
}

/// The id is of the record, the rule and the field: not of the file, its order, or the run.
#[test]
fn ids_are_the_same_whatever_file_the_records_came_in() {
    let workplace = lineage();
    let log = fs::read_to_string(data("../sample-data/lineage.jsonl")).unwrap();
    let mut lines: Vec<&str> = log.lines().collect();
    lines.reverse();
    workplace.file("other/a.jsonl", lines[..9].join("\n"));
    workplace.file("other/b.jsonl", lines[9..].join("\n"));
    workplace.run_well(&["ingest", "other", "--lake", "other-lake"]);
    let ids = |more: &[&str]| -> BTreeSet<String> {
        let (found, _) = list(&workplace, more);
        found
            .iter()
            .map(|row| row["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(&[]), ids(&["--lake", "other-lake"]));
}
