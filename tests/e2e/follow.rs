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

/// A line that is written in pieces, the cut inside a character and inside an escape, and two lines
/// of which the second is torn: each record is taken once, and nothing stays in quarantine.
#[test]
fn torn_lines_are_taken_when_they_are_whole() {
    let workplace = Workplace::new();
    let log = workplace.file("log.jsonl", line("a"));
    let mut process = workplace.process(&["ingest", "log.jsonl", "--follow"]);
    let mut child = Following(process.spawn().unwrap());
    let reports = reports(child.0.stdout.take().unwrap());
    wait_for(&reports, "1 record");
    let mut log = fs::File::options().append(true).open(log).unwrap();
    let piece = record(&json!({"action_key": "é", "reason": "a \"quoted\" reason"})) + "\n";
    let accent = piece.find('é').unwrap() + 1;
    let escape = piece.find("\\\"").unwrap() + 1;
    let cuts = [0, accent, escape, piece.len()];
    for cut in cuts.windows(2) {
        log.write_all(&piece.as_bytes()[cut[0]..cut[1]]).unwrap();
        // A line that is torn at another place is no news: it is only given time to be seen.
        thread::sleep(Duration::from_millis(1_500));
    }
    wait_for(&reports, "2 records");
    let (whole, torn) = (line("c"), line("d"));
    log.write_all((whole + &torn[..50]).as_bytes()).unwrap();
    wait_for(&reports, "3 records");
    log.write_all(&torn.as_bytes()[50..]).unwrap();
    wait_for(&reports, "4 records");
    signal(&child.0, "TERM");
    assert!(child.0.wait().unwrap().success());
    assert_eq!(workplace.digests().len(), 4);
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
