//! One file per subcommand.

pub(crate) mod ask;
pub(crate) mod audit;
pub(crate) mod chain;
pub(crate) mod completions;
pub(crate) mod evidence;
pub(crate) mod findings;
pub(crate) mod gate;
pub(crate) mod ingest;
pub(crate) mod lint_tools;
pub(crate) mod log;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod schedule;
pub(crate) mod sql;
pub(crate) mod tables;
pub(crate) mod trace;
pub(crate) mod triage;
mod unnamed;
pub(crate) mod verify;
