use super::{ACTION_KEY, EXPLICIT_NULLS, LIST_ORDER, ORDINAL, OVERFLOW, RECORD_ID};
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
        RECORD_ID,
        ORDINAL,
        ACTION_KEY,
        Column::optional("item_id", Text, "The item's stable id"),
        Column::optional("description", Text, "What must hold, in the user's words"),
        Column::optional(
            "status",
            Text,
            "verified, unverified, or NULL where a run ended before any check",
        ),
        Column::optional("value_source", Text, "Who confirmed it"),
        Column::optional("verified_at", Timestamp, "When it was confirmed, in UTC").distinct(),
        Column::optional(
            "verified_at_text",
            Text,
            "verified_at as it was written, unless that is YYYY-MM-DDThh:mm:ss.mmmZ",
        )
        .distinct(),
        Column::optional("note", Text, "Why it is unverified"),
        EXPLICIT_NULLS,
        OVERFLOW,
    ],
};
