//! The seals of a case's records, and proofs that the records are in their logs.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::PathBuf,
};

use preflight_audit::RulePack;
use preflight_seal::{Content, LogId, Reading, SignedCheckpoint, verify::Prover};
use serde::{Deserialize, Serialize};

use crate::{
    Index,
    case_files::CaseFiles,
    index::{RecordEntry, proof_file, record_file},
};

/// What a record's seal says of its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealEntry {
    /// The log that it was sealed in.
    pub log: String,
    /// Its number there, from 0.
    pub number: u64,
    /// The file in this case with the proof that it is there, in the `tlog-proof` format of C2SP.
    pub proof: Option<String>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unproved: Option<String>,
}

/// How many records are sealed, and how many proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct SealCount {
    /// Records with a seal.
    pub sealed: usize,
    /// Those of them with a proof.
    pub proved: usize,
}

impl SealCount {
    pub(crate) fn of(index: &Index) -> Self {
        let seals = index
            .records
            .iter()
            .filter_map(|record| record.seal.as_ref());
        Self {
            sealed: seals.clone().count(),
            proved: seals.filter(|seal| seal.proof.is_some()).count(),
        }
    }
}

/// What a record's bytes say of its seal; none where it has no seal that can be read.
pub(crate) fn read(bytes: &[u8]) -> Option<(LogId, u64, Content)> {
    match Reading::of(bytes.trim_ascii()) {
        Reading::Sealed(line) => Some((line.seal.log, line.seal.seq, line.content)),
        _ => None,
    }
}

/// Adds proofs for the records of a case. `places` says where a source may be.
///
/// Masked records have none: their seals' digests are made without a key, and by them, or by a proof over
/// them, masked values could be tried out.
pub(crate) fn add(
    files: &mut CaseFiles,
    index: &mut Index,
    checkpoints: &[SignedCheckpoint],
    places: impl Fn(&str) -> Vec<PathBuf>,
) {
    let mut provers: BTreeMap<(LogId, String), Result<Prover, String>> = BTreeMap::new();
    for record in &mut index.records {
        let bytes = record.file.as_deref().and_then(|file| files.get(file));
        let Some((log, number, content)) = bytes.and_then(read) else {
            continue;
        };
        let prover = match provers.entry((log.clone(), record.source.clone())) {
            Entry::Occupied(prover) => prover.into_mut(),
            Entry::Vacant(place) => {
                let prover = prover(&log, &places(&record.source), checkpoints);
                place.insert(prover)
            }
        };
        let proof = match (content, prover) {
            (Content::Edited, _) => Err("it is not the record that was sealed".to_owned()),
            (_, Err(reason)) => Err(reason.clone()),
            (_, Ok(prover)) => proved(prover, number, bytes.unwrap_or_default()),
        };
        let path = proof_file(record.number);
        record.seal = Some(SealEntry {
            log: log.to_string(),
            number,
            proof: proof.is_ok().then(|| path.clone()),
            unproved: proof.as_ref().err().cloned(),
        });
        if let Ok(proof) = proof {
            files.insert(path, proof);
        }
    }
}

fn prover(
    log: &LogId,
    places: &[PathBuf],
    checkpoints: &[SignedCheckpoint],
) -> Result<Prover, String> {
    let file = places.iter().find(|place| place.is_file());
    let file = file.ok_or_else(|| format!("the log {log} is not there"))?;
    Prover::open(log, file, checkpoints).map_err(|error| error.to_string())
}

fn proved(prover: &Prover, number: u64, bytes: &[u8]) -> Result<String, String> {
    let size = prover.checkpoint().checkpoint.size;
    if number >= size {
        return Err(format!(
            "it came after the last checkpoint, over {size} records"
        ));
    }
    let proof = prover.prove(number).map_err(|error| error.to_string())?;
    proof.check(bytes).map_err(|error| error.to_string())?;
    Ok(proof.to_text())
}

/// Codes of the rules that read seals. They look at whole logs, of which a case has some records, or at
/// what masking alters: what they say of a case alone is nothing. The proofs are there instead.
pub(crate) fn rules(pack: &RulePack) -> Vec<String> {
    let rules = pack.rules().filter(|rule| rule.sql.contains("seal_"));
    rules.map(|rule| rule.code.clone()).collect()
}

/// Whether the index says of a record's seal what the record says.
pub(crate) fn agrees(record: &RecordEntry, bytes: &[u8]) -> bool {
    match (&record.seal, read(bytes)) {
        (None, None) => true,
        (Some(entry), Some((log, number, _))) => {
            let proof = entry.proof.as_deref();
            (&*entry.log, entry.number) == (log.as_str(), number)
                && proof.is_none_or(|proof| proof == proof_file(record.number))
                && record.file == Some(record_file(record.number))
        }
        _ => false,
    }
}
