use super::{Row, TableBuilder, nulls::Nulls, spelling, start_list_row, text};

/// Adds a record's arguments to `fields`.
pub(super) fn push(builder: &mut TableBuilder, row: &Row<'_>) {
    let fields = row.record().fields.given().into_iter().flatten();
    for (ordinal, field) in fields.enumerate() {
        let resolved_at = field.resolved_at.given();
        let mut nulls = Nulls::default();
        nulls
            .note("source", &field.source)
            .note("origin_source", &field.origin_source)
            .note("pending_at_trigger", &field.pending_at_trigger)
            .note("lookup_failed", &field.lookup_failed)
            .note("note", &field.note)
            .note("_diag_note", &field.diag_note)
            .note("resolved_at", &field.resolved_at);
        start_list_row(builder, row, ordinal)
            .text("name", Some(&field.name))
            .text("status", Some(field.status.as_str()))
            .text("value", text(&field.value))
            .text("value_source", text(&field.source))
            .text("origin_source", text(&field.origin_source))
            .boolean(
                "pending_at_trigger",
                field.pending_at_trigger.given().copied(),
            )
            .boolean("lookup_failed", field.lookup_failed.given().copied())
            .text("note", text(&field.note))
            .text("diag_note", text(&field.diag_note))
            .timestamp("resolved_at", resolved_at.map(|at| at.micros))
            .text("resolved_at_text", resolved_at.and_then(spelling))
            .text("explicit_nulls", nulls.get())
            .text("overflow", field.overflow.to_json().as_deref())
            .end();
    }
}
