//! The manifest of a case: what it is about, and the digest of every file in it.

use serde::{Deserialize, Serialize};

use crate::{
    Mask, Subject,
    case_files::{CaseFiles, digest},
};

/// Name of the manifest. BLAKE3 of its bytes is the case digest.
pub(crate) const MANIFEST: &str = "manifest.json";
/// Digests in the form that `b3sum --check` reads.
pub(crate) const CHECKSUMS: &str = "B3SUMS";
/// The form of cases that this version writes and reads.
pub(crate) const FORMAT: u32 = 1;

/// The content of `manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseManifest {
    /// The form of the case.
    pub format: u32,
    /// What wrote it, with its version.
    pub tool: String,
    /// When, as whoever wrote it says.
    pub created_at: String,
    /// What it is about.
    pub subject: Subject,
    /// BLAKE3 of the manifest of the lake that the records were found in.
    pub lake_manifest: String,
    /// Records, missing ones among them.
    pub records: usize,
    /// Records whose bytes could not be read again.
    pub missing: usize,
    /// Findings in these records.
    pub findings: usize,
    /// What is masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masked: Option<MaskNote>,
    /// All files but this one, by path.
    pub files: Vec<FileEntry>,
}

/// How values are masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaskNote {
    /// The digest: `blake3-keyed`.
    pub method: String,
    /// Which values.
    pub values: Mask,
    /// Tells whether a key is the right one.
    pub key_check: String,
}

/// A file of the case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its path in the case.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// BLAKE3 of its bytes.
    pub blake3: String,
}

/// The files of a case with their digests, by path.
pub(crate) fn entries(files: &CaseFiles) -> Vec<FileEntry> {
    let files = files.iter().filter(|(path, _)| *path != MANIFEST);
    files
        .map(|(path, bytes)| FileEntry {
            path: path.to_owned(),
            bytes: bytes.len() as u64,
            blake3: digest(bytes),
        })
        .collect()
}

/// The lines of [`CHECKSUMS`]: every file but itself and the manifest.
pub(crate) fn checksums(entries: &[FileEntry]) -> String {
    let others = entries.iter().filter(|entry| entry.path != CHECKSUMS);
    others
        .map(|entry| format!("{}  {}\n", entry.blake3, entry.path))
        .collect()
}
