use super::{ACTION_KEY, EXPLICIT_NULLS, LIST_ORDER, ORDINAL, OVERFLOW, RECORD_ID};
use crate::{Column, ColumnType::Text, Table};

/// One row per thing that a gate asked for or refused.
pub const ASKS: Table = Table {
    name: "asks",
    meaning: "One row per thing that a gate asked for or refused",
    sorted_by: LIST_ORDER,
    columns: &[
        RECORD_ID,
        ORDINAL,
        ACTION_KEY,
        Column::required(
            "kind",
            Text,
            "unknown_field, unverified_item, intent_issue, branch_option or refused_tool",
        ),
        Column::optional(
            "subject",
            Text,
            "The field, item id, slot, option (JSON) or tool",
        ),
        Column::optional("code", Text, "Code of an intent issue"),
        Column::optional("note", Text, "Why, in the gate's or the hook's words"),
        Column::optional("description", Text, "Description of an unverified item"),
        EXPLICIT_NULLS,
        OVERFLOW,
    ],
};
