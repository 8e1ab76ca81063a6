//! A folder to work in, and the binary.

use std::{
    fs,
    path::{Path, PathBuf},
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
            .args(arguments);
        command
    }

    /// Runs the binary in this folder.
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        let output = self.command(arguments).output().unwrap();
        Outcome {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
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

    /// The findings of a group.
    pub fn findings(&self, group: &str) -> Vec<Value> {
        rows(&self.run_well(&["findings", "--group", group, "--format", "ndjson"]))
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
