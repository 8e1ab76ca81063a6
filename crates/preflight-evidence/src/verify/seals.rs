//! Every proof that a record is in its log.

use std::collections::BTreeMap;

use preflight_seal::{Inclusion, Untrusted};
use serde::Serialize;

use super::{Problem, ProblemKind, VerifyOptions};
use crate::{Index, RecordEntry, case_files::CaseFiles, index::record_file, seals};

/// What became of seals and proofs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct SealCheck {
    /// Records that carry a seal that can be read.
    pub sealed: usize,
    /// Records that are proved to be in a log.
    pub proved: usize,
    /// Who signed the checkpoints that prove them, of the keys that were given.
    pub signers: Vec<String>,
    /// Logs, each with the records of its checkpoints.
    pub logs: BTreeMap<String, u64>,
    /// What could not be checked.
    pub unchecked: Vec<String>,
}

/// Checks all proofs. With a key, a record without one is a problem; otherwise it is told.
pub(super) fn check(
    files: &CaseFiles,
    index: &Index,
    options: &VerifyOptions,
    problems: &mut Vec<Problem>,
) -> SealCheck {
    let mut check = SealCheck::default();
    let mut without: BTreeMap<String, usize> = BTreeMap::new();
    for record in &index.records {
        let path = record_file(record.number);
        let Some(bytes) = record.file.as_deref().and_then(|_| files.get(&path)) else {
            continue;
        };
        let unproved = match check.record(record, bytes, files, options, problems) {
            Ok(()) => continue,
            Err(unproved) => unproved,
        };
        if !options.keys.is_empty() {
            problems.push(Problem::new(ProblemKind::NoProof, path, unproved.clone()));
        }
        *without.entry(unproved).or_default() += 1;
    }
    check
        .unchecked
        .extend(without.into_iter().map(|(why, count)| {
            let records = if count == 1 { "record" } else { "records" };
            format!("{count} {records}: {why}")
        }));
    if check.proved > 0 && options.keys.is_empty() {
        let signature = "who signed the checkpoints: no key was given, and whoever altered the case may \
                         have made them";
        check.unchecked.push(signature.to_owned());
    }
    check.signers.sort();
    check.signers.dedup();
    check
}

impl SealCheck {
    /// Checks one record; an error says why there is nothing to check.
    fn record(
        &mut self,
        record: &RecordEntry,
        bytes: &[u8],
        files: &CaseFiles,
        options: &VerifyOptions,
        problems: &mut Vec<Problem>,
    ) -> Result<(), String> {
        if record.masked_digest.is_some() {
            return Err("masked, so there is no proof".to_owned());
        }
        self.sealed += usize::from(seals::read(bytes).is_some());
        if !seals::agrees(record, bytes) {
            let detail = "the index says something else of its seal than it says itself";
            let path = record_file(record.number);
            problems.push(Problem::new(ProblemKind::IndexDisagrees, path, detail));
        }
        let Some(seal) = &record.seal else {
            return Err("without a seal".to_owned());
        };
        let Some(path) = &seal.proof else {
            let unproved = seal.unproved.clone();
            return Err(unproved.unwrap_or_else(|| "without a proof".to_owned()));
        };
        let Some(proof) = files.get(path) else {
            return Err("its proof is not there".to_owned());
        };
        if let Err((kind, detail)) = self.proof(proof, bytes, options) {
            problems.push(Problem::new(kind, path, detail));
        }
        Ok(())
    }

    fn proof(
        &mut self,
        proof: &[u8],
        bytes: &[u8],
        options: &VerifyOptions,
    ) -> Result<(), (ProblemKind, String)> {
        let fails = |error: &dyn ToString| (ProblemKind::ProofFails, error.to_string());
        let proof = Inclusion::parse(&String::from_utf8_lossy(proof)).map_err(|e| fails(&e))?;
        proof.check(bytes).map_err(|error| fails(&error))?;
        if !options.keys.is_empty() {
            let signers = proof.checkpoint.signed_by(&options.keys);
            let signers = signers.map_err(|error| (untrusted(&error), error.to_string()))?;
            self.signers.extend(signers.iter().map(ToString::to_string));
        }
        self.proved += 1;
        let checkpoint = &proof.checkpoint.checkpoint;
        let size = self.logs.entry(checkpoint.origin.clone()).or_default();
        *size = checkpoint.size.max(*size);
        Ok(())
    }
}

fn untrusted(error: &Untrusted) -> ProblemKind {
    match error {
        Untrusted::Unknown(_) => ProblemKind::UnknownKey,
        Untrusted::Revoked(_) => ProblemKind::RevokedKey,
        Untrusted::Forged(_) => ProblemKind::BadSignature,
    }
}
