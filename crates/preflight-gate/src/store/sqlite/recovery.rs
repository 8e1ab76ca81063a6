//! What a crash left in a database, and what follows from it.

use preflight_record::Entry;
use rusqlite::Connection;

use super::{Recovery, StoreError, UnfinishedCall, key_files::KeyFiles};

/// Last records of their keys that say `execute`.
const OPEN: &str = "select seq, action_key, record from preflight_records as let_out
    where execution_decision = 'execute' and action_key is not null and not exists (
        select 1 from preflight_records as later
        where later.action_key = let_out.action_key and later.seq > let_out.seq)
    order by seq";

/// Reads what is open. A half-written transaction is gone already: SQLite takes it back.
pub(super) fn recover(connection: &Connection, keys: &KeyFiles) -> Result<Recovery, StoreError> {
    let count = "select count(*) from preflight_records";
    let records: i64 = connection.query_row(count, [], |row| row.get(0))?;
    let mut recovery = Recovery {
        records: usize::try_from(records).unwrap_or_default(),
        ..Recovery::default()
    };
    let mut open = connection.prepare(OPEN)?;
    let mut rows = open.query([])?;
    while let Some(row) = rows.next()? {
        let (seq, action_key): (i64, String) = (row.get(0)?, row.get(1)?);
        // Held by another process: that call is under way, not lost.
        if keys.hold(&action_key)?.is_none() {
            continue;
        }
        let seq = u64::try_from(seq).unwrap_or_default();
        match Entry::parse(row.get_ref(2)?.as_str().unwrap_or_default().as_bytes()) {
            Ok(entry) => {
                let call = UnfinishedCall::new(&action_key, &entry.record, seq);
                recovery.unfinished.push(call);
            }
            Err(_) => recovery.unreadable.push(seq),
        }
    }
    Ok(recovery)
}
