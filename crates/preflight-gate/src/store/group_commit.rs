//! Many callers, one sync: whoever comes while a batch is being synced is in the next one.

use std::{
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
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
    /// How many lines the thread waits for; it is not woken for less.
    wanted: usize,
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
        let enough = {
            let mut waiting = self.queue.lock();
            if let Some(failed) = &waiting.failed {
                return Answer::now(Err(StoreError::Closed(failed.to_string())));
            }
            waiting.lines.push(line);
            waiting.done.push(done);
            waiting.lines.len() == waiting.wanted
        };
        if enough {
            self.queue.arrived.notify_one();
        }
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
    let mut last = Last::default();
    while queue.take(&last, &mut lines, &mut done) {
        let start = Instant::now();
        let result = sink.commit(&lines);
        last = Last {
            lines: lines.len(),
            took: start.elapsed(),
            ended: Some(Instant::now()),
        };
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

/// The batch before.
#[derive(Default)]
struct Last {
    lines: usize,
    took: Duration,
    ended: Option<Instant>,
}

impl Queue {
    /// Takes the next batch; `false` when the store is closed and nothing is left.
    ///
    /// Callers whose batch was just synced are likely to come again. Waiting for them for a part of
    /// the time that a sync takes lets all of them share one, where two halves would take turns.
    fn take(&self, last: &Last, lines: &mut Vec<Line>, done: &mut Vec<Done>) -> bool {
        let mut waiting = self.lock();
        let expected = waiting.lines.len() + last.lines;
        let patience = last.ended.map(|ended| ended + last.took / 2);
        while !waiting.closing && waiting.lines.len() < expected {
            let left = patience.map(|until| until.saturating_duration_since(Instant::now()));
            let Some(left) = left.filter(|left| !left.is_zero()) else {
                break;
            };
            waiting.wanted = expected;
            let woken = self.arrived.wait_timeout(waiting, left);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        while !waiting.closing && waiting.lines.is_empty() {
            waiting.wanted = 1;
            let woken = self.arrived.wait(waiting);
            waiting = woken.unwrap_or_else(PoisonError::into_inner);
        }
        waiting.wanted = 0;
        mem::swap(&mut waiting.lines, lines);
        mem::swap(&mut waiting.done, done);
        !lines.is_empty()
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
