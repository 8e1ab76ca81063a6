//! Which records a case is about.

use std::collections::BTreeSet;

use preflight_audit::{Answer, AuditSession, Parameters, datafusion::scalar::ScalarValue};
use serde::{Deserialize, Serialize};

use crate::{EvidenceError, rows::rows};

/// What is asked for: chains, also by one of their records or findings.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Action keys.
    pub action_keys: Vec<String>,
    /// Records, by the beginning of their digest (at least 8 digits).
    pub records: Vec<String>,
    /// Findings, by the beginning of their id (at least 8 digits).
    pub findings: Vec<String>,
}

/// What a case is about. A record without a chain stands alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Action keys, sorted.
    pub chains: BTreeSet<String>,
    /// Digests of records without an action key, sorted.
    pub unkeyed_records: BTreeSet<String>,
}

/// A record as the lake has it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct RecordRow {
    pub(crate) record_id: i64,
    pub(crate) source: String,
    pub(crate) line: u64,
    pub(crate) byte_offset: u64,
    pub(crate) byte_length: u64,
    pub(crate) digest: String,
    pub(crate) schema_version: String,
    pub(crate) action_key: Option<String>,
    pub(crate) timestamp: Option<String>,
    pub(crate) decision: String,
    pub(crate) phase: Option<String>,
    pub(crate) tool: Option<String>,
}

/// A finding as a session has it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct FindingRow {
    pub(crate) id: String,
    pub(crate) group: String,
    pub(crate) code: String,
    pub(crate) name: String,
    pub(crate) class: String,
    pub(crate) severity: String,
    pub(crate) field: Option<String>,
    pub(crate) detail: Option<String>,
    pub(crate) rule_version: String,
    pub(crate) record_id: i64,
}

const RECORD: &str = "select record_id, source, line, byte_offset, byte_length,
    encode(record_digest, 'hex') as digest, schema_version, action_key,
    to_char(timestamp, '%Y-%m-%dT%H:%M:%S%.6fZ') as timestamp, decision, phase, tool
    from records";
/// The order in which lines were read, which settles that of equal timestamps.
const IN_ORDER: &str = "order by source, line, byte_offset";
/// How many digits name a record or a finding.
const SHORTEST: usize = 8;

impl Selection {
    /// The subject that this selection means in a lake.
    pub(crate) async fn resolve(&self, session: &AuditSession) -> Result<Subject, EvidenceError> {
        let mut subject = Subject::default();
        for key in &self.action_keys {
            let sql = format!("{RECORD} where action_key = $wanted limit 1");
            let found: Vec<RecordRow> = rows(&session.sql(&sql, &wanted(key)).await?)?;
            if found.is_empty() {
                return Err(no_chain(key));
            }
            subject.chains.insert(key.clone());
        }
        for digest in &self.records {
            let digest = prefix(digest, "a record's digest")?;
            let sql = format!(
                "{RECORD} where starts_with(encode(record_digest, 'hex'), $wanted) {IN_ORDER}"
            );
            let found = session.sql(&sql, &wanted(&digest)).await?;
            subject.add(&found, "record", &digest)?;
        }
        for id in &self.findings {
            let id = prefix(id, "a finding's id")?;
            let sql = format!(
                "{RECORD} where record_id in (
                    select record_id from findings where starts_with(id, $wanted)) {IN_ORDER}"
            );
            let found = session.sql(&sql, &wanted(&id)).await?;
            subject.add(&found, "finding", &id)?;
        }
        Ok(subject)
    }
}

impl Subject {
    /// Adds the chain of a record, which `text` must name alone; a log that was read twice holds it
    /// twice.
    fn add(&mut self, found: &Answer, what: &str, text: &str) -> Result<(), EvidenceError> {
        let found: Vec<RecordRow> = rows(found)?;
        let digests: BTreeSet<&str> = found.iter().map(|row| &*row.digest).collect();
        let fault = match digests.len() {
            0 => format!("no {what} in the lake starts with {text:?}"),
            1 => String::new(),
            n => format!("{text:?} is the beginning of {n} {what}s: give more of its digits"),
        };
        if !fault.is_empty() {
            return Err(EvidenceError::NotFound(fault));
        }
        for row in found {
            match row.action_key {
                Some(key) => self.chains.insert(key),
                None => self.unkeyed_records.insert(row.digest),
            };
        }
        Ok(())
    }

    /// The records, in the order in which they were read.
    pub(crate) async fn records(
        &self,
        session: &AuditSession,
    ) -> Result<Vec<RecordRow>, EvidenceError> {
        let mut all = Vec::new();
        for key in &self.chains {
            let sql = format!("{RECORD} where action_key = $wanted {IN_ORDER}");
            all.extend(rows::<RecordRow>(&session.sql(&sql, &wanted(key)).await?)?);
        }
        for digest in &self.unkeyed_records {
            let sql = format!("{RECORD} where encode(record_digest, 'hex') = $wanted {IN_ORDER}");
            all.extend(rows::<RecordRow>(
                &session.sql(&sql, &wanted(digest)).await?,
            )?);
        }
        all.sort_by(|a, b| a.place().cmp(&b.place()));
        Ok(all)
    }

    /// The findings in these records, in their order.
    pub(crate) async fn findings(
        &self,
        session: &AuditSession,
    ) -> Result<Vec<FindingRow>, EvidenceError> {
        let sql = "select * from findings where action_key = $wanted";
        let mut all = Vec::new();
        for key in &self.chains {
            all.extend(rows::<FindingRow>(&session.sql(sql, &wanted(key)).await?)?);
        }
        let sql = "select * from findings where action_key is null and record_digest = $wanted";
        for digest in &self.unkeyed_records {
            all.extend(rows::<FindingRow>(
                &session.sql(sql, &wanted(digest)).await?,
            )?);
        }
        Ok(all)
    }
}

impl RecordRow {
    fn place(&self) -> (&str, u64, u64) {
        (&self.source, self.line, self.byte_offset)
    }
}

/// All records of a session, in the order in which they were read.
pub(crate) async fn all_records(session: &AuditSession) -> Result<Vec<RecordRow>, EvidenceError> {
    let sql = format!("{RECORD} {IN_ORDER}");
    rows(&session.sql(&sql, &Parameters::new()).await?)
}

/// One record, by its place.
pub(crate) async fn one_record(
    session: &AuditSession,
    source: &str,
    line: i64,
) -> Result<Vec<RecordRow>, EvidenceError> {
    let sql = format!("{RECORD} where source = $wanted and line = $line");
    let mut parameters = wanted(source);
    parameters.insert("line".to_owned(), ScalarValue::Int64(Some(line)));
    rows(&session.sql(&sql, &parameters).await?)
}

/// All findings of a session.
pub(crate) async fn all_findings(session: &AuditSession) -> Result<Vec<FindingRow>, EvidenceError> {
    rows(
        &session
            .sql("select * from findings", &Parameters::new())
            .await?,
    )
}

fn no_chain(key: &str) -> EvidenceError {
    EvidenceError::NotFound(format!(
        "no chain is called {key:?}; `preflight sql \"select distinct action_key from records\"` \
         lists them"
    ))
}

fn prefix(text: &str, what: &str) -> Result<String, EvidenceError> {
    let text = text.trim().to_lowercase();
    let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex && (SHORTEST..=64).contains(&text.len()) {
        return Ok(text);
    }
    Err(EvidenceError::NotFound(format!(
        "{text:?} is not {what}: at least {SHORTEST} of its hexadecimal digits are expected"
    )))
}

fn wanted(text: &str) -> Parameters {
    let value = ScalarValue::Utf8(Some(text.to_owned()));
    Parameters::from([("wanted".to_owned(), value)])
}
