//! Processes that are killed, that meet in one lake, and files that change while they are read.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::Child,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::harness::{Dice, Outcome, Workplace, chains, other_chains, record, signal};

const INPUTS: [&str; 5] = ["ingest", "1.jsonl", "2.jsonl", "3.json", "4.jsonl"];

/// Some megabytes of records in files that make many commits: a torn last line and an array each
/// make one of their own.
fn write_inputs(workplace: &Workplace) {
    for number in 1..=4 {
        let lines = other_chains(number);
        let lines = lines.trim_end();
        match number {
            3 => workplace.file("3.json", format!("[{}]", lines.replace('\n', ",\n"))),
            _ => workplace.file(&format!("{number}.jsonl"), format!("{lines}\n{{\"torn")),
        };
    }
}

/// Rows of all tables, and rows without their record.
fn shape(workplace: &Workplace) -> String {
    let rows = workplace.sql(
        "select (select count(*) from records) as records, (select count(*) from fields) as fields,
         (select count(*) from checklist) as checklist, (select count(*) from asks) as asks,
         (select count(*) from fields left anti join records using (record_id)) as lost,
         (select count(distinct record_id) from records) as ids",
    );
    rows[0].to_string()
}

/// The digests and the shape of an ingest that nobody disturbs, and how long it takes.
fn undisturbed() -> (Vec<String>, String, Duration) {
    let workplace = Workplace::new();
    write_inputs(&workplace);
    let start = Instant::now();
    workplace.ingest(&INPUTS[1..]);
    let took = start.elapsed();
    (workplace.digests(), shape(&workplace), took)
}

#[test]
fn killed_at_any_moment_the_same_command_finishes() {
    let (digests, shape_of_all, took) = undisturbed();
    let mut dice = Dice(7);
    for _ in 0..3 {
        let workplace = Workplace::new();
        write_inputs(&workplace);
        for _ in 0..4 {
            let mut child = workplace.process(&INPUTS).spawn().unwrap();
            thread::sleep(took * dice.roll(1000) as u32 / 1500);
            child.kill().unwrap();
            child.wait().unwrap();
            if workplace.path("preflight-lake/manifest.json").exists() {
                let part = workplace.sql("select count(*) % 1179 as part from records");
                assert_eq!(part, [json!({"part": 0})], "a batch is not whole");
            }
        }
        workplace.ingest(&INPUTS[1..]);
        assert_eq!(workplace.digests(), digests);
        assert_eq!(shape(&workplace), shape_of_all);
        assert_eq!(workplace.ingest(&INPUTS[1..]).counts(), [0; 5]);
        assert_no_leftovers(&workplace);
    }
}

/// Only files that the manifest names are in the lake.
fn assert_no_leftovers(workplace: &Workplace) {
    let manifest = fs::read_to_string(workplace.path("preflight-lake/manifest.json")).unwrap();
    for table in ["records", "fields", "checklist", "asks", "quarantine"] {
        let folder = workplace.path(&format!("preflight-lake/{table}"));
        for entry in fs::read_dir(folder).unwrap() {
            let name = format!("{table}/{}", entry.unwrap().file_name().display());
            assert!(
                manifest.contains(&name) || !name.ends_with(".tmp"),
                "{name} was left"
            );
        }
    }
}

#[test]
fn two_processes_with_different_files() {
    let workplace = Workplace::new();
    write_inputs(&workplace);
    let one = workplace
        .process(&["ingest", "1.jsonl", "2.jsonl"])
        .spawn()
        .unwrap();
    let two = workplace
        .process(&["ingest", "3.json", "4.jsonl"])
        .spawn()
        .unwrap();
    for child in [one, two] {
        let outcome = Outcome::of(child.wait_with_output().unwrap());
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    }
    let lines = workplace.value("select count(distinct record_digest) from records");
    assert_eq!(lines, workplace.value("select count(*) from records"));
    assert_eq!(lines, 4 * 1179);
}

#[test]
fn two_processes_with_the_same_file() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", chains());
    let start = || workplace.process(&["ingest", "log.jsonl"]).spawn().unwrap();
    for child in [start(), start()] {
        let outcome = Outcome::of(child.wait_with_output().unwrap());
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    }
    assert_eq!(workplace.value("select count(*) from records"), 1179);
}

#[test]
fn a_second_writer_waits_and_says_so() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", record(&json!({})));
    workplace.ingest(&["log.jsonl"]);
    let lock = fs::File::open(workplace.path("preflight-lake/.lock")).unwrap();
    lock.lock().unwrap();
    let mut child = workplace.process(&["ingest", "log.jsonl"]).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_line(&mut said)
        .unwrap();
    assert_eq!(said, "waiting for another ingest into preflight-lake\n");
    // Readers do not wait.
    assert_eq!(workplace.value("select count(*) from records"), 1);
    assert!(child.try_wait().unwrap().is_none());
    lock.unlock().unwrap();
    assert!(child.wait().unwrap().success());
}

/// A log larger than a chunk, cheap to read: records around blank lines.
fn write_large(workplace: &Workplace) {
    let blank = (" ".repeat(999_999) + "\n").repeat(28);
    let [first, last] = ["first", "last"].map(|key| record(&json!({"action_key": key})));
    workplace.file("log.jsonl", format!("{first}\n{blank}{last}\n"));
}

/// Stops a process in the middle of reading a file; `false` if it was too fast.
#[cfg(target_os = "linux")]
fn stop_within(child: &mut Child, file: &std::path::Path) -> bool {
    let file = fs::canonicalize(file).unwrap();
    let size = fs::metadata(&file).unwrap().len();
    let process = format!("/proc/{}", child.id());
    let position = || -> Option<u64> {
        let descriptors = fs::read_dir(format!("{process}/fd")).ok()?.flatten();
        let mut ours =
            descriptors.filter(|fd| fs::read_link(fd.path()).is_ok_and(|path| path == file));
        ours.find_map(|fd| {
            let info = format!("{process}/fdinfo/{}", fd.file_name().display());
            let info = fs::read_to_string(info).ok()?;
            info.lines()
                .next()?
                .strip_prefix("pos:")?
                .trim()
                .parse()
                .ok()
        })
    };
    let is_within = |position: Option<u64>| position.is_some_and(|at| at > size / 2 && at < size);
    while child.try_wait().unwrap().is_none() {
        if is_within(position()) {
            signal(child, "STOP");
            thread::sleep(Duration::from_millis(20));
            if is_within(position()) {
                return true;
            }
            signal(child, "CONT");
        }
    }
    false
}

/// Runs an ingest of a large log, during which `change` is done to the log.
#[cfg(target_os = "linux")]
fn ingest_while(workplace: &Workplace, change: impl Fn()) -> Outcome {
    for _ in 0..5 {
        write_large(workplace);
        let mut child = workplace.process(&["ingest", "log.jsonl"]).spawn().unwrap();
        if stop_within(&mut child, &workplace.path("log.jsonl")) {
            change();
            signal(&child, "CONT");
            return Outcome::of(child.wait_with_output().unwrap());
        }
        fs::remove_dir_all(workplace.path("preflight-lake")).unwrap();
    }
    panic!("the ingest was never caught while it read");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_replaced_while_it_is_read() {
    let workplace = Workplace::new();
    workplace.file("new.jsonl", record(&json!({"action_key": "new"})));
    let outcome = ingest_while(&workplace, || {
        fs::rename(workplace.path("new.jsonl"), workplace.path("log.jsonl")).unwrap();
    });
    assert_eq!(outcome.status, 0);
    assert!(
        outcome
            .stderr
            .contains("log.jsonl was replaced while it was read"),
        "{}",
        outcome.stderr
    );
    assert_eq!(
        outcome.counts(),
        [30, 2, 0, 28, 0],
        "what was open is whole"
    );
    let again = workplace.ingest(&["log.jsonl"]);
    assert_eq!(again.counts(), [1, 1, 0, 0, 0]);
    let keys = workplace.sql("select action_key as k from records order by k");
    assert_eq!(
        keys,
        [
            json!({"k": "first"}),
            json!({"k": "last"}),
            json!({"k": "new"})
        ]
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_truncated_while_it_is_read() {
    let workplace = Workplace::new();
    let outcome = ingest_while(&workplace, || {
        let log = fs::File::options()
            .write(true)
            .open(workplace.path("log.jsonl"))
            .unwrap();
        log.set_len(1000).unwrap();
    });
    assert!(
        outcome
            .stderr
            .contains("log.jsonl was truncated while it was read"),
        "{}",
        outcome.stderr
    );
    assert_eq!(outcome.counts()[1], 1);
    assert_eq!(workplace.value("select action_key from records"), "first");
}
