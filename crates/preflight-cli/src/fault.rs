//! A panic is a fault of this program: told in one line, with the status for a job not done.

use std::{
    panic::{self, AssertUnwindSafe},
    sync::Mutex,
};

/// What the last panic said, and where.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Runs; a panic is an error. One that is caught on the way (a decoder over a damaged file) is told
/// by whoever caught it.
pub(crate) fn caught<T>(run: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    panic::set_hook(Box::new(|info| {
        if let Ok(mut last) = LAST.lock() {
            *last = Some(info.to_string());
        }
    }));
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let last = LAST.lock().ok().and_then(|mut last| last.take());
        let last = last.unwrap_or_else(|| "it panicked".to_owned());
        let last = last.split_whitespace().collect::<Vec<_>>().join(" ");
        Err(anyhow::anyhow!(
            "a fault of preflight, please report it: {last}"
        ))
    })
}
