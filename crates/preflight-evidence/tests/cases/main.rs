//! Cases made and verified by the library, with a rule pack that is small enough to be run often.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where"
)]

mod masking;
mod seals;
mod sources;
mod tampering;

use std::{
    fs,
    path::{Path, PathBuf},
};

use preflight_audit::{AuditSession, RulePack};
use preflight_evidence::{
    EvidenceError, ExportOptions, Exported, FindingOutcome, Mask, MaskKey, Selection, Verification,
    VerifyOptions, export, verify,
};
use preflight_ingest::{Ingest, Options, find_inputs};
use preflight_lake::{Lake, LakeWriter};
use serde_json::{Value, json};
use tempfile::TempDir;

const KEY: &str = "u_1:bank.transfer";
const CALL_FAILED: &str = "rules/gaps/EX090-call_failed.sql";

/// A folder with a log, a lake, and cases.
struct Workplace {
    folder: TempDir,
}

impl Workplace {
    /// A lake of these bytes, read from a file of this name.
    fn with(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let workplace = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let log = workplace.file(name, bytes);
        let mut writer = LakeWriter::open(workplace.path("lake"), || ()).unwrap();
        let inputs = find_inputs(&[log.display().to_string()]);
        let summary = Ingest::new(Options::default()).run(&inputs.found, &mut writer, &|_| ());
        assert!(summary.unwrap().failures.is_empty());
        workplace
    }

    fn with_log() -> Self {
        Self::with("log.jsonl", log())
    }

    /// The same with a case in the folder `case`.
    fn with_case() -> Self {
        let workplace = Self::with_log();
        assert!(workplace.export("case").unwrap().is_complete());
        workplace
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{from} is not in {name}: {text}");
        self.file(name, text.replacen(from, to, 1));
    }

    fn export(&self, out: &str) -> Result<Exported, EvidenceError> {
        self.export_with(out, options())
    }

    fn export_with(&self, out: &str, options: ExportOptions) -> Result<Exported, EvidenceError> {
        let selection = Selection {
            action_keys: vec![KEY.to_owned()],
            ..Selection::default()
        };
        let session = AuditSession::new(Lake::open(self.path("lake")).unwrap(), pack())?;
        block_on(export(&session, &selection, &options, &self.path(out)))
    }

    fn verify(&self) -> Verification {
        self.verify_with("case", VerifyOptions::default()).unwrap()
    }

    fn verify_with(
        &self,
        case: &str,
        options: VerifyOptions,
    ) -> Result<Verification, EvidenceError> {
        block_on(verify(&self.path(case), &options))
    }

    /// All files below a folder with their bytes.
    fn files(&self, folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let root = self.path(folder);
        let mut files = Vec::new();
        collect(&root, &root, &mut files);
        files.sort();
        files
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => collect(root, &path, files),
            false => files.push((
                path.strip_prefix(root).unwrap().to_owned(),
                fs::read(&path).unwrap(),
            )),
        }
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(future)
}

fn options() -> ExportOptions {
    ExportOptions {
        source_roots: Vec::new(),
        created_at: "2026-07-01T09:00:00Z".to_owned(),
        created_seconds: 1_782_896_400,
        mask: None,
        checkpoints: Vec::new(),
    }
}

/// The kinds of problems with their paths.
fn problems(verification: &Verification) -> Vec<(&'static str, &str)> {
    let problems = verification.problems.iter();
    problems
        .map(|problem| (problem.kind.as_str(), &*problem.path))
        .collect()
}

/// The codes of the findings with an outcome.
fn with_outcome(verification: &Verification, outcome: FindingOutcome) -> Vec<&str> {
    let findings = verification.findings.iter();
    let findings = findings.filter(|finding| finding.outcome == outcome);
    findings.map(|finding| &*finding.finding.code).collect()
}

fn record(changes: &Value) -> String {
    let mut record = json!({
        "schema_version": "1.8", "action_key": KEY, "fields": [], "unknown_count": 0,
        "gate": {"unknown_fields": [], "unverified_checklist": []},
        "execution_decision": "execute", "reason": "execute",
    });
    for (key, value) in changes.as_object().unwrap() {
        record[key] = value.clone();
    }
    record.to_string()
}

/// Two asks for the same, another chain, a line that is no record, and a call that failed. All at the
/// same time: the order is that of the lines.
fn log() -> String {
    let time = "2026-06-01T10:00:00.000Z";
    let asked = |reason: &str| {
        record(&json!({
            "fields": [{"name": "cost_center", "status": "unknown"}],
            "execution_decision": "ask_user", "reason": reason, "timestamp": time,
        }))
    };
    let failed = record(&json!({
        "fields": [{"name": "cost_center", "value": "CC-4711", "status": "known", "source": "prior_state"}],
        "execution_decision": "failed", "reason": "no such CC-4711", "timestamp": time,
    }));
    let lines = [
        asked("first"),
        record(&json!({"action_key": "u_2:bank.transfer"})),
        "not a record".to_owned(),
        asked("second"),
        failed,
    ];
    lines.join("\n") + "\n"
}

fn rule(code: &str, name: &str, class: &str, parameters: &str, sql: &str) -> (String, String) {
    let text = format!(
        "-- code: {code}\n-- name: {name}\n-- class: {class}\n-- severity: high\n-- status: stable\n\
         -- since: 0.1.0\n-- schema: 1.4\n-- summary: s\n-- what: w\n-- why: y\n-- example: e\n-- fix: f\n\
         -- parameters: {parameters}\n\n{sql}\n"
    );
    (format!("gaps/{code}-{name}.sql"), text)
}

/// A rule for one record, one for a chain, and one for the order of a chain.
fn pack() -> RulePack {
    let files = [
        rule(
            "EX090",
            "call_failed",
            "execution_failure",
            "none",
            "select record_id, cast(null as varchar) as field, reason as detail
             from records where decision = 'failed'",
        ),
        rule(
            "IG090",
            "asked_again",
            "instruction_gap",
            "min_asks = 2 (from how many asks on)",
            "select max(f.record_id) as record_id, f.name as field,
                'asked ' || cast(count(*) as varchar) || ' times' as detail
             from fields f where f.status = 'unknown'
             group by f.action_key, f.name having count(*) >= $min_asks",
        ),
        rule(
            "UN090",
            "first_of_chain",
            "unclassified",
            "none",
            "select record_id, cast(null as varchar) as field, reason as detail from (
                select *, row_number() over (
                    partition by action_key order by timestamp, source, line) as n
                from records
             ) where n = 1",
        ),
    ];
    RulePack::from_files(files).unwrap()
}
