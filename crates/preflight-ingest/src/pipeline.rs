//! The run: one thread reads, some turn chunks into batches, one commits in order.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, Mutex},
    thread,
};

use arrow::buffer::Buffer;
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use preflight_lake::{BatchWriter, Commit, Counts, LakeWriter, PendingBatch};

use crate::{
    IngestError, Input, Notice, Progress, Summary, batch,
    chunk::{Chunk, Finished},
    chunk_size,
    cutter::{Cutter, Limits, Stopped},
    reader::{ReadSummary, Reader, Shared},
    resume::Checked,
};

/// How a run works.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Threads that parse and write; a further one reads.
    pub threads: usize,
    /// A line longer than this many bytes is quarantined with its first 64 KiB.
    pub max_entry_bytes: usize,
}

impl Default for Options {
    /// All processors, 64 MiB.
    fn default() -> Self {
        Self {
            threads: thread::available_parallelism().map_or(1, usize::from),
            max_entry_bytes: 64 * 1024 * 1024,
        }
    }
}

/// Reads inputs into a lake, as often as they grow.
#[derive(Debug, Default)]
pub struct Ingest {
    options: Options,
    progress: Arc<Progress>,
    checked: Mutex<Checked>,
}

impl Ingest {
    /// Prepares runs with the same options.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    /// The counters of the runs.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// Reads what is new in the inputs into the lake.
    ///
    /// Each batch is committed as soon as all before it are, so that a run that is cut short leaves
    /// a prefix of its inputs in the lake, and the same run again adds the rest.
    ///
    /// # Errors
    ///
    /// The lake can't be written. An input that can't be read is in the summary instead.
    pub fn run(
        &self,
        inputs: &[Input],
        writer: &mut LakeWriter,
        notice: &(dyn Fn(Notice) + Sync),
    ) -> Result<Summary, IngestError> {
        let shared = Shared::new(writer.manifest());
        let batches = writer.batches();
        let root = writer.root().to_path_buf();
        let (chunk_sender, chunks) = bounded::<Chunk>(1);
        let (done_sender, done) = bounded::<Done>(self.options.threads);
        let (spare_sender, spares) = unbounded::<Vec<u8>>();
        let outcome = thread::scope(|scope| {
            for _ in 0..self.options.threads.max(1) {
                let worker = Worker {
                    chunks: chunks.clone(),
                    done: done_sender.clone(),
                    spares: spare_sender.clone(),
                    batches: batches.clone(),
                    progress: &self.progress,
                    limit: self.options.max_entry_bytes,
                };
                scope.spawn(move || worker.work());
            }
            drop((chunks, done_sender, spare_sender));
            let shared = &shared;
            let reader = Reader::new(shared, &root, &self.progress, &self.checked, notice);
            let reading = scope.spawn(move || {
                let send = |chunk| chunk_sender.send(chunk).map_err(|_| Stopped);
                let spare = || spares.try_recv().unwrap_or_default();
                let limits = Limits {
                    chunk: chunk_size::for_inputs(inputs, self.options.threads.max(1)),
                    entry: self.options.max_entry_bytes,
                };
                reader.read_all(inputs, &mut Cutter::new(limits, &send, &spare))
            });
            let committed = Committer {
                writer: &mut *writer,
                shared,
                summary: Summary::default(),
            }
            .commit(done);
            shared.stop();
            let read = reading
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let mut summary = committed?;
            let ReadSummary {
                failures,
                unchanged,
            } = read?;
            summary.failures = failures;
            summary.unchanged = unchanged;
            Ok(summary)
        });
        if outcome.is_err() {
            // On a full disk, what was not committed should not stay; its removal may fail as well.
            let _ = writer.clean_up();
        }
        outcome
    }
}

/// What became of a chunk.
struct Done {
    sequence: u64,
    batch: Result<Option<PendingBatch>, IngestError>,
    replaced: Vec<u64>,
    finished: Vec<Finished>,
    newer_schema: u64,
}

/// Turns chunks into batches until there are no more.
struct Worker<'w> {
    chunks: Receiver<Chunk>,
    done: Sender<Done>,
    spares: Sender<Vec<u8>>,
    batches: BatchWriter,
    progress: &'w Progress,
    limit: usize,
}

impl Worker<'_> {
    fn work(self) {
        for mut chunk in &self.chunks {
            let mut done = Done {
                sequence: chunk.sequence,
                batch: Ok(None),
                replaced: std::mem::take(&mut chunk.replaced),
                finished: std::mem::take(&mut chunk.finished),
                newer_schema: 0,
            };
            let buffer = Buffer::from_vec(std::mem::take(&mut chunk.buffer));
            if !chunk.stretches.is_empty() {
                let written = self.write(&chunk, &buffer, &mut done.newer_schema);
                done.batch = written.map(Some);
            }
            if let Ok(mut spare) = buffer.into_vec::<u8>() {
                spare.clear();
                // The reader may be gone already, and the committer stops at the first error.
                let _ = self.spares.send(spare);
            }
            if self.done.send(done).is_err() {
                return;
            }
        }
    }

    fn write(
        &self,
        chunk: &Chunk,
        buffer: &Buffer,
        newer_schema: &mut u64,
    ) -> Result<PendingBatch, IngestError> {
        let id = self.batches.reserve();
        let parsed = batch::parse(chunk, buffer, id, self.limit)?;
        *newer_schema = parsed.newer_schema;
        let counts: Counts = parsed.segments.iter().map(|segment| segment.counts).sum();
        self.progress.add_records(counts.records);
        Ok(self.batches.write(id, parsed.segments, &parsed.tables)?)
    }
}

/// Makes batches part of the lake in the order of their chunks.
struct Committer<'c> {
    writer: &'c mut LakeWriter,
    shared: &'c Shared,
    summary: Summary,
}

impl Committer<'_> {
    fn commit(mut self, done: Receiver<Done>) -> Result<Summary, IngestError> {
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        while let Ok(first) = done.recv() {
            for done in std::iter::once(first).chain(done.try_iter()) {
                waiting.insert(done.sequence, done);
            }
            let mut ready = Vec::new();
            while let Some(done) = waiting.remove(&next) {
                ready.push(done);
                next += 1;
            }
            if !ready.is_empty() {
                self.commit_ready(ready)?;
                self.shared.commit(self.writer.manifest(), next);
            }
        }
        Ok(self.summary)
    }

    fn commit_ready(&mut self, ready: Vec<Done>) -> Result<(), IngestError> {
        let mut commit = Commit::default();
        let mut finished = Vec::new();
        for done in ready {
            let batch = done.batch?;
            let segments = batch.iter().flat_map(PendingBatch::segments);
            for segment in segments {
                self.summary.counts += segment.counts;
            }
            self.summary.newer_schema += done.newer_schema;
            self.take_back(&done.replaced);
            commit.batches.extend(batch);
            commit.replaced.extend(done.replaced);
            finished.extend(done.finished);
        }
        self.mark_finished(finished, &commit);
        commit.sources = self.shared.sources().clone();
        Ok(self.writer.commit(commit)?)
    }

    /// What is read again was counted by an earlier run: this one counts what it adds.
    fn take_back(&mut self, replaced: &[u64]) {
        let batches = self.writer.manifest().batches.iter();
        let replaced = batches.filter(|batch| replaced.contains(&batch.id));
        for segment in replaced.flat_map(|batch| &batch.segments) {
            self.summary.read_again += segment.counts;
        }
    }

    fn mark_finished(&mut self, finished: Vec<Finished>, commit: &Commit) {
        let known = self.writer.manifest().batches.iter();
        let known = known.filter(|batch| !commit.replaced.contains(&batch.id));
        let added = commit.batches.iter().flat_map(PendingBatch::segments);
        let segments = known.flat_map(|batch| &batch.segments).chain(added);
        let open: HashSet<usize> = segments
            .filter(|segment| segment.provisional)
            .map(|segment| segment.source)
            .collect();
        let mut sources = self.shared.sources();
        for finished in finished {
            let source = &mut sources[finished.source];
            source.size = finished.size;
            source.modified = finished.modified;
            // A torn last line is still to be compared with what is in the lake.
            if !open.contains(&finished.source) {
                source.follows.clear();
            }
            self.summary.sources += 1;
        }
    }
}
