//! No run overlaps another one of its schedule, in this process or in others.

use std::{
    fs::{File, TryLockError},
    path::Path,
};

use crate::{ScheduleError, durable};

/// A schedule that is ours until this is dropped; after a crash, the system lets it go.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes a schedule, unless somebody else has it.
    pub(crate) fn take(folder: &Path) -> Result<Option<Self>, ScheduleError> {
        durable::folder(folder)?;
        let path = folder.join("lock");
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(ScheduleError::io(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(ScheduleError::io(path)(error)),
        }
    }
}
