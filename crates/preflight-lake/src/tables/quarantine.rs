use super::{LINE, SOURCE};
use crate::{
    Column,
    ColumnType::{Bytes, Digest, Integer, Text},
    Table,
};

/// One row per line that is not a decision record.
pub const QUARANTINE: Table = Table {
    name: "quarantine",
    meaning: "One row per line that could not be read as a decision record, with its bytes",
    sorted_by: &["source", "line"],
    columns: &[
        SOURCE,
        LINE,
        Column::required(
            "byte_offset",
            Integer,
            "Bytes before the line in its source, decompressed",
        )
        .distinct(),
        Column::required(
            "byte_length",
            Integer,
            "Bytes of the line, line end excluded",
        )
        .distinct(),
        Column::required("record_digest", Digest, "BLAKE3 of those bytes").distinct(),
        Column::required(
            "column",
            Integer,
            "Character of the line at which reading stopped, from 1",
        ),
        Column::required("reason_code", Text, "Kind of fault, in a stable spelling"),
        Column::required("reason", Text, "What was wrong, with the key path"),
        Column::required(
            "raw",
            Bytes,
            "The bytes; of a line past the length limit, its first 64 KiB",
        )
        .distinct(),
    ],
};
