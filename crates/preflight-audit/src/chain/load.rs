//! Reading some records of a chain from the lake's tables.

use std::collections::HashMap;

use super::{
    Ask, ChainError, ChainField, ChainFinding, ChainItem, ChainRecord, Claim, Value,
    selector::{Selected, read},
    spine::among,
};
use crate::{AuditError, AuditSession, rows::Row};

const RECORDS: &str = "record_id, source, line, encode(record_digest, 'hex') as record_digest,
    schema_version, cast(timestamp as varchar) as timestamp, decision, phase, when_case,
    user_action, user_action_source, tool, tool_approved, tool_match_reason,
    field_count is not null as has_fields, checklist_count is not null as has_checklist,
    gate_kind, candidate_tool, gate_reason, attempt, attempt_limit, user_message, reason";
const FIELDS: &str = "record_id, name, status, value, value_source, origin_source,
    pending_at_trigger, lookup_failed, note, cast(resolved_at as varchar) as resolved_at,
    explicit_nulls";
const CHECKLIST: &str = "record_id, item_id, description, status, value_source,
    cast(verified_at as varchar) as verified_at, note, explicit_nulls";
const ASKS: &str = "record_id, kind, subject, code, note, description";
const FINDINGS: &str = "record_id, id, \"group\", code, name, severity, field, detail";

/// Some records of a chain, each without what it looks back to.
pub(crate) async fn records(
    session: &AuditSession,
    selected: &Selected,
    record_ids: &[i64],
) -> Result<HashMap<i64, ChainRecord>, AuditError> {
    let load = Load { session, selected };
    let mut records = HashMap::new();
    load.each("records", RECORDS, "record_id", record_ids, |row, id| {
        records.insert(id, record(row));
        Ok(())
    })
    .await?;
    load.each("asks", ASKS, "ordinal", record_ids, |row, id| {
        if let Some(record) = records.get_mut(&id) {
            record.asks.push(ask(row));
        }
        Ok(())
    })
    .await?;
    load.each("checklist", CHECKLIST, "ordinal", record_ids, |row, id| {
        let record = records.get_mut(&id);
        if let Some(items) = record.and_then(|record| record.checklist.as_mut()) {
            items.push(item(row));
        }
        Ok(())
    })
    .await?;
    load.each("findings", FINDINGS, "code", record_ids, |row, id| {
        if let Some(record) = records.get_mut(&id) {
            record.findings.push(finding(row));
        }
        Ok(())
    })
    .await?;
    Ok(records)
}

/// The fields of some records of a chain.
pub(crate) async fn fields(
    session: &AuditSession,
    selected: &Selected,
    record_ids: &[i64],
) -> Result<HashMap<i64, Vec<ChainField>>, AuditError> {
    let mut fields: HashMap<i64, Vec<ChainField>> = HashMap::new();
    let load = Load { session, selected };
    load.each("fields", FIELDS, "ordinal", record_ids, |row, id| {
        fields.entry(id).or_default().push(field(row)?);
        Ok(())
    })
    .await?;
    Ok(fields)
}

struct Load<'l> {
    session: &'l AuditSession,
    selected: &'l Selected,
}

impl Load<'_> {
    /// Hands on each row of a table that belongs to one of the records.
    async fn each(
        &self,
        table: &str,
        columns: &str,
        order: &str,
        record_ids: &[i64],
        mut take: impl FnMut(Row<'_>, i64) -> Result<(), AuditError>,
    ) -> Result<(), AuditError> {
        let (condition, parameters) = self.selected.condition();
        let ids = among(record_ids);
        let sql = format!(
            "select {columns} from {table} where {condition} and {ids} order by record_id, {order}"
        );
        let answer = self.session.sql(&sql, &parameters).await?;
        for rows in read(&answer)? {
            for row in rows.iter() {
                take(row, row.integer("record_id").unwrap_or_default())?;
            }
        }
        Ok(())
    }
}

fn record(row: Row<'_>) -> ChainRecord {
    let present = |name| row.boolean(name).unwrap_or_default();
    ChainRecord {
        number: 0,
        source: row.owned("source").unwrap_or_default(),
        line: row.integer("line").unwrap_or_default(),
        record_digest: row.owned("record_digest").unwrap_or_default(),
        schema_version: row.owned("schema_version").unwrap_or_default(),
        timestamp: row.owned("timestamp"),
        decision: row.owned("decision").unwrap_or_default(),
        phase: row.owned("phase"),
        when_case: row.owned("when_case"),
        user_action: row.owned("user_action"),
        user_action_source: row.owned("user_action_source"),
        tool: row.owned("tool"),
        tool_approved: row.boolean("tool_approved"),
        tool_match_reason: row.owned("tool_match_reason"),
        gate_kind: row.owned("gate_kind"),
        gate_reason: row.owned("gate_reason"),
        attempt: row.integer("attempt"),
        attempt_limit: row.integer("attempt_limit"),
        user_message: row.owned("user_message"),
        reason: row.owned("reason"),
        asks: Vec::new(),
        fields: present("has_fields").then(Vec::new),
        checklist: present("has_checklist").then(Vec::new),
        baseline: None,
        previous: None,
        dropped_fields: Vec::new(),
        findings: Vec::new(),
    }
}

fn field(row: Row<'_>) -> Result<ChainField, AuditError> {
    let name = row.owned("name").unwrap_or_default();
    let nulls = row.text("explicit_nulls");
    let value = Value::of(row.text("value")).map_err(|error| ChainError::BadValue {
        record_id: row.integer("record_id").unwrap_or_default(),
        field: name.clone(),
        error,
    })?;
    Ok(ChainField {
        name,
        status: row.owned("status").unwrap_or_default(),
        value,
        source: Claim::of(row.text("value_source"), "source", nulls),
        origin_source: Claim::of(row.text("origin_source"), "origin_source", nulls),
        pending_at_trigger: row.boolean("pending_at_trigger"),
        lookup_failed: row.boolean("lookup_failed"),
        note: row.owned("note"),
        resolved_at: row.owned("resolved_at"),
        inheritance: None,
        answer: None,
        since_baseline: None,
        since_previous: None,
        findings: Vec::new(),
    })
}

fn item(row: Row<'_>) -> ChainItem {
    ChainItem {
        id: row.owned("item_id"),
        description: row.owned("description"),
        status: row.owned("status"),
        source: Claim::of(
            row.text("value_source"),
            "source",
            row.text("explicit_nulls"),
        ),
        verified_at: row.owned("verified_at"),
        note: row.owned("note"),
        findings: Vec::new(),
    }
}

fn ask(row: Row<'_>) -> Ask {
    Ask {
        kind: row.owned("kind").unwrap_or_default(),
        subject: row.owned("subject"),
        code: row.owned("code"),
        note: row.owned("note"),
        description: row.owned("description"),
        findings: Vec::new(),
    }
}

fn finding(row: Row<'_>) -> ChainFinding {
    let text = |name| row.owned(name).unwrap_or_default();
    ChainFinding {
        id: text("id"),
        group: text("group"),
        code: text("code"),
        name: text("name"),
        severity: text("severity"),
        field: row.owned("field"),
        detail: row.owned("detail"),
    }
}
