//! What the overview says about seals.

use std::fs;

use preflight_audit::Config;
use preflight_record::Entry;
use preflight_seal::{Hash, LogId, Sealer};
use preflight_triage::state::Item;

use crate::support::{Dashboard, Place};

const LINEAGE: &str = "../../sample-data/lineage.jsonl";

/// The records of a file, sealed.
fn sealed() -> Vec<String> {
    let mut sealer = Sealer::new(LogId::new("bank/agent-7").unwrap());
    let seal = |line: &str| {
        let record = Entry::parse(line.as_bytes()).unwrap().record;
        let mut ordered = String::new();
        record.write_ordered(&mut ordered).unwrap();
        let key = record.action_key.given().map(|key| &**key);
        let mut sealed = String::new();
        sealer.seal(&ordered, Hash::of(ordered.as_bytes()), key, &mut sealed);
        sealed
    };
    let text = fs::read_to_string(LINEAGE).unwrap();
    text.lines().map(seal).collect()
}

/// A lake of lines, and the line of its first screen that tells of seals.
fn overview(lines: &[String]) -> (Dashboard, String) {
    let place = Place::with(&[]);
    let log = place.path("log.jsonl");
    fs::write(&log, lines.concat()).unwrap();
    place.ingest(&[log.to_str().unwrap()]);
    let mut dashboard = place.open("kim");
    let screen = dashboard.screen();
    let line = screen.lines().find(|line| line.contains("seals"));
    let line = line.expect("a line about seals").to_owned();
    (dashboard, line)
}

fn open_seals(dashboard: &mut Dashboard) {
    let items = dashboard.app.overview.items();
    let seal = items.iter().position(|item| *item == Item::Seal);
    dashboard.app.overview.cursor = seal.expect("seals are listed");
    dashboard.press("Enter");
}

#[test]
fn seals_that_hold_are_listed_by_log() {
    let lines = sealed();
    let (mut dashboard, line) = overview(&lines);
    assert!(line.contains("hold"), "{line}");
    open_seals(&mut dashboard);
    let screen = dashboard.screen();
    let last = lines.len() - 1;
    let log = format!("bank/agent-7: {} records, number 0 to {last}", lines.len());
    assert!(screen.contains(&log), "{screen}");
    assert!(screen.contains("only a checkpoint tells"), "{screen}");
}

#[test]
fn broken_seals_open_as_findings() {
    let mut lines = sealed();
    // One record is edited, one taken out.
    lines[3] = lines[3].replacen("bank.transfer", "bank.refund", 1);
    lines.remove(6);
    let (mut dashboard, line) = overview(&lines);
    assert!(line.contains("2 broken"), "{line}");
    open_seals(&mut dashboard);
    assert_eq!(dashboard.app.list.spec.query.text(), "code:IV013,IV015");
    assert_eq!(dashboard.app.list.len(), 2);
}

#[test]
fn records_without_a_seal_are_counted() {
    let mut lines = sealed();
    let text = fs::read_to_string(LINEAGE).unwrap();
    let first = text.lines().next().unwrap();
    lines.insert(0, format!("{first}\n"));
    let (mut dashboard, line) = overview(&lines);
    assert!(line.contains("partly"), "{line}");
    open_seals(&mut dashboard);
    let screen = dashboard.screen();
    assert!(screen.contains("1 record without a seal"), "{screen}");
}

#[test]
fn a_broken_seal_that_is_set_aside_is_no_clean_result() {
    let mut lines = sealed();
    lines.remove(6);
    let place = Place::with(&[]);
    let (log, config) = (place.path("log.jsonl"), place.path("preflight.toml"));
    fs::write(&log, lines.concat()).unwrap();
    let entry = "[[suppress]]\nrule = \"IV015\"\nreason = \"rotated by hand\"\nwho = \"kim\"\n";
    fs::write(&config, entry).unwrap();
    place.ingest(&[log.to_str().unwrap()]);
    let mut source = place.source("kim");
    source.suppressions = Config::read(&config).unwrap().suppressions;
    let mut dashboard = Dashboard::start(source, (80, 24));
    let screen = dashboard.screen();
    assert!(screen.contains("1 set aside"), "{screen}");
    open_seals(&mut dashboard);
    assert_eq!(dashboard.app.list.len(), 1);
}
