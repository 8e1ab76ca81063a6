//! What the overview counts.

use std::fs;

use crate::support::{NOW, Place};
use preflight_triage::table::DAY;

#[test]
fn a_clock_that_is_years_ahead_hides_no_other_day() {
    let place = Place::with(&[]);
    let now = fs::read_to_string("tests/fixtures/one.jsonl").unwrap();
    let ahead = now
        .replace("2026-06-01T04", "2099-06-01T04")
        .replace("u_1:", "u_2:");
    let log = place.path("log.jsonl");
    fs::write(&log, format!("{}\n{}\n", now.trim(), ahead.trim())).unwrap();
    place.ingest(&[log.to_str().unwrap()]);
    let mut dashboard = place.open("kim");
    let screen = dashboard.screen();
    assert!(screen.contains("to 2026-06-01"), "{screen}");
    let counts = dashboard.app.overview.counts.as_ref().unwrap();
    assert!(counts.last_day.unwrap() < NOW / DAY, "{counts:?}");
    assert_eq!(
        (counts.unsettled, &counts.classes[0].days[29..]),
        (2, &[1][..])
    );
}

#[test]
fn days_to_come_are_shown_where_there_is_no_other() {
    let place = Place::with(&[]);
    let one = fs::read_to_string("tests/fixtures/one.jsonl").unwrap();
    let log = place.path("log.jsonl");
    fs::write(&log, one.replace("2026-06-01T04", "2099-06-01T04")).unwrap();
    place.ingest(&[log.to_str().unwrap()]);
    let screen = place.open("kim").screen();
    assert!(screen.contains("to 2099-06-01"), "{screen}");
}
