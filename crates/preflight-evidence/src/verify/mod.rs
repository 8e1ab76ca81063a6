//! Checking a case without the lake that it came from.
//!
//! ```text
//! files.rs     every file against the manifest
//! records.rs   every record against the index
//! findings.rs  every finding against another run of the rules
//! original.rs  every record against the source that it came from
//! seals.rs     every proof that a record is in its log
//! ```

mod files;
mod findings;
mod original;
mod problem;
mod records;
mod seals;

pub use findings::{FindingOutcome, FindingResult};
pub use original::OriginalCheck;
pub use problem::{Problem, ProblemKind};
pub use seals::SealCheck;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use preflight_seal::KeyRing;
use serde::Serialize;

use crate::{
    CaseFinding, CaseManifest, EvidenceError, Index, MaskKey, MaskNote, RuleDifferences, Subject,
    archive,
    case_files::{CaseFiles, digest},
    folder,
    manifest::{FORMAT, MANIFEST},
    replay::replay,
    rules,
};

/// What a case is checked against besides itself.
#[derive(Debug, Clone, Default)]
pub struct VerifyOptions {
    /// The case digest that was written down.
    pub expected_digest: Option<String>,
    /// A lake, or a folder of sources, to compare the records with.
    pub original: Option<PathBuf>,
    /// The key of the mask, to compare masked records.
    pub key: Option<MaskKey>,
    /// Whose signatures under checkpoints count. With any given, each record must be proved by one.
    pub keys: Arc<KeyRing>,
}

/// What was checked, and what came of it.
#[derive(Debug, Clone, Serialize)]
pub struct Verification {
    /// Whether all of it matches.
    pub matches: bool,
    /// BLAKE3 of the case's manifest.
    pub case_digest: String,
    /// What wrote the case.
    pub tool: String,
    /// When, as whoever wrote it says.
    pub created_at: String,
    /// What it is about.
    pub subject: Subject,
    /// What is masked.
    pub masked: Option<MaskNote>,
    /// Files that the manifest lists.
    pub files: usize,
    /// Records that the index lists.
    pub records: usize,
    /// How many of them are in the case with the bytes that their digest names.
    pub records_intact: usize,
    /// Everything that differs.
    pub problems: Vec<Problem>,
    /// Findings that the case lists; none where its list can't be read.
    pub listed_findings: Option<usize>,
    /// Whether the rules of the case were run again.
    pub rules_ran: bool,
    /// Each finding with its outcome.
    pub findings: Vec<FindingResult>,
    /// How the rules of the case differ from those of this version; none where they can't be read.
    pub rules: Option<RuleDifferences>,
    /// What became of seals and proofs.
    pub seals: SealCheck,
    /// The comparison with the originals, if it was asked for.
    pub original: Option<OriginalCheck>,
}

impl Verification {
    /// Whether all of it matches.
    pub fn matches(&self) -> bool {
        self.problems.is_empty()
            && self.rules_ran
            && self.listed_findings.is_some()
            && self
                .findings
                .iter()
                .all(|finding| finding.outcome.is_fine())
            && self.original.as_ref().is_none_or(OriginalCheck::matches)
    }

    /// How many findings have an outcome.
    pub fn count(&self, outcome: FindingOutcome) -> usize {
        let findings = self.findings.iter();
        findings
            .filter(|finding| finding.outcome == outcome)
            .count()
    }
}

/// Checks a case: a folder or an archive.
///
/// What differs is in the result.
///
/// # Errors
///
/// There is no case, it has no manifest that can be read, or it must not be unpacked; the originals or
/// the key can't be used.
pub async fn verify(case: &Path, options: &VerifyOptions) -> Result<Verification, EvidenceError> {
    let files = match case.is_dir() {
        true => folder::read(case)?,
        false => archive::read(case)?,
    };
    let manifest = read_manifest(case, &files)?;
    let mut verification = Verification {
        matches: false,
        case_digest: digest(files.get(MANIFEST).unwrap_or_default()),
        tool: manifest.tool.clone(),
        created_at: manifest.created_at.clone(),
        subject: manifest.subject.clone(),
        masked: manifest.masked.clone(),
        files: manifest.files.len(),
        records: manifest.records,
        records_intact: 0,
        problems: files::check(&files, &manifest),
        listed_findings: None,
        rules_ran: false,
        findings: Vec::new(),
        rules: None,
        seals: SealCheck::default(),
        original: None,
    };
    verification.check_digest(options);
    let listed = verification.document::<Vec<CaseFinding>>(&files, "findings.json");
    verification.listed_findings = listed.as_ref().map(Vec::len);
    let listed = listed.unwrap_or_default();
    let Some(index) = verification.document::<Index>(&files, "index.json") else {
        verification.findings = findings::not_checked(listed);
        return Ok(verification);
    };
    verification.records_intact =
        records::check(&files, &manifest, &index, &mut verification.problems);
    verification.seals = seals::check(&files, &index, options, &mut verification.problems);
    verification.run_again(&files, &index, listed).await?;
    if let Some(original) = &options.original {
        let check = original::check(original, options.key.as_ref(), &manifest, &index, &files)?;
        verification.original = Some(check);
    }
    verification.matches = verification.matches();
    Ok(verification)
}

fn read_manifest(case: &Path, files: &CaseFiles) -> Result<CaseManifest, EvidenceError> {
    let fault = |reason: String| EvidenceError::NotACase {
        path: case.to_path_buf(),
        reason,
    };
    let text = files
        .get(MANIFEST)
        .ok_or_else(|| fault("it has no manifest.json".to_owned()))?;
    let value: serde_json::Value =
        serde_json::from_slice(text).map_err(|error| fault(format!("manifest.json: {error}")))?;
    let format = value.get("format").and_then(serde_json::Value::as_u64);
    if format.is_some_and(|format| format > u64::from(FORMAT)) {
        return Err(fault("it was written by a newer version".to_owned()));
    }
    serde_json::from_value(value).map_err(|error| fault(format!("manifest.json: {error}")))
}

impl Verification {
    fn check_digest(&mut self, options: &VerifyOptions) {
        let Some(expected) = &options.expected_digest else {
            return;
        };
        let expected = expected.trim().to_lowercase();
        if self.case_digest != expected {
            let detail = format!("expected {expected}, found {}", self.case_digest);
            self.problems.push(Problem::new(
                ProblemKind::CaseDigestDiffers,
                MANIFEST,
                detail,
            ));
        }
    }

    /// A document of the case; one that can't be read is a problem.
    fn document<T: serde::de::DeserializeOwned>(
        &mut self,
        files: &CaseFiles,
        path: &str,
    ) -> Option<T> {
        let document = serde_json::from_slice(files.get(path)?);
        document
            .map_err(|error| {
                let kind = ProblemKind::Unreadable;
                self.problems
                    .push(Problem::new(kind, path, error.to_string()));
            })
            .ok()
    }

    /// Reads the records alone and runs the rules of the case again.
    async fn run_again(
        &mut self,
        files: &CaseFiles,
        index: &Index,
        listed: Vec<CaseFinding>,
    ) -> Result<(), EvidenceError> {
        let pack = match rules::read(files) {
            Ok(pack) => pack,
            Err(error) => return self.rules_fail(&error, listed),
        };
        self.rules = Some(RuleDifferences::of(&pack)?);
        let of_seals = crate::seals::rules(&pack);
        let records = records::present(files, index);
        let mut replay = match replay(&records, pack).await {
            Ok(replay) => replay,
            Err(error @ EvidenceError::Audit(_)) => return self.rules_fail(&error, listed),
            Err(error) => return Err(error),
        };
        records::compare(&records, index, &replay, &mut self.problems);
        self.rules_ran = true;
        replay.leave_out(&of_seals);
        self.findings = findings::compare(listed, &replay, self.masked.is_none(), &of_seals);
        Ok(())
    }

    fn rules_fail(
        &mut self,
        error: &EvidenceError,
        listed: Vec<CaseFinding>,
    ) -> Result<(), EvidenceError> {
        self.findings = findings::not_checked(listed);
        let problem = Problem::new(ProblemKind::RulesFail, rules::FOLDER, error.to_string());
        self.problems.push(problem);
        Ok(())
    }
}
