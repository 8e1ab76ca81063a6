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
