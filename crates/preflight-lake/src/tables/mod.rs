//! The lake's tables, column by column.
//!
//! Columns that name the place of a record (`source`, `line`) and what every rule along a chain
//! needs (`action_key`, `timestamp`, `decision`) stand in each table, so that narrow questions need
//! no join.

mod asks;
mod checklist;
mod fields;
mod quarantine;
mod records;

pub use asks::ASKS;
pub use checklist::CHECKLIST;
pub use fields::FIELDS;
pub use quarantine::QUARANTINE;
pub use records::RECORDS;

use crate::{Column, ColumnType, Table};

/// The tables that ingest writes as Parquet, in the order of a batch's files.
pub const TABLES: [&Table; 5] = [&RECORDS, &FIELDS, &CHECKLIST, &ASKS, &QUARANTINE];

const SOURCE: Column = Column::required(
    "source",
    ColumnType::Text,
    "File that the record was read from, as it was named then",
);
const LINE: Column = Column::required(
    "line",
    ColumnType::Integer,
    "Line in the source on which the record starts, from 1",
)
.distinct();
const ACTION_KEY: Column = Column::optional(
    "action_key",
    ColumnType::Text,
    "The chain; NULL while nothing was settled (unkeyed)",
);
const TIMESTAMP: Column = Column::optional(
    "timestamp",
    ColumnType::Timestamp,
    "When the record was written, in UTC",
)
.distinct();
const DECISION: Column = Column::required(
    "decision",
    ColumnType::Text,
    "execution_decision: execute, ask_user, hold, deferred, executed or failed",
);
const ORDINAL: Column = Column::required(
    "ordinal",
    ColumnType::Integer,
    "Position in the record's list, from 0",
);
const EXPLICIT_NULLS: Column = Column::optional(
    "explicit_nulls",
    ColumnType::Text,
    "Keys that were there and held null, blank-separated; other NULLs were absent keys",
);
const OVERFLOW: Column = Column::optional(
    "overflow",
    ColumnType::Json,
    "Keys that no column is named for, as one JSON object by key path",
);
const CHAIN_ORDER: &[&str] = &["action_key", "timestamp", "source", "line"];
const LIST_ORDER: &[&str] = &["action_key", "timestamp", "source", "line", "ordinal"];
