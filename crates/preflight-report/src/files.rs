//! The files of a report. The same report gives the same bytes.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Chart, Period, Report, ReportError, csv, html, json, markdown, suggestions_csv};

/// A format of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// One page for a browser or a printer.
    Html,
    /// A Markdown document.
    Markdown,
    /// One JSON object.
    Json,
    /// The gaps, one row each; suggestions in a file of their own.
    Csv,
    /// The pictures.
    Svg,
    /// The pictures as pixels.
    Png,
}

/// A file with its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDigest {
    /// Its path in the folder, with `/`.
    pub path: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// SHA-256 of them, in hexadecimal.
    pub sha256: String,
}

/// What was written for a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Whose report it is.
    pub provider: String,
    /// The files.
    pub files: Vec<FileDigest>,
}

/// Writes a report's files into a folder of the provider's own.
///
/// # Errors
///
/// A file can't be written, or a picture not drawn.
pub fn write(
    folder: &Path,
    report: &Report,
    period: &Period,
    formats: &[Format],
) -> Result<Written, ReportError> {
    let charts = Chart::all(report)?;
    let own = safe_name(&report.provider);
    let stem = format!(
        "gaps-{}-{}",
        stamp(period, period.from),
        stamp(period, period.until)
    );
    let mut contents: Vec<(String, Vec<u8>)> = Vec::new();
    for format in formats {
        let mut add =
            |ending: &str, bytes: Vec<u8>| contents.push((format!("{own}/{stem}{ending}"), bytes));
        match format {
            Format::Html => add(".html", html(report, &charts)?.into_bytes()),
            Format::Markdown => add(".md", markdown(report).into_bytes()),
            Format::Json => add(".json", json(report)?.into_bytes()),
            Format::Csv => {
                add(".csv", csv(report)?.into_bytes());
                if !report.suggestions.is_empty() {
                    add("-suggestions.csv", suggestions_csv(report)?.into_bytes());
                }
            }
            Format::Svg => {
                for chart in &charts {
                    add(&format!("-{}.svg", chart.name), chart.svg().into_bytes());
                }
            }
            Format::Png => {
                for chart in &charts {
                    add(&format!("-{}.png", chart.name), chart.png()?);
                }
            }
        }
    }
    let files = contents.into_iter().map(|(path, bytes)| {
        put(&folder.join(&path), &bytes)?;
        Ok(FileDigest {
            path,
            bytes: bytes.len() as u64,
            sha256: sha256(&bytes),
        })
    });
    Ok(Written {
        provider: report.provider.clone(),
        files: files.collect::<Result<_, ReportError>>()?,
    })
}

/// Writes aside and renames, so that nobody reads half a file.
pub(crate) fn put(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(ReportError::io(folder))?;
    let mut aside = path.as_os_str().to_owned();
    aside.push(".part");
    let aside = PathBuf::from(aside);
    let written = fs::File::create(&aside).and_then(|mut file| {
        std::io::Write::write_all(&mut file, bytes)?;
        file.sync_all()
    });
    written.map_err(ReportError::io(&aside))?;
    fs::rename(&aside, path).map_err(ReportError::io(path))
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A day, or a time of day where it is not midnight.
fn stamp(period: &Period, micros: i64) -> String {
    let shown = period.show(micros);
    let (day, time) = shown.split_at_checked(10).unwrap_or((&shown, ""));
    match time.get(..9) {
        Some("T00:00:00") => day.to_owned(),
        time => format!("{day}{}", time.unwrap_or_default().replace(':', "")),
    }
}

/// A name that is safe on every file system; what has to be changed gets a digest, so that two
/// names never share a folder.
pub(crate) fn safe_name(name: &str) -> String {
    let is_safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if !name.is_empty() && name.len() <= 60 && name.chars().all(is_safe) {
        return name.to_owned();
    }
    let kept: String = name
        .to_ascii_lowercase()
        .chars()
        .filter(|c| is_safe(*c))
        .take(40)
        .collect();
    let digest = sha256(name.as_bytes());
    format!("{kept}.{}", digest.get(..12).unwrap_or(&digest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_never_leave_their_folder_nor_meet() {
        assert_eq!(safe_name("bank"), "bank");
        let names = [
            "..",
            "../bank",
            "Bank",
            "BANK",
            "",
            "銀行",
            "con.",
            "a/b",
            &"x".repeat(300),
        ];
        let safe: std::collections::BTreeSet<String> =
            names.iter().map(|name| safe_name(name)).collect();
        assert_eq!(safe.len(), names.len());
        for name in safe {
            assert!(
                !name.contains('/') && name != ".." && name.len() < 64,
                "{name}"
            );
        }
    }
}
