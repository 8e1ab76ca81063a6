use std::borrow::Cow;

use preflight_record::{Fixed, Gate, GateDiag, Record, SchemaVersion, ToolMatch};
use preflight_seal::{SEAL, Seal};

use super::{
    Row, TableBuilder, given, length, nulls::Nulls, spelling, table_builder::Filler, text,
};

/// Adds records to `records`.
pub(super) fn fill(builder: &mut TableBuilder, rows: &[Row<'_>]) {
    let mut filler = builder.fill(rows);
    fill_places(&mut filler);
    fill_call(&mut filler);
    fill_counts(&mut filler);
    fill_gate(&mut filler);
    filler
        .text("reason", |row| text(&row.record().reason))
        .text("advisory_notes", |row| text(&row.record().advisory_notes))
        .text("deferred_input", |row| text(&row.record().deferred_input));
    fill_seal(&mut filler);
    filler
        .written("explicit_nulls", |row, keys| note_nulls(row.record(), keys))
        .written("overflow", |row, json| given(overflow(row), json))
        .end();
}

type Records<'t, 'r, 'a> = Filler<'t, 'r, Row<'a>>;

fn fill_places(records: &mut Records<'_, '_, '_>) {
    records
        .later("record_id")
        .text("source", |row| Some(row.source))
        .integer("line", |row| Some(row.line as i64))
        .integer("byte_offset", |row| Some(row.offset as i64))
        .integer("byte_length", |row| Some(row.length as i64))
        .digest("record_digest", |row| Some(row.digest.as_bytes()));
}

fn fill_call(records: &mut Records<'_, '_, '_>) {
    records
        .written("schema_version", |row, text| {
            write_version(row.record().schema_version, text);
        })
        .text("action_key", |row| row.chain.as_deref())
        .text("storage_key", |row| text(&row.entry.storage_key))
        .timestamp("timestamp", Row::micros)
        .text("timestamp_text", |row| {
            row.record().timestamp.given().and_then(spelling)
        })
        .text("decision", |row| {
            Some(row.record().execution_decision.as_str())
        })
        .text("phase", |row| text(&row.record().phase))
        .text("when_case", |row| {
            fixed(row).and_then(|f| text(&f.when_case))
        })
        .text("user_action", |row| {
            fixed(row).and_then(|fixed| text(&fixed.user_action_name))
        })
        .text("user_action_source", |row| {
            fixed(row).and_then(|fixed| text(&fixed.user_action_source))
        })
        .text("tool", |row| {
            fixed(row).and_then(|fixed| text(&fixed.provider_action_name))
        })
        .boolean("tool_approved", |row| {
            tool_match(row).and_then(|tool_match| tool_match.approved.given().copied())
        })
        .text("tool_match_reason", |row| {
            tool_match(row).and_then(|tool_match| text(&tool_match.reason))
        });
}

fn fill_counts(records: &mut Records<'_, '_, '_>) {
    records
        .integer("field_count", |row| length(&row.record().fields))
        .integer("checklist_count", |row| {
            length(&row.record().user_checklist)
        })
        .integer("unknown_count", |row| {
            row.record().unknown_count.given().copied()
        })
        .integer("unverified_count", |row| {
            row.record().unverified_checklist_count.given().copied()
        })
        .boolean("has_gate", |row| Some(gate(row).is_some()));
}

fn fill_gate(records: &mut Records<'_, '_, '_>) {
    records
        .text("gate_kind", |row| {
            gate(row).and_then(|gate| text(&gate.kind))
        })
        .integer("gate_unknown_count", |row| {
            gate(row).and_then(|gate| length(&gate.unknown_fields))
        })
        .integer("gate_unverified_count", |row| {
            gate(row).and_then(|gate| length(&gate.unverified_checklist))
        })
        .text("user_message", |row| {
            gate(row).and_then(|gate| text(&gate.user_message))
        })
        .text("intent_fingerprint", |row| {
            gate(row).and_then(|gate| text(&gate.intent_fingerprint))
        })
        .integer("next_intent_attempt", |row| {
            gate(row).and_then(|gate| gate.next_intent_attempt.given().copied())
        })
        .integer("next_tool_attempt", |row| {
            gate(row).and_then(|gate| gate.next_tool_attempt.given().copied())
        })
        .text("payload_violation", |row| {
            gate(row).and_then(|gate| text(&gate.payload_violation))
        })
        .text("candidate_tool", |row| {
            diag(row).and_then(|diag| text(&diag.candidate_tool))
        })
        .text("diag_user_action", |row| {
            diag(row).and_then(|diag| text(&diag.user_action))
        })
        .text("gate_reason", |row| {
            diag(row).and_then(|diag| text(&diag.reason))
        })
        .integer("attempt", |row| {
            diag(row).and_then(|diag| diag.attempt.given().copied())
        })
        .integer("attempt_limit", |row| {
            diag(row).and_then(|diag| diag.limit.given().copied())
        })
        .integer("issue_count", |row| {
            diag(row).and_then(|diag| length(&diag.issues))
        })
        .text("lookup_failures", |row| {
            diag(row).and_then(|diag| text(&diag.lookup_failures))
        });
}

fn fill_seal(records: &mut Records<'_, '_, '_>) {
    records
        .text("seal_log", |row| seal(row).map(|seal| seal.log.as_str()))
        .integer("seal_seq", |row| seal(row).map(|seal| seal.seq as i64))
        .integer("seal_key_seq", |row| {
            seal(row).map(|seal| seal.key_seq as i64)
        })
        .integer("seal_segment", |row| {
            seal(row).map(|seal| seal.segment as i64)
        })
        .digest("seal_prev", |row| {
            seal(row).map(|seal| seal.prev.as_bytes())
        })
        .digest("seal_link", |row| {
            seal(row).and(row.seal.as_ref().map(|seal| seal.link.as_bytes()))
        })
        .boolean("seal_holds", |row| row.seal.as_ref().map(|seal| seal.holds));
}

fn seal<'r>(row: &'r Row<'_>) -> Option<&'r Seal> {
    row.seal.as_ref()?.seal.as_ref()
}

fn fixed<'r>(row: &'r Row<'_>) -> Option<&'r Fixed<'r>> {
    row.record().fixed.given()
}

fn tool_match<'r>(row: &'r Row<'_>) -> Option<&'r ToolMatch<'r>> {
    fixed(row)?.tool_match.given()
}

fn gate<'r>(row: &'r Row<'_>) -> Option<&'r Gate<'r>> {
    row.record().gate.given()
}

fn diag<'r>(row: &'r Row<'_>) -> Option<&'r GateDiag<'r>> {
    gate(row)?.diag.given()
}

/// The version's text, put together for those alone that rarely occur.
fn write_version(version: SchemaVersion, text: &mut String) {
    match (version.major, version.minor) {
        (1, 8) => text.push_str("1.8"),
        (1, 7) => text.push_str("1.7"),
        _ => text.push_str(&version.to_string()),
    }
}

fn note_nulls(record: &Record<'_>, keys: &mut String) {
    let fixed = record.fixed.given();
    let tool_match = fixed.and_then(|fixed| fixed.tool_match.given());
    let gate = record.gate.given();
    let diag = gate.and_then(|gate| gate.diag.given());
    let mut nulls = Nulls(keys);
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
}

fn note_gate(nulls: &mut Nulls<'_>, gate: &Gate<'_>) {
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
fn overflow(row: &Row<'_>) -> Option<String> {
    let record = row.record();
    let mut own = Cow::Borrowed(&record.overflow);
    if row.seal.as_ref().is_some_and(|seal| seal.is_in_columns()) {
        own.to_mut().remove(SEAL);
    }
    let fixed = record.fixed.given();
    let tool_match = fixed.and_then(|fixed| fixed.tool_match.given());
    let gate = record.gate.given();
    let diag = gate.and_then(|gate| gate.diag.given());
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
        return own.to_json();
    }
    let mut all = own.into_owned();
    for (parent, overflow) in nested {
        if let Some(overflow) = overflow {
            all.keep_nested(parent, overflow.clone());
        }
    }
    all.to_json()
}
