//! Records in SQLite, for agents that keep everything else there too.

mod key_files;
mod recovery;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use preflight_record::{Entry, Record};
use rusqlite::{Connection, OptionalExtension, params};

use super::{
    Hold, Recovery, Store, StoreError, UnfinishedCall, UnkeyedLimits, check_baseline,
    files::{canonical, regular_or_absent},
    group_commit::{Batch, Form, GroupCommit, Sink},
};
use crate::{Answer, Keys};
use key_files::KeyFiles;

/// Keyed records can neither be changed nor deleted, not even by hand.
const SCHEMA: &str = "
create table if not exists preflight_records (
    seq integer primary key autoincrement,
    action_key text,
    execution_decision text not null,
    timestamp text,
    record text not null
) strict;
create index if not exists preflight_baselines
    on preflight_records (action_key, seq) where execution_decision = 'executed';
create index if not exists preflight_ends
    on preflight_records (action_key, seq) where execution_decision in ('executed', 'failed');
create index if not exists preflight_chains on preflight_records (action_key, seq);
create index if not exists preflight_unkeyed
    on preflight_records (seq) where action_key is null;
create trigger if not exists preflight_no_update before update on preflight_records
    begin select raise(abort, 'decision records are append-only'); end;
create trigger if not exists preflight_no_delete before delete on preflight_records
    when old.action_key is not null
    begin select raise(abort, 'decision records are append-only'); end;
";

const INSERT: &str = "insert into preflight_records
    (action_key, execution_decision, timestamp, record) values (?1, ?2, ?3, ?4)";

const BASELINE: &str = "select record from preflight_records
    where action_key = ?1 and execution_decision = 'executed' order by seq desc limit 1";

/// The last call of a key that ended, however it did.
const LAST_END: &str = "select coalesce(max(seq), 0) from preflight_records
    where action_key = ?1 and execution_decision in ('executed', 'failed')";

/// Deletes the unkeyed records past a number of bytes, from the newest on, or before a time.
const PRUNE: &str = "delete from preflight_records where action_key is null and (
    timestamp < ?2 or seq in (
        select seq from (
            select seq, sum(length(record)) over (order by seq desc) as kept
            from preflight_records where action_key is null
        ) where kept > ?1))";

/// How many unkeyed records come in before the limits are looked at.
const PRUNE_EVERY: usize = 256;

/// Records in a table `preflight_records` of a SQLite database.
///
/// A record counts once its transaction is synced; records that arrive together share one. Several
/// processes may write to one database, on one machine: runs of one action key take turns over all
/// of them, by locked files in the folder `<database>.keys`.
pub struct SqliteStore {
    keys: Arc<Keys>,
    key_files: KeyFiles,
    recovery: Recovery,
    group: GroupCommit,
    reader: Mutex<Connection>,
}

struct SqliteSink {
    connection: Connection,
    limits: Option<UnkeyedLimits>,
    unkeyed: usize,
}

impl SqliteStore {
    /// Opens or creates a database.
    ///
    /// # Errors
    ///
    /// SQLite's; [`StoreError::Io`] for a path that is no regular file, and for a file with more than
    /// one hard link: SQLite keeps its journal, and this store its held keys, beside a name.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, None)
    }

    /// The same, with limits for records without an action key.
    ///
    /// # Errors
    ///
    /// Those of [`SqliteStore::open`].
    pub fn open_with_limits(
        path: impl AsRef<Path>,
        limits: UnkeyedLimits,
    ) -> Result<Self, StoreError> {
        Self::open_with(path, Some(limits))
    }

    fn open_with(
        path: impl AsRef<Path>,
        limits: Option<UnkeyedLimits>,
    ) -> Result<Self, StoreError> {
        let path = &one_path(path.as_ref())?;
        let connection = connect(path)?;
        connection.execute_batch(SCHEMA)?;
        let reader = connect(path)?;
        // Once more: a link to nothing leads to a new file now.
        let key_files = KeyFiles::open(&canonical(path)?)?;
        let recovery = recovery::recover(&connection, &key_files)?;
        let sink = SqliteSink {
            connection,
            limits,
            unkeyed: PRUNE_EVERY,
        };
        Ok(Self {
            keys: Arc::default(),
            key_files,
            recovery,
            group: GroupCommit::start(sink, Form::Plain)?,
            reader: Mutex::new(reader),
        })
    }

    /// What was found when the database was opened: calls that were let out and whose end is not on
    /// record, those under way in other processes aside. Places are `seq` numbers.
    ///
    /// Records are not read one by one; [`Store::load`] tells of one that is damaged.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    fn last_end(&self, action_key: &str) -> Result<u64, StoreError> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut last_end = reader.prepare_cached(LAST_END)?;
        let seq: i64 = last_end.query_row([action_key], |row| row.get(0))?;
        Ok(u64::try_from(seq).unwrap_or_default())
    }

    fn read(&self, action_key: &str) -> Result<Option<Arc<Record<'static>>>, StoreError> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut baseline = reader.prepare_cached(BASELINE)?;
        let json = baseline
            .query_row([action_key], |row| row.get::<_, String>(0))
            .optional()?;
        let Some(json) = json else {
            return Ok(None);
        };
        match Entry::parse(json.as_bytes()) {
            Ok(entry) => {
                check_baseline(&entry.record, action_key)?;
                Ok(Some(Arc::new(entry.record.into_owned())))
            }
            Err(rejection) => Err(StoreError::Damaged(rejection.to_string())),
        }
    }
}

impl Store for SqliteStore {
    fn append(&self, record: Arc<Record<'static>>) -> Answer<'_, Result<(), StoreError>> {
        self.group.append(record)
    }

    fn load<'a>(
        &'a self,
        action_key: &'a str,
    ) -> Answer<'a, Result<Option<Arc<Record<'static>>>, StoreError>> {
        Answer::now(self.read(action_key))
    }

    fn keys(&self) -> &Arc<Keys> {
        &self.keys
    }

    fn hold<'a>(&'a self, action_key: &'a str) -> Answer<'a, Result<Option<Hold>, StoreError>> {
        let held = self.key_files.hold(action_key);
        Answer::now(held.map(|held| held.map(Hold::by)))
    }

    fn version<'a>(&'a self, action_key: &'a str) -> Answer<'a, Result<u64, StoreError>> {
        Answer::now(self.last_end(action_key))
    }
}

impl Sink for SqliteSink {
    const ALL_OR_NOTHING: bool = true;

    fn commit(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        {
            let mut insert = transaction.prepare_cached(INSERT)?;
            for (record, line) in batch.lines() {
                let key = record.action_key.given().map(|key| &**key);
                let timestamp = record.timestamp.given().map(|time| &*time.text);
                insert.execute(params![
                    key,
                    record.execution_decision.as_str(),
                    timestamp,
                    line.json
                ])?;
                self.unkeyed += usize::from(key.is_none());
            }
        }
        if let (Some(limits), true) = (self.limits, self.unkeyed >= PRUNE_EVERY) {
            let oldest = std::time::SystemTime::now().checked_sub(limits.max_age);
            let oldest = crate::clock::stamp(oldest.unwrap_or(std::time::UNIX_EPOCH));
            let max_bytes = i64::try_from(limits.max_bytes).unwrap_or(i64::MAX);
            transaction.execute(PRUNE, params![max_bytes, &*oldest.text])?;
            self.unkeyed = 0;
        }
        transaction.commit()?;
        Ok(())
    }
}

/// One path for one database, whatever links lead to it, since other files stand beside it.
fn one_path(path: &Path) -> Result<PathBuf, StoreError> {
    let path = canonical(path)?;
    regular_or_absent(&path)?;
    match has_other_links(&path) {
        true => Err(StoreError::Io(format!(
            "{} has more than one hard link: two openings would not know of each other",
            path.display()
        ))),
        false => Ok(path),
    }
}

#[cfg(unix)]
fn has_other_links(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).is_ok_and(|about| about.nlink() > 1)
}

#[cfg(not(unix))]
fn has_other_links(_: &Path) -> bool {
    false
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    // In write-ahead mode a full sync is one sync a transaction.
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    Ok(connection)
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Io(error.to_string())
    }
}
