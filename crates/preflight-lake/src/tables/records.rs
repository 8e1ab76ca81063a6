use super::{
    ACTION_KEY, CHAIN_ORDER, DECISION, EXPLICIT_NULLS, LINE, OVERFLOW, RECORD_ID, SOURCE, TIMESTAMP,
};
use crate::{
    Column,
    ColumnType::{Boolean, Digest, Integer, Json, Text},
    Table,
};

/// One row per decision record.
pub const RECORDS: Table = Table {
    name: "records",
    meaning: "One row per decision record",
    sorted_by: CHAIN_ORDER,
    columns: &[
        RECORD_ID,
        SOURCE,
        LINE,
        Column::required(
            "byte_offset",
            Integer,
            "Bytes before the record in its source, decompressed",
        )
        .distinct(),
        Column::required(
            "byte_length",
            Integer,
            "Bytes of the record, line end excluded",
        )
        .distinct(),
        Column::required("record_digest", Digest, "BLAKE3 of those bytes").distinct(),
        Column::required("schema_version", Text, "Version of the record format"),
        ACTION_KEY,
        Column::optional(
            "storage_key",
            Text,
            "Key of the wrapper that a storage adapter wrote around the record",
        ),
        TIMESTAMP,
        Column::optional(
            "timestamp_text",
            Text,
            "The timestamp as it was written, unless that is YYYY-MM-DDThh:mm:ss.mmmZ",
        )
        .distinct(),
        DECISION,
        Column::optional("phase", Text, "at_trigger or at_instruction"),
        Column::optional(
            "when_case",
            Text,
            "fixed.c1_when_case: immediate, scheduled, conditional or recurring",
        ),
        Column::optional(
            "user_action",
            Text,
            "fixed.c2_user_action_name: what the user calls the action",
        ),
        Column::optional(
            "user_action_source",
            Text,
            "fixed.c2_source: where that name came from",
        ),
        Column::optional(
            "tool",
            Text,
            "fixed.c3_provider_action_name: the tool picked",
        ),
        Column::optional(
            "tool_approved",
            Boolean,
            "fixed.c3_match.approved: whether the tool does what was asked",
        ),
        Column::optional("tool_match_reason", Text, "fixed.c3_match.reason"),
        Column::optional(
            "field_count",
            Integer,
            "Length of fields; NULL when no decision was made",
        ),
        Column::optional(
            "checklist_count",
            Integer,
            "Length of user_checklist; NULL when it is null or absent",
        ),
        Column::optional(
            "unknown_count",
            Integer,
            "unknown_count as recorded; NULL is not zero",
        ),
        Column::optional(
            "unverified_count",
            Integer,
            "unverified_checklist_count as recorded; NULL is not zero",
        ),
        Column::required("has_gate", Boolean, "Whether gate is an object"),
        Column::optional(
            "gate_kind",
            Text,
            "Which gate stopped the run; NULL for the value gate",
        ),
        Column::optional(
            "gate_unknown_count",
            Integer,
            "Length of gate.unknown_fields",
        ),
        Column::optional(
            "gate_unverified_count",
            Integer,
            "Length of gate.unverified_checklist",
        ),
        Column::optional(
            "user_message",
            Text,
            "gate.user_message: what the agent shows its user",
        ),
        Column::optional(
            "intent_fingerprint",
            Text,
            "Fingerprint of the trusted instruction text",
        ),
        Column::optional("next_intent_attempt", Integer, "gate.next_intent_attempt"),
        Column::optional("next_tool_attempt", Integer, "gate.next_tool_attempt"),
        Column::optional("payload_violation", Json, "gate.payload_violation"),
        Column::optional(
            "candidate_tool",
            Text,
            "gate._diag.candidate_tool: the tool that was refused",
        ),
        Column::optional("diag_user_action", Text, "gate._diag.user_action"),
        Column::optional(
            "gate_reason",
            Text,
            "gate._diag.reason: why the gate refused",
        ),
        Column::optional(
            "attempt",
            Integer,
            "gate._diag.attempt: which ask this was, from 1",
        ),
        Column::optional(
            "attempt_limit",
            Integer,
            "gate._diag.limit: how many asks are allowed",
        ),
        Column::optional("issue_count", Integer, "Length of gate._diag.issues"),
        Column::optional("lookup_failures", Json, "gate._diag.lookup_failures"),
        Column::optional(
            "reason",
            Text,
            "reason: the decision in words; a failed call's message stands here",
        ),
        Column::optional(
            "advisory_notes",
            Text,
            "The provider's prose, recorded and never gated",
        ),
        Column::optional(
            "deferred_input",
            Json,
            "What a deferred run carries to its trigger",
        ),
        Column::optional(
            "seal_log",
            Text,
            "seal.log: the sealed log that the record is of; NULL without a seal that can be read",
        ),
        Column::optional(
            "seal_seq",
            Integer,
            "seal.seq: its number in that log, from 0",
        ),
        Column::optional(
            "seal_key_seq",
            Integer,
            "seal.key_seq: its number among the records of its action key in that log, from 0",
        ),
        Column::optional(
            "seal_segment",
            Integer,
            "seal.segment: the log's file, from 0",
        ),
        Column::optional(
            "seal_prev",
            Digest,
            "seal.prev: the link of the record that it was sealed after",
        )
        .distinct(),
        Column::optional("seal_link", Digest, "Its own link: SHA-256 of its seal").distinct(),
        Column::optional(
            "seal_holds",
            Boolean,
            "Whether it is the record that was sealed; NULL without a seal",
        ),
        EXPLICIT_NULLS,
        OVERFLOW,
    ],
};
