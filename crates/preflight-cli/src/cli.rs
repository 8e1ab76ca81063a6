//! The command line.

use clap::{Parser, Subcommand};

use crate::commands::{
    ask, audit, chain, completions, evidence, findings, gate, ingest, lint_tools, log, report,
    rules, schedule, sql, tables, trace, triage, verify,
};

const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nrecord schemas read: 1.4, 1.5, 1.6, 1.7, 1.8 (a newer 1.x with a warning)"
);

/// Audit and provenance analytics for the decision records of AI agents.
///
/// An agent's pre-execution gate writes a record before each irreversible tool call. This command
/// turns such records into tables, names every failure in them, and answers questions in SQL.
///
/// Exit status: 0 fine, 1 findings at or above the asked severity, 2 it could not do the job.
#[derive(Debug, Parser)]
#[command(name = "preflight", version = VERSION, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Audit(audit::Arguments),
    Ingest(ingest::Arguments),
    Findings(findings::Arguments),
    Chain(chain::Arguments),
    Trace(trace::Arguments),
    Triage(triage::Arguments),
    Ask(ask::Arguments),
    Report(report::Arguments),
    Schedule(schedule::Arguments),
    Evidence(evidence::Arguments),
    Verify(verify::Arguments),
    Log(log::Arguments),
    LintTools(lint_tools::Arguments),
    Sql(sql::Arguments),
    Rules(rules::Arguments),
    Tables(tables::Arguments),
    Gate(gate::GateArgs),
    Completions(completions::Arguments),
}
