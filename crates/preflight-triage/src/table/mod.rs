//! Findings by column: any number of them in little room.
//!
//! ```text
//! dictionary.rs   a column of text: each text once
//! findings.rs     the columns, filled batch by batch
//! column.rs       what can be shown, sorted and grouped by
//! triaged.rs      the decisions, row by row
//! view.rs         which rows are shown in which order: filter, sort, group
//! overview.rs     what the first screen counts
//! ```

mod column;
mod dictionary;
mod findings;
mod overview;
mod triaged;
mod view;

pub use column::{Column, GROUPS};
pub use dictionary::Dictionary;
pub use findings::{Findings, FindingsBuilder, RuleFacts, SQL};
pub use overview::{ClassCount, DAY, DAYS, Overview, Ranked};
pub use triaged::Triaged;
pub use view::{Cancelled, Group, Sort, View, ViewSpec};
