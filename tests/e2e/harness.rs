//! A folder to work in, and the binary.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A folder of one test, with a lake in it.
pub struct Workplace {
    folder: TempDir,
}

/// What a run of the binary left.
pub struct Outcome {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Workplace {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and returns its path.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path.display().to_string()
    }

    /// The binary, in this folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_preflight"));
        command
            .current_dir(self.folder.path())
            .env_remove("PREFLIGHT_LAKE")
            .env_remove("PREFLIGHT_CONFIG")
            .args(arguments);
        command
    }

    /// The same as a process that is not waited for, with its output piped.
    pub fn process(&self, arguments: &[&str]) -> process::Command {
        let mut command = process::Command::new(env!("CARGO_BIN_EXE_preflight"));
        command
            .current_dir(self.folder.path())
            .env_remove("PREFLIGHT_LAKE")
            .env_remove("PREFLIGHT_CONFIG")
            .args(arguments)
            .stdin(process::Stdio::null())
            .stdout(process::Stdio::piped())
            .stderr(process::Stdio::piped());
        command
    }

    /// Runs the binary in this folder.
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        Outcome::of(self.command(arguments).output().unwrap())
    }

    /// Runs the binary with something on standard input.
    pub fn run_with(&self, arguments: &[&str], stdin: impl Into<Vec<u8>>) -> Outcome {
        let mut command = self.command(arguments);
        Outcome::of(command.write_stdin(stdin).output().unwrap())
    }

    /// Runs the binary and insists that it did the job.
    pub fn run_well(&self, arguments: &[&str]) -> String {
        let outcome = self.run(arguments);
        assert_eq!(outcome.status, 0, "{arguments:?}: {}", outcome.stderr);
        outcome.stdout
    }

    /// The rows of a statement.
    pub fn sql(&self, statement: &str) -> Vec<Value> {
        rows(&self.run_well(&["sql", statement, "--format", "ndjson"]))
    }

    /// The one value of a statement.
    pub fn value(&self, statement: &str) -> Value {
        let rows = self.sql(statement);
        let values: Vec<&Value> = rows
            .iter()
            .flat_map(|row| row.as_object().unwrap().values())
            .collect();
        assert_eq!(values.len(), 1, "{statement}: {rows:?}");
        values[0].clone()
    }

    /// Ingests and insists that every input was read.
    pub fn ingest(&self, paths: &[&str]) -> Outcome {
        let outcome = self.run(&[&["ingest"], paths].concat());
        assert_eq!(outcome.status, 0, "{paths:?}: {}", outcome.stderr);
        outcome
    }

    /// The digests of all lines in the lake, those of quarantined ones too, sorted.
    pub fn digests(&self) -> Vec<String> {
        let rows = self.sql(
            "select encode(record_digest, 'hex') as d from records
             union all select encode(record_digest, 'hex') from quarantine order by d",
        );
        rows.iter()
            .map(|row| row["d"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The findings of a group.
    pub fn findings(&self, group: &str) -> Vec<Value> {
        rows(&self.run_well(&["findings", "--group", group, "--format", "ndjson"]))
    }
}

impl Outcome {
    pub fn of(output: process::Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Lines, records, quarantined, blank and repeated ones of the summary, which must add up.
    pub fn counts(&self) -> [u64; 5] {
        let line = self.stdout.lines().next().unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let of = |name: &str| {
            let at = words.iter().position(|word| *word == name);
            at.map_or(0, |at| words[at - 1].replace(',', "").parse().unwrap())
        };
        let counts = ["lines", "records", "quarantined", "blank", "repeated"].map(of);
        assert!(words.contains(&"lines"), "{line}");
        assert_eq!(counts[0], counts[1..].iter().sum::<u64>(), "{line}");
        counts
    }
}

/// JSON Lines as values.
pub fn rows(ndjson: &str) -> Vec<Value> {
    ndjson
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A file below `tests/`.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests")
        .join(name)
}

/// The labelled chains, one record a line.
pub fn chains() -> String {
    fs::read_to_string(data("chains/chains.jsonl")).unwrap()
}

/// The labelled chains with other keys and times for each number: no two lines are the same.
pub fn other_chains(number: usize) -> String {
    let keyed = chains().replace("\"u_", &format!("\"{number}_"));
    keyed.replace("\"2026-", &format!("\"{}-", 2026 + number))
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Numbers that look random and are the same in every run.
pub struct Dice(pub u64);

impl Dice {
    /// A number below `limit`.
    pub fn roll(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Sends a signal to a process of ours.
pub fn signal(child: &process::Child, name: &str) {
    let status = process::Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status();
    assert!(status.unwrap().success(), "kill -{name}");
}

/// A minimal record of schema 1.8, with the members of `changes` put over it.
pub fn record(changes: &Value) -> String {
    let mut record = serde_json::json!({
        "schema_version": "1.8", "action_key": "u_1:bank.transfer", "phase": "at_trigger",
        "fixed": {"c1_when_case": "immediate", "c2_user_action_name": "pay",
            "c3_provider_action_name": "bank.transfer", "c2_source": "instruction",
            "c3_match": {"approved": true, "reason": null}},
        "fields": [], "advisory_notes": "", "user_checklist": [], "unknown_count": 0,
        "unverified_checklist_count": 0,
        "gate": {"unknown_fields": [], "unverified_checklist": []},
        "execution_decision": "execute", "reason": "execute",
        "timestamp": "2026-06-01T04:27:09.559Z"
    });
    for (key, value) in changes.as_object().unwrap() {
        record[key] = value.clone();
    }
    record.to_string()
}
