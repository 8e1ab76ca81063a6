use preflight_record::Field;

use super::{Element, TableBuilder, given, nulls::Nulls, spelling, start_list, text};

/// Adds arguments of records to `fields`.
pub(super) fn fill(builder: &mut TableBuilder, fields: &[Element<'_, '_, Field<'_>>]) {
    start_list(builder, fields)
        .text("name", |of| Some(&of.item.name))
        .text("status", |of| Some(of.item.status.as_str()))
        .text("value", |of| text(&of.item.value))
        .text("value_source", |of| text(&of.item.source))
        .text("origin_source", |of| text(&of.item.origin_source))
        .boolean("pending_at_trigger", |of| {
            of.item.pending_at_trigger.given().copied()
        })
        .boolean("lookup_failed", |of| of.item.lookup_failed.given().copied())
        .text("note", |of| text(&of.item.note))
        .text("diag_note", |of| text(&of.item.diag_note))
        .timestamp("resolved_at", |of| {
            of.item.resolved_at.given().map(|at| at.micros)
        })
        .text("resolved_at_text", |of| {
            of.item.resolved_at.given().and_then(spelling)
        })
        .written("explicit_nulls", |of, keys| note_nulls(of.item, keys))
        .written("overflow", |of, json| {
            given(of.item.overflow.to_json(), json);
        })
        .end();
}

fn note_nulls(field: &Field<'_>, keys: &mut String) {
    Nulls(keys)
        .note("source", &field.source)
        .note("origin_source", &field.origin_source)
        .note("pending_at_trigger", &field.pending_at_trigger)
        .note("lookup_failed", &field.lookup_failed)
        .note("note", &field.note)
        .note("_diag_note", &field.diag_note)
        .note("resolved_at", &field.resolved_at);
}
