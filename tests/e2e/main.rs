//! End-to-end tests: each runs the real binary and looks at what it prints and leaves behind.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where"
)]

mod accuracy;
mod bad_input;
mod chain;
mod command_line;
mod damage;
#[cfg(unix)]
mod dashboard;
mod evidence;
mod findings;
mod follow;
mod formats;
mod gate;
mod harness;
mod hostile;
mod hostile_findings;
mod interruption;
mod lint_tools;
mod masking;
mod places;
mod provenance;
mod questions;
mod reports;
mod resume;
mod rule_pack;
mod rules;
mod schedule;
mod seal;
mod sql;
mod sql_errors;
mod suggestions;
#[cfg(unix)]
mod terminal;
mod triage;
mod values;
