//! Every screen, narrow and wide.

use std::fs;

use crate::support::{Dashboard, Place};

const LINEAGE: &str = "../../sample-data/lineage.jsonl";
const SCRIPTS: &str = "tests/fixtures/scripts.jsonl";
const ONE: &str = "tests/fixtures/one.jsonl";

fn snapshot(name: &str, dashboard: &mut Dashboard) {
    insta::assert_snapshot!(name, dashboard.screen());
}

fn walk(name: &str, mut dashboard: Dashboard) {
    let shot =
        |step: &str, dashboard: &mut Dashboard| snapshot(&format!("{name}_{step}"), dashboard);
    shot("overview", &mut dashboard);
    dashboard.press("2");
    shot("findings", &mut dashboard);
    dashboard.press("b");
    shot("grouped", &mut dashboard);
    dashboard.press("b b b b b b b b j j Enter");
    shot("chain", &mut dashboard);
    dashboard.press("l");
    shot("baseline", &mut dashboard);
    dashboard.press("l");
    shot("json", &mut dashboard);
    dashboard.press("l");
    shot("rule", &mut dashboard);
    dashboard.press("4");
    shot("quarantine", &mut dashboard);
    dashboard.press("2 ?");
    shot("help", &mut dashboard);
    dashboard.press("Esc :");
    dashboard.write("sn");
    shot("palette", &mut dashboard);
    dashboard.press("Enter");
    shot("prompt", &mut dashboard);
    dashboard.press("Esc / ");
    dashboard.write("-ca");
    shot("filter", &mut dashboard);
    dashboard.press("Tab");
    shot("values", &mut dashboard);
    dashboard.write("nothing_like_it");
    shot("problem", &mut dashboard);
    dashboard.press("Esc * d");
    shot("confirm", &mut dashboard);
    dashboard.press("Esc X");
    shot("formats", &mut dashboard);
    dashboard.press("Esc v");
    shot("views", &mut dashboard);
}

#[test]
fn lineage_narrow() {
    walk("lineage_80", Place::with(&[LINEAGE]).open("kim"));
}

#[test]
fn lineage_wide() {
    walk("lineage_160", Place::with(&[LINEAGE]).open_wide("kim"));
}

#[test]
fn scripts_narrow() {
    walk("scripts_80", Place::with(&[SCRIPTS]).open("キム"));
}

#[test]
fn scripts_wide() {
    walk("scripts_160", Place::with(&[SCRIPTS]).open_wide("キム"));
}

#[test]
fn an_empty_lake() {
    let place = Place::with(&[]);
    let mut dashboard = place.open("kim");
    snapshot("empty_80_overview", &mut dashboard);
    dashboard.press("2");
    snapshot("empty_80_findings", &mut dashboard);
    // Nothing to act on is no reason to fail.
    dashboard.press("j G Enter a A z x d o n u y e X * Space b s r g k 3 4 Enter 1 Enter");
    let mut wide = place.open_wide("kim");
    snapshot("empty_160_overview", &mut wide);
}

#[test]
fn one_finding() {
    let place = Place::with(&[ONE]);
    let mut dashboard = place.open("kim");
    snapshot("one_80_overview", &mut dashboard);
    dashboard.press("2");
    snapshot("one_80_findings", &mut dashboard);
    dashboard.press("Enter");
    snapshot("one_80_chain", &mut dashboard);
    let mut wide = place.open_wide("kim");
    wide.press("2");
    snapshot("one_160_findings", &mut wide);
}

#[test]
fn a_broken_lake() {
    let place = Place::with(&[ONE]);
    let manifest = place.lake().join("manifest.json");
    fs::write(&manifest, "{\"format\": 2, \"generation\": \"\u{1b}[2J\"").unwrap();
    let mut dashboard = place.open("kim");
    let screen = dashboard.screen();
    let path = place.lake().display().to_string();
    assert!(screen.contains("The lake could not be read"), "{screen}");
    assert!(screen.contains("R tries again"), "{screen}");
    assert!(!screen.contains(&path) || !path.is_empty());
    dashboard.press("2 j Enter a 3 4 1");

    fs::remove_file(&manifest).unwrap();
    place.ingest(&[ONE]);
    dashboard.press("R 2");
    assert!(dashboard.screen().contains("value_missing"));
}

#[test]
fn a_terminal_of_any_size() {
    let place = Place::with(&[SCRIPTS]);
    let mut dashboard = place.open("kim");
    for size in [
        (1, 1),
        (10, 5),
        (39, 10),
        (40, 10),
        (41, 11),
        (80, 5),
        (300, 100),
    ] {
        dashboard.resize(size);
        dashboard.press("2 b Enter b b b b b b b b b Enter l l l ? Esc : Esc 4 2 / x Esc * d Esc");
        dashboard.press("X Esc v Esc Esc 1 Enter Esc 1");
        dashboard.screen();
    }
}
