mod export;
mod verify;

use std::process::ExitCode;

use clap::{Args, Subcommand};

/// Make a case file of a chain, or verify one.
///
/// A case holds the chain's records as they were, byte for byte, read again from their sources; what
/// the rules found in them; the rules; a README in plain words; and the digest of every file. The
/// digest at the end names exactly this case: write it down, or sign it.
///
/// Of sealed records it also holds proofs that they are in their logs, by the checkpoints beside those.
///
/// A record whose source is gone or altered is marked as missing, with the expected and the found
/// digest, and the case is made without it.
///
/// Exit status: 0 the case is complete, 1 records are missing or the records alone lead to other
/// findings, 2 no case was made.
#[derive(Debug, Args)]
#[command(
    subcommand_negates_reqs = true,
    after_help = "Examples:
  preflight evidence u_1:bank.transfer --out case/
  preflight evidence u_1:bank.transfer u_2:bank.transfer --out case.tar.zst
  preflight evidence --finding 09c1d2e3f4a5b6c7 --out case/ --source-root /archive/logs
  preflight evidence u_1:bank.transfer --out case/ --mask --key-file case.key
  preflight evidence u_1:bank.transfer --out case/ --mask=to_account,amount --key-file case.key
  preflight evidence verify case/
  preflight evidence verify case.tar.zst --digest 3fa94c1e...

A new key: head -c 32 /dev/urandom > case.key"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    export: export::Arguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    Verify(verify::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Some(Command::Verify(arguments)) => verify::run(arguments),
        None => export::run(&arguments.export),
    }
}
