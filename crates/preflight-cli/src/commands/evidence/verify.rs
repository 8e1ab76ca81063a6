use std::{
    io::{self, BufWriter, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Context;
use clap::{Args, ValueEnum};
use preflight_evidence::{
    FindingOutcome, MaskKey, OriginalCheck, Problem, RuleDifferences, SealCheck, Verification,
    VerifyOptions, verify,
};

use crate::{
    commands::ingest::count, key_arguments::KeyArguments, lake_arguments::block_on, output, plain,
};

/// Verify a case file: every digest, every record, every finding. No lake is needed.
///
/// The records of the case are read alone, and the rules of the case run again. Each finding is
/// reproduced, not reproduced, different, new, or not checked where the rules fail; each difference
/// has a name: record_edited, record_removed, record_added, record_reordered, findings_edited,
/// rule_edited, file_added ...
///
/// Whoever can change all files of a case can compute all digests again: only a case digest that was
/// kept elsewhere (--digest), or the sources (--original), shows that.
///
/// Proofs that sealed records are in their logs are checked; --key says who must have signed the logs,
/// and makes a record that is not proved a problem: no_proof, proof_fails, unknown_key, bad_signature.
///
/// Exit status: 0 all of it matches, 1 something differs, 2 there is no case that can be read.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight evidence verify case/
  preflight evidence verify case.tar.zst --digest 3fa94c1e...
  preflight evidence verify case/ --original preflight-lake
  preflight evidence verify case/ --original /archive/logs --key-file case.key
  preflight evidence verify case/ --key log.key.pub
  preflight evidence verify case/ --format json | jq .problems")]
pub(super) struct Arguments {
    /// Folder or archive of the case
    #[arg(value_name = "CASE")]
    case: PathBuf,

    /// The case digest that was written down
    #[arg(long, value_name = "DIGEST")]
    digest: Option<String>,

    /// A lake, or a folder of sources, to compare every record with its source
    #[arg(long, value_name = "DIR")]
    original: Option<PathBuf>,

    /// Key of the mask, to compare masked records
    #[arg(long, value_name = "FILE", requires = "original")]
    key_file: Option<PathBuf>,

    #[command(flatten)]
    keys: KeyArguments,

    /// How the result is written
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines for reading
    Text,
    /// One JSON object
    Json,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let key = arguments
        .key_file
        .as_deref()
        .map(MaskKey::read)
        .transpose()?;
    let options = VerifyOptions {
        expected_digest: arguments.digest.clone(),
        original: arguments.original.clone(),
        key,
        keys: arguments.keys.ring()?.into(),
    };
    let verification = block_on(verify(&arguments.case, &options))?;
    let mut out = BufWriter::new(io::stdout().lock());
    match arguments.format {
        Format::Text => write_text(&mut out, &verification),
        Format::Json => output::write_json(&mut out, &verification),
    }
    .and_then(|()| out.flush())
    .context("standard output")?;
    Ok(match verification.matches() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    })
}

fn write_text(output: &mut impl Write, verification: &Verification) -> io::Result<()> {
    let made = format!("{} by {}", verification.created_at, verification.tool);
    writeln!(output, "Case      {}", verification.case_digest)?;
    writeln!(output, "Made      {}", plain::text(&made))?;
    for key in &verification.subject.chains {
        writeln!(output, "Chain     {}", plain::text(key))?;
    }
    for digest in &verification.subject.unkeyed_records {
        writeln!(output, "Record    {}, of no chain", plain::text(digest))?;
    }
    writeln!(
        output,
        "Records   {} of {} with the bytes that were taken down{}",
        verification.records_intact,
        verification.records,
        if verification.masked.is_some() {
            ", masked"
        } else {
            ""
        }
    )?;
    write_seals(output, &verification.seals)?;
    if let Some(rules) = &verification.rules {
        write_rules(output, rules)?;
    }
    writeln!(output, "Findings  {}", outcomes(verification))?;
    if let Some(original) = &verification.original {
        writeln!(
            output,
            "Original  {} the same{}",
            count(original.same as u64, "record"),
            differing(original)
        )?;
    }
    write_findings(output, verification)?;
    write_problems(output, verification)?;
    let result = match verification.matches() {
        true => "all of it matches",
        false => "NOT all of it matches",
    };
    writeln!(output, "\nResult    {result}")
}

fn write_seals(output: &mut impl Write, seals: &SealCheck) -> io::Result<()> {
    if seals.sealed == 0 {
        return writeln!(output, "Seals     none that can be checked");
    }
    let sealed = count(seals.sealed as u64, "record");
    writeln!(output, "Seals     {sealed} sealed, {} proved", seals.proved)?;
    for (log, size) in &seals.logs {
        let signers = match seals.signers.is_empty() {
            true => String::new(),
            false => format!(", signed by {}", seals.signers.join(", ")),
        };
        let line = format!("  in {log} when it had {}{signers}", count(*size, "record"));
        writeln!(output, "{}", plain::text(&line))?;
    }
    for unchecked in &seals.unchecked {
        writeln!(output, "Unchecked {}", plain::text(unchecked))?;
    }
    Ok(())
}

fn write_rules(output: &mut impl Write, rules: &RuleDifferences) -> io::Result<()> {
    if rules.is_empty() {
        return writeln!(output, "Rules     the same as those of this version");
    }
    writeln!(output, "Rules     not the same as those of this version")?;
    let kinds = [
        ("changed", &rules.changed),
        ("added", &rules.added),
        ("absent", &rules.absent),
        ("parameter", &rules.parameters),
    ];
    for (kind, names) in kinds {
        for name in names {
            writeln!(output, "  {kind:<10}{}", plain::text(name))?;
        }
    }
    Ok(())
}

fn outcomes(verification: &Verification) -> String {
    let before = match verification.listed_findings {
        Some(0) => "none before".to_owned(),
        Some(n) => format!("{n} before"),
        None => "the list of those before cannot be read".to_owned(),
    };
    if !verification.rules_ran {
        return format!("{before}; NOT checked: the rules could not be run again");
    }
    if verification.findings.is_empty() {
        return match verification.listed_findings {
            Some(_) => "none, before and now".to_owned(),
            None => format!("{before}; none now"),
        };
    }
    let outcomes = [
        FindingOutcome::Reproduced,
        FindingOutcome::Differs,
        FindingOutcome::NotReproduced,
        FindingOutcome::New,
        FindingOutcome::NotChecked,
        FindingOutcome::NeedsLog,
    ];
    let counts = outcomes.map(|outcome| (outcome, verification.count(outcome)));
    let counts = counts.iter().filter(|(_, count)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(outcome, count)| format!("{count} {outcome}"))
        .collect();
    counts.join(", ")
}

fn differing(original: &OriginalCheck) -> String {
    match original.problems.len() {
        0 => String::new(),
        n => format!(", {n} not"),
    }
}

fn write_findings(output: &mut impl Write, verification: &Verification) -> io::Result<()> {
    if !verification.findings.is_empty() {
        writeln!(output)?;
    }
    for result in &verification.findings {
        let finding = &result.finding;
        let line = format!(
            "  {:<15} {} {:<24} record {:<6} {}  {}",
            result.outcome,
            finding.code,
            finding.name,
            finding.record,
            finding.field.as_deref().unwrap_or_default(),
            finding.detail.as_deref().unwrap_or_default()
        );
        writeln!(output, "{}", plain::text(line.trim_end()))?;
    }
    Ok(())
}

fn write_problems(output: &mut impl Write, verification: &Verification) -> io::Result<()> {
    let original = verification
        .original
        .iter()
        .flat_map(|original| &original.problems);
    let problems: Vec<&Problem> = verification.problems.iter().chain(original).collect();
    if !problems.is_empty() {
        writeln!(output)?;
    }
    for problem in problems {
        let line = format!(
            "  {:<20} {}: {}",
            problem.kind, problem.path, problem.detail
        );
        writeln!(output, "{}", plain::text(&line))?;
    }
    Ok(())
}
