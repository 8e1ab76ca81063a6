use preflight_record::ChecklistItem;

use super::{Element, TableBuilder, given, nulls::Nulls, spelling, start_list, text};

/// Adds conditions of records to `checklist`.
pub(super) fn fill(builder: &mut TableBuilder, items: &[Element<'_, '_, ChecklistItem<'_>>]) {
    start_list(builder, items)
        .text("item_id", |of| text(&of.item.id))
        .text("description", |of| text(&of.item.description))
        .text("status", |of| {
            of.item.status.given().map(|status| status.as_str())
        })
        .text("value_source", |of| text(&of.item.source))
        .timestamp("verified_at", |of| {
            of.item.verified_at.given().map(|at| at.micros)
        })
        .text("verified_at_text", |of| {
            of.item.verified_at.given().and_then(spelling)
        })
        .text("note", |of| text(&of.item.note))
        .written("explicit_nulls", |of, keys| note_nulls(of.item, keys))
        .written("overflow", |of, json| {
            given(of.item.overflow.to_json(), json);
        })
        .end();
}

fn note_nulls(item: &ChecklistItem<'_>, keys: &mut String) {
    Nulls(keys)
        .note("id", &item.id)
        .note("description", &item.description)
        .note("status", &item.status)
        .note("source", &item.source)
        .note("verified_at", &item.verified_at)
        .note("note", &item.note);
}
