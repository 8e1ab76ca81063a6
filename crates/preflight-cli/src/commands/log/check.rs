use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use clap::Args;
use preflight_seal::Inclusion;

use super::print;
use crate::{key_arguments::KeyArguments, plain};

/// Check a proof that a record is in a log. The log is not needed.
///
/// Exit status: 0 the record is in the log that the key signed, 1 it is not, 2 a file cannot be read.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight log check 1041.tlog-proof record.json --key log.key.pub
  sed -n 17p records.jsonl | preflight log check 17.tlog-proof - --key log.key.pub")]
pub(super) struct Arguments {
    /// The proof
    #[arg(value_name = "PROOF")]
    proof: PathBuf,

    /// The record's line, with its seal; `-` reads standard input
    #[arg(value_name = "RECORD")]
    record: PathBuf,

    #[command(flatten)]
    keys: KeyArguments,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let ring = arguments.keys.ring()?;
    if ring.is_empty() {
        anyhow::bail!(
            "a proof proves nothing without the key that signed its checkpoint: --key PUB"
        );
    }
    let proof = fs::read_to_string(&arguments.proof)
        .with_context(|| format!("cannot read {}", arguments.proof.display()))?;
    let record = read(&arguments.record)
        .with_context(|| format!("cannot read {}", arguments.record.display()))?;
    let held = Inclusion::parse(&proof)
        .map_err(anyhow::Error::from)
        .and_then(|proof| {
            proof.check(&record)?;
            let signers = proof.checkpoint.signed_by(&ring)?;
            Ok((proof, signers))
        });
    match held {
        Ok((proof, signers)) => {
            let checkpoint = &proof.checkpoint.checkpoint;
            let signers: Vec<String> = signers.iter().map(ToString::to_string).collect();
            let held = format!(
                "holds: record {} of the {} of {}, signed by {}",
                proof.index,
                checkpoint.size,
                checkpoint.origin,
                signers.join(", ")
            );
            print(&format!("{}\n", plain::text(&held)))?;
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

fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path.as_os_str() != "-" {
        return fs::read(path);
    }
    let mut record = Vec::new();
    io::stdin().read_to_end(&mut record)?;
    Ok(record)
}
