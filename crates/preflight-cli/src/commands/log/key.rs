use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use preflight_seal::NewKey;

use super::print;
use crate::plain;

/// Make a key pair to sign checkpoints and verdicts with.
///
/// The private key is for its owner alone (mode 600); the public key is written beside it, with .pub
/// after its name, and printed. Its number is another one for each key, so the next key may have the
/// same name. To change keys, add the new public key to the file of keys that verifiers have, and sign
/// with both for a while. To revoke one, put name+number on a list for --revoked.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight log key bank.example/agents --out log.key")]
pub(super) struct Arguments {
    /// What the key is called, such as a host name with a path; no blanks and no +
    #[arg(value_name = "NAME")]
    name: String,

    /// The new file of the private key
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let key = NewKey::random(&arguments.name)?;
    key.write(&arguments.out)?;
    print(&format!("{}\n", plain::text(&key.public)))?;
    Ok(ExitCode::SUCCESS)
}
