use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::Args;
use preflight_record::RecordDigest;

use super::{WholeLog, print, read_checkpoint};

/// Prove that a record is in a log: whoever has the proof, the record's line and the public key needs
/// nothing else, the log least of all.
///
/// The proof is in C2SP's tlog-proof format, over a checkpoint that was kept (--checkpoint), a new one
/// (--key-file), or the newest that stands beside the log.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight log prove records.jsonl 1041 > 1041.tlog-proof
  preflight log prove records.jsonl records.000002.jsonl:17 --key-file log.key
  preflight log prove records.jsonl 3fa94c1e --checkpoint 2026-06.checkpoint")]
pub(super) struct Arguments {
    /// The log's first file, or its folder
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// The record: its number in the log, FILE:LINE, or the first digits of its record digest
    #[arg(value_name = "RECORD")]
    record: String,

    /// Prove it by this checkpoint
    #[arg(long, value_name = "FILE", conflicts_with = "key_files")]
    checkpoint: Option<PathBuf>,

    /// Prove it by a new checkpoint, signed with this key
    #[arg(long = "key-file", value_name = "FILE")]
    key_files: Vec<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let wanted = Wanted::parse(&arguments.record)?;
    let mut found = Vec::new();
    let log = WholeLog::read(&arguments.log, |line| {
        let is_it = match &wanted {
            Wanted::Number(number) => line.sealed.seal.seq == *number,
            Wanted::Place(file, number) => line.number == *number && line.path.ends_with(file),
            Wanted::Digest(digits) => RecordDigest::of(line.bytes)
                .to_string()
                .starts_with(digits.as_str()),
        };
        if is_it {
            found.push(line.sealed.seal.seq);
        }
    })?;
    let seq = match found[..] {
        [seq] => seq,
        [] => anyhow::bail!("no record of the log is {}", arguments.record),
        _ => anyhow::bail!("{} records are {}", found.len(), arguments.record),
    };
    let checkpoint = match &arguments.checkpoint {
        Some(path) => read_checkpoint(path)?,
        None if arguments.key_files.is_empty() => log.newest(&arguments.log)?,
        None => log.sign(&arguments.key_files)?,
    };
    let tree = log.tree(checkpoint.checkpoint.size)?;
    print(&tree.prove_inclusion(seq, checkpoint)?.to_text())?;
    Ok(ExitCode::SUCCESS)
}

/// Which record is meant.
enum Wanted {
    Number(u64),
    Place(PathBuf, u64),
    Digest(String),
}

impl Wanted {
    fn parse(text: &str) -> anyhow::Result<Self> {
        if let Some((file, line)) = text.rsplit_once(':') {
            let line = line.parse();
            return Ok(Self::Place(
                file.into(),
                line.context("FILE:LINE is expected")?,
            ));
        }
        // What could be both is a number: a digest has more digits than any number of a record.
        match text.parse() {
            Ok(number) if text.len() < 16 => Ok(Self::Number(number)),
            _ if text.len() >= 6 && text.bytes().all(|b| b.is_ascii_hexdigit()) => {
                Ok(Self::Digest(text.to_ascii_lowercase()))
            }
            _ => anyhow::bail!(
                "{text:?} is no record: a number, FILE:LINE or six digits of a digest are expected"
            ),
        }
    }
}
