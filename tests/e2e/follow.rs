//! `ingest --follow`.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::ChildStdout,
};

use serde_json::json;

use crate::harness::{Workplace, record, signal};

fn line(key: &str) -> String {
    record(&json!({"action_key": key})) + "\n"
}

/// Reads the reports of runs until one says that the lake holds `records`.
fn wait_for(reports: &mut BufReader<ChildStdout>, records: &str) {
    let mut line = String::new();
    while reports.read_line(&mut line).unwrap() > 0 {
        if line.ends_with(&format!("the lake holds {records}\n")) {
            return;
        }
        line.clear();
    }
    panic!("it ended before the lake held {records}");
}

#[test]
fn appended_lines_and_new_files_are_picked_up_until_a_signal() {
    let workplace = Workplace::new();
    let log = workplace.file("logs/log.jsonl", line("a"));
    let mut child = workplace
        .process(&["ingest", "logs", "--follow"])
        .spawn()
        .unwrap();
    let mut reports = BufReader::new(child.stdout.take().unwrap());
    wait_for(&mut reports, "1 record");
    let mut log = fs::File::options().append(true).open(log).unwrap();
    let appended = line("b");
    // Half a line first: its record is taken once, when it is whole.
    log.write_all(&appended.as_bytes()[..100]).unwrap();
    wait_for(&mut reports, "1 record");
    log.write_all(&appended.as_bytes()[100..]).unwrap();
    wait_for(&mut reports, "2 records");
    workplace.file("logs/more.jsonl", line("c"));
    wait_for(&mut reports, "3 records");
    signal(&child, "TERM");
    assert!(child.wait().unwrap().success());
    assert_eq!(workplace.digests().len(), 3);
    assert_eq!(workplace.value("select count(*) from quarantine"), 0);
}
