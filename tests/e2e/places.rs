//! Files, folders, disks and lakes that get in the way.

use std::{fs, io::Write, process::Command};

use serde_json::json;

use crate::harness::{Outcome, Workplace, chains, data, other_chains, record};

fn line(key: &str) -> String {
    record(&json!({"action_key": key})) + "\n"
}

/// Says on the test's output that a test could not be done here.
fn skip(why: &str) {
    eprintln!("SKIPPED: {why}");
}

#[test]
fn a_missing_path_does_not_keep_others_from_being_read() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", line("a"));
    let outcome = workplace.run(&["ingest", "none.jsonl", "log.jsonl", "nothing/*.jsonl"]);
    assert_eq!(outcome.status, 2);
    assert_eq!(outcome.counts(), [1, 1, 0, 0, 0]);
    assert!(
        outcome
            .stderr
            .contains("preflight: none.jsonl: No such file or directory"),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome.stderr.contains("nothing/*.jsonl: no file matches"),
        "{}",
        outcome.stderr
    );
}

/// The binary in a workplace, without root's right to read everything.
fn without_privileges(workplace: &Workplace, arguments: &[&str]) -> Option<Outcome> {
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set=-dac_override,-dac_read_search", "--"]);
    command.arg(env!("CARGO_BIN_EXE_preflight")).args(arguments);
    command.current_dir(workplace.path(""));
    command.output().ok().map(Outcome::of)
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let workplace = Workplace::new();
    workplace.file("logs/open.jsonl", line("a"));
    workplace.file("logs/shut/log.jsonl", line("b"));
    workplace.file("logs/shut.jsonl", line("c"));
    let shut = ["logs/shut", "logs/shut.jsonl"].map(|name| workplace.path(name));
    let permit = |mode| {
        for path in &shut {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    permit(0o000);
    let readable = fs::read_dir(&shut[0]).is_ok();
    let outcome = match readable {
        false => Some(workplace.run(&["ingest", "logs"])),
        true => without_privileges(&workplace, &["ingest", "logs"]),
    };
    permit(0o755);
    let Some(outcome) = outcome else {
        return skip("root reads every folder, and there is no setpriv");
    };
    assert_eq!(outcome.status, 2);
    assert_eq!(outcome.counts(), [1, 1, 0, 0, 0], "{}", outcome.stderr);
    for name in ["logs/shut", "logs/shut.jsonl"] {
        let message = format!("preflight: {name}: Permission denied");
        assert!(outcome.stderr.contains(&message), "{}", outcome.stderr);
    }
    // Once it can be read, the same command reads it.
    assert_eq!(workplace.ingest(&["logs"]).counts(), [2, 2, 0, 0, 0]);
}

#[test]
fn a_compressed_file_that_is_cut() {
    let workplace = Workplace::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    gzip.write_all(chains().as_bytes()).unwrap();
    let whole = gzip.finish().unwrap();
    workplace.file("log.jsonl.gz", &whole[..whole.len() / 2]);
    workplace.file("other.jsonl", line("a"));
    let outcome = workplace.run(&["ingest", "log.jsonl.gz", "other.jsonl"]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains("preflight: log.jsonl.gz: "),
        "{}",
        outcome.stderr
    );
    let [lines, records, ..] = outcome.counts();
    assert!(
        lines == records && (100..1179).contains(&records),
        "{records}"
    );
    // When the file is whole, the rest is read.
    workplace.file("log.jsonl.gz", whole);
    workplace.ingest(&["log.jsonl.gz", "other.jsonl"]);
    assert_eq!(workplace.value("select count(*) from records"), 1180);
    assert_eq!(
        workplace.value("select count(distinct record_digest) from records"),
        1180
    );
}

/// Runs a script in which `$LAKE` is a small disk; `None` where none can be mounted.
fn on_a_small_disk(workplace: &Workplace, script: &str) -> Option<Outcome> {
    let mount = "mkdir disk && mount -t tmpfs -o size=300k none disk || exit 99";
    for flags in ["-m", "-rm"] {
        let mut command = Command::new("unshare");
        command.args([flags, "sh", "-c", &format!("{mount}\n{script}")]);
        command
            .current_dir(workplace.path(""))
            .env("PREFLIGHT", env!("CARGO_BIN_EXE_preflight"));
        match command.output() {
            Ok(output)
                if output.status.code() == Some(99)
                    || !output.status.success() && output.stdout.is_empty() =>
            {
                let _ = fs::remove_dir(workplace.path("disk"));
            }
            Ok(output) => return Some(Outcome::of(output)),
            Err(_) => return None,
        }
    }
    None
}

#[test]
fn a_full_disk() {
    let workplace = Workplace::new();
    // A torn last line makes a commit after each file: the first one fits.
    for number in 1..=3 {
        let lines = other_chains(number);
        workplace.file(&format!("{number}.jsonl"), format!("{lines}{{\"torn"));
    }
    let script = "
        $PREFLIGHT ingest 1.jsonl 2.jsonl 3.jsonl --threads 1 --lake disk/lake; echo status $?
        $PREFLIGHT sql 'select count(*) % 1179 as part, count(*) > 0 as some from records' --lake disk/lake --format ndjson
        mount -o remount,size=64m disk
        $PREFLIGHT ingest 1.jsonl 2.jsonl 3.jsonl --lake disk/lake; echo status $?
        $PREFLIGHT sql 'select count(distinct record_digest) as n from records' --lake disk/lake --format ndjson";
    let Some(outcome) = on_a_small_disk(&workplace, script) else {
        return skip("no small disk can be mounted here");
    };
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines[0], "status 2", "{}{}", outcome.stdout, outcome.stderr);
    assert_eq!(lines[1], "{\"part\":0,\"some\":true}", "only whole batches");
    assert!(
        outcome.stderr.contains("No space left on device"),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome.stderr.contains("run the same command again"),
        "{}",
        outcome.stderr
    );
    assert_eq!(&lines[lines.len() - 2..], ["status 0", "{\"n\":3537}"]);
}

#[test]
fn a_lake_of_a_newer_format() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", line("a"));
    let manifest = "{\"format\": 99, \"unheard\": \"of\"}";
    workplace.file("preflight-lake/manifest.json", manifest);
    for command in [
        &["ingest", "log.jsonl"][..],
        &["sql", "select 1"],
        &["findings"],
        &["audit", "log.jsonl"],
    ] {
        let outcome = workplace.run(command);
        assert_eq!(outcome.status, 2, "{command:?}");
        assert_eq!(outcome.stdout, "");
        let message = "has lake format 99, and this version reads up to 3: update preflight";
        assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
    }
    let kept = fs::read_to_string(workplace.path("preflight-lake/manifest.json")).unwrap();
    assert_eq!(kept, manifest);
}

#[test]
fn a_folder_that_is_no_lake() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", line("a"));
    workplace.file("photos/cat.jpg", "miaow");
    let read = workplace.run(&["sql", "select 1", "--lake", "photos"]);
    assert_eq!(read.status, 2);
    assert!(
        read.stderr.contains("photos is not a lake"),
        "{}",
        read.stderr
    );
    let write = workplace.run(&["ingest", "log.jsonl", "--lake", "photos"]);
    assert_eq!(write.status, 2);
    assert!(
        write.stderr.contains("cat.jpg is in it"),
        "{}",
        write.stderr
    );
    let names: Vec<_> = fs::read_dir(workplace.path("photos")).unwrap().collect();
    assert_eq!(names.len(), 1, "something was written: {names:?}");
    let file = workplace.run(&["ingest", "log.jsonl", "--lake", "log.jsonl"]);
    assert_eq!(file.status, 2, "{}", file.stderr);
    assert_eq!(
        fs::read_to_string(workplace.path("log.jsonl")).unwrap(),
        line("a")
    );
}

#[test]
fn a_lake_that_is_not_there() {
    let workplace = Workplace::new();
    let outcome = workplace.run(&["findings", "--lake", "none"]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome
            .stderr
            .contains("run `preflight ingest PATH --lake none` first"),
        "{}",
        outcome.stderr
    );
    assert!(!workplace.path("none").exists());
}

#[test]
fn a_damaged_lake_is_never_a_clean_result() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", line("a"));
    workplace.ingest(&["log.jsonl"]);
    let records = workplace.path("preflight-lake/records/000001.parquet");
    let bytes = fs::read(&records).unwrap();
    fs::write(&records, &bytes[..bytes.len() - 1]).unwrap();
    let cut = workplace.run(&["findings"]);
    assert_eq!(cut.status, 2);
    assert!(
        cut.stderr.contains("the lake is incomplete"),
        "{}",
        cut.stderr
    );
    fs::remove_file(&records).unwrap();
    assert_eq!(workplace.run(&["audit", "log.jsonl"]).status, 2);
    workplace.file("preflight-lake/manifest.json", "{\"format\": 1,");
    let manifest = workplace.run(&["sql", "select 1"]);
    assert_eq!(manifest.status, 2);
    assert!(
        manifest.stderr.contains("the manifest is damaged"),
        "{}",
        manifest.stderr
    );
}

#[test]
fn a_file_of_the_lake_that_cannot_be_decoded_is_named() {
    let workplace = Workplace::new();
    workplace.ingest(&[data("chains/chains.jsonl").to_str().unwrap()]);
    let name = "preflight-lake/asks/000001.parquet";
    let whole = fs::read(workplace.path(name)).unwrap();
    // In the first page, in the middle, and in the footer.
    for at in [40, whole.len() / 2, whole.len() - 200] {
        let mut bytes = whole.clone();
        bytes[at..at + 20].fill(0xff);
        fs::write(workplace.path(name), &bytes).unwrap();
        for arguments in [&["findings"][..], &["sql", "select * from asks"]] {
            let outcome = workplace.run(arguments);
            // The views do not read the page in the middle.
            if arguments == ["findings"] && outcome.status == 0 && at == whole.len() / 2 {
                continue;
            }
            assert_eq!((outcome.status, &*outcome.stdout), (2, ""), "{at}");
            assert!(
                outcome.stderr.starts_with(&format!("preflight: {name}: "))
                    && outcome.stderr.contains("the lake is incomplete")
                    && outcome.stderr.lines().count() == 1,
                "{at}: {}",
                outcome.stderr
            );
        }
    }
}

#[test]
fn folders_are_searched_and_hidden_or_other_files_left_out() {
    let workplace = Workplace::new();
    for name in [
        "a.jsonl",
        "deep/er/b.ndjson",
        "c.json",
        "d.jsonl.1",
        ".hidden.jsonl",
        "e.txt",
        "f.parquet",
    ] {
        workplace.file(&format!("logs/{name}"), line(name));
    }
    workplace.ingest(&["logs", "logs/a.jsonl", "logs/*.json"]);
    let rows = workplace.sql("select action_key from records order by action_key");
    let keys: Vec<_> = rows
        .iter()
        .map(|row| row["action_key"].as_str().unwrap())
        .collect();
    assert_eq!(keys, ["a.jsonl", "c.json", "d.jsonl.1", "deep/er/b.ndjson"]);
}

#[test]
fn the_lake_may_be_named_by_the_environment() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", line("a"));
    let mut command = workplace.command(&["ingest", "log.jsonl"]);
    command
        .env("PREFLIGHT_LAKE", "elsewhere")
        .assert()
        .success();
    let rows = workplace.run_well(&[
        "sql",
        "select count(*) as n from records",
        "--lake",
        "elsewhere",
        "--format",
        "ndjson",
    ]);
    assert_eq!(rows, "{\"n\":1}\n");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_folder_is_not_waited_for() {
    let workplace = Workplace::new();
    workplace.file("logs/a.jsonl", record(&json!({})) + "\n");
    let pipe = workplace.path("logs/b.jsonl");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let outcome = workplace.run(&["ingest", "logs"]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains("not a regular file"),
        "{}",
        outcome.stderr
    );
    assert_eq!(workplace.sql("select line from records").len(), 1);
}

#[cfg(unix)]
#[test]
fn a_device_is_refused_and_the_rest_is_read() {
    let workplace = Workplace::new();
    workplace.file("a.jsonl", record(&json!({})) + "\n");
    let outcome = workplace.run(&["ingest", "/dev/zero", "a.jsonl"]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains("/dev/zero: a device has no end"),
        "{}",
        outcome.stderr
    );
    assert_eq!(workplace.sql("select line from records").len(), 1);
    assert_eq!(workplace.ingest(&["/dev/null"]).counts(), [0; 5]);
}

#[cfg(unix)]
#[test]
fn a_pipe_that_is_named_is_read() {
    let workplace = Workplace::new();
    let pipe = workplace.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let writing = std::thread::spawn(move || {
        let lines = ["a", "b"].map(|key| record(&json!({"action_key": key})) + "\n");
        std::fs::write(pipe, lines.concat())
    });
    assert_eq!(workplace.ingest(&["pipe"]).counts(), [2, 2, 0, 0, 0]);
    writing.join().unwrap().unwrap();
}

#[cfg(unix)]
#[test]
fn notes_that_nobody_reads_do_not_stop_the_work() {
    let workplace = Workplace::new();
    let log = record(&json!({})) + "\n";
    for copy in 0..5 {
        workplace.file(&format!("logs/{copy}.jsonl"), &log);
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_preflight"))
        .current_dir(workplace.path("logs"))
        .args(["ingest", ".", "--lake", "lake"])
        .stdout(std::process::Stdio::null())
        .stderr(writer)
        .status();
    assert_eq!(status.unwrap().code(), Some(0));
}
