use preflight_record::{Gate, IntentIssue, UnknownField, UnverifiedItem};

use super::{Row, TableBuilder, nulls::Nulls, text};

/// What `asks` says of one thing that a gate asked for or refused.
#[derive(Default)]
pub(super) struct Ask<'a> {
    kind: &'static str,
    subject: Option<&'a str>,
    code: Option<&'a str>,
    note: Option<&'a str>,
    description: Option<&'a str>,
    nulls: String,
    overflow: Option<String>,
}

/// Adds what gates asked for or refused to `asks`.
pub(super) fn fill(builder: &mut TableBuilder, rows: &[Row<'_>], owners: &mut Vec<i64>) {
    let asks: Vec<(Ask<'_>, i64, &Row<'_>)> = rows.iter().flat_map(asks_of).collect();
    owners.extend(asks.iter().map(|(.., row)| row.number));
    builder
        .fill(&asks)
        .later("record_id")
        .integer("ordinal", |(_, ordinal, _)| Some(*ordinal))
        .text("action_key", |(.., row)| row.chain.as_deref())
        .text("kind", |(ask, ..)| Some(ask.kind))
        .text("subject", |(ask, ..)| ask.subject)
        .text("code", |(ask, ..)| ask.code)
        .text("note", |(ask, ..)| ask.note)
        .text("description", |(ask, ..)| ask.description)
        .written("explicit_nulls", |(ask, ..), keys| {
            keys.push_str(&ask.nulls)
        })
        .written("overflow", |(ask, ..), json| {
            json.push_str(ask.overflow.as_deref().unwrap_or_default());
        })
        .end();
}

fn asks_of<'r>(row: &'r Row<'_>) -> impl Iterator<Item = (Ask<'r>, i64, &'r Row<'r>)> {
    let gate = row.record().gate.given().into_iter();
    let asks = gate.flat_map(asks).enumerate();
    asks.map(move |(ordinal, ask)| (ask, ordinal as i64, row))
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
    let mut nulls = String::new();
    Nulls(&mut nulls).note("note", &field.note);
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
    let mut nulls = String::new();
    Nulls(&mut nulls)
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
    let mut nulls = String::new();
    Nulls(&mut nulls)
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
