//! The `preflight` command: a thin layer over ingest and audit, one file per subcommand.

mod cli;
mod commands;
mod fault;
mod key_arguments;
mod lake_arguments;
mod notes;
mod output;
mod progress_bar;
mod prompt;
mod report;
mod terminal;
mod time_range;
mod timeline;
mod tool_problems;

use std::process::ExitCode;

use clap::Parser;
use preflight_audit::plain;

use crate::cli::{Cli, Command};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// It could not do the job.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match fault::caught(|| run(cli)) {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            crate::terminal::say!("preflight: {}", plain::text(&format!("{error:#}")));
            ExitCode::from(FAILED)
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        Command::Audit(arguments) => commands::audit::run(&arguments),
        Command::Ingest(arguments) => commands::ingest::run(&arguments),
        Command::Findings(arguments) => commands::findings::run(&arguments),
        Command::Chain(arguments) => commands::chain::run(&arguments),
        Command::Trace(arguments) => commands::trace::run(&arguments),
        Command::Triage(arguments) => commands::triage::run(&arguments),
        Command::Ask(arguments) => commands::ask::run(&arguments),
        Command::Report(arguments) => commands::report::run(&arguments),
        Command::Schedule(arguments) => commands::schedule::run(&arguments),
        Command::Evidence(arguments) => commands::evidence::run(&arguments),
        Command::Verify(arguments) => commands::verify::run(&arguments),
        Command::LintTools(arguments) => commands::lint_tools::run(&arguments),
        Command::Log(arguments) => commands::log::run(&arguments),
        Command::Sql(arguments) => commands::sql::run(&arguments),
        Command::Rules(arguments) => commands::rules::run(&arguments),
        Command::Tables(arguments) => commands::tables::run(&arguments),
        Command::Gate(arguments) => commands::gate::run(arguments),
        Command::Completions(arguments) => commands::completions::run(&arguments),
    }
}

/// `preflight ... | head` ends when the reader has seen enough.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
            || cause.to_string().contains("Broken pipe")
    })
}
