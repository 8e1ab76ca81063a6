//! What the value gate asks for.

use preflight_record::{
    ChecklistItem, ChecklistStatus, Field, Gate, GateDiag, Overflow, Presence, UnknownField,
    UnverifiedItem,
};

use crate::json;

/// The gate of a run whose fields were looked up.
pub(crate) fn value_gate<'f>(
    fields: &[Field<'static>],
    blocking: impl Iterator<Item = &'f Field<'static>>,
    checklist: &[ChecklistItem<'static>],
    diag: Overflow<'static>,
) -> Gate<'static> {
    Gate {
        unknown_fields: Presence::Given(blocking.map(unknown_field).collect()),
        unverified_checklist: Presence::Given(unverified(checklist).map(unverified_item).collect()),
        diag: Presence::Given(GateDiag {
            lookup_failures: Presence::Given(lookup_failures(fields)),
            overflow: diag,
            ..GateDiag::default()
        }),
        ..Gate::default()
    }
}

/// The conditions that nobody confirmed.
pub(crate) fn unverified<'c>(
    checklist: &'c [ChecklistItem<'static>],
) -> impl Iterator<Item = &'c ChecklistItem<'static>> {
    let verified = Presence::Given(ChecklistStatus::Verified);
    checklist.iter().filter(move |item| item.status != verified)
}

fn unknown_field(field: &Field<'static>) -> UnknownField<'static> {
    UnknownField {
        name: field.name.clone(),
        note: or_null(&field.note),
        overflow: field.overflow.clone(),
    }
}

fn unverified_item(item: &ChecklistItem<'static>) -> UnverifiedItem<'static> {
    UnverifiedItem {
        id: item.id.clone(),
        description: item.description.clone(),
        note: or_null(&item.note),
        overflow: Overflow::default(),
    }
}

fn or_null<T: Clone>(note: &Presence<T>) -> Presence<T> {
    note.given()
        .map_or(Presence::Null, |note| Presence::Given(note.clone()))
}

fn lookup_failures(fields: &[Field<'static>]) -> std::borrow::Cow<'static, str> {
    let failed = |field: &&Field<'_>| field.lookup_failed == Presence::Given(true);
    if !fields.iter().any(|field| failed(&field)) {
        return "[]".into();
    }
    let failures = fields.iter().filter(failed).map(|field| {
        let detail = field.diag_note.given().map_or("", |note| note);
        json::object([
            ("name", json::string(&field.name).as_str()),
            ("detail", json::string(detail).as_str()),
        ])
    });
    json::array(failures).into()
}
