use preflight_record::{Gate, IntentIssue, UnknownField, UnverifiedItem};

use super::{Row, TableBuilder, nulls::Nulls, start_list_row, text};

/// What `asks` says of one thing that a gate asked for or refused.
#[derive(Default)]
struct Ask<'a> {
    kind: &'static str,
    subject: Option<&'a str>,
    code: Option<&'a str>,
    note: Option<&'a str>,
    description: Option<&'a str>,
    nulls: Nulls,
    overflow: Option<String>,
}

/// Adds what a record's gate asked for or refused to `asks`.
pub(super) fn push(builder: &mut TableBuilder, row: &Row<'_>) {
    let Some(gate) = row.record().gate.given() else {
        return;
    };
    for (ordinal, ask) in asks(gate).enumerate() {
        start_list_row(builder, row, ordinal)
            .text("kind", Some(ask.kind))
            .text("subject", ask.subject)
            .text("code", ask.code)
            .text("note", ask.note)
            .text("description", ask.description)
            .text("explicit_nulls", ask.nulls.get())
            .text("overflow", ask.overflow.as_deref())
            .end();
    }
}

fn asks<'a>(gate: &'a Gate<'_>) -> impl Iterator<Item = Ask<'a>> {
    let diag = gate.diag.given();
    let fields = gate
        .unknown_fields
        .given()
        .into_iter()
        .flatten()
        .map(unknown_field);
    let items = gate
        .unverified_checklist
        .given()
        .into_iter()
        .flatten()
        .map(unverified_item);
    let issues = diag
        .and_then(|diag| diag.issues.given())
        .into_iter()
        .flatten()
        .map(intent_issue);
    let options = gate
        .branch_options
        .given()
        .into_iter()
        .flatten()
        .map(|option| Ask {
            kind: "branch_option",
            subject: Some(&**option),
            ..Ask::default()
        });
    let tools = refused_tool(gate).into_iter();
    fields
        .chain(items)
        .chain(issues)
        .chain(options)
        .chain(tools)
}

fn unknown_field<'a>(field: &'a UnknownField<'_>) -> Ask<'a> {
    let mut nulls = Nulls::default();
    nulls.note("note", &field.note);
    Ask {
        kind: "unknown_field",
        subject: Some(&field.name),
        note: text(&field.note),
        nulls,
        overflow: field.overflow.to_json(),
        ..Ask::default()
    }
}

fn unverified_item<'a>(item: &'a UnverifiedItem<'_>) -> Ask<'a> {
    let mut nulls = Nulls::default();
    nulls
        .note("id", &item.id)
        .note("description", &item.description)
        .note("note", &item.note);
    Ask {
        kind: "unverified_item",
        subject: text(&item.id),
        note: text(&item.note),
        description: text(&item.description),
        nulls,
        overflow: item.overflow.to_json(),
        ..Ask::default()
    }
}

fn intent_issue<'a>(issue: &'a IntentIssue<'_>) -> Ask<'a> {
    let mut nulls = Nulls::default();
    nulls
        .note("slot", &issue.slot)
        .note("code", &issue.code)
        .note("detail", &issue.detail);
    Ask {
        kind: "intent_issue",
        subject: text(&issue.slot),
        code: text(&issue.code),
        note: text(&issue.detail),
        nulls,
        overflow: issue.overflow.to_json(),
        ..Ask::default()
    }
}

/// A tool gate refuses its candidate, also where an older writer left no diagnosis.
fn refused_tool<'a>(gate: &'a Gate<'_>) -> Option<Ask<'a>> {
    let kind = text(&gate.kind)?;
    let diag = gate.diag.given();
    matches!(kind, "tool_undetermined" | "tool_undetermined_exhausted").then(|| Ask {
        kind: "refused_tool",
        subject: diag.and_then(|diag| text(&diag.candidate_tool)),
        note: diag.and_then(|diag| text(&diag.reason)),
        ..Ask::default()
    })
}
