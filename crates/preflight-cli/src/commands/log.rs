//! `preflight log`: checkpoints, proofs and keys of sealed logs.

mod check;
mod checkpoint;
mod consistency;
mod key;
mod prove;

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use clap::{Args, Subcommand};
use preflight_seal::{
    Checkpoint, Hash, PrivateKey, SignedCheckpoint, Tree, checkpoints,
    verify::{Asked, LogLine, checkpoint_path, read_log, verify},
};

/// Checkpoints, proofs and keys of sealed logs.
///
/// A checkpoint says what a log was at some size, signed: print it, mail it, keep it where the log's
/// writer cannot reach it, and give it to `preflight verify --checkpoint` any time later.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight log key bank.example/agents --out log.key
  preflight log checkpoint records.jsonl --key-file log.key > 2026-06.checkpoint
  preflight verify records.jsonl --key log.key.pub --checkpoint 2026-06.checkpoint
  preflight log prove records.jsonl 1041 > 1041.tlog-proof
  preflight log check 1041.tlog-proof record.json --key log.key.pub
  preflight log consistency 2026-05.checkpoint 2026-06.checkpoint --log records.jsonl")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Checkpoint(checkpoint::Arguments),
    Prove(prove::Arguments),
    Check(check::Arguments),
    Consistency(consistency::Arguments),
    Key(key::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Checkpoint(arguments) => checkpoint::run(arguments),
        Command::Prove(arguments) => prove::run(arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Consistency(arguments) => consistency::run(arguments),
        Command::Key(arguments) => key::run(arguments),
    }
}

/// A log that holds, with its records' links.
struct WholeLog {
    origin: String,
    links: Vec<Hash>,
}

impl WholeLog {
    /// Reads a log that was verified first: nothing is signed or proved over one that is not whole.
    fn read(path: &Path, look: impl FnMut(&LogLine<'_>)) -> anyhow::Result<Self> {
        let paths = [path.to_owned()];
        let report = verify(&paths, &Asked::default(), &Default::default())?;
        if let Some(problem) = report.problems().next() {
            anyhow::bail!(
                "{} is not whole ({}: {}); preflight verify tells more",
                path.display(),
                problem.outcome,
                problem.detail
            );
        }
        let (log, links) = read_log(&paths, look)?;
        let starts = report.logs.first().is_some_and(|log| log.first == 0);
        if !starts {
            anyhow::bail!("the beginning of {} is missing", path.display());
        }
        Ok(Self {
            origin: log.to_string(),
            links,
        })
    }

    /// The Merkle tree over its first records.
    fn tree(&self, size: u64) -> anyhow::Result<Tree> {
        let links = usize::try_from(size)
            .ok()
            .and_then(|size| self.links.get(..size));
        let links = links.with_context(|| {
            format!(
                "the checkpoint is over {size} records, the log has {}",
                self.links.len()
            )
        })?;
        Ok(Tree::of(links.iter().copied()))
    }

    fn sign(&self, keys: &[PathBuf]) -> anyhow::Result<SignedCheckpoint> {
        let keys: Result<Vec<PrivateKey>, _> =
            keys.iter().map(|path| PrivateKey::read(path)).collect();
        let tree = self.tree(self.links.len() as u64)?;
        let checkpoint = Checkpoint {
            origin: self.origin.clone(),
            size: tree.size(),
            root: tree.root(),
        };
        Ok(checkpoint.sign(&keys?)?)
    }

    /// The newest checkpoint that stands beside a log.
    fn newest(&self, log: &Path) -> anyhow::Result<SignedCheckpoint> {
        let path = checkpoint_path(log);
        let none = || {
            format!(
                "there is no checkpoint in {}: sign one with --key-file",
                path.display()
            )
        };
        let text = fs::read_to_string(&path).with_context(none)?;
        let found = checkpoints(&text)
            .into_iter()
            .filter_map(|(_, found)| found.ok());
        let own = found.filter(|signed| signed.checkpoint.origin == self.origin);
        own.max_by_key(|signed| signed.checkpoint.size)
            .with_context(none)
    }
}

/// Reads one checkpoint from a file.
fn read_checkpoint(path: &Path) -> anyhow::Result<SignedCheckpoint> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    SignedCheckpoint::parse(&format!("{}\n", text.trim_end()))
        .with_context(|| path.display().to_string())
}

/// Prints something whole.
fn print(text: &str) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush().context("standard output")
}
