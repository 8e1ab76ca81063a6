use super::{Row, TableBuilder, nulls::Nulls, spelling, start_list_row, text};

/// Adds a record's conditions to `checklist`.
pub(super) fn push(builder: &mut TableBuilder, row: &Row<'_>) {
    let items = row.record().user_checklist.given().into_iter().flatten();
    for (ordinal, item) in items.enumerate() {
        let verified_at = item.verified_at.given();
        let mut nulls = Nulls::default();
        nulls
            .note("id", &item.id)
            .note("description", &item.description)
            .note("status", &item.status)
            .note("source", &item.source)
            .note("verified_at", &item.verified_at)
            .note("note", &item.note);
        start_list_row(builder, row, ordinal)
            .text("item_id", text(&item.id))
            .text("description", text(&item.description))
            .text("status", item.status.given().map(|status| status.as_str()))
            .text("value_source", text(&item.source))
            .timestamp("verified_at", verified_at.map(|at| at.micros))
            .text("verified_at_text", verified_at.and_then(spelling))
            .text("note", text(&item.note))
            .text("explicit_nulls", nulls.get())
            .text("overflow", item.overflow.to_json().as_deref())
            .end();
    }
}
