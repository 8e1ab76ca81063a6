//! Gap reports for tool providers: what agents could not fill in or confirm, how often, since when,
//! and what in the definition would fix it.
//!
//! ```text
//! period.rs      which time, by the calendar of a time zone
//! facts.rs       the lake's answers about it, all providers at once (SQL in reports/queries)
//! frame.rs       Arrow columns as Polars columns
//! groups.rs      groups of rows, and what is counted in each
//! kinds.rs       which kinds of values fields held
//! collect.rs     one provider's report; what is of too few users is left out here, once
//! suggest.rs     what would fix it, by the tools' definitions
//! model.rs       the report: every format shows this and nothing else
//! chart/         pictures
//! render/        JSON, CSV, Markdown, HTML
//! files.rs       the files of a report, and their digests
//! ```
//!
//! A provider's report, with what would fix its gaps:
//!
//! ```
//! use preflight_audit::{AuditSession, Providers, RulePack};
//! use preflight_lint::Definitions;
//! use preflight_report::{Facts, Kinds, Outcome, Period, collect, suggest};
//! # use preflight_ingest::{Ingest, Options, find_inputs};
//! # use preflight_lake::{Lake, LakeWriter};
//! # let folder = tempfile::tempdir()?;
//! # let root = folder.path().join("lake");
//! # let log = folder.path().join("agent.jsonl");
//! # std::fs::write(&log, r#"{"schema_version":"1.8","action_key":"u_1:a","fixed":{"c1_when_case":"immediate","c2_user_action_name":"book","c3_provider_action_name":"table.book"},"fields":null,"gate":{"kind":"schema_unsupported","_diag":{"reason":"anyOf"}},"execution_decision":"hold","reason":"hold","timestamp":"2026-06-10T08:00:00.000Z"}"#)?;
//! # let mut writer = LakeWriter::open(&root, || ())?;
//! # let inputs = find_inputs(&[log.display().to_string()]);
//! # Ingest::new(Options::default()).run(&inputs.found, &mut writer, &|_| ())?;
//!
//! let session = AuditSession::new(Lake::open(&root)?, RulePack::built_in()?)?;
//! let now = "2026-07-01T00:00:00Z".parse()?;
//! let period = Period::between("30d", None, now, "Europe/Berlin".parse()?)?;
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let facts = Facts::load(&session, period).await?;
//! let kinds = Kinds::load(&session, period).await?;
//! // Whatever is of fewer users than this is withheld.
//! let min_users = 1;
//! let report = collect(&facts, &Providers::default(), "table", min_users)?;
//! assert_eq!(report.outcome, Outcome::GapsFound);
//!
//! let tools = r#"[{"name": "table.book", "description": "Books.", "inputSchema": {
//!     "anyOf": [{"required": ["phone"]}, {"required": ["mail"]}]}}]"#;
//! let suggestions = suggest(&report, &Definitions::read(tools)?, &kinds);
//! assert_eq!((&*suggestions[0].rule, suggestions[0].count), ("AD005", 1));
//! assert!(suggestions[0].patch.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chart;
mod collect;
mod error;
mod facts;
mod files;
mod frame;
mod groups;
mod kinds;
mod model;
mod period;
mod render;
mod suggest;
mod suggestion;

pub use chart::Chart;
pub use collect::collect;
pub use error::ReportError;
pub use facts::Facts;
pub use files::{FileDigest, Format, Written, write};
pub use kinds::Kinds;
pub use model::{
    Checked, Evidence, EvidenceField, Gap, HeatMap, HeatMapRow, MissingTool, Other, Outcome,
    PeriodShown, Point, Prose, ReAsk, Refusal, Report, Stage, Status, Tool, Trend, Withheld,
    WrongTool,
};
pub use period::{Calendar, Period, Step};
pub use render::{csv, html, json, markdown, suggestions_csv};
pub use suggest::suggest;
pub use suggestion::Suggestion;
