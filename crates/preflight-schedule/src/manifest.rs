//! `manifest.json`: what a run made, with digests. It names no time of its own, so that the same
//! run gives the same bytes.

use std::{
    fs,
    path::{Component, Path},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{Part, Period, Product, Schedule, ScheduleError, durable};

/// Name of the file.
pub(crate) const MANIFEST: &str = "manifest.json";
/// Name and version of its form.
const FORMAT: &str = "preflight-schedule-run/1";

/// What a run made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name and version of this form.
    pub format: String,
    /// Version of the software.
    pub version: String,
    /// The schedule.
    pub schedule: String,
    /// What the run was about.
    pub period: PeriodShown,
    /// SHA-256 over what was made: the digests of all parts.
    pub digest: String,
    /// What it was made from.
    pub source: Value,
    /// The parts.
    pub parts: Vec<ManifestPart>,
}

/// A period with its times as RFC 3339.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeriodShown {
    /// Its name.
    pub name: String,
    /// Start.
    pub from: String,
    /// End, not part of it.
    pub until: String,
    /// Whose calendar counts.
    pub time_zone: String,
}

/// What one receiver gets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ManifestPart {
    /// Whose it is.
    pub name: String,
    /// SHA-256 over what it is: schedule, period, words and the digests of its files.
    pub digest: String,
    /// Folder of its files.
    pub folder: String,
    /// What it is, in a line.
    pub subject: String,
    /// What it says, in a few.
    pub text: String,
    /// What was looked at and found.
    pub facts: Value,
    /// Its files.
    pub files: Vec<FileDigest>,
}

/// A file with its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDigest {
    /// Its path in the run's folder, with `/`.
    pub path: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// SHA-256 of them, in hexadecimal.
    pub sha256: String,
}

impl PeriodShown {
    pub(crate) fn of(period: &Period) -> Self {
        Self {
            name: period.to_string(),
            from: period.show(period.from),
            until: period.show(period.until),
            time_zone: period.zone.name().to_owned(),
        }
    }
}

impl Manifest {
    /// Takes down what a job left in a folder, and makes it last.
    pub(crate) fn of(
        schedule: &Schedule,
        period: &Period,
        product: Product,
        folder: &Path,
    ) -> Result<Self, ScheduleError> {
        let period = PeriodShown::of(period);
        let whose = (FORMAT, schedule.name.as_str(), &period);
        let parts = product.parts.into_iter();
        let parts = parts.map(|part| taken(part, folder, &whose));
        let parts = parts.collect::<Result<Vec<_>, ScheduleError>>()?;
        let path = folder.join(MANIFEST);
        let digests: Vec<&str> = parts.iter().map(|part| part.digest.as_str()).collect();
        let made = durable::json(&path, &(whose, digests))?;
        let manifest = Self {
            format: FORMAT.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            schedule: schedule.name.clone(),
            digest: sha256(&made),
            period,
            source: product.source,
            parts,
        };
        durable::write(&path, &durable::json(&path, &manifest)?)?;
        durable::sync(folder)?;
        Ok(manifest)
    }

    /// The manifest of a run's folder.
    ///
    /// # Errors
    ///
    /// There is none, or it was altered.
    pub fn read(folder: &Path) -> Result<Self, ScheduleError> {
        let path = folder.join(MANIFEST);
        let manifest = durable::read_json(&path)?;
        manifest.ok_or_else(|| ScheduleError::state(path, "it is missing"))
    }
}

impl ManifestPart {
    /// The files with their bytes.
    ///
    /// # Errors
    ///
    /// A file is not what was made.
    pub fn contents<'m>(&'m self, run: &Path) -> Result<Vec<(&'m FileDigest, Vec<u8>)>, String> {
        let read = |file: &'m FileDigest| {
            let path = run.join(&file.path);
            let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            match sha256(&bytes) == file.sha256 {
                true => Ok((file, bytes)),
                false => Err(format!(
                    "{}: it was altered since it was made",
                    path.display()
                )),
            }
        };
        self.files.iter().map(read).collect()
    }

    /// The path of a file in the part's folder.
    pub fn path_of<'f>(&self, file: &'f FileDigest) -> &'f str {
        let inner = file.path.strip_prefix(&self.folder);
        inner
            .and_then(|inner| inner.strip_prefix('/'))
            .unwrap_or(&file.path)
    }
}

impl FileDigest {
    /// What kind of file it is, by its ending.
    pub fn media_type(&self) -> &'static str {
        match self.path.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("md") => "text/markdown; charset=utf-8",
            Some("json") => "application/json",
            Some("csv") => "text/csv; charset=utf-8",
            Some("svg") => "image/svg+xml",
            Some("png") => "image/png",
            _ => "application/octet-stream",
        }
    }
}

fn taken(
    part: Part,
    folder: &Path,
    whose: &(&str, &str, &PeriodShown),
) -> Result<ManifestPart, ScheduleError> {
    let mut names = Path::new(&part.folder).components();
    let is_one = matches!(
        (names.next(), names.next()),
        (Some(Component::Normal(name)), None) if name == part.folder.as_str()
    );
    if !is_one {
        let reason = format!("{:?} is no name of a folder", part.folder);
        return Err(crate::JobError(reason).into());
    }
    let mut files = Vec::new();
    digests(folder, &part.folder, &mut files)?;
    let what = (&part.name, &part.subject, &part.text, &part.facts);
    let what = durable::json(folder, &(whose, what, &files))?;
    Ok(ManifestPart {
        digest: sha256(&what),
        name: part.name,
        folder: part.folder,
        subject: part.subject,
        text: part.text,
        facts: part.facts,
        files,
    })
}

/// The digests of all files in a folder, by path; each is synced.
fn digests(run: &Path, folder: &str, files: &mut Vec<FileDigest>) -> Result<(), ScheduleError> {
    let path = run.join(folder);
    for name in durable::names(&path)? {
        let inner = format!("{folder}/{name}");
        let path = run.join(&inner);
        if path.is_dir() {
            digests(run, &inner, files)?;
            continue;
        }
        let bytes = fs::read(&path).map_err(ScheduleError::io(&path))?;
        durable::sync(&path)?;
        files.push(FileDigest {
            path: inner,
            bytes: bytes.len() as u64,
            sha256: sha256(&bytes),
        });
    }
    match path.is_dir() {
        true => durable::sync(&path),
        false => Ok(()),
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
