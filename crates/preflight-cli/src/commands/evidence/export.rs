use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail};
use chrono::{DateTime, SecondsFormat, Utc};
use clap::Args;
use preflight_evidence::{CaseFinding, ExportOptions, Exported, Mask, MaskKey, Selection, export};
use preflight_seal::{SignedCheckpoint, checkpoints};

use crate::{
    commands::ingest::count,
    lake_arguments::{LakeArguments, PackArguments, block_on, session},
    plain, terminal,
};

#[derive(Debug, Args)]
#[group(id = "which", required = true, multiple = true, args = ["action_key", "record", "finding"])]
pub(super) struct Arguments {
    /// Chains
    #[arg(value_name = "ACTION_KEY")]
    action_key: Vec<String>,

    /// The chain of a record, by the beginning of its digest
    #[arg(long, value_name = "DIGEST")]
    record: Vec<String>,

    /// The chain of a finding, by the beginning of its id
    #[arg(long, value_name = "ID")]
    finding: Vec<String>,

    /// Where the case goes: a new folder, or a file that ends with .tar.zst
    #[arg(long, value_name = "PATH", required = true)]
    out: Option<PathBuf>,

    #[command(flatten)]
    lake: LakeArguments,

    #[command(flatten)]
    pack: PackArguments,

    /// Where else sources are looked for, by path or by name
    #[arg(long, value_name = "DIR")]
    source_root: Vec<PathBuf>,

    /// File of checkpoints that were kept elsewhere, to prove by that sealed records are in their logs;
    /// those beside the logs are found
    #[arg(long = "checkpoint", value_name = "FILE")]
    checkpoints: Vec<PathBuf>,

    /// When the case is made: RFC 3339, or seconds since 1970; now if it is not said
    #[arg(long, value_name = "TIME", env = "SOURCE_DATE_EPOCH", value_parser = time)]
    created_at: Option<DateTime<Utc>>,

    /// Mask values: all, or those of fields by name
    #[arg(long, value_name = "FIELD,...", num_args = 0..=1, require_equals = true,
        default_missing_value = "all", requires = "key_file")]
    mask: Option<String>,

    /// Key of the mask: 32 bytes, or 64 hexadecimal digits; it stays with you
    #[arg(long, value_name = "FILE", requires = "mask")]
    key_file: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Some(out) = &arguments.out else {
        bail!("--out says where the case goes");
    };
    let options = arguments.options()?;
    let session = session(&arguments.lake, arguments.pack.pack()?)?;
    let selection = Selection {
        action_keys: arguments.action_key.clone(),
        records: arguments.record.clone(),
        findings: arguments.finding.clone(),
    };
    let exported = block_on(export(&session, &selection, &options, out))?;
    write(&exported, out).context("standard output")?;
    warn(&exported);
    Ok(match exported.is_complete() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    })
}

impl Arguments {
    fn options(&self) -> anyhow::Result<ExportOptions> {
        let created = self.created_at.unwrap_or_else(Utc::now);
        let mask = match (&self.mask, &self.key_file) {
            (Some(mask), Some(key)) => Some((Mask::parse(mask), MaskKey::read(key)?)),
            _ => None,
        };
        Ok(ExportOptions {
            source_roots: self.source_root.clone(),
            created_at: created.to_rfc3339_opts(SecondsFormat::Secs, true),
            created_seconds: created.timestamp().try_into().unwrap_or_default(),
            mask,
            checkpoints: checkpoints_of(&self.checkpoints)?,
        })
    }
}

fn checkpoints_of(paths: &[PathBuf]) -> anyhow::Result<Vec<SignedCheckpoint>> {
    let mut found = Vec::new();
    for path in paths {
        let place = || path.display().to_string();
        let text = fs::read_to_string(path).with_context(place)?;
        for (_, checkpoint) in checkpoints(&text) {
            found.push(checkpoint.with_context(place)?);
        }
    }
    Ok(found)
}

fn time(text: &str) -> Result<DateTime<Utc>, String> {
    let seconds = text.parse().ok();
    let time = seconds.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    let time = time.or_else(|| {
        let time = DateTime::parse_from_rfc3339(text).ok()?;
        Some(time.to_utc())
    });
    time.ok_or_else(|| "a time is 2026-06-30T12:00:00Z, or seconds since 1970".to_owned())
}

fn write(exported: &Exported, out: &Path) -> io::Result<()> {
    let mut output = io::stdout().lock();
    let out = plain::text(&out.display().to_string()).into_owned();
    writeln!(
        output,
        "Case      {out}: {}",
        count(exported.files as u64, "file")
    )?;
    for key in &exported.subject.chains {
        writeln!(output, "Chain     {}", plain::text(key))?;
    }
    for digest in &exported.subject.unkeyed_records {
        writeln!(output, "Record    {digest}, of no chain")?;
    }
    let missing = exported.missing.len();
    writeln!(
        output,
        "Records   {}: {} as they were, {missing} missing",
        exported.records,
        exported.records - missing
    )?;
    writeln!(output, "Seals     {}", seals(exported))?;
    writeln!(output, "Findings  {}", by_rule(&exported.findings))?;
    for line in differences(exported) {
        writeln!(output, "          {line}")?;
    }
    if let Some(masked) = exported.masked {
        writeln!(
            output,
            "Masked    {} in {}",
            count(masked.values as u64, "value"),
            count(masked.records as u64, "record")
        )?;
    }
    writeln!(output, "Lake      {}", exported.lake_manifest)?;
    writeln!(output, "Digest    {}", exported.case_digest)?;
    Ok(())
}

fn seals(exported: &Exported) -> String {
    let count = exported.seals;
    match (exported.masked, count.sealed) {
        (Some(_), _) => "left out: the records are masked".to_owned(),
        (None, 0) => "none: no record is sealed".to_owned(),
        (None, sealed) => format!(
            "{sealed} of {} records sealed, {} proved to be in their logs",
            exported.records, count.proved
        ),
    }
}

/// What the case cannot show by itself.
fn differences(exported: &Exported) -> impl Iterator<Item = String> {
    let lost = exported.not_reproduced.len();
    let more = exported.additional.len();
    let lost = (lost > 0).then(|| {
        let of = exported.findings.len();
        format!("{lost} of these {of} cannot be reproduced from the records of the case alone")
    });
    let more = (more > 0).then(|| format!("{more} more from the records of the case alone"));
    lost.into_iter().chain(more)
}

/// `3: 2 AD002 tool_missing, 1 LN002 no_baseline`.
fn by_rule(findings: &[CaseFinding]) -> String {
    let mut rules: Vec<(&str, &str, usize)> = Vec::new();
    for finding in findings {
        match rules.iter_mut().find(|(code, ..)| *code == finding.code) {
            Some((.., count)) => *count += 1,
            None => rules.push((&finding.code, &finding.name, 1)),
        }
    }
    rules.sort_unstable();
    let rules = rules
        .iter()
        .map(|(code, name, count)| format!("{count} {code} {name}"));
    let rules = rules.collect::<Vec<_>>().join(", ");
    match findings.len() {
        0 => "none".to_owned(),
        n => format!("{n}: {rules}"),
    }
}

fn warn(exported: &Exported) {
    for record in &exported.missing {
        let detail = record
            .missing
            .as_ref()
            .map_or("", |missing| &*missing.detail);
        terminal::say!("missing: {}", plain::text(detail));
    }
    let differences = [
        (
            &exported.not_reproduced,
            "the records of the case alone do not lead to",
        ),
        (
            &exported.additional,
            "the records of the case alone lead to one more:",
        ),
    ];
    for (findings, what) in differences {
        for finding in findings {
            terminal::say!(
                "note: {what} {} {} in record {}",
                finding.code,
                plain::text(&finding.name),
                finding.record
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rfc_3339_or_seconds() {
        let seconds = |text| time(text).map(|time| time.timestamp());
        assert_eq!(seconds("2026-06-30T14:00:00+02:00"), Ok(1_782_820_800));
        assert_eq!(seconds("1782820800"), Ok(1_782_820_800));
        assert!(seconds("yesterday").is_err());
    }
}
