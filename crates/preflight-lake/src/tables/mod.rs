//! The lake's tables, column by column.
//!
//! The tables are normalised: what belongs to a record stands in `records` alone, and its lists are
//! joined to it by `record_id`. They carry `action_key` as well, by which files are sorted, so that
//! one chain is found without reading the others.

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

const RECORD_ID: Column = Column::required(
    "record_id",
    ColumnType::Integer,
    "Number of the record in this lake, by which tables are joined; another ingest gives another one",
)
.distinct()
.searched();
const SOURCE: Column = Column::required(
    "source",
    ColumnType::Text,
    "File that the record was read from, as it was named then",
)
.searched();
const LINE: Column = Column::required(
    "line",
    ColumnType::Integer,
    "Line in the source on which the record starts, from 1",
)
.distinct()
.searched();
const ACTION_KEY: Column = Column::optional(
    "action_key",
    ColumnType::Text,
    "The chain; NULL while nothing was settled (unkeyed)",
)
.searched();
const TIMESTAMP: Column = Column::optional(
    "timestamp",
    ColumnType::Timestamp,
    "When the record was written, in UTC",
)
.distinct()
.searched();
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
const LIST_ORDER: &[&str] = &["action_key", "record_id", "ordinal"];
