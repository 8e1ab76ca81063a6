use super::{ACTION_KEY, EXPLICIT_NULLS, LIST_ORDER, ORDINAL, OVERFLOW, RECORD_ID};
use crate::{
    Column,
    ColumnType::{Boolean, Json, Text, Timestamp},
    Table,
};

/// One row per argument of each record.
pub const FIELDS: Table = Table {
    name: "fields",
    meaning: "One row per argument of each record: its value and where it came from",
    sorted_by: LIST_ORDER,
    columns: &[
        RECORD_ID,
        ORDINAL,
        ACTION_KEY,
        Column::required(
            "name",
            Text,
            "The argument's name in the tool's input schema",
        ),
        Column::required("status", Text, "known or unknown"),
        Column::optional(
            "value",
            Json,
            "The value; the text null is a value, NULL is none",
        )
        .distinct(),
        Column::optional("value_source", Text, "The source that answered in this run"),
        Column::optional(
            "origin_source",
            Text,
            "The source that answered first; inherited, never overwritten",
        ),
        Column::optional(
            "pending_at_trigger",
            Boolean,
            "An unknown that is excused until trigger time",
        ),
        Column::optional(
            "lookup_failed",
            Boolean,
            "A lookup failed, and no later source was tried",
        ),
        Column::optional("note", Text, "Why the field is unknown"),
        Column::optional("diag_note", Text, "The same, for logs"),
        Column::optional("resolved_at", Timestamp, "When the lookup ended, in UTC").distinct(),
        Column::optional(
            "resolved_at_text",
            Text,
            "resolved_at as it was written, unless that is YYYY-MM-DDThh:mm:ss.mmmZ",
        )
        .distinct(),
        EXPLICIT_NULLS,
        OVERFLOW,
    ],
};
