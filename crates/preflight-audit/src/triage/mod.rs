//! What people decided about findings, beside the lake.
//!
//! `triage.jsonl` stands beside the lake's folder, so that it outlives a lake that is made anew: ids
//! of findings do not depend on the lake. It is only ever added to. One line is one decision, about
//! any number of findings:
//!
//! ```json
//! {"decision":"5f0c2a9be1d34c77","at":"2026-07-01T09:00:00.000Z","who":"kim","action":"assign","findings":["064d8d5ad9ce12d5"],"assignee":"payments"}
//! ```
//!
//! ```text
//! decision.rs   one line
//! log.rs        reading and appending, also by several at once
//! fold.rs       where each finding stands
//! table.rs      the SQL table `triage`
//! ```

mod decision;
mod fold;
mod log;
mod table;

pub use decision::{Action, Decision, FindingId};
pub use fold::{Standing, Standings, Status};
pub use log::{Decisions, LogFault, TriageError, TriageLog};

pub(crate) use table::{TRIAGE_COLUMNS, batch as table};

/// Name of the SQL table of decisions.
pub(crate) const TRIAGE: &str = "triage";
