//! Making a case.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use preflight_audit::AuditSession;
use preflight_lake::Source;
use preflight_seal::SignedCheckpoint;
use serde::Serialize;

use crate::{
    CaseFinding, CaseManifest, EvidenceError, Index, Mask, MaskCount, MaskKey, MaskNote,
    RecordEntry, SealCount, Selection, SourceEntry, Subject, archive,
    case_files::{CaseFiles, digest},
    documents::Documents,
    findings, folder,
    manifest::{self, CHECKSUMS, FORMAT, MANIFEST},
    mask::Masker,
    originals::{self, Found, Wanted},
    replay::{Replay, replay},
    rules, seals,
    subject::RecordRow,
};

/// How a case is made.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// Folders in which moved sources are looked for.
    pub source_roots: Vec<PathBuf>,
    /// When the case is made, as RFC 3339.
    pub created_at: String,
    /// The same in seconds since 1970, for the entries of an archive.
    pub created_seconds: u64,
    /// Which values are masked, and with which key.
    pub mask: Option<(Mask, MaskKey)>,
    /// Checkpoints of sealed logs that were kept elsewhere; those beside the logs are found.
    pub checkpoints: Vec<SignedCheckpoint>,
}

/// What was made.
#[derive(Debug, Clone, Serialize)]
pub struct Exported {
    /// BLAKE3 of the case's manifest: it names exactly this case.
    pub case_digest: String,
    /// What it is about.
    pub subject: Subject,
    /// How many files there are.
    pub files: usize,
    /// How many records there are, missing ones among them.
    pub records: usize,
    /// The records that are missing, with the reasons.
    pub missing: Vec<RecordEntry>,
    /// The findings.
    pub findings: Vec<CaseFinding>,
    /// Findings of the lake that the records of the case alone do not lead to.
    pub not_reproduced: Vec<CaseFinding>,
    /// Findings that the records of the case alone lead to, and the lake does not.
    pub additional: Vec<CaseFinding>,
    /// Sealed and proved records.
    pub seals: SealCount,
    /// What was masked, if anything was to be.
    pub masked: Option<MaskCount>,
    /// BLAKE3 of the lake's manifest.
    pub lake_manifest: String,
}

impl Exported {
    /// Whether all of it is there and leads to the same findings.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.not_reproduced.is_empty() && self.additional.is_empty()
    }
}

/// Makes a case of what is selected and writes it: a folder, or an archive where the path ends with
/// `.tar.zst`.
///
/// A record whose bytes can't be read again as they were is marked as missing, and the case is
/// written without it.
///
/// # Errors
///
/// Nothing is selected, no record at all can be read again, no record has a field that is to be masked,
/// a rule fails, or the case can't be written.
pub async fn export(
    session: &AuditSession,
    selection: &Selection,
    options: &ExportOptions,
    out: &Path,
) -> Result<Exported, EvidenceError> {
    if !folder::is_free(out) {
        return Err(EvidenceError::Exists(out.to_path_buf()));
    }
    let (files, exported) = assemble(session, selection, options).await?;
    match archive::is_archive(out) {
        true => archive::write(&files, out, options.created_seconds)?,
        false => folder::write(&files, out)?,
    }
    Ok(exported)
}

async fn assemble(
    session: &AuditSession,
    selection: &Selection,
    options: &ExportOptions,
) -> Result<(CaseFiles, Exported), EvidenceError> {
    let subject = selection.resolve(session).await?;
    let rows = subject.records(session).await?;
    let lake_findings = subject.findings(session).await?;
    let found = read_again(session, &rows, &options.source_roots);
    let mut index = index(session, &rows, &found);
    check_any(&index)?;
    let numbers = findings::numbers(&rows, &index.records);
    let mut findings = findings::of_rows(lake_findings, &numbers);

    let mut files = CaseFiles::default();
    let masker = add_records(&mut files, &mut index, &found, options)?;
    let lines: Vec<(usize, &[u8])> = index
        .records
        .iter()
        .filter_map(|record| Some((record.number, files.get(record.file.as_deref()?)?)))
        .collect();
    let mut replay = replay(&lines, session.pack().clone()).await?;
    let of_seals = seals::rules(session.pack());
    replay.leave_out(&of_seals);
    if options.mask.is_none() {
        seals::add(&mut files, &mut index, &options.checkpoints, |name| {
            places_of(session, name, &options.source_roots)
        });
    }
    let seals = SealCount::of(&index);
    let (masker, masked) = masker.unzip();
    if let Some(masker) = masker {
        mask_details(&mut findings, &replay, &masker);
    }
    let comparable = findings
        .iter()
        .filter(|finding| !of_seals.contains(&finding.code));
    let (not_reproduced, additional) = compare(comparable, &replay);

    let manifest = CaseManifest {
        format: FORMAT,
        tool: format!("preflight {}", env!("CARGO_PKG_VERSION")),
        created_at: options.created_at.clone(),
        subject,
        lake_manifest: session.lake().digest().to_owned(),
        records: index.records.len(),
        missing: index
            .records
            .iter()
            .filter(|record| record.missing.is_some())
            .count(),
        findings: findings.len(),
        masked: options.mask.as_ref().map(|(mask, key)| MaskNote {
            method: "blake3-keyed".to_owned(),
            values: mask.clone(),
            key_check: key.check(),
        }),
        files: Vec::new(),
    };
    let documents = Documents {
        manifest: &manifest,
        index: &index,
        findings: &findings,
        pack: session.pack(),
        masked,
        seals,
        not_reproduced: not_reproduced.len(),
        additional: additional.len(),
    };
    files.insert("README.md", documents.readme()?);
    files.insert("findings.md", documents.findings()?);
    files.insert("findings.json", rules::json(&findings)?);
    files.insert("index.json", rules::json(&index)?);
    rules::add(session.pack(), &mut files)?;
    let case_digest = seal(&mut files, manifest.clone())?;
    let missing = index
        .records
        .into_iter()
        .filter(|record| record.missing.is_some());
    let exported = Exported {
        case_digest,
        subject: manifest.subject,
        files: files.len(),
        records: manifest.records,
        missing: missing.collect(),
        findings,
        not_reproduced,
        additional,
        seals,
        masked,
        lake_manifest: manifest.lake_manifest,
    };
    Ok((files, exported))
}

/// Adds checksums and manifest, and returns the digest of the case.
fn seal(files: &mut CaseFiles, mut manifest: CaseManifest) -> Result<String, EvidenceError> {
    files.insert(CHECKSUMS, manifest::checksums(&manifest::entries(files)));
    manifest.files = manifest::entries(files);
    let manifest = rules::json(&manifest)?;
    let case_digest = digest(manifest.as_bytes());
    files.insert(MANIFEST, manifest);
    Ok(case_digest)
}

/// Reads records again from where their sources were, or are below `roots`.
pub(crate) fn read_again(session: &AuditSession, rows: &[RecordRow], roots: &[PathBuf]) -> Found {
    let wanted: Vec<Wanted<'_>> = rows
        .iter()
        .map(|row| Wanted {
            source: &row.source,
            line: row.line,
            offset: row.byte_offset,
            length: row.byte_length,
            digest: &row.digest,
        })
        .collect();
    originals::read_again(&wanted, |name| places_of(session, name, roots))
}

fn places_of(session: &AuditSession, name: &str, roots: &[PathBuf]) -> Vec<PathBuf> {
    let source = source_of(session, name);
    source.map_or(Vec::new(), |(_, source)| {
        originals::places_of(source, roots)
    })
}

fn source_of<'s>(session: &'s AuditSession, name: &str) -> Option<(usize, &'s Source)> {
    let sources = &session.lake().manifest().sources;
    sources
        .iter()
        .enumerate()
        .find(|(_, source)| source.name == name)
}

fn index(session: &AuditSession, rows: &[RecordRow], found: &Found) -> Index {
    let mut sources: BTreeMap<&str, SourceEntry> = BTreeMap::new();
    for row in rows {
        sources.entry(&row.source).or_insert_with(|| {
            let counts = source_of(session, &row.source)
                .map(|(at, _)| session.lake().manifest().counts_of(at))
                .unwrap_or_default();
            let compression = found.compressions.get(&row.source);
            SourceEntry {
                name: row.source.clone(),
                compression: compression.map(|compression| compression.as_str().to_owned()),
                lines: counts.lines,
                records: counts.records,
                quarantined: counts.quarantined,
            }
        });
    }
    let records = (1..).zip(rows).zip(&found.records);
    Index {
        sources: sources.into_values().collect(),
        records: records
            .map(|((number, row), found)| {
                let mut entry = RecordEntry::new(number, row);
                if let Err(missing) = found {
                    entry.file = None;
                    entry.missing = Some(missing.clone());
                }
                entry
            })
            .collect(),
    }
}

fn check_any(index: &Index) -> Result<(), EvidenceError> {
    if index.records.iter().any(|record| record.file.is_some()) {
        return Ok(());
    }
    let mut faults = index
        .records
        .iter()
        .filter_map(|record| record.missing.as_ref());
    Err(EvidenceError::NothingVerified {
        records: index.records.len(),
        first: faults
            .next()
            .map_or(String::new(), |missing| missing.detail.clone()),
    })
}

/// Adds the bytes of the records, masked if that is asked for.
fn add_records<'o>(
    files: &mut CaseFiles,
    index: &mut Index,
    found: &Found,
    options: &'o ExportOptions,
) -> Result<Option<(Masker<'o>, MaskCount)>, EvidenceError> {
    let lines = || found.records.iter().flatten().map(Vec::as_slice);
    let mut masker = match &options.mask {
        None => None,
        Some((mask, key)) => {
            let masker = Masker::new(key, mask, lines()).map_err(EvidenceError::Document)?;
            masker.check()?;
            Some((masker, MaskCount::default()))
        }
    };
    for (entry, found) in index.records.iter_mut().zip(&found.records) {
        let (Some(file), Ok(bytes)) = (&entry.file, found) else {
            continue;
        };
        let Some((masker, count)) = &mut masker else {
            files.insert(file, bytes.clone());
            continue;
        };
        let (masked, values) = masker.line(bytes).map_err(|reason| EvidenceError::Mask {
            place: format!("{}:{}", entry.source, entry.line),
            reason,
        })?;
        count.values += values;
        count.records += usize::from(values > 0);
        entry.masked_digest = Some(digest(&masked));
        files.insert(file, masked);
    }
    Ok(masker)
}

/// A finding may quote a value: what it says of the masked record takes its place, or the same words
/// without the value.
fn mask_details(found: &mut [CaseFinding], replay: &Replay, masker: &Masker<'_>) {
    let of_replay: BTreeMap<_, _> = findings::keyed(&replay.findings).into_iter().collect();
    let details: Vec<Option<String>> = findings::keyed(&*found)
        .into_iter()
        .map(|(key, finding)| match of_replay.get(&key) {
            Some(masked) => masked.detail.clone(),
            None => finding.detail.as_deref().map(|detail| masker.plain(detail)),
        })
        .collect();
    for (finding, detail) in found.iter_mut().zip(details) {
        finding.detail = detail;
    }
}

/// What the records alone do not lead to, and what they lead to beyond that.
fn compare<'f>(
    found: impl Iterator<Item = &'f CaseFinding>,
    replay: &Replay,
) -> (Vec<CaseFinding>, Vec<CaseFinding>) {
    let ours: BTreeMap<_, _> = findings::keyed(found).into_iter().collect();
    let theirs: BTreeMap<_, _> = findings::keyed(&replay.findings).into_iter().collect();
    let without = |some: &BTreeMap<_, &CaseFinding>, other: &BTreeMap<_, &CaseFinding>| {
        let some = some.iter().filter(|(key, _)| !other.contains_key(*key));
        some.map(|(_, finding)| (*finding).clone()).collect()
    };
    (without(&ours, &theirs), without(&theirs, &ours))
}
