//! Whole flows: find, look, decide, take back, leave with something.

use std::fs;

use crate::support::{NOW, Place};

const LINEAGE: &str = "../../sample-data/lineage.jsonl";

#[test]
fn a_finding_is_found_looked_at_and_decided_on() {
    let place = Place::with(&[LINEAGE]);
    let mut kim = place.open("kim");
    kim.press("2 /");
    kim.write("cause:origin_rewritten");
    kim.press("Enter");
    assert_eq!(kim.app.list.len(), 2);
    assert!(
        kim.line(2).contains("cause is origin_rewritten"),
        "{}",
        kim.screen()
    );

    kim.press("Enter");
    let chain = kim.screen();
    assert!(chain.contains("u_201:bank.transfer"), "{chain}");
    assert!(
        chain.contains("the origin there is pre_set_data"),
        "{chain}"
    );
    assert!(!chain.contains("1200"), "values are masked: {chain}");
    kim.press("a");
    let [decision] = &place.log()[..] else {
        panic!("{:?}", place.log());
    };
    assert_eq!(decision["action"], "acknowledge");
    assert_eq!(decision["who"], "kim");
    assert_eq!(decision["at"], "2026-07-01T12:00:00.000Z");
    let id = decision["findings"][0].as_str().unwrap().to_owned();
    assert_eq!(id, kim.app.chain.finding.unwrap().to_string());
    assert!(kim.screen().contains("[acknowledged by kim]"));

    kim.press("Esc");
    assert!(kim.screen().contains(" ack "), "{}", kim.screen());
    kim.press("u");
    assert_eq!(place.log()[1]["undoes"], decision["decision"]);
    assert!(!kim.screen().contains(" ack "), "{}", kim.screen());
    kim.press("q");
    assert!(kim.has_quit);
}

#[test]
fn many_are_decided_on_at_once_after_a_question() {
    let place = Place::with(&[LINEAGE]);
    let mut kim = place.open("kim");
    kim.press("2 /");
    kim.write("severity:>=high");
    kim.press("Enter");
    let count = kim.app.list.len();
    assert!(count > 5, "{count}");
    kim.press("* d");
    assert!(
        kim.screen().contains(&format!("done {count} findings?")),
        "{}",
        kim.screen()
    );
    kim.press("Esc");
    assert!(place.log().is_empty());
    kim.press("d y");
    assert_eq!(place.log()[0]["findings"].as_array().unwrap().len(), count);
    // What is done is no longer to be looked at; the filter that is typed says what is.
    kim.press("/");
    kim.write("status:open,acknowledged");
    kim.press("Enter");
    assert_eq!(kim.app.list.len(), 0);
    kim.press("u");
    assert_eq!(kim.app.list.len(), count);
}

#[test]
fn each_decision_says_what_it_must() {
    let place = Place::with(&[LINEAGE]);
    let mut kim = place.open("kim");
    kim.press("2 A");
    kim.press("Ctrl-u");
    kim.write("lee");
    kim.press("Enter j z Ctrl-u");
    kim.write("yesterday");
    kim.press("Enter");
    assert!(kim.screen().contains("! a time is"), "{}", kim.screen());
    kim.press("Ctrl-u");
    kim.write("2h");
    kim.press("Enter x Enter");
    assert!(
        kim.screen().contains("a reason is needed"),
        "{}",
        kim.screen()
    );
    kim.write("the shop fills it in");
    kim.press("Enter n");
    kim.write("see the ticket");
    kim.press("Enter");
    let log = place.log();
    let said = |at: usize, key: &str| log[at][key].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        (said(0, "action"), said(0, "assignee")),
        ("assign".into(), "lee".into())
    );
    assert_eq!(said(1, "until"), "2026-07-01T14:00:00.000Z");
    assert_eq!(said(2, "reason"), "the shop fills it in");
    assert_eq!(said(3, "note"), "see the ticket");

    kim.press("1 2 /");
    kim.write("\u{8}");
    kim.press("Ctrl-u");
    kim.write("assignee:lee");
    kim.press("Enter");
    assert_eq!(kim.app.list.len(), 1);
}

#[test]
fn a_snooze_wakes_by_itself() {
    use preflight_triage::update::Event;
    let place = Place::with(&[LINEAGE]);
    let mut kim = place.open("kim");
    let all = kim.app.list.len();
    kim.press("2 z Enter");
    assert_eq!(kim.app.list.len(), all - 1);
    kim.app.handle(Event::Tick, NOW + 23 * 3_600_000_000);
    kim.settle();
    assert_eq!(kim.app.list.len(), all - 1);
    kim.app.handle(Event::Tick, NOW + 24 * 3_600_000_000);
    kim.settle();
    assert_eq!(kim.app.list.len(), all);
}

#[test]
fn a_filter_is_completed_and_taken_back() {
    let place = Place::with(&[LINEAGE]);
    let mut kim = place.open("kim");
    kim.press("2 / Ctrl-u");
    kim.write("to");
    kim.press("Tab");
    kim.write("shop");
    kim.press("Down Enter Enter");
    assert_eq!(kim.app.list.spec.query.text(), "tool:shop.order");
    assert_eq!(kim.app.list.len(), 6);
    kim.press("/");
    kim.write("xyz");
    assert_eq!(kim.app.list.len(), 0);
    kim.press("Esc");
    assert_eq!(kim.app.list.spec.query.text(), "tool:shop.order");
    assert_eq!(kim.app.list.len(), 6);
    kim.press("\\");
    assert!(kim.app.list.len() > 6);
}

#[test]
fn everything_on_the_overview_can_be_opened() {
    let place = Place::with(&[LINEAGE, "tests/fixtures/scripts.jsonl"]);
    let mut kim = place.open("kim");
    let items = kim.app.overview.items().len();
    for item in 0..items {
        kim.app.overview.cursor = item;
        kim.press("Enter");
        let opened =
            kim.app.screen != preflight_triage::state::Screen::Overview || kim.app.dialog.is_some();
        assert!(opened, "item {item}");
        kim.press("Esc 1");
    }
    // A day of a class.
    let class = kim
        .app
        .overview
        .items()
        .iter()
        .position(|item| matches!(item, preflight_triage::state::Item::Class(_)));
    kim.app.overview.cursor = class.unwrap();
    kim.press("h Enter");
    assert!(
        kim.app
            .list
            .spec
            .query
            .text()
            .contains(" since:2026-07-01 until:2026-07-02")
    );
}

#[test]
fn values_are_shown_when_asked_for() {
    let place = Place::with(&["tests/fixtures/one.jsonl"]);
    let mut kim = place.open("kim");
    kim.press("2 Enter");
    assert!(
        !kim.screen().contains("12345678901234567890.10"),
        "{}",
        kim.screen()
    );
    kim.press("V");
    assert!(
        kim.screen().contains("12345678901234567890.10"),
        "{}",
        kim.screen()
    );
    kim.press("l l Enter G k k k k Enter");
    kim.press("V");
    assert!(
        !kim.screen().contains("12345678901234567890"),
        "{}",
        kim.screen()
    );
}

#[test]
fn one_leaves_with_something() {
    let place = Place::with(&[LINEAGE]);
    let mut kim = place.open("kim");
    kim.press("2 y");
    assert_eq!(kim.copied[0].len(), 16);
    kim.press("Y");
    assert!(
        kim.copied[1].contains("lower(triage_status) = 'open'"),
        "{}",
        kim.copied[1]
    );
    kim.press("e");
    let (name, text) = &kim.edited[0];
    assert!(name.contains("lineage.jsonl-"), "{name}");
    assert!(text.starts_with("{\"schema_version\""), "{text}");

    let all = kim.app.list.len();
    for (key, name) in [("1", "out.csv"), ("2", "out.ndjson"), ("3", "out.md")] {
        kim.press(&format!("X {key} Ctrl-u"));
        let path = place.path(name);
        kim.write(&path.display().to_string());
        kim.press("Enter");
        let written = fs::read_to_string(path).unwrap();
        let head = if name == "out.md" {
            2
        } else {
            usize::from(name == "out.csv")
        };
        assert_eq!(written.lines().count(), all + head, "{name}");
    }
    kim.press("Space X 4 Ctrl-u");
    let path = place.path("case");
    kim.write(&path.display().to_string());
    kim.press("Enter");
    assert!(path.join("README.md").exists(), "{:?}", kim.app.message);
    kim.press("X 4 Ctrl-u");
    kim.write(&path.display().to_string());
    kim.press("Enter");
    assert!(
        kim.screen().contains("nothing is replaced"),
        "{}",
        kim.screen()
    );
}

#[test]
fn the_mouse_does_what_keys_do() {
    let place = Place::with(&[LINEAGE]);
    let mut kim = place.open("kim");
    kim.click(18, 0);
    assert!(kim.line(0).contains("[2 Findings]"), "{}", kim.screen());
    kim.click(5, 3);
    assert!(kim.line(3).contains("↓severity"), "{}", kim.screen());
    kim.click(5, 3);
    assert!(kim.line(3).contains("↑severity"), "{}", kim.screen());
    kim.click(20, 6);
    assert_eq!(kim.app.list.cursor, kim.app.list.offset + 2);
    kim.click(20, 6);
    assert!(kim.line(0).contains("[3 Chain]"), "{}", kim.screen());
}

#[test]
fn groups_open_and_are_decided_on_as_one() {
    let place = Place::with(&[LINEAGE]);
    let mut kim = place.open("kim");
    kim.press("2 b b b");
    let groups = kim.app.list.len();
    assert!(kim.line(4).contains("[+]"), "{}", kim.screen());
    kim.press("Enter");
    let first = kim.app.list.view.groups[0].len as usize;
    assert_eq!(kim.app.list.len(), groups + first);
    kim.press("d");
    assert!(
        kim.screen().contains(&format!("done {first} findings?")),
        "{}",
        kim.screen()
    );
    kim.press("Esc j Enter");
    assert!(kim.line(0).contains("[3 Chain]"), "{}", kim.screen());
}

#[test]
fn views_are_saved_and_shown() {
    let place = Place::with(&[LINEAGE]);
    let mut kim = place.open("kim");
    kim.press("2 / Ctrl-u");
    kim.write("tool:shop.*");
    kim.press("Enter s s b w");
    kim.write("refunds");
    kim.press("Enter");
    kim.press("v Enter");
    assert_eq!(kim.app.list.spec.query.text(), "status:open,acknowledged");
    kim.press("v 7");
    assert_eq!(kim.app.list.spec.query.text(), "tool:shop.*");
    assert!(kim.app.list.spec.group.is_some());
    kim.press("t Ctrl-u");
    kim.write("2026-01-01 2026-02-01");
    kim.press("Enter");
    assert_eq!(
        kim.app.list.spec.query.text(),
        "tool:shop.* since:2026-01-01 until:2026-02-01"
    );
}
