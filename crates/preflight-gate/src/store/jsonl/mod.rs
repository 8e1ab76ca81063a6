//! A JSON Lines file that is only ever appended to.

mod checkpointing;
mod log_file;
mod recovery;
mod sealing;
mod sink;
mod unkeyed;

use std::{
    fs::{self, File, OpenOptions},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use preflight_record::{Entry, Record};
use preflight_seal::SEAL;

pub use sealing::Sealing;
pub use unkeyed::UnkeyedLimits;

use super::{
    Recovery, Store, StoreError, TornTail, UnfinishedCall, check_baseline,
    files::{self, canonical, regular_or_absent},
    group_commit::{Batch, Form, GroupCommit, Line, Sink, with_line},
};
use crate::{Answer, Keys};
use sink::{FileSink, Index, Reader};

/// What it takes for a record to count as kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Synced to disk: it outlives a loss of power. Records that arrive together share a sync.
    #[default]
    Synced,
    /// Written to the file: it outlives its process, but not a loss of power.
    Written,
    /// In a buffer of the process: whatever was not flushed is lost with it. For measuring.
    Buffered,
}

/// How a [`JsonlStore`] is opened.
#[derive(Debug, Clone, Default)]
pub struct JsonlOptions {
    durability: Durability,
    unkeyed: Option<UnkeyedLimits>,
    sealing: Option<Sealing>,
}

impl JsonlOptions {
    /// What it takes for a record to count as kept.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Keeps records without an action key in files of their own beside the log, within limits.
    ///
    /// Without limits they stand in the log like all others, and stay.
    #[must_use]
    pub fn unkeyed(mut self, limits: UnkeyedLimits) -> Self {
        self.unkeyed = Some(limits);
        self
    }

    /// Seals each record as it is written, so that an edit of the log shows.
    ///
    /// A log that has records already is sealed from here on; the first seal vouches for what stands
    /// before it. Records that [`JsonlOptions::unkeyed`] keeps apart are not sealed, since they may
    /// be given up.
    #[must_use]
    pub fn seal(mut self, sealing: Sealing) -> Self {
        self.sealing = Some(sealing);
        self
    }

    /// Opens or creates a log, and repairs what a crash left at its end.
    ///
    /// # Errors
    ///
    /// [`StoreError::Locked`] while it is open elsewhere, by whatever name; [`StoreError::Seal`] for a sealed
    /// log that is opened without sealing, or under another name; reading or writing failed.
    pub fn open(self, path: impl AsRef<Path>) -> Result<JsonlStore, StoreError> {
        let path = &canonical(path.as_ref())?;
        let lock = lock(path)?;
        let (signed, read) = match &self.sealing {
            Some(sealing) => sealing.begin(path)?,
            None => Default::default(),
        };
        let found = recovery::recover(path, read)?;
        let form = match self.sealing {
            Some(_) => Form::Sealed,
            None => Form::Plain,
        };
        let sealed = match self.sealing {
            Some(sealing) => {
                let end = sealing.resume(path, found.seals, signed)?;
                Some(end.at_segment(found.segment))
            }
            None if found.seals.log().is_some() => {
                let detail = "records without a seal would be taken for somebody else's";
                let detail = format!("{} is sealed: {detail}", path.display());
                return Err(StoreError::Seal(detail));
            }
            None => None,
        };
        let index: Index = Arc::new(Mutex::new(found.baselines));
        let unkeyed = self.unkeyed.map(|limits| limits.open(path)).transpose()?;
        let sink = FileSink::new(found.file, Arc::clone(&index), unkeyed, sealed);
        let writer = match self.durability {
            Durability::Synced => Writer::Grouped(GroupCommit::start(sink, form)?),
            durability => Writer::Direct {
                sink: Box::new(Mutex::new(sink)),
                buffered: durability == Durability::Buffered,
                form,
            },
        };
        Ok(JsonlStore {
            keys: Arc::default(),
            writer,
            reader: Mutex::new(Reader::new(path)),
            index,
            recovery: found.recovery,
            _locks: (found.held, lock),
        })
    }
}

/// Records as JSON Lines, appended and never rewritten; one process writes at a time.
///
/// A log that was cut, moved, replaced or written to by somebody else while it was open takes no more
/// records: the next is [`StoreError::Damaged`], and all after it [`StoreError::Closed`]. To rotate a log,
/// close it first, or seal it in segments.
///
/// ```
/// use preflight_gate::JsonlStore;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("records.jsonl");
/// let store = JsonlStore::open(&path)?;
/// assert!(store.recovery().is_clean());
/// assert!(JsonlStore::open(&path).is_err(), "one writer at a time");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct JsonlStore {
    keys: Arc<Keys>,
    writer: Writer,
    reader: Mutex<Reader>,
    index: Index,
    recovery: Recovery,
    /// Locked as long as this is open; last, so that they outlive the writer.
    _locks: (Vec<File>, File),
}

enum Writer {
    Grouped(GroupCommit),
    Direct {
        sink: Box<Mutex<FileSink>>,
        buffered: bool,
        form: Form,
    },
}

impl JsonlStore {
    /// Opens or creates a log whose records are synced before they count.
    ///
    /// # Errors
    ///
    /// Those of [`JsonlOptions::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::options().open(path)
    }

    /// Other ways to open a log.
    pub fn options() -> JsonlOptions {
        JsonlOptions::default()
    }

    /// What was found, and repaired, when the log was opened.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// Writes out what is buffered. Nothing is, unless the log was opened as
    /// [`Durability::Buffered`].
    ///
    /// # Errors
    ///
    /// Writing failed.
    pub fn flush(&self) -> Result<(), StoreError> {
        match &self.writer {
            Writer::Grouped(_) => Ok(()),
            Writer::Direct { sink, .. } => locked(sink).flush(),
        }
    }

    fn read(&self, action_key: &str) -> Result<Option<Arc<Record<'static>>>, StoreError> {
        // A line that is still in the buffer has no place yet.
        self.flush()?;
        let Some(place) = locked(&self.index).get(action_key).copied() else {
            return Ok(None);
        };
        let line = locked(&self.reader).read(place)?;
        let damaged = |rejection: Box<preflight_record::Rejection>| {
            StoreError::Damaged(format!("at byte {}: {rejection}", place.offset))
        };
        let mut record = Entry::parse(&line).map_err(damaged)?.record;
        // The seal is the line's, not the record's.
        record.overflow.remove(SEAL);
        check_baseline(&record, action_key)?;
        Ok(Some(Arc::new(record.into_owned())))
    }
}

impl Store for JsonlStore {
    fn append(&self, record: Arc<Record<'static>>) -> Answer<'_, Result<(), StoreError>> {
        match &self.writer {
            Writer::Grouped(group) => group.append(record),
            Writer::Direct {
                sink,
                buffered,
                form,
            } => Answer::now(with_line(*form, &record, |line| {
                let mut sink = locked(sink);
                sink.push(&record, line)?;
                if !*buffered {
                    sink.flush()?;
                }
                sink.checkpoint_if_due()
            })),
        }
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
}

impl Sink for FileSink {
    const ALL_OR_NOTHING: bool = false;

    fn commit(&mut self, batch: &Batch) -> Result<(), StoreError> {
        for (record, line) in batch.lines() {
            self.push(record, line)?;
        }
        self.flush()?;
        self.sync()?;
        self.checkpoint_if_due()
    }

    fn idle_in(&self) -> Option<Duration> {
        self.checkpoint_due_in()
    }

    fn idle(&mut self) -> Result<(), StoreError> {
        self.checkpoint_if_due()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the lock beside the log. The system gives it back when the process ends, however it ends.
fn lock(path: &Path) -> Result<File, StoreError> {
    let beside = beside(path, ".lock");
    regular_or_absent(&beside)?;
    let lock = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(beside)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(fs::TryLockError::WouldBlock) => Err(StoreError::Locked(path.display().to_string())),
        Err(fs::TryLockError::Error(error)) => Err(error.into()),
    }
}

/// The path with something put after its name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Makes a new file's name as durable as what is in it.
fn sync_directory(path: &Path) -> Result<(), StoreError> {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let directory = parent.unwrap_or(Path::new("."));
    // Not every system lets a directory be opened; those that do not need no sync of it.
    if let Ok(directory) = File::open(directory) {
        directory.sync_all()?;
    }
    Ok(())
}
