use std::borrow::Cow;

use preflight_record::{Fixed, Gate, GateDiag, Record, SchemaVersion, ToolMatch};

use super::{Row, TableBuilder, length, nulls::Nulls, spelling, text};

/// Adds a record's row to `records`.
pub(super) fn push(builder: &mut TableBuilder, row: &Row<'_>) {
    let record = row.record();
    let fixed = record.fixed.given();
    let tool_match = fixed.and_then(|fixed| fixed.tool_match.given());
    let gate = record.gate.given();
    let diag = gate.and_then(|gate| gate.diag.given());
    let timestamp = record.timestamp.given();
    builder
        .row()
        .integer("record_id", Some(row.number))
        .text("source", Some(row.source))
        .integer("line", Some(row.line as i64))
        .integer("byte_offset", Some(row.offset as i64))
        .integer("byte_length", Some(row.length as i64))
        .digest("record_digest", Some(row.digest.as_bytes()))
        .text("schema_version", Some(&schema_version(record)))
        .text("action_key", row.chain().map(|key| &**key))
        .text("storage_key", text(&row.entry.storage_key))
        .timestamp("timestamp", row.micros())
        .text("timestamp_text", timestamp.and_then(spelling))
        .text("decision", Some(record.execution_decision.as_str()))
        .text("phase", text(&record.phase))
        .text("when_case", fixed.and_then(|fixed| text(&fixed.when_case)))
        .text(
            "user_action",
            fixed.and_then(|fixed| text(&fixed.user_action_name)),
        )
        .text(
            "user_action_source",
            fixed.and_then(|fixed| text(&fixed.user_action_source)),
        )
        .text(
            "tool",
            fixed.and_then(|fixed| text(&fixed.provider_action_name)),
        )
        .boolean(
            "tool_approved",
            tool_match.and_then(|m| m.approved.given().copied()),
        )
        .text(
            "tool_match_reason",
            tool_match.and_then(|m| text(&m.reason)),
        )
        .integer("field_count", length(&record.fields))
        .integer("checklist_count", length(&record.user_checklist))
        .integer("unknown_count", record.unknown_count.given().copied())
        .integer(
            "unverified_count",
            record.unverified_checklist_count.given().copied(),
        )
        .boolean("has_gate", Some(gate.is_some()))
        .text("gate_kind", gate.and_then(|gate| text(&gate.kind)))
        .integer(
            "gate_unknown_count",
            gate.and_then(|gate| length(&gate.unknown_fields)),
        )
        .integer(
            "gate_unverified_count",
            gate.and_then(|gate| length(&gate.unverified_checklist)),
        )
        .text(
            "user_message",
            gate.and_then(|gate| text(&gate.user_message)),
        )
        .text(
            "intent_fingerprint",
            gate.and_then(|gate| text(&gate.intent_fingerprint)),
        )
        .integer(
            "next_intent_attempt",
            gate.and_then(|g| g.next_intent_attempt.given().copied()),
        )
        .integer(
            "next_tool_attempt",
            gate.and_then(|g| g.next_tool_attempt.given().copied()),
        )
        .text(
            "payload_violation",
            gate.and_then(|gate| text(&gate.payload_violation)),
        )
        .text(
            "candidate_tool",
            diag.and_then(|diag| text(&diag.candidate_tool)),
        )
        .text(
            "diag_user_action",
            diag.and_then(|diag| text(&diag.user_action)),
        )
        .text("gate_reason", diag.and_then(|diag| text(&diag.reason)))
        .integer(
            "attempt",
            diag.and_then(|diag| diag.attempt.given().copied()),
        )
        .integer(
            "attempt_limit",
            diag.and_then(|diag| diag.limit.given().copied()),
        )
        .integer("issue_count", diag.and_then(|diag| length(&diag.issues)))
        .text(
            "lookup_failures",
            diag.and_then(|diag| text(&diag.lookup_failures)),
        )
        .text("reason", text(&record.reason))
        .text("advisory_notes", text(&record.advisory_notes))
        .text("deferred_input", text(&record.deferred_input))
        .text(
            "explicit_nulls",
            explicit_nulls(record, fixed, tool_match, gate, diag).get(),
        )
        .text(
            "overflow",
            overflow(record, fixed, tool_match, gate, diag).as_deref(),
        )
        .end();
}

/// The version's text, without an allocation for those that occur.
fn schema_version(record: &Record<'_>) -> Cow<'static, str> {
    let SchemaVersion { major, minor } = record.schema_version;
    match (major, minor) {
        (1, 4) => "1.4".into(),
        (1, 5) => "1.5".into(),
        (1, 6) => "1.6".into(),
        (1, 7) => "1.7".into(),
        (1, 8) => "1.8".into(),
        _ => record.schema_version.to_string().into(),
    }
}

fn explicit_nulls(
    record: &Record<'_>,
    fixed: Option<&Fixed<'_>>,
    tool_match: Option<&ToolMatch<'_>>,
    gate: Option<&Gate<'_>>,
    diag: Option<&GateDiag<'_>>,
) -> Nulls {
    let mut nulls = Nulls::default();
    nulls
        .note("action_key", &record.action_key)
        .note("phase", &record.phase)
        .note("fixed", &record.fixed)
        .note("fields", &record.fields)
        .note("advisory_notes", &record.advisory_notes)
        .note("user_checklist", &record.user_checklist)
        .note("unknown_count", &record.unknown_count)
        .note(
            "unverified_checklist_count",
            &record.unverified_checklist_count,
        )
        .note("gate", &record.gate)
        .note("reason", &record.reason)
        .note("timestamp", &record.timestamp)
        .note("deferred_input", &record.deferred_input);
    if let Some(fixed) = fixed {
        nulls
            .note("fixed.c1_when_case", &fixed.when_case)
            .note("fixed.c2_user_action_name", &fixed.user_action_name)
            .note("fixed.c2_source", &fixed.user_action_source)
            .note("fixed.c3_provider_action_name", &fixed.provider_action_name)
            .note("fixed.c3_match", &fixed.tool_match);
    }
    if let Some(tool_match) = tool_match {
        nulls
            .note("fixed.c3_match.approved", &tool_match.approved)
            .note("fixed.c3_match.reason", &tool_match.reason);
    }
    if let Some(gate) = gate {
        note_gate(&mut nulls, gate);
    }
    if let Some(diag) = diag {
        nulls
            .note("gate._diag.issues", &diag.issues)
            .note("gate._diag.candidate_tool", &diag.candidate_tool)
            .note("gate._diag.user_action", &diag.user_action)
            .note("gate._diag.reason", &diag.reason)
            .note("gate._diag.attempt", &diag.attempt)
            .note("gate._diag.limit", &diag.limit)
            .note("gate._diag.lookup_failures", &diag.lookup_failures);
    }
    nulls
}

fn note_gate(nulls: &mut Nulls, gate: &Gate<'_>) {
    nulls
        .note("gate.kind", &gate.kind)
        .note("gate.unknown_fields", &gate.unknown_fields)
        .note("gate.unverified_checklist", &gate.unverified_checklist)
        .note("gate.user_message", &gate.user_message)
        .note("gate.intent_fingerprint", &gate.intent_fingerprint)
        .note("gate.next_intent_attempt", &gate.next_intent_attempt)
        .note("gate.next_tool_attempt", &gate.next_tool_attempt)
        .note("gate.branch_options", &gate.branch_options)
        .note("gate.payload_violation", &gate.payload_violation)
        .note("gate._diag", &gate.diag);
}

/// The unknown keys of the record and of the objects that `records` flattens, as one JSON object.
fn overflow(
    record: &Record<'_>,
    fixed: Option<&Fixed<'_>>,
    tool_match: Option<&ToolMatch<'_>>,
    gate: Option<&Gate<'_>>,
    diag: Option<&GateDiag<'_>>,
) -> Option<String> {
    let nested = [
        ("fixed", fixed.map(|fixed| &fixed.overflow)),
        (
            "fixed.c3_match",
            tool_match.map(|tool_match| &tool_match.overflow),
        ),
        ("gate", gate.map(|gate| &gate.overflow)),
        ("gate._diag", diag.map(|diag| &diag.overflow)),
    ];
    let nested = nested.map(|(parent, overflow)| (parent, overflow.filter(|o| !o.is_empty())));
    if nested.iter().all(|(_, overflow)| overflow.is_none()) {
        return record.overflow.to_json();
    }
    let mut all = record.overflow.clone();
    for (parent, overflow) in nested {
        if let Some(overflow) = overflow {
            all.keep_nested(parent, overflow.clone());
        }
    }
    all.to_json()
}
