//! `preflight gate`: one scripted run of the gate, or a file of conformance vectors.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use preflight_gate::{conformance, script};

use crate::plain;

/// Run the gate on an input, or replay conformance vectors.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight gate replay tests/conformance/gate-vectors.jsonl
  preflight gate replay vectors.jsonl --format json
  head -1 vectors.jsonl | preflight gate check -")]
pub struct GateArgs {
    #[command(subcommand)]
    command: GateCommand,
}

#[derive(Debug, Subcommand)]
enum GateCommand {
    /// Run the gate once, with an input and scripted hooks from JSON; nothing real is called.
    ///
    /// Exits with 0 when the run came to a verdict, whichever it is, and with 2 when the input
    /// cannot be used.
    Check {
        /// A JSON file of `input`, `hooks`, `call` and `clock`; `-` reads standard input.
        input: PathBuf,
        /// How to show the run.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Run conformance vectors and show what differs.
    ///
    /// Exits with 0 when all passed, with 1 when one differs, and with 2 when the file cannot be
    /// read or holds no vector.
    Replay {
        /// A JSON Lines file of vectors; `-` reads standard input.
        vectors: PathBuf,
        /// How to show the outcome.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a reader.
    Text,
    /// One JSON object.
    Json,
}

/// Runs `preflight gate`.
///
/// # Errors
///
/// The input cannot be read or used; the caller exits with 2.
pub fn run(args: GateArgs) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    runtime.block_on(async {
        match args.command {
            GateCommand::Check { input, format } => check(&input, format).await,
            GateCommand::Replay { vectors, format } => replay(&vectors, format).await,
        }
    })
}

async fn check(input: &Path, format: Format) -> anyhow::Result<ExitCode> {
    let name = name(input);
    let text = read(input).with_context(|| format!("cannot read {name}"))?;
    let run = script::check(&text)
        .await
        .with_context(|| format!("{name} is no script of a run"))?;
    print(match format {
        Format::Text => run.to_text(),
        Format::Json => json(&run.to_json()),
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn replay(vectors: &Path, format: Format) -> anyhow::Result<ExitCode> {
    let name = name(vectors);
    let unreadable = || format!("cannot read {name}");
    let lines = open(vectors).with_context(unreadable)?;
    let report = conformance::replay(lines).await.with_context(unreadable)?;
    if !report.holds_vectors() {
        // Nothing was compared, so there is no result to show.
        let first = report.failures.first().map(|first| {
            let error = first.error.as_deref().unwrap_or_default();
            format!("; line {}: {error}", first.line)
        });
        anyhow::bail!("{name} holds no vector{}", first.unwrap_or_default());
    }
    print(match format {
        Format::Text => report.to_text(),
        Format::Json => json(&report.to_json()),
    })?;
    Ok(match report.is_clean() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    })
}

fn name(path: &Path) -> String {
    match path.as_os_str() == "-" {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

/// As everything that quotes records: characters that are not for a screen as `\u` escapes.
fn json(json: &str) -> String {
    plain::json(json).into_owned() + "\n"
}

fn read(path: &Path) -> io::Result<String> {
    if path.as_os_str() != "-" {
        return fs::read_to_string(path);
    }
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    Ok(match path.as_os_str() == "-" {
        true => Box::new(io::stdin().lock()),
        false => Box::new(BufReader::new(File::open(path)?)),
    })
}

/// Prints, and takes a closed pipe for a reader who has seen enough.
fn print(text: String) -> io::Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
