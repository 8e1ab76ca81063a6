//! The `preflight-bench` command.

mod compare;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use compare::Compare;
use preflight_bench::{Plan, Size, Summary, generate, parse_bytes};

/// Room for what is written between two system calls.
const BUFFER: usize = 1 << 20;

/// Makes large decision-record logs, and compares preflight with its peers on them.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a log as JSON Lines; equal options give equal bytes.
    Generate(Generate),
    /// Compare preflight with DuckDB and ClickHouse.
    #[command(subcommand)]
    Compare(Compare),
}

#[derive(Debug, Args)]
struct Generate {
    /// Stop at this size, such as 285MB, 10GB or 64MiB.
    #[arg(long, value_parser = parse_bytes, required_unless_present = "records")]
    bytes: Option<u64>,
    /// Stop at this number of records.
    #[arg(long, conflicts_with = "bytes")]
    records: Option<u64>,
    /// Which of the possible logs to write.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write to this file; `-` is standard output.
    #[arg(long)]
    out: PathBuf,
    /// Split the log by time into this many files: FILE-001.jsonl and so on.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    files: u16,
    /// The share of runs to plant an anomaly in, from 0 to 1.
    #[arg(long, default_value_t = 0.0, value_name = "RATE", value_parser = parse_rate)]
    anomalies: f64,
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Generate(options) => run(&options),
        Command::Compare(compare) => compare.run(),
    }
}

fn run(options: &Generate) -> Result<()> {
    let plan = Plan {
        seed: options.seed,
        size: options.size(),
        anomalies: options.anomalies,
    };
    let start = Instant::now();
    let mut sinks = options.open()?;
    let summary = generate(&plan, &mut sinks)
        .with_context(|| format!("could not write {}", options.out.display()))?;
    report(&summary, start.elapsed().as_secs_f64());
    Ok(())
}

impl Generate {
    fn size(&self) -> Size {
        match (self.bytes, self.records) {
            (Some(bytes), _) => Size::Bytes(bytes),
            (None, records) => Size::Records(records.unwrap_or_default()),
        }
    }

    fn open(&self) -> Result<Vec<Box<dyn Write>>> {
        self.paths().iter().map(|path| open(path)).collect()
    }

    fn paths(&self) -> Vec<PathBuf> {
        match self.files {
            1 => vec![self.out.clone()],
            files => (1..=files).map(|file| numbered(&self.out, file)).collect(),
        }
    }
}

/// `logs/chains.jsonl` as `logs/chains-001.jsonl`.
fn numbered(path: &Path, file: u16) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path
        .extension()
        .unwrap_or("jsonl".as_ref())
        .to_string_lossy();
    path.with_file_name(format!("{stem}-{file:03}.{extension}"))
}

fn open(path: &Path) -> Result<Box<dyn Write>> {
    if path == Path::new("-") {
        return Ok(Box::new(BufWriter::with_capacity(
            BUFFER,
            std::io::stdout(),
        )));
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("could not create {}", folder.display()))?;
    }
    let file =
        File::create(path).with_context(|| format!("could not create {}", path.display()))?;
    Ok(Box::new(BufWriter::with_capacity(BUFFER, file)))
}

fn parse_rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if (0.0..=1.0).contains(&rate) => Ok(rate),
        _ => Err("a rate is a number from 0 to 1".to_owned()),
    }
}

/// Tells on standard error what was written.
fn report(summary: &Summary, seconds: f64) {
    let megabytes = summary.bytes as f64 / 1e6;
    eprintln!(
        "{} records, {megabytes:.1} MB, {} chains in {seconds:.2} s ({:.0} MB/s)",
        summary.records,
        summary.chains,
        megabytes / seconds
    );
    for (decision, count) in &summary.decisions {
        let percent = *count as f64 * 100.0 / summary.records as f64;
        eprintln!("{count:>10}  {percent:>5.1} %  {decision}");
    }
    for (anomaly, count) in &summary.anomalies {
        eprintln!("{count:>10}  planted  {anomaly}");
    }
}
