//! The records of a case alone, read into a lake of their own and audited again.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

use preflight_audit::{AuditSession, RulePack};
use preflight_ingest::{Ingest, Input, Options};
use preflight_lake::{Lake, LakeWriter};

use crate::{
    EvidenceError,
    findings::{self, CaseFinding},
    subject::{self, RecordRow},
};

/// What the records say when nothing else is known.
pub(crate) struct Replay {
    /// Each record that could be read, by its number.
    pub(crate) records: HashMap<usize, RecordRow>,
    pub(crate) findings: Vec<CaseFinding>,
}

impl Replay {
    /// Leaves out the findings of some rules.
    pub(crate) fn leave_out(&mut self, codes: &[String]) {
        self.findings
            .retain(|finding| !codes.contains(&finding.code));
    }
}

/// Reads records, each with its number, in the order in which they were read first.
pub(crate) async fn replay(
    records: &[(usize, &[u8])],
    pack: RulePack,
) -> Result<Replay, EvidenceError> {
    let folder = tempfile::tempdir().map_err(EvidenceError::io(std::env::temp_dir()))?;
    let log = folder.path().join("records.jsonl");
    let starts = write_log(&log, records).map_err(EvidenceError::io(&log))?;
    let root = folder.path().join("lake");
    let mut writer = LakeWriter::open(&root, || ())?;
    let ingest = Ingest::new(Options::default());
    let summary = ingest.run(&[Input::File(log.clone())], &mut writer, &|_| ())?;
    if let Some(failure) = summary.failures.into_iter().next() {
        return Err(EvidenceError::io(log)(failure.error));
    }
    drop(writer);
    let session = AuditSession::new(Lake::open(&root)?, pack)?;
    let rows = subject::all_records(&session).await?;
    let number = |row: &RecordRow| {
        let after = starts.partition_point(|start| *start <= row.byte_offset);
        records[after.saturating_sub(1)].0
    };
    let numbers: HashMap<i64, usize> = rows
        .iter()
        .map(|row| (row.record_id, number(row)))
        .collect();
    let found = subject::all_findings(&session).await?;
    Ok(Replay {
        findings: findings::of_rows(found, &numbers),
        records: rows.into_iter().map(|row| (number(&row), row)).collect(),
    })
}

/// Writes a log of the records, and returns where each of them starts: one record a line, or one
/// array where a record has several lines.
fn write_log(path: &Path, records: &[(usize, &[u8])]) -> io::Result<Vec<u64>> {
    let is_array = records.iter().any(|(_, bytes)| bytes.contains(&b'\n'));
    let (opening, between, closing): (&[u8], &[u8], &[u8]) = match is_array {
        true => (b"[\n", b",\n", b"\n]\n"),
        false => (b"", b"\n", b"\n"),
    };
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(opening)?;
    let mut at = opening.len() as u64;
    let mut starts = Vec::with_capacity(records.len());
    for (position, (_, bytes)) in records.iter().enumerate() {
        if position > 0 {
            file.write_all(between)?;
            at += between.len() as u64;
        }
        starts.push(at);
        file.write_all(bytes)?;
        at += bytes.len() as u64;
    }
    file.write_all(closing)?;
    file.flush()?;
    Ok(starts)
}
