//! `preflight report`: one file per kind of report.

mod gaps;

use std::process::ExitCode;

use clap::{Args, Subcommand};

/// Write reports for people outside.
#[derive(Debug, Args)]
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
