//! What can differ in a case.

use std::fmt;

use serde::Serialize;

/// Something that differs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// The kind.
    pub kind: ProblemKind,
    /// The file that it is about.
    pub path: String,
    /// What was expected and what was found.
    pub detail: String,
}

/// The kinds of problems, in a stable spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// The manifest is not the one whose digest was written down.
    CaseDigestDiffers,
    /// A record's bytes are other ones.
    RecordEdited,
    /// A record is not there any more.
    RecordRemoved,
    /// A record is there that the manifest does not list.
    RecordAdded,
    /// A record has the bytes of another one.
    RecordReordered,
    /// A record is missing since the case was made: its source could not be read again.
    RecordMissing,
    /// A record can't be read as one.
    RecordUnreadable,
    /// The findings are other ones.
    FindingsEdited,
    /// A rule, a view, data or a parameter is another one.
    RuleEdited,
    /// A rule, a view or data is not there any more.
    RuleRemoved,
    /// A rule, a view or data is there that the manifest does not list.
    RuleAdded,
    /// The index is another one.
    IndexEdited,
    /// The README is another one.
    ReadmeEdited,
    /// Any other file has other bytes.
    FileEdited,
    /// Any other file is not there any more.
    FileRemoved,
    /// Any other file is there that the manifest does not list.
    FileAdded,
    /// A link, or what else is no file.
    NotAFile,
    /// Index, manifest and records say different things, though each is as it was listed.
    IndexDisagrees,
    /// A document can't be read.
    Unreadable,
    /// The rules of the case can't be run.
    RulesFail,
    /// The proof that a record is in its log does not hold.
    ProofFails,
    /// A key was given, and there is no proof that it could be the signer of.
    NoProof,
    /// A proof's checkpoint is signed by none of the keys given.
    UnknownKey,
    /// A proof's checkpoint is signed by a key that was revoked.
    RevokedKey,
    /// A proof's checkpoint is not signed by the key that it names.
    BadSignature,
}

impl ProblemKind {
    /// The name, in snake case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CaseDigestDiffers => "case_digest_differs",
            Self::RecordEdited => "record_edited",
            Self::RecordRemoved => "record_removed",
            Self::RecordAdded => "record_added",
            Self::RecordReordered => "record_reordered",
            Self::RecordMissing => "record_missing",
            Self::RecordUnreadable => "record_unreadable",
            Self::FindingsEdited => "findings_edited",
            Self::RuleEdited => "rule_edited",
            Self::RuleRemoved => "rule_removed",
            Self::RuleAdded => "rule_added",
            Self::IndexEdited => "index_edited",
            Self::ReadmeEdited => "readme_edited",
            Self::FileEdited => "file_edited",
            Self::FileRemoved => "file_removed",
            Self::FileAdded => "file_added",
            Self::NotAFile => "not_a_file",
            Self::IndexDisagrees => "index_disagrees",
            Self::Unreadable => "unreadable",
            Self::RulesFail => "rules_fail",
            Self::ProofFails => "proof_fails",
            Self::NoProof => "no_proof",
            Self::UnknownKey => "unknown_key",
            Self::RevokedKey => "revoked_key",
            Self::BadSignature => "bad_signature",
        }
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Problem {
    pub(crate) fn new(
        kind: ProblemKind,
        path: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            path: path.into(),
            detail: detail.into(),
        }
    }
}
