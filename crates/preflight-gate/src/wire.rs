//! Parts of records that stand alone in inputs.

use preflight_record::{ChecklistItem, Entry, Record};

/// Reads a record, as strictly as any reader of the log does.
pub(crate) fn record(json: &str) -> Result<Record<'static>, String> {
    match Entry::parse(json.as_bytes()) {
        Ok(entry) => Ok(entry.record.into_owned()),
        Err(rejection) => Err(rejection.to_string()),
    }
}

/// Reads one checklist item.
pub(crate) fn checklist_item(json: &str) -> Result<ChecklistItem<'static>, String> {
    // The item's reader is the record's: it is read inside the smallest record.
    let around = format!(
        r#"{{"schema_version":"1.8","action_key":null,"execution_decision":"hold","user_checklist":[{json}]}}"#
    );
    let items = record(&around)?.user_checklist;
    let item = items.given().and_then(|items| items.first().cloned());
    item.ok_or_else(|| "a checklist item is expected".to_owned())
}
