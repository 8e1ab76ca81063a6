//! What others do while one looks.

use std::{fs, io::Write};

use crate::support::{Dashboard, Place};

const LINEAGE: &str = "../../sample-data/lineage.jsonl";

#[test]
fn two_people_do_not_lose_each_others_decisions() {
    let place = Place::with(&[LINEAGE]);
    let (mut kim, mut lee) = (place.open("kim"), place.open("lee"));
    kim.press("2 a j");
    lee.press("2 j j d");
    kim.press("a");
    assert_eq!(place.log().len(), 3);
    kim.wait_until(|app| app.standings().is_some_and(|all| all.len() == 3));
    lee.wait_until(|app| app.standings().is_some_and(|all| all.len() == 3));
    // Each takes back what is their own.
    lee.press("u");
    let log = place.log();
    assert_eq!(
        (&log[3]["who"], &log[3]["undoes"]),
        (&"lee".into(), &log[1]["decision"])
    );
}

#[test]
fn the_lake_is_followed_and_the_cursor_stays() {
    let place = Place::with(&[LINEAGE]);
    let mut kim = place.open("kim");
    kim.press("2 j j j");
    let row = kim.app.list.current().unwrap();
    let (id, before) = (kim.app.list.table.id(row), kim.app.list.len());
    place.ingest(&["tests/fixtures/scripts.jsonl"]);
    kim.wait_until(|app| app.list.len() > before);
    let row = kim.app.list.current().unwrap();
    assert_eq!(kim.app.list.table.id(row), id);
}

#[test]
fn a_log_is_followed_into_the_lake() {
    let place = Place::with(&[]);
    let log = place.path("agent.jsonl");
    let record = fs::read_to_string("tests/fixtures/one.jsonl").unwrap();
    fs::write(&log, "").unwrap();
    let mut source = place.source("kim");
    source.follow = vec![log.display().to_string()];
    let mut kim = Dashboard::start(source, (80, 24));
    kim.press("2");
    assert_eq!(kim.app.list.len(), 0);
    let mut file = fs::OpenOptions::new().append(true).open(&log).unwrap();
    file.write_all(record.as_bytes()).unwrap();
    kim.wait_until(|app| app.list.len() == 1);
}
