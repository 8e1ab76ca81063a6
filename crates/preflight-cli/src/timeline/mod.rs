//! A chain as people and programs read it.

pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod text;
mod window;

pub(crate) use window::Window;

use preflight_audit::{
    Chain, ChainField, ChainRecord, ChainSummary, Inheritance, ProvenanceGraph, Value,
};

use crate::{commands::ingest::count, lake_arguments::block_on};

/// Characters of a shown value that a line has room for.
const LONGEST_VALUE: usize = 120;
/// Digits of a record's digest that are enough to name it.
const DIGEST: usize = 12;

/// The provenance graph of the window.
pub(crate) fn graph(chain: &Chain<'_>, window: &Window) -> anyhow::Result<ProvenanceGraph> {
    ProvenanceGraph::has_room_for(window.len())?;
    let mut records = Vec::new();
    for page in window.pages() {
        records.extend(block_on(chain.records(page))?);
    }
    Ok(ProvenanceGraph::of(title(chain.summary()), &records)?)
}

/// The chain's key, or that it has none.
fn title(summary: &ChainSummary) -> &str {
    summary
        .action_key
        .as_deref()
        .unwrap_or("(no action key: the record stands alone)")
}

/// One line on the whole chain.
fn overview(summary: &ChainSummary) -> String {
    let times = match (&summary.first, &summary.last) {
        (Some(first), Some(last)) if first != last => format!(", {first} to {last}"),
        (Some(first), _) => format!(", {first}"),
        _ => String::new(),
    };
    format!(
        "{} from {}{times}, {}",
        count(summary.records as u64, "record"),
        count(summary.sources as u64, "file"),
        count(summary.findings as u64, "finding"),
    )
}

/// When, and for which tool the record was written.
fn circumstances(record: &ChainRecord) -> Vec<String> {
    let phase = record.phase.as_deref().map(str::to_owned);
    let when = record.when_case.as_deref().map(str::to_owned);
    let tool = record
        .tool
        .as_deref()
        .map(|tool| match record.tool_approved {
            Some(false) => format!("{tool} (not approved)"),
            _ => tool.to_owned(),
        });
    let action =
        record
            .user_action
            .as_deref()
            .map(|action| match record.user_action_source.as_deref() {
                Some(source) => format!("{action:?} by {source}"),
                None => format!("{action:?}"),
            });
    [phase, when, tool, action].into_iter().flatten().collect()
}

/// The record's place, digest and why it ended as it did.
fn evidence(record: &ChainRecord) -> String {
    let digest: String = record.record_digest.chars().take(DIGEST).collect();
    format!("{}:{}  record {digest}", record.source, record.line)
}

/// The value, cut where it is too long for a line.
pub(crate) fn value(value: &Value) -> String {
    let text = value.to_string();
    let length = text.chars().count();
    if length <= LONGEST_VALUE + 10 {
        return text;
    }
    let start: String = text.chars().take(LONGEST_VALUE).collect();
    let digest = value
        .digest()
        .map(|digest| digest.short())
        .unwrap_or_default();
    format!("{start}… ({length} chars in all) #{digest}")
}

/// What the value inherits, why it is unknown, and what changed.
fn lineage(field: &ChainField) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(field.doubt().map(str::to_owned));
    lines.extend(field.inheritance.as_ref().map(ToString::to_string));
    lines.extend(field.answer.as_ref().map(ToString::to_string));
    if !field.is_known() {
        let pending = field.pending_at_trigger == Some(true);
        let failed = field.lookup_failed == Some(true);
        let words = [
            Some("unknown".to_owned()),
            pending.then(|| "due at trigger time".to_owned()),
            failed.then(|| "a lookup failed".to_owned()),
            field.note.clone(),
        ];
        lines.push(words.into_iter().flatten().collect::<Vec<_>>().join(", "));
    }
    // What an inherited value has of its baseline, or has not, was said above.
    let said = field.inheritance.as_ref().and_then(Inheritance::baseline);
    let previous = field.since_previous.as_ref();
    lines.extend(
        previous
            .filter(|change| said != Some(change.record))
            .map(ToString::to_string),
    );
    let baseline = field.since_baseline.as_ref().filter(|change| {
        let is_previous = previous.is_some_and(|previous| previous.record == change.record);
        !is_previous && field.inheritance.is_none() && change.value_was.is_some()
    });
    lines.extend(baseline.map(ToString::to_string));
    lines
}
