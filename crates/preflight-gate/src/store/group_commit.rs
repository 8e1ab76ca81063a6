//! Many callers, one sync: whoever comes while a batch is being synced is in the next one.

use std::{
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
};

use preflight_record::Record;
use tokio::sync::oneshot;

use super::StoreError;
use crate::Answer;

/// A record with its line.
pub(super) struct Line {
    pub(super) record: Arc<Record<'static>>,
    pub(super) json: String,
}

impl Line {
    pub(super) fn new(record: Arc<Record<'static>>) -> Self {
        let json = record.to_json();
        Self { record, json }
    }
}

/// What batches go to.
pub(super) trait Sink: Send + 'static {
    /// Whether a batch that failed leaves nothing behind, so that the next may be tried.
    const ALL_OR_NOTHING: bool;

    /// Keeps a batch, whole and in order: when this returns, it is on disk.
    fn commit(&mut self, batch: &[Line]) -> Result<(), StoreError>;
}

type Done = oneshot::Sender<Result<(), StoreError>>;

#[derive(Default)]
struct Waiting {
    lines: Vec<Line>,
    done: Vec<Done>,
    failed: Option<StoreError>,
    closing: bool,
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread that commits batches to a sink.
pub(super) struct GroupCommit {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

impl GroupCommit {
    pub(super) fn start(sink: impl Sink) -> Result<Self, StoreError> {
        let queue = Arc::new(Queue::default());
        let theirs = Arc::clone(&queue);
        let thread = thread::Builder::new()
            .name("preflight-store".to_owned())
            .spawn(move || commit_all(&theirs, sink))?;
        Ok(Self {
            queue,
            thread: Some(thread),
        })
    }

    /// Hands a line in; answers once it is committed.
    pub(super) fn append(&self, line: Line) -> Answer<'static, Result<(), StoreError>> {
        let (done, committed) = oneshot::channel();
        {
            let mut waiting = self.queue.lock();
            if let Some(failed) = &waiting.failed {
                return Answer::now(Err(StoreError::Closed(failed.to_string())));
            }
            waiting.lines.push(line);
            waiting.done.push(done);
        }
        self.queue.arrived.notify_one();
        Answer::later(async move {
            let gone = |_| StoreError::Closed("its thread ended".to_owned());
            committed.await.map_err(gone)?
        })
    }
}

impl Drop for GroupCommit {
    /// Commits what was handed in.
    fn drop(&mut self) {
        self.queue.lock().closing = true;
        self.queue.arrived.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic there has already failed its waiters.
            let _ = thread.join();
        }
    }
}

fn commit_all<S: Sink>(queue: &Queue, mut sink: S) {
    let mut lines = Vec::new();
    let mut done = Vec::new();
    loop {
        {
            let mut waiting = queue.lock();
            while waiting.lines.is_empty() && !waiting.closing {
                waiting = queue
                    .arrived
                    .wait(waiting)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            if waiting.lines.is_empty() {
                return;
            }
            mem::swap(&mut waiting.lines, &mut lines);
            mem::swap(&mut waiting.done, &mut done);
        }
        let result = sink.commit(&lines);
        lines.clear();
        if let (Err(error), false) = (&result, S::ALL_OR_NOTHING) {
            // What a half-written batch left behind is repaired when the store is opened again.
            close(queue, error, &mut done);
            return;
        }
        for waiter in done.drain(..) {
            // A caller that left does not need to know.
            let _ = waiter.send(result.clone());
        }
    }
}

fn close(queue: &Queue, error: &StoreError, done: &mut Vec<Done>) {
    let mut waiting = queue.lock();
    waiting.failed = Some(error.clone());
    waiting.lines.clear();
    done.append(&mut waiting.done);
    for waiter in done.drain(..) {
        let _ = waiter.send(Err(error.clone()));
    }
}
