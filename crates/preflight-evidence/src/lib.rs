//! Case files: a chain's raw lines, findings and rules, for somebody else to check.
//!
//! A case is a folder, or the same as an archive. It holds the records as they were, byte for byte,
//! with the places where they stood; what the rules found in them; the rules themselves; a README in
//! plain words; and digests of all of it. [`verify`] checks a case without the lake that it came
//! from: every digest, and every finding, by running the rules again on the records alone.
//!
//! ```
//! use preflight_audit::{AuditSession, RulePack};
//! use preflight_evidence::{ExportOptions, Selection, VerifyOptions, export, verify};
//! use preflight_ingest::{Ingest, Options, find_inputs};
//! use preflight_lake::{Lake, LakeWriter};
//!
//! # let folder = tempfile::tempdir()?;
//! # let root = folder.path().join("lake");
//! # let log = folder.path().join("agent.jsonl");
//! # let case = folder.path().join("case.tar.zst");
//! # std::fs::write(&log, r#"{"schema_version":"1.8","action_key":"u_1:x","gate":null,"execution_decision":"hold","reason":"checklist item without id at index: 0"}"#)?;
//! let mut writer = LakeWriter::open(&root, || ())?;
//! let inputs = find_inputs(&[log.display().to_string()]);
//! Ingest::new(Options::default()).run(&inputs.found, &mut writer, &|_| ())?;
//! let session = AuditSession::new(Lake::open(&root)?, RulePack::built_in()?)?;
//!
//! let selection = Selection { action_keys: vec!["u_1:x".into()], ..Selection::default() };
//! let options = ExportOptions {
//!     source_roots: Vec::new(),
//!     created_at: "2026-06-30T12:00:00Z".into(),
//!     created_seconds: 1_782_820_800,
//!     mask: None,
//!     checkpoints: Vec::new(),
//! };
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let exported = export(&session, &selection, &options, &case).await?;
//! assert_eq!((exported.records, exported.findings.len()), (1, 1));
//!
//! let verification = verify(&case, &VerifyOptions::default()).await?;
//! assert!(verification.matches());
//! assert_eq!(verification.case_digest, exported.case_digest);
//! # Ok::<(), preflight_evidence::EvidenceError>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod archive;
mod case_files;
mod documents;
mod error;
mod export;
mod findings;
mod folder;
mod index;
mod manifest;
mod mask;
mod one_record;
mod originals;
mod replay;
mod rows;
mod rules;
mod seals;
mod subject;
mod verify;

pub use error::EvidenceError;
pub use export::{ExportOptions, Exported, export};
pub use findings::CaseFinding;
pub use index::{Index, Missing, MissingKind, RecordEntry, SourceEntry};
pub use manifest::{CaseManifest, FileEntry, MaskNote};
pub use mask::{Mask, MaskCount, MaskKey};
pub use one_record::read_record;
pub use rules::RuleDifferences;
pub use seals::{SealCount, SealEntry};
pub use subject::{Selection, Subject};
pub use verify::{
    FindingOutcome, FindingResult, OriginalCheck, Problem, ProblemKind, SealCheck, Verification,
    VerifyOptions, verify,
};
