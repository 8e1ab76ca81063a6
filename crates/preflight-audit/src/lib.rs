//! The rule pack and its engine: DataFusion SQL over a lake of decision records.
//!
//! Classification lives in `queries/` at the root of the workspace, not here: a rule is a SQL file
//! with a header that explains it. This crate reads the pack, sets up tables and shared views, runs
//! the rules, and answers statements. A rule that fails is an error, never a clean result.
//!
//! ```
//! use preflight_audit::{AuditSession, Parameters, RulePack};
//! use preflight_ingest::{Ingest, Options, find_inputs};
//! use preflight_lake::{Lake, LakeWriter};
//!
//! # let folder = tempfile::tempdir()?;
//! # let root = folder.path().join("lake");
//! # let log = folder.path().join("agent.jsonl");
//! # std::fs::write(&log, r#"{"schema_version":"1.8","action_key":null,"gate":null,"execution_decision":"hold","reason":"checklist item without id at index: 0"}"#)?;
//! let mut writer = LakeWriter::open(&root, || ())?;
//! let inputs = find_inputs(&[log.display().to_string()]);
//! Ingest::new(Options::default()).run(&inputs.found, &mut writer, &|_| ())?;
//!
//! let session = AuditSession::new(Lake::open(&root)?, RulePack::built_in()?)?;
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let findings = session.findings().await?;
//! assert_eq!(findings.len(), 1);
//!
//! let answer = session.sql("select code from findings", &Parameters::new()).await?;
//! assert_eq!(answer.rows(), 1);
//! # Ok::<(), preflight_audit::AuditError>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod baseline;
mod call_failures;
mod catalog;
mod chain;
mod config;
mod coverage;
mod error;
mod explain;
mod findings;
mod header;
mod lake_tables;
mod like;
mod pack;
mod pack_files;
mod parameter;
pub mod plain;
mod provenance;
mod providers;
mod question;
mod rows;
mod rule;
mod session;
mod severity;
mod spool;
mod sql_error;
mod statement;
mod suppression;
pub mod time;
mod trace;
mod triage;
mod view;

pub use baseline::{BaselineError, COMPARED};
pub use call_failures::CallFailure;
pub use catalog::{CatalogColumn, CatalogTable};
pub use chain::{
    Answer as UserAnswer, Ask, Chain, ChainError, ChainField, ChainFinding, ChainItem, ChainRecord,
    ChainSelector, ChainSummary, Change, Claim, HeldValue, Inheritance, Shape, Value, Values,
};
pub use config::{Config, ConfigError};
pub use coverage::NotApplicable;
pub use datafusion;
pub use error::AuditError;
pub use findings::Findings;
pub use like::{is_like, sql_like};
pub use pack::{PackError, RulePack};
pub use parameter::{Parameter, Parameters, value as parameter_value};
pub use preflight_record::ValueDigest;
pub use provenance::{Cell, Column, Edge, EdgeKind, Origin, ProvenanceGraph, TooLarge};
pub use providers::{Provider, Providers};
pub use question::{AnswerColumn, Question};
pub use rule::Rule;
pub use session::{Answer, AuditSession};
pub use severity::Severity;
pub use sql_error::{Place, SqlError, nearest as nearest_name};
pub use suppression::{Suppression, SuppressionUse, Suppressions};
pub use trace::{ClaimCount, Hop, Standing, Step, Trace, TraceQuery};
pub use triage::{
    Action, Decision, Decisions, FindingId, LogFault, Standing as FindingStanding, Standings,
    Status, TriageError, TriageLog,
};
pub use view::View;
