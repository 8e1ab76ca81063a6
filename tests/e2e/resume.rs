//! What was read is not read again, and what has changed is noticed: nothing twice, nothing lost.

use std::{fs, io::Write};

use serde_json::{Value, json};

use crate::harness::{Workplace, record};

fn line(key: &str) -> String {
    record(&json!({"action_key": key})) + "\n"
}

fn lines(keys: impl IntoIterator<Item = &'static str>) -> String {
    keys.into_iter().map(line).collect()
}

/// The keys of all records, in order, each as often as it is there.
fn keys(workplace: &Workplace) -> Vec<String> {
    let rows = workplace.sql("select action_key as k from records order by k");
    rows.iter()
        .map(|row| row["k"].as_str().unwrap().to_owned())
        .collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    gzip.finish().unwrap()
}

fn zstandard(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 1).unwrap()
}

fn rename(workplace: &Workplace, from: &str, to: &str) {
    fs::rename(workplace.path(from), workplace.path(to)).unwrap();
}

#[test]
fn the_same_file_twice_adds_nothing() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", lines(["a", "b"]) + "no record\n");
    workplace.ingest(&["log.jsonl"]);
    let again = workplace.ingest(&["log.jsonl"]);
    assert_eq!(again.counts(), [0; 5]);
    assert!(again.stdout.contains("1 unchanged"), "{}", again.stdout);
    // Another modification time alone changes nothing either.
    workplace.file("log.jsonl", lines(["a", "b"]) + "no record\n");
    workplace.ingest(&["log.jsonl"]);
    assert_eq!(workplace.digests().len(), 3);
    assert_eq!(workplace.value("select count(*) from sources"), 1);
}

#[test]
fn a_grown_file_is_read_from_where_it_ended() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", lines(["a", "b"]));
    workplace.ingest(&["log.jsonl"]);
    workplace.file("log.jsonl", lines(["a", "b", "c"]));
    let grown = workplace.ingest(&["log.jsonl"]);
    assert_eq!(grown.stderr, "");
    assert_eq!(keys(&workplace), ["a", "b", "c"]);
    let places = workplace.sql("select line, byte_offset from records where action_key = 'c'");
    assert_eq!(
        places,
        [json!({"line": 3, "byte_offset": lines(["a", "b"]).len()})]
    );
}

#[test]
fn a_grown_compressed_file_is_read_from_where_it_ended() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl.gz", gzip(&lines(["a", "b"])));
    workplace.ingest(&["log.jsonl.gz"]);
    let members = [gzip(&lines(["a", "b"])), gzip(&lines(["c"]))].concat();
    workplace.file("log.jsonl.gz", members);
    workplace.ingest(&["log.jsonl.gz"]);
    assert_eq!(keys(&workplace), ["a", "b", "c"]);
}

/// A torn last line inside of a whole file: it is taken back when the file has been written anew.
#[test]
fn a_torn_last_line_of_a_compressed_file_is_completed_later() {
    let torn = lines(["a"]) + &line("b")[..99];
    for (name, is_gzip) in [("log.jsonl.gz", true), ("log.jsonl.zst", false)] {
        let compress = if is_gzip { gzip } else { zstandard };
        let workplace = Workplace::new();
        workplace.file(name, compress(&torn));
        assert_eq!(
            workplace.ingest(&[name]).counts(),
            [2, 1, 1, 0, 0],
            "{name}"
        );
        workplace.file(name, compress(&lines(["a", "b", "c"])));
        workplace.ingest(&[name]);
        assert_eq!(keys(&workplace), ["a", "b", "c"], "{name}");
        assert_eq!(
            workplace.value("select count(*) from quarantine"),
            0,
            "{name}"
        );
    }
}

/// A compressed file that is cut off: what can be decompressed is kept, the fault is said, and the
/// whole file adds the rest.
#[test]
fn a_compressed_file_that_is_cut_is_said_and_finished_later() {
    let keys_of: Vec<String> = (0..400).map(|n| format!("k{n:03}")).collect();
    let text: String = keys_of.iter().map(|key| line(key)).collect();
    let compressions: [(&str, Vec<u8>); 2] = [
        ("log.jsonl.gz", gzip(&text)),
        ("log.jsonl.zst", zstandard(&text)),
    ];
    for (name, whole) in compressions {
        let workplace = Workplace::new();
        workplace.file(name, &whole[..whole.len() - 20]);
        let outcome = workplace.run(&["ingest", name]);
        assert_eq!(outcome.status, 2, "{name}");
        assert!(outcome.stderr.contains(name), "{name}: {}", outcome.stderr);
        workplace.file(name, &whole);
        workplace.ingest(&[name]);
        assert_eq!(keys(&workplace), keys_of, "{name}");
        assert_eq!(
            workplace.value("select count(*) from quarantine"),
            0,
            "{name}"
        );
    }
}

#[test]
fn a_torn_last_line_is_completed_later() {
    let workplace = Workplace::new();
    let (whole, torn) = (lines(["a", "b"]), lines(["a"]) + &line("b")[..99]);
    workplace.file("log.jsonl", &torn);
    assert_eq!(workplace.ingest(&["log.jsonl"]).counts(), [2, 1, 1, 0, 0]);
    workplace.file("log.jsonl", whole + &lines(["c"]));
    workplace.ingest(&["log.jsonl"]);
    assert_eq!(keys(&workplace), ["a", "b", "c"]);
    assert_eq!(workplace.value("select count(*) from quarantine"), 0);
}

#[test]
fn a_first_line_that_was_torn_is_known_when_its_file_is_renamed() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", &line("a")[..99]);
    workplace.ingest(&["log.jsonl"]);
    workplace.file("log.jsonl", lines(["a", "b"]));
    workplace.ingest(&["log.jsonl"]);
    rename(&workplace, "log.jsonl", "old.jsonl");
    workplace.ingest(&["old.jsonl"]);
    assert_eq!(keys(&workplace), ["a", "b"]);
}

#[test]
fn a_last_line_gets_its_line_end() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", lines(["a", "b"]).trim_end());
    assert_eq!(workplace.ingest(&["log.jsonl"]).counts(), [2, 2, 0, 0, 0]);
    workplace.file("log.jsonl", lines(["a", "b"]));
    workplace.ingest(&["log.jsonl"]);
    assert_eq!(keys(&workplace), ["a", "b"]);
    workplace.file("log.jsonl", lines(["a", "b", "c"]));
    workplace.ingest(&["log.jsonl"]);
    assert_eq!(keys(&workplace), ["a", "b", "c"]);
    assert_eq!(workplace.value("select max(line) from records"), 3);
}

#[test]
fn a_truncated_file_is_said_and_its_records_stay() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", lines(["a", "b", "c"]));
    workplace.ingest(&["log.jsonl"]);
    workplace.file("log.jsonl", lines(["a"]));
    let outcome = workplace.ingest(&["log.jsonl"]);
    assert!(
        outcome.stderr.contains("log.jsonl was truncated"),
        "{}",
        outcome.stderr
    );
    assert_eq!(keys(&workplace), ["a", "b", "c"]);
    // What is written to it from then on is new.
    workplace.file("log.jsonl", lines(["a", "d"]));
    workplace.ingest(&["log.jsonl"]);
    assert_eq!(keys(&workplace), ["a", "b", "c", "d"]);
}

#[test]
fn a_file_that_was_emptied_and_written_again() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", lines(["a", "b"]));
    workplace.ingest(&["log.jsonl"]);
    workplace.file("log.jsonl", "");
    let emptied = workplace.ingest(&["log.jsonl"]);
    assert!(emptied.stderr.contains("truncated"), "{}", emptied.stderr);
    workplace.file("log.jsonl", lines(["c"]));
    workplace.ingest(&["log.jsonl"]);
    assert_eq!(keys(&workplace), ["a", "b", "c"]);
}

#[test]
fn a_rewritten_file_is_said() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", lines(["a", "b"]));
    workplace.ingest(&["log.jsonl"]);
    workplace.file("log.jsonl", lines(["x", "b", "y"]));
    let outcome = workplace.ingest(&["log.jsonl"]);
    assert!(
        outcome
            .stderr
            .contains("log.jsonl was rewritten or rotated"),
        "{}",
        outcome.stderr
    );
    assert_eq!(
        outcome.counts(),
        [3, 2, 0, 0, 1],
        "the line that is there already is not doubled"
    );
    assert_eq!(keys(&workplace), ["a", "b", "x", "y"]);
    let sources = workplace.sql("select distinct source from records order by source");
    assert_eq!(
        sources,
        [
            json!({"source": "log.jsonl"}),
            json!({"source": "log.jsonl@2"})
        ]
    );
}

#[test]
fn a_rotated_log() {
    let workplace = Workplace::new();
    workplace.file("logs/log.jsonl", lines(["a", "b"]));
    workplace.ingest(&["logs"]);
    rename(&workplace, "logs/log.jsonl", "logs/log.jsonl.1");
    workplace.file("logs/log.jsonl", lines(["c"]));
    let outcome = workplace.ingest(&["logs"]);
    assert!(
        outcome
            .stderr
            .contains("logs/log.jsonl was rewritten or rotated"),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome
            .stderr
            .contains("logs/log.jsonl.1 continues what was read as logs/log.jsonl"),
        "{}",
        outcome.stderr
    );
    assert_eq!(keys(&workplace), ["a", "b", "c"]);
    // Nothing more is said or read.
    let again = workplace.ingest(&["logs"]);
    assert_eq!((again.counts(), &*again.stderr), ([0; 5], ""));
}

#[test]
fn a_rotated_log_whose_successor_is_longer_already() {
    let workplace = Workplace::new();
    workplace.file("logs/log.jsonl", lines(["a"]));
    workplace.ingest(&["logs"]);
    rename(&workplace, "logs/log.jsonl", "logs/log.jsonl.1");
    workplace.file("logs/log.jsonl", lines(["b", "c", "d"]));
    workplace.ingest(&["logs"]);
    assert_eq!(keys(&workplace), ["a", "b", "c", "d"]);
}

#[test]
fn a_torn_last_line_that_is_written_over() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", lines(["a"]) + &line("b")[..99]);
    workplace.ingest(&["log.jsonl"]);
    workplace.file("log.jsonl", lines(["a", "c", "d"]));
    workplace.ingest(&["log.jsonl"]);
    assert_eq!(keys(&workplace), ["a", "c", "d"]);
    // The torn line was there: it stays on record.
    assert_eq!(workplace.value("select count(*) from quarantine"), 1);
}

#[test]
fn a_rotated_log_with_lines_that_were_not_read_yet() {
    let workplace = Workplace::new();
    workplace.file("logs/log.jsonl", lines(["a"]));
    workplace.ingest(&["logs"]);
    workplace.file("logs/log.jsonl.1", lines(["a", "b"]));
    workplace.file("logs/log.jsonl", lines(["c"]));
    workplace.ingest(&["logs"]);
    assert_eq!(keys(&workplace), ["a", "b", "c"]);
}

#[test]
fn a_log_that_was_empty_when_first_seen_is_known_after_rotation() {
    let workplace = Workplace::new();
    workplace.file("logs/log.jsonl", "");
    workplace.ingest(&["logs"]);
    workplace.file("logs/log.jsonl", lines(["a", "b"]));
    workplace.ingest(&["logs"]);
    rename(&workplace, "logs/log.jsonl", "logs/log.jsonl.1");
    workplace.file("logs/log.jsonl", lines(["c"]));
    workplace.ingest(&["logs"]);
    assert_eq!(keys(&workplace), ["a", "b", "c"]);
}

#[test]
fn a_log_that_is_rotated_again_and_again() {
    let workplace = Workplace::new();
    let days = ["a", "b", "c", "d", "e"];
    for (day, key) in days.into_iter().enumerate() {
        for old in (1..day).rev() {
            rename(
                &workplace,
                &format!("logs/log.jsonl.{old}"),
                &format!("logs/log.jsonl.{}", old + 1),
            );
        }
        if day > 0 {
            rename(&workplace, "logs/log.jsonl", "logs/log.jsonl.1");
        }
        workplace.file("logs/log.jsonl", lines([key]));
        workplace.ingest(&["logs"]);
    }
    assert_eq!(keys(&workplace), days);
}

#[test]
fn a_renamed_file_is_known() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", lines(["a", "b"]));
    workplace.ingest(&["log.jsonl"]);
    rename(&workplace, "log.jsonl", "2026-06-01.jsonl");
    let outcome = workplace.ingest(&["2026-06-01.jsonl"]);
    assert_eq!(outcome.counts(), [0; 5]);
    assert!(
        outcome
            .stderr
            .contains("2026-06-01.jsonl continues what was read as log.jsonl"),
        "{}",
        outcome.stderr
    );
    assert_eq!(keys(&workplace), ["a", "b"]);
}

#[test]
fn a_file_that_was_compressed_after_rotation_is_known() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", lines(["a", "b"]));
    workplace.ingest(&["log.jsonl"]);
    fs::remove_file(workplace.path("log.jsonl")).unwrap();
    workplace.file("log.jsonl.1.gz", gzip(&lines(["a", "b", "c"])));
    let zst = zstd::encode_all(lines(["a", "b", "c"]).as_bytes(), 1).unwrap();
    workplace.file("log.jsonl.2.zst", zst);
    let outcome = workplace.ingest(&["log.jsonl.1.gz", "log.jsonl.2.zst"]);
    assert!(
        outcome.stderr.contains(
            "2 files continue what was read as log.jsonl: log.jsonl.1.gz, log.jsonl.2.zst"
        ),
        "{}",
        outcome.stderr
    );
    assert_eq!(keys(&workplace), ["a", "b", "c"]);
}

#[test]
fn an_array_that_is_renamed_or_compressed_is_known() {
    let workplace = Workplace::new();
    let records = ["a", "b"].map(|key| serde_json::from_str::<Value>(&line(key)).unwrap());
    let pretty = serde_json::to_string_pretty(&records).unwrap();
    workplace.file("day.json", &pretty);
    workplace.ingest(&["day.json"]);
    rename(&workplace, "day.json", "monday.json");
    workplace.file("monday.json.gz", gzip(&pretty));
    workplace.ingest(&["monday.json", "monday.json.gz"]);
    assert_eq!(keys(&workplace), ["a", "b"]);
}

#[test]
fn an_array_that_has_grown() {
    let workplace = Workplace::new();
    let array = |keys: &[&str]| {
        let lines: Vec<String> = keys
            .iter()
            .map(|key| line(key).trim_end().to_owned())
            .collect();
        format!("[\n{}\n]\n", lines.join(",\n"))
    };
    workplace.file("log.json", array(&["a", "b"]));
    workplace.ingest(&["log.json"]);
    workplace.file("log.json", array(&["a", "b", "c"]));
    workplace.ingest(&["log.json"]);
    assert_eq!(keys(&workplace), ["a", "b", "c"]);
}

#[test]
fn a_copy_in_the_same_run_is_known() {
    let workplace = Workplace::new();
    workplace.file("a.jsonl", lines(["a", "b"]));
    workplace.file("b.jsonl", lines(["a", "b"]));
    workplace.ingest(&["a.jsonl", "b.jsonl"]);
    assert_eq!(keys(&workplace), ["a", "b"]);
}

#[test]
fn copies_are_one_note_with_their_count() {
    let workplace = Workplace::new();
    for copy in 0..6 {
        workplace.file(&format!("logs/{copy}.jsonl"), lines(["a", "b"]));
    }
    let outcome = workplace.ingest(&["logs"]);
    let said = "note: 5 files continue what was read as logs/0.jsonl: logs/1.jsonl, logs/2.jsonl, \
                logs/3.jsonl and 2 more\n";
    assert_eq!(outcome.stderr, said);
    assert_eq!(keys(&workplace), ["a", "b"]);
}

#[test]
fn records_that_a_small_batch_held_are_told_from_new_ones() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", lines(["a", "b"]));
    workplace.ingest(&["log.jsonl"]);
    workplace.file("log.jsonl", lines(["a", "b", "c"]));
    let outcome = workplace.ingest(&["log.jsonl"]);
    let said = "; 2 of the records were in the lake before, in a small batch that these replace; \
                the lake holds 3 records";
    assert!(
        outcome.stdout.trim_end().ends_with(said),
        "{}",
        outcome.stdout
    );
}

#[test]
fn files_that_start_alike_are_both_read() {
    let workplace = Workplace::new();
    workplace.file("a.jsonl", lines(["a", "b"]));
    workplace.file("b.jsonl", lines(["a", "c"]));
    workplace.ingest(&["a.jsonl", "b.jsonl"]);
    let found = keys(&workplace);
    for key in ["a", "b", "c"] {
        assert!(found.contains(&key.to_owned()), "{key} is lost: {found:?}");
    }
}

#[test]
fn many_small_additions_make_few_files() {
    let workplace = Workplace::new();
    let names = ["a", "b", "c", "d", "e", "f"];
    for count in 1..=names.len() {
        workplace.file("log.jsonl", lines(names[..count].iter().copied()));
        workplace.ingest(&["log.jsonl"]);
    }
    assert_eq!(keys(&workplace), names);
    let manifest = fs::read_to_string(workplace.path("preflight-lake/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["batches"].as_array().unwrap().len(), 1);
}

#[test]
fn a_log_that_was_cut_and_restored_adds_nothing() {
    let workplace = Workplace::new();
    let lines: String = (0..3)
        .map(|n| record(&json!({"action_key": format!("chain-{n}")})) + "\n")
        .collect();
    let ingest = |content: &str| {
        workplace.file("log.jsonl", content);
        workplace.run_well(&["ingest", "log.jsonl"]);
    };
    ingest(&lines);
    ingest(&lines[..lines.len() - 30]);
    ingest(&lines);
    let records = workplace.sql("select count(*) as n from records");
    assert_eq!(records[0]["n"], 3);
}
