//! The SQL table `triage`: a row for each decision and finding.

use std::sync::Arc;

use datafusion::arrow::{
    array::{
        ArrayRef, BooleanArray, Int64Array, RecordBatch, StringViewArray, TimestampMicrosecondArray,
    },
    error::ArrowError,
};

use super::{Decision, Decisions, fold};

/// The columns of `triage` with their meanings.
pub(crate) const TRIAGE_COLUMNS: [(&str, &str); 13] = [
    ("decision", "Unique id of the decision"),
    ("at", "When it was made, in UTC"),
    ("who", "Who made it"),
    (
        "action",
        "acknowledge, assign, snooze, false_positive, done, reopen, note or undo",
    ),
    ("finding", "Finding that it is about; NULL for an undo"),
    ("assignee", "To whom the finding is assigned"),
    ("until", "When a snooze ends, in UTC"),
    ("reason", "Why it is a false positive"),
    ("note", "A remark"),
    ("undoes", "Decision that an undo takes back"),
    ("is_undone", "Whether it was taken back later"),
    ("line", "Line of the decision in triage.jsonl"),
    ("overflow", "Keys that this version does not know, as JSON"),
];

/// The rows, in the order of the log.
pub(crate) fn batch(decisions: &Decisions) -> Result<RecordBatch, ArrowError> {
    let undone = fold::undone(&decisions.all);
    let rows: Vec<(&Decision, Option<&str>)> =
        decisions.all.iter().flat_map(with_findings).collect();
    let text = |of: &dyn Fn(&Decision) -> Option<String>| -> ArrayRef {
        Arc::new(StringViewArray::from_iter(
            rows.iter().map(|(one, _)| of(one)),
        ))
    };
    let time = |of: &dyn Fn(&Decision) -> Option<i64>| -> ArrayRef {
        let times = rows.iter().map(|(one, _)| of(one));
        Arc::new(TimestampMicrosecondArray::from_iter(times).with_timezone("UTC"))
    };
    let overflow = |one: &Decision| {
        let is_any = !one.more.is_empty();
        is_any.then(|| serde_json::to_string(&one.more).unwrap_or_default())
    };
    let findings = StringViewArray::from_iter(rows.iter().map(|(_, finding)| *finding));
    let is_undone = rows
        .iter()
        .map(|(one, _)| Some(undone.contains(one.id.as_str())));
    let lines = rows.iter().map(|(one, _)| one.line as i64);
    let columns: [ArrayRef; 13] = [
        text(&|one| Some(one.id.clone())),
        time(&|one| Some(one.at_micros())),
        text(&|one| Some(one.who.clone())),
        text(&|one| Some(one.action.as_str().to_owned())),
        Arc::new(findings),
        text(&|one| one.assignee.clone()),
        time(&Decision::until_micros),
        text(&|one| one.reason.clone()),
        text(&|one| one.note.clone()),
        text(&|one| one.undoes.clone()),
        Arc::new(BooleanArray::from_iter(is_undone)),
        Arc::new(Int64Array::from_iter_values(lines)),
        text(&overflow),
    ];
    let columns = TRIAGE_COLUMNS.iter().zip(columns);
    RecordBatch::try_from_iter_with_nullable(
        columns.map(|((name, _), column)| (*name, column, true)),
    )
}

fn with_findings(decision: &Decision) -> Vec<(&Decision, Option<&str>)> {
    match decision.findings.is_empty() {
        true => vec![(decision, None)],
        false => {
            let findings = decision.findings.iter();
            findings.map(|id| (decision, Some(id.as_str()))).collect()
        }
    }
}
