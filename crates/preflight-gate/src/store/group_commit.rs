//! Many callers, one sync: whoever comes while a batch is being synced is in the next one.

use std::{
    cell::RefCell,
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use preflight_record::Record;
use preflight_seal::{Hash, SEAL};
use tokio::sync::oneshot;

use super::StoreError;
use crate::Answer;

/// Records that are committed together, with their lines in one text.
#[derive(Default)]
pub(super) struct Batch {
    records: Vec<(Arc<Record<'static>>, usize, Option<Hash>)>,
    text: String,
}

impl Batch {
    fn push(&mut self, record: Arc<Record<'static>>, line: Line<'_>) {
        self.text.push_str(line.json);
        self.records.push((record, self.text.len(), line.digest));
    }

    /// Each record with its line.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&Record<'static>, Line<'_>)> {
        let mut start = 0;
        self.records.iter().map(move |(record, end, digest)| {
            let json = &self.text[start..*end];
            start = *end;
            let digest = *digest;
            (&**record, Line { json, digest })
        })
    }

    fn len(&self) -> usize {
        self.records.len()
    }

    fn clear(&mut self) {
        self.records.clear();
        self.text.clear();
        give_back(&mut self.text);
    }
}

/// A record's JSON, without a line break.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'l> {
    pub(super) json: &'l str,
    /// Its digest, where it is written to be sealed.
    pub(super) digest: Option<Hash>,
}

/// How a record is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// In the order of the record format.
    Plain,
    /// In the form that is sealed.
    Sealed,
}

thread_local! {
    /// The line that this thread is writing.
    static LINE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Does something with a record's line, written out in a buffer that is used again. All that sealing
/// costs much of is done here, by the caller's thread.
pub(super) fn with_line<T>(
    form: Form,
    record: &Record<'_>,
    act: impl FnOnce(Line<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    LINE.with_borrow_mut(|line| {
        line.clear();
        let digest = match form {
            Form::Plain => {
                record.write_json(line);
                None
            }
            Form::Sealed => Some(write_to_seal(record, line)?),
        };
        let done = act(Line { json: line, digest });
        give_back(line);
        done
    })
}

fn write_to_seal(record: &Record<'_>, line: &mut String) -> Result<Hash, StoreError> {
    let written = if record.overflow.iter().any(|(key, _)| key == SEAL) {
        // A seal of another log says nothing here.
        let mut unsealed = record.clone();
        unsealed.overflow.remove(SEAL);
        unsealed.write_ordered(line)
    } else {
        record.write_ordered(line)
    };
    written.map_err(|fault| StoreError::Seal(format!("a record that is no JSON: {fault}")))?;
    Ok(Hash::of(line.as_bytes()))
}

/// Frees a buffer that one large record has blown up.
fn give_back(buffer: &mut String) {
    const USUAL: usize = 1 << 20;
    if buffer.capacity() > USUAL {
        *buffer = String::new();
    }
}

/// What batches go to.
pub(super) trait Sink: Send + 'static {
    /// Whether a batch that failed leaves nothing behind, so that the next may be tried.
    const ALL_OR_NOTHING: bool;

    /// Keeps a batch, whole and in order: when this returns, it is on disk.
    fn commit(&mut self, batch: &Batch) -> Result<(), StoreError>;

    /// In how long something is to be done though no batch comes.
    fn idle_in(&self) -> Option<Duration> {
        None
    }

    /// Does it.
    fn idle(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}

type Done = oneshot::Sender<Result<(), StoreError>>;

#[derive(Default)]
struct Waiting {
    batch: Batch,
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
    form: Form,
}

impl GroupCommit {
    pub(super) fn start(sink: impl Sink, form: Form) -> Result<Self, StoreError> {
        let queue = Arc::new(Queue::default());
        let theirs = Arc::clone(&queue);
        let thread = thread::Builder::new()
            .name("preflight-store".to_owned())
            .spawn(move || commit_all(&theirs, sink))?;
        Ok(Self {
            queue,
            thread: Some(thread),
            form,
        })
    }

    /// Hands a record in; answers once it is committed.
    pub(super) fn append(
        &self,
        record: Arc<Record<'static>>,
    ) -> Answer<'static, Result<(), StoreError>> {
        let (done, committed) = oneshot::channel();
        // Written out before the queue is locked.
        let handed_in = with_line(self.form, &record, |line| {
            let mut waiting = self.queue.lock();
            if let Some(failed) = &waiting.failed {
                return Err(StoreError::Closed(failed.to_string()));
            }
            waiting.batch.push(Arc::clone(&record), line);
            waiting.done.push(done);
            Ok(waiting.batch.len() == waiting.wanted)
        });
        match handed_in {
            Err(closed) => return Answer::now(Err(closed)),
            Ok(true) => self.queue.arrived.notify_one(),
            Ok(false) => {}
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

/// Whoever waits is told when the thread ends in a panic, and whoever comes later too.
struct ClosesOnPanic<'q>(&'q Queue);

impl Drop for ClosesOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let error = StoreError::Closed("its thread panicked".to_owned());
            close(self.0, &error, &mut Vec::new());
        }
    }
}

fn commit_all<S: Sink>(queue: &Queue, mut sink: S) {
    let _closes = ClosesOnPanic(queue);
    let mut batch = Batch::default();
    let mut done = Vec::new();
    let mut last = Last::default();
    loop {
        // One that is too far off to be counted never comes.
        let idle_in = sink.idle_in();
        let idle_at = idle_in.and_then(|idle_in| Instant::now().checked_add(idle_in));
        let start = match queue.take(&last, idle_at, &mut batch, &mut done) {
            Taken::Batch => Instant::now(),
            Taken::Nothing => {
                if let Err(error) = sink.idle() {
                    close(queue, &error, &mut done);
                    return;
                }
                continue;
            }
            Taken::Closed => return,
        };
        let result = sink.commit(&batch);
        last = Last {
            lines: batch.len(),
            took: start.elapsed(),
            ended: Some(Instant::now()),
        };
        batch.clear();
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

/// What there was to take.
enum Taken {
    Batch,
    /// Nothing came for so long that the sink has something else to do.
    Nothing,
    /// The store is closed and nothing is left.
    Closed,
}

impl Queue {
    /// Takes the next batch.
    ///
    /// Callers whose batch was just synced are likely to come again. Waiting for them for a part of
    /// the time that a sync takes lets all of them share one, where two halves would take turns.
    fn take(
        &self,
        last: &Last,
        idle_at: Option<Instant>,
        batch: &mut Batch,
        done: &mut Vec<Done>,
    ) -> Taken {
        let mut waiting = self.lock();
        let expected = waiting.batch.len() + last.lines;
        let patience = last.ended.map(|ended| ended + last.took / 2);
        while !waiting.closing && waiting.batch.len() < expected {
            let left = patience.map(|until| until.saturating_duration_since(Instant::now()));
            let Some(left) = left.filter(|left| !left.is_zero()) else {
                break;
            };
            waiting.wanted = expected;
            let woken = self.arrived.wait_timeout(waiting, left);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        while !waiting.closing && waiting.done.is_empty() {
            waiting.wanted = 1;
            waiting = match idle_at.map(|at| at.saturating_duration_since(Instant::now())) {
                Some(left) if left.is_zero() => return Taken::Nothing,
                Some(left) => {
                    let woken = self.arrived.wait_timeout(waiting, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                None => {
                    let woken = self.arrived.wait(waiting);
                    woken.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
        waiting.wanted = 0;
        mem::swap(&mut waiting.batch, batch);
        mem::swap(&mut waiting.done, done);
        match done.is_empty() {
            true => Taken::Closed,
            false => Taken::Batch,
        }
    }
}

fn close(queue: &Queue, error: &StoreError, done: &mut Vec<Done>) {
    let mut waiting = queue.lock();
    waiting.failed = Some(error.clone());
    waiting.batch.clear();
    done.append(&mut waiting.done);
    for waiter in done.drain(..) {
        let _ = waiter.send(Err(error.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, Tool, draft::Draft};

    struct Panics;

    impl Sink for Panics {
        const ALL_OR_NOTHING: bool = false;

        fn commit(&mut self, _: &Batch) -> Result<(), StoreError> {
            panic!("no luck");
        }
    }

    #[tokio::test]
    async fn a_thread_that_panics_leaves_nobody_waiting() {
        let group = GroupCommit::start(Panics, Form::Plain).expect("started");
        let input = Input::new("u", Arc::new(Tool::new("t", None, None)));
        let record = || Draft::undecided(&input).done();
        for _ in 0..3 {
            let answer = group.append(record()).await;
            assert!(matches!(answer, Err(StoreError::Closed(_))), "{answer:?}");
        }
    }
}
