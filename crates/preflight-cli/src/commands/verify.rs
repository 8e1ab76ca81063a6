//! `preflight verify`: what was done to a sealed log since it was written.

mod spool;

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use anyhow::Context;
use clap::{Args, ValueEnum};
use preflight_seal::verify::{Asked, LogReport, Problem, Report, verify};

use self::spool::Spooled;
use crate::{commands::ingest::count, key_arguments::KeyArguments, plain, progress_bar::ReadBar};

/// Verify sealed logs: edited, deleted, inserted, reordered records, forks, torn and missing ends.
///
/// Nothing that wrote the log is trusted, and no lake is needed. Each thing that is wrong has a name
/// and a place: edited, deleted, inserted, reordered, fork, torn_tail, rotation_gap, unsealed,
/// truncated, rewritten, bad_signature, unknown_key ...
///
/// Files may be compressed with gzip or Zstandard; lines and bytes are counted decompressed.
///
/// Only a checkpoint shows that records were cut off at the end, or that all were sealed anew. Those
/// beside the log are read by themselves; keep others where the log's writer cannot reach them.
///
/// Exit status: 0 all that was asked for holds, 1 something does not (with --strict also: something
/// could not be checked), 2 a file cannot be read.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight verify records.jsonl
  preflight verify /var/log/agent --key log.key.pub --strict
  preflight verify records.jsonl --key log.key.pub --checkpoint 2026-06.checkpoint
  zcat archive/*.gz | preflight verify -
  preflight verify records.jsonl --format json | jq .logs[].problems")]
pub(crate) struct Arguments {
    /// Logs, each with the segments beside it, or folders of logs; `-` reads standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    keys: KeyArguments,

    /// File of checkpoints that the log must still agree with
    #[arg(long = "checkpoint", value_name = "FILE")]
    checkpoints: Vec<PathBuf>,

    /// Fail as well on what could not be checked
    #[arg(long)]
    strict: bool,

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

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let asked = Asked {
        keys: arguments.keys.ring()?,
        checkpoints: arguments.checkpoints.clone(),
    };
    let spooled = Spooled::of(&arguments.paths)?;
    let report = with_bar(&spooled.paths, |read| verify(&spooled.paths, &asked, read));
    let report = spooled.named(report)?;
    let mut output = BufWriter::new(io::stdout().lock());
    match arguments.format {
        Format::Text => write_text(&mut output, &report),
        Format::Json => write_json(&mut output, &report),
    }
    .and_then(|()| output.flush())
    .context("standard output")?;
    Ok(
        match report.holds() && (report.is_complete() || !arguments.strict) {
            true => ExitCode::SUCCESS,
            false => ExitCode::from(1),
        },
    )
}

/// Reads with a bar that follows the count of bytes.
fn with_bar<T>(paths: &[PathBuf], act: impl FnOnce(&AtomicU64) -> T) -> T {
    let read = Arc::new(AtomicU64::new(0));
    let total = paths.iter().map(|path| size(path)).sum();
    let bytes = {
        let read = Arc::clone(&read);
        move || read.load(Ordering::Relaxed)
    };
    let _bar = ReadBar::start(bytes, || "verified".to_owned(), Some(total));
    act(&read)
}

fn size(path: &Path) -> u64 {
    let length = |path: &Path| fs::metadata(path).map_or(0, |about| about.len());
    if !path.is_dir() {
        let beside = preflight_seal::later_segments(path).unwrap_or_default();
        return length(path) + beside.iter().map(|path| length(path)).sum::<u64>();
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| length(&entry.path())).sum()
}

fn write_json(output: &mut impl Write, report: &Report) -> io::Result<()> {
    let json = serde_json::to_string_pretty(report)?;
    writeln!(output, "{}", plain::json(&json))
}

fn write_text(output: &mut impl Write, report: &Report) -> io::Result<()> {
    for log in &report.logs {
        write_log(output, log)?;
    }
    for problem in &report.problems {
        write_problem(output, problem)?;
    }
    let problems = report.problems().count() as u64;
    let result = match (problems, report.is_complete()) {
        (0, true) => "intact".to_owned(),
        (0, false) => "intact as far as it was checked".to_owned(),
        (problems, _) => format!("NOT intact: {}", count(problems, "problem")),
    };
    writeln!(output, "Result    {result}")
}

fn write_log(output: &mut impl Write, log: &LogReport) -> io::Result<()> {
    writeln!(output, "Log       {}", plain::text(&log.log))?;
    let numbers = match log.next.checked_sub(1) {
        Some(last) if last > log.first => format!(", number {} to {last}", log.first),
        _ => String::new(),
    };
    writeln!(
        output,
        "Records   {} sealed in {}{numbers}",
        count(log.records, "record"),
        count(log.files.len() as u64, "file"),
    )?;
    if log.respelled > 0 {
        writeln!(
            output,
            "Respelled {}: other bytes that say what was sealed",
            count(log.respelled, "record")
        )?;
    }
    if log.vouched_bytes > 0 {
        writeln!(
            output,
            "Unsealed  {} that a later seal vouches for",
            count(log.vouched_bytes, "byte")
        )?;
    }
    if log.checkpoints > 0 {
        writeln!(
            output,
            "Signed    {} {}, the largest over {}",
            count(log.checkpoints, "checkpoint"),
            if log.checkpoints == 1 {
                "holds"
            } else {
                "hold"
            },
            count(log.covered, "record")
        )?;
    }
    for problem in &log.problems {
        write_problem(output, problem)?;
    }
    for unchecked in &log.unchecked {
        writeln!(output, "Unchecked {}", plain::text(&unchecked.detail))?;
    }
    writeln!(output)
}

fn write_problem(output: &mut impl Write, problem: &Problem) -> io::Result<()> {
    let mut place = problem.path.display().to_string();
    if let (Some(line), Some(offset)) = (problem.line, problem.offset) {
        place = format!("{place}:{line} (byte {offset})");
    }
    writeln!(
        output,
        "  {:<13} {}: {}",
        problem.outcome.name(),
        plain::text(&place),
        plain::text(&problem.detail)
    )
}
