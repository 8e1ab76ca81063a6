use std::{path::PathBuf, process::ExitCode};

use clap::Args;

use super::{WholeLog, print};

/// Print a checkpoint: a new one, signed with a key, or the newest that stands beside the log.
///
/// The log is verified first; one that is not whole is not signed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight log checkpoint records.jsonl
  preflight log checkpoint records.jsonl --key-file log.key > 2026-06.checkpoint
  preflight log checkpoint records.jsonl --key-file old.key --key-file new.key")]
pub(super) struct Arguments {
    /// The log's first file, or its folder
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// Private key to sign with; twice, to sign with two
    #[arg(long = "key-file", value_name = "FILE")]
    key_files: Vec<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let log = WholeLog::read(&arguments.log, |_| {})?;
    let signed = match arguments.key_files.is_empty() {
        true => log.newest(&arguments.log)?,
        false => log.sign(&arguments.key_files)?,
    };
    print(&signed.to_string())?;
    Ok(ExitCode::SUCCESS)
}
