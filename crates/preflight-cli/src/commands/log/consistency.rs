use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use preflight_seal::check_consistency;

use super::{WholeLog, print, read_checkpoint};
use crate::{key_arguments::KeyArguments, plain};

/// Check that a log only grew from one checkpoint to another: no record that the old one covers was
/// altered, removed or moved.
///
/// Prints the hashes of the RFC 6962 consistency proof, by which others can check it without the log.
///
/// Exit status: 0 it only grew, 1 it did not, 2 a file cannot be read or the log does not hold.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight log consistency 2026-05.checkpoint 2026-06.checkpoint --log records.jsonl
  preflight log consistency old.checkpoint new.checkpoint --log records.jsonl --key log.key.pub")]
pub(super) struct Arguments {
    /// The older checkpoint
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The newer one
    #[arg(value_name = "NEW")]
    new: PathBuf,

    /// The log's first file, or its folder
    #[arg(long, value_name = "LOG")]
    log: PathBuf,

    #[command(flatten)]
    keys: KeyArguments,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let ring = arguments.keys.ring()?;
    let (old, new) = (
        read_checkpoint(&arguments.old)?,
        read_checkpoint(&arguments.new)?,
    );
    let log = WholeLog::read(&arguments.log, |_| {})?;
    let proved = (|| {
        if !ring.is_empty() {
            old.signed_by(&ring)?;
            new.signed_by(&ring)?;
        }
        let (old, new) = (&old.checkpoint, &new.checkpoint);
        let hashes = match old.size {
            0 => Vec::new(),
            size => log.tree(new.size)?.prove_consistency(size)?,
        };
        check_consistency(old, new, &hashes)?;
        anyhow::Ok(hashes)
    })();
    match proved {
        Ok(hashes) => {
            let (old, new) = (old.checkpoint.size, new.checkpoint.size);
            let mut text = format!("holds: {old} records grew to {new}\n");
            for hash in hashes {
                text += &format!("{hash}\n");
            }
            print(&text)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            print(&format!(
                "does NOT hold: {}\n",
                plain::text(&format!("{error:#}"))
            ))?;
            Ok(ExitCode::from(1))
        }
    }
}
