//! `preflight evidence`: case files, made and verified by the binary. What the library does in all its
//! cases is tested there, with a smaller rule pack.

mod cases;
mod hostile;
mod labelled;
mod seals;

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::harness::record;

const KEY: &str = "u_1:bank.transfer";

/// A chain that asks twice for what nobody can answer and ends in a refusal; another one; a line that
/// is no record.
fn log() -> String {
    let asked = |time: &str| {
        record(&json!({
            "fields": [{"name": "cost_center", "status": "unknown"}], "unknown_count": 1,
            "gate": {"unknown_fields": [{"name": "cost_center", "note": null}], "unverified_checklist": []},
            "execution_decision": "ask_user", "reason": "ask_user: unknown_fields=1",
            "timestamp": time,
        }))
    };
    let failed = record(&json!({
        "fields": [{"name": "cost_center", "value": "CC-4711", "status": "known",
            "source": "pre_set_data", "origin_source": "pre_set_data"}],
        "execution_decision": "failed", "reason": "insufficient balance of CC-4711",
        "timestamp": "2026-06-01T10:00:03.000Z",
    }));
    let lines = [
        asked("2026-06-01T10:00:00.000Z"),
        record(&json!({"action_key": "u_2:bank.transfer"})),
        "not a record".to_owned(),
        asked("2026-06-01T10:00:01.000Z"),
        failed,
    ];
    lines.join("\n") + "\n"
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// All files below a folder with their bytes.
fn files_of(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(files_of(&path)),
            false => files.push((path.clone(), fs::read(&path).unwrap())),
        }
    }
    files.sort();
    files
}
