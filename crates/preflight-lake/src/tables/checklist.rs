use super::{
    ACTION_KEY, DECISION, EXPLICIT_NULLS, LINE, LIST_ORDER, ORDINAL, OVERFLOW, SOURCE, TIMESTAMP,
};
use crate::{
    Column,
    ColumnType::{Text, Timestamp},
    Table,
};

/// One row per condition of each record.
pub const CHECKLIST: Table = Table {
    name: "checklist",
    meaning: "One row per user condition of each record, verified or not",
    sorted_by: LIST_ORDER,
    columns: &[
        SOURCE,
        LINE,
        ORDINAL,
        ACTION_KEY,
        TIMESTAMP,
        DECISION,
        Column::optional(
            "phase",
            Text,
            "The record's phase: at_trigger or at_instruction",
        ),
        Column::optional("item_id", Text, "The item's stable id"),
        Column::optional("description", Text, "What must hold, in the user's words"),
        Column::optional(
            "status",
            Text,
            "verified, unverified, or NULL where a run ended before any check",
        ),
        Column::optional("value_source", Text, "Who confirmed it"),
        Column::optional("verified_at", Timestamp, "When it was confirmed, in UTC").distinct(),
        Column::optional("verified_at_text", Text, "verified_at as it was written").distinct(),
        Column::optional("note", Text, "Why it is unverified"),
        EXPLICIT_NULLS,
        OVERFLOW,
    ],
};
