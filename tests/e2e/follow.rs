//! `ingest --follow`.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdout},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use serde_json::json;

use crate::harness::{Workplace, record, signal};

fn line(key: &str) -> String {
    record(&json!({"action_key": key})) + "\n"
}

/// A process that is not left behind when a test fails.
struct Following(Child);

impl Drop for Following {
    fn drop(&mut self) {
        // It has ended already where the test went well.
        let _ = self.0.kill();
    }
}

fn reports(stdout: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            if sender.send(line.unwrap()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Waits for a report that says that the lake holds `records`.
fn wait_for(reports: &Receiver<String>, records: &str) {
    let said = format!("the lake holds {records}");
    while let Ok(line) = reports.recv_timeout(Duration::from_secs(20)) {
        if line.ends_with(&said) {
            return;
        }
    }
    panic!("it was never said that {said}");
}

#[test]
fn appended_lines_and_new_files_are_picked_up_until_a_signal() {
    let workplace = Workplace::new();
    let log = workplace.file("logs/log.jsonl", line("a"));
    let mut process = workplace.process(&["ingest", "logs", "--follow"]);
    let mut child = Following(process.spawn().unwrap());
    let reports = reports(child.0.stdout.take().unwrap());
    wait_for(&reports, "1 record");
    let mut log = fs::File::options().append(true).open(log).unwrap();
    let appended = line("b");
    // Half a line first: its record is taken once, when it is whole.
    log.write_all(&appended.as_bytes()[..100]).unwrap();
    wait_for(&reports, "1 record");
    log.write_all(&appended.as_bytes()[100..]).unwrap();
    wait_for(&reports, "2 records");
    workplace.file("logs/more.jsonl", line("c"));
    wait_for(&reports, "3 records");
    signal(&child.0, "TERM");
    assert!(child.0.wait().unwrap().success());
    assert_eq!(workplace.digests().len(), 3);
    assert_eq!(workplace.value("select count(*) from quarantine"), 0);
}

#[test]
fn standard_input_is_not_followed() {
    let outcome = Workplace::new().run(&["ingest", "-", "--follow"]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains("--follow is for files"),
        "{}",
        outcome.stderr
    );
}
