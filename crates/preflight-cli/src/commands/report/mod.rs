//! `preflight report`: one file per kind of report.

pub(crate) mod gaps;

use std::process::ExitCode;

use clap::{Args, Subcommand};

/// Write reports for people outside.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight report gaps --provider bank --since 30d --out reports-2026-06
  preflight report gaps --all --format html,csv --out out")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: ReportCommand,
}

#[derive(Debug, Subcommand)]
enum ReportCommand {
    Gaps(gaps::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        ReportCommand::Gaps(arguments) => gaps::run(arguments),
    }
}
