//! The bytes of one record.

use preflight_audit::AuditSession;

use crate::{EvidenceError, export, subject};

/// Reads a record again from its source; the bytes are those whose digest was taken down.
///
/// # Errors
///
/// There is no such record, or its source is gone or altered.
pub async fn read_record(
    session: &AuditSession,
    source: &str,
    line: i64,
) -> Result<Vec<u8>, EvidenceError> {
    let rows = subject::one_record(session, source, line).await?;
    let found = export::read_again(session, &rows, &[]).records.pop();
    let missing = || EvidenceError::NotFound(format!("no record was read from {source}:{line}"));
    found
        .ok_or_else(missing)?
        .map_err(|missing| EvidenceError::NotFound(missing.detail))
}
