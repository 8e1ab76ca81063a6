//! Reading inputs one after another, each from where it was left.

use std::{
    collections::HashSet,
    io::{self, Cursor, Read},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use preflight_lake::{LakeError, Manifest, Source};

use crate::{
    Failure, Input, Notice, Progress,
    chunk::{Finished, KnownDigests},
    cutter::{CutError, Cutter, Framing, Position, Stopped},
    framing,
    resume::{self, Checked, Comparison, Resume},
    stream::{Stamp, Stream},
};

/// What reader and committer share.
pub(crate) struct Shared {
    /// All sources, those that no commit knows yet among them.
    sources: Mutex<Vec<Source>>,
    committed: Mutex<Committed>,
    changed: Condvar,
}

struct Committed {
    manifest: Manifest,
    /// Chunks that are part of the lake.
    chunks: u64,
    stopped: bool,
}

impl Shared {
    pub(crate) fn new(manifest: &Manifest) -> Self {
        let manifest = manifest.clone();
        Self {
            sources: Mutex::new(manifest.sources.clone()),
            committed: Mutex::new(Committed {
                manifest,
                chunks: 0,
                stopped: false,
            }),
            changed: Condvar::new(),
        }
    }

    pub(crate) fn sources(&self) -> MutexGuard<'_, Vec<Source>> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn committed(&self) -> MutexGuard<'_, Committed> {
        self.committed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the reader that the first `chunks` chunks are part of the lake.
    pub(crate) fn commit(&self, manifest: &Manifest, chunks: u64) {
        let mut committed = self.committed();
        committed.manifest = manifest.clone();
        committed.chunks = chunks;
        self.changed.notify_all();
    }

    /// Tells the reader that nothing more will be committed.
    pub(crate) fn stop(&self) {
        self.committed().stopped = true;
        self.changed.notify_all();
    }

    fn wait_for(&self, chunks: u64) -> Result<Manifest, Stopped> {
        let mut committed = self.committed();
        while committed.chunks < chunks {
            if committed.stopped {
                return Err(Stopped);
            }
            let waited = self.changed.wait(committed);
            committed = waited.unwrap_or_else(PoisonError::into_inner);
        }
        Ok(committed.manifest.clone())
    }
}

/// Reads inputs into a cutter.
pub(crate) struct Reader<'r> {
    pub(crate) shared: &'r Shared,
    pub(crate) root: &'r std::path::Path,
    pub(crate) progress: &'r Arc<Progress>,
    pub(crate) checked: &'r Mutex<Checked>,
    pub(crate) notice: &'r (dyn Fn(Notice) + Sync),
    /// Sources that this run has added to.
    touched: HashSet<usize>,
    failures: Vec<Failure>,
    unchanged: u64,
}

/// How an input is read.
enum Plan {
    /// Nothing is new in it.
    Nothing,
    Read {
        stream: Stream,
        position: Position,
        framing: Framing,
    },
}

/// What a run's reader has to tell at its end.
#[derive(Default)]
pub(crate) struct ReadSummary {
    pub(crate) failures: Vec<Failure>,
    pub(crate) unchanged: u64,
}

impl<'r> Reader<'r> {
    pub(crate) fn new(
        shared: &'r Shared,
        root: &'r std::path::Path,
        progress: &'r Arc<Progress>,
        checked: &'r Mutex<Checked>,
        notice: &'r (dyn Fn(Notice) + Sync),
    ) -> Self {
        Self {
            shared,
            root,
            progress,
            checked,
            notice,
            touched: HashSet::new(),
            failures: Vec::new(),
            unchanged: 0,
        }
    }

    /// Reads all inputs; a fault of one does not keep the others from being read.
    pub(crate) fn read_all(
        mut self,
        inputs: &[Input],
        cutter: &mut Cutter<'_>,
    ) -> Result<ReadSummary, LakeError> {
        for input in inputs {
            match self.read_input(input, cutter) {
                Ok(()) => {}
                Err(ReadError::Cut(CutError::Stopped)) => break,
                Err(ReadError::Cut(CutError::Io(error))) => {
                    self.failures.push(Failure {
                        path: input.name(),
                        error,
                    });
                }
                Err(ReadError::Lake(error)) => return Err(error),
            }
        }
        // A stopped pipeline reports its own error.
        let _ = cutter.flush();
        Ok(ReadSummary {
            failures: self.failures,
            unchanged: self.unchanged,
        })
    }

    fn read_input(&mut self, input: &Input, cutter: &mut Cutter<'_>) -> Result<(), ReadError> {
        let plan = match input {
            Input::Stdin => self.plan_stdin(cutter)?,
            Input::File(_) => self.plan_file(input, cutter)?,
        };
        let Plan::Read {
            mut stream,
            mut position,
            framing,
        } = plan
        else {
            return Ok(());
        };
        let source = position.source;
        position.progress = (!stream.compressed).then(|| Arc::clone(self.progress));
        self.touched.insert(source);
        let end = cutter.read(&mut *stream.reader, position, framing)?;
        cutter.finish(Finished {
            source,
            size: stream.stamp.map(|stamp| stamp.size),
            modified: stream.stamp.map(|stamp| stamp.modified),
        });
        if let (Input::File(path), Some(stamp)) = (input, stream.stamp) {
            self.look_again(path, stamp);
            let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
            checked.remember(input, source, stamp, end);
        }
        Ok(())
    }

    /// A file may be replaced while it is read: what was open is whole, but is not there any more.
    fn look_again(&self, path: &std::path::Path, before: Stamp) {
        let path_name = path.display().to_string();
        match Stamp::of(path) {
            Ok(now) if now.identity != before.identity => {
                (self.notice)(Notice::ReplacedWhileRead { path: path_name });
            }
            Ok(now) if now.size < before.size => {
                (self.notice)(Notice::TruncatedWhileRead { path: path_name });
            }
            Ok(_) => {}
            Err(_) => (self.notice)(Notice::ReplacedWhileRead { path: path_name }),
        }
    }

    fn plan_stdin(&mut self, cutter: &mut Cutter<'_>) -> Result<Plan, ReadError> {
        let stream = Stream::open(&Input::Stdin, self.progress)?;
        self.plan_once(&Input::Stdin.name(), stream, cutter)
    }

    /// Standard input and named pipes: what was read can't be read again.
    fn plan_once(
        &mut self,
        path: &str,
        mut stream: Stream,
        cutter: &mut Cutter<'_>,
    ) -> Result<Plan, ReadError> {
        let (opening, head) = resume::opening(&mut *stream.reader)?;
        let candidates = resume::candidates(&self.shared.sources(), path, &opening);
        let is_same = |at: &usize| self.shared.sources()[*at].opening == opening;
        let known: Vec<usize> = candidates.into_iter().filter(is_same).collect();
        let framing = framing::detect(&head, path);
        stream.reader = Box::new(Cursor::new(head).chain(stream.reader));
        let position = self.new_source(path, opening, known, cutter)?;
        Ok(Plan::Read {
            stream,
            position,
            framing,
        })
    }

    fn plan_file(&mut self, input: &Input, cutter: &mut Cutter<'_>) -> Result<Plan, ReadError> {
        let path = input.name();
        let is_file = std::fs::metadata(&path).is_ok_and(|metadata| metadata.is_file());
        let mut stream = Stream::open(input, self.progress)?;
        if !is_file {
            stream.stamp = None;
            return self.plan_once(&path, stream, cutter);
        }
        if self.is_unchanged(&path, stream.stamp) {
            self.unchanged += 1;
            self.progress
                .add_bytes(stream.stamp.map_or(0, |stamp| stamp.size));
            return Ok(Plan::Nothing);
        }
        let (opening, head) = resume::opening(&mut *stream.reader)?;
        let framing = framing::detect(&head, &path);
        let candidates = resume::candidates(&self.shared.sources(), &path, &opening);
        let manifest = self.manifest_with(&candidates, cutter)?;
        let mut shorter = None;
        for candidate in &candidates {
            let finished = self.shared.sources()[*candidate].size.is_some();
            let mut stream = Stream::open(input, &Arc::default())?;
            let checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
            let compared = resume::compare(input, &mut stream, &manifest, *candidate, &checked)?;
            drop(checked);
            match compared {
                // The end of an array can't be moved: one that has changed is read afresh.
                (Comparison::Continues(resume), was_read)
                    if matches!(framing, Framing::Lines)
                        || !finished
                        || was_at_end(&mut stream, was_read)? =>
                {
                    // The first line may have been missing or torn when the source was first read.
                    self.shared.sources()[*candidate].opening = opening;
                    return self.go_on(input, stream, was_read, resume, (framing, head), cutter);
                }
                (Comparison::Shorter, _) => shorter = shorter.or(Some(*candidate)),
                _ => {}
            }
        }
        if let Some(candidate) = shorter {
            let known = resume::known_digests(self.root, &manifest, &[candidate])?;
            if let Some(known) = known
                && resume::holds_nothing_new(input, &known, &Arc::default())?
            {
                self.say_truncated(candidate, &path, stream.stamp, cutter);
                return Ok(Plan::Nothing);
            }
        }
        let position = self.new_source(&path, opening, candidates, cutter)?;
        let stream = Stream::open(input, self.progress)?;
        Ok(Plan::Read {
            stream,
            position,
            framing,
        })
    }

    fn is_unchanged(&self, path: &str, stamp: Option<Stamp>) -> bool {
        let sources = self.shared.sources();
        let source = sources.iter().rev().find(|source| source.path == path);
        source.zip(stamp).is_some_and(|(source, stamp)| {
            source.size == Some(stamp.size) && source.modified == Some(stamp.modified)
        })
    }

    /// The manifest with all that this run has read of some sources.
    fn manifest_with(
        &self,
        sources: &[usize],
        cutter: &mut Cutter<'_>,
    ) -> Result<Manifest, Stopped> {
        let is_touched = sources.iter().any(|source| self.touched.contains(source));
        let chunks = if is_touched { cutter.flush()? } else { 0 };
        self.shared.wait_for(chunks)
    }

    fn go_on(
        &mut self,
        input: &Input,
        mut stream: Stream,
        was_read: bool,
        resume: Resume,
        (framing, head): (Framing, Vec<u8>),
        cutter: &mut Cutter<'_>,
    ) -> Result<Plan, ReadError> {
        let path = input.name();
        let (name, follows) = self.note_alias(resume.source, &path);
        if !was_read && let Input::File(path) = input {
            stream = Stream::open_at(path, resume.offset)?;
        }
        let mut offset = resume.offset;
        if !stream.compressed {
            self.progress.add_bytes(offset);
        }
        if resume.unterminated && resume.replaced.is_empty() {
            offset += skip_line_end(&mut stream)?;
        }
        let framing = match resume.offset {
            0 => framing,
            _ => framing::resume(framing, &head, resume.line),
        };
        for batch in resume.replaced {
            cutter.replace(batch);
        }
        let known = self.known(&follows, cutter)?;
        let position = Position {
            source: resume.source,
            name,
            offset,
            line: resume.line,
            known,
            progress: None,
        };
        Ok(Plan::Read {
            stream,
            position,
            framing,
        })
    }

    /// Takes down that a source's content is also at `path`.
    fn note_alias(&self, source: usize, path: &str) -> (Arc<str>, Vec<usize>) {
        let mut sources = self.shared.sources();
        for (at, other) in sources.iter_mut().enumerate() {
            if at != source {
                other.aliases.retain(|alias| alias != path);
            }
        }
        let source = &mut sources[source];
        if source.path != path && !source.aliases.iter().any(|alias| alias == path) {
            source.aliases.push(path.to_owned());
            (self.notice)(Notice::SameContent {
                path: path.to_owned(),
                source: source.name.clone(),
            });
        }
        (source.name.as_str().into(), source.follows.clone())
    }

    fn say_truncated(
        &self,
        source: usize,
        path: &str,
        stamp: Option<Stamp>,
        cutter: &mut Cutter<'_>,
    ) {
        let name = self.shared.sources()[source].name.clone();
        (self.notice)(Notice::Truncated {
            path: path.to_owned(),
            source: name,
        });
        if self.shared.sources()[source].path == path {
            cutter.finish(Finished {
                source,
                size: stamp.map(|stamp| stamp.size),
                modified: stamp.map(|stamp| stamp.modified),
            });
        }
    }

    /// Adds a source; lines that are in the lake from `follows` are not taken again.
    fn new_source(
        &mut self,
        path: &str,
        opening: String,
        follows: Vec<usize>,
        cutter: &mut Cutter<'_>,
    ) -> Result<Position, ReadError> {
        let known = self.known(&follows, cutter)?;
        let mut sources = self.shared.sources();
        let earlier = sources.iter().filter(|source| source.path == path).count();
        let name = match earlier {
            0 => path.to_owned(),
            _ => format!("{path}@{}", earlier + 1),
        };
        if earlier > 0 && path != Input::Stdin.name() {
            let (path, source) = (path.to_owned(), name.clone());
            (self.notice)(Notice::OtherContent { path, source });
        }
        sources.push(Source {
            name: name.clone(),
            path: path.to_owned(),
            opening,
            size: None,
            modified: None,
            follows,
            aliases: Vec::new(),
        });
        let source = sources.len() - 1;
        Ok(Position {
            source,
            name: name.into(),
            offset: 0,
            line: 1,
            known,
            progress: None,
        })
    }

    fn known(
        &self,
        follows: &[usize],
        cutter: &mut Cutter<'_>,
    ) -> Result<Option<KnownDigests>, ReadError> {
        if follows.is_empty() {
            return Ok(None);
        }
        let manifest = self.manifest_with(follows, cutter)?;
        Ok(resume::known_digests(self.root, &manifest, follows)?)
    }
}

/// Moves past the line end that was missing when the source was read before.
fn skip_line_end(stream: &mut Stream) -> io::Result<u64> {
    let mut next = Vec::new();
    stream.reader.by_ref().take(2).read_to_end(&mut next)?;
    let skipped = match next.as_slice() {
        [b'\r', b'\n'] => 2,
        [b'\n', ..] => 1,
        _ => 0,
    };
    let rest = next.split_off(skipped);
    let reader = std::mem::replace(&mut stream.reader, Box::new(io::empty()));
    stream.reader = Box::new(Cursor::new(rest).chain(reader));
    Ok(skipped as u64)
}

/// Whether nothing follows what was compared.
fn was_at_end(stream: &mut Stream, was_read: bool) -> io::Result<bool> {
    let mut next = Vec::new();
    Ok(was_read && stream.reader.by_ref().take(1).read_to_end(&mut next)? == 0)
}

enum ReadError {
    Cut(CutError),
    Lake(LakeError),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Cut(CutError::Io(error))
    }
}

impl From<Stopped> for ReadError {
    fn from(_: Stopped) -> Self {
        Self::Cut(CutError::Stopped)
    }
}

impl From<CutError> for ReadError {
    fn from(error: CutError) -> Self {
        Self::Cut(error)
    }
}

impl From<LakeError> for ReadError {
    fn from(error: LakeError) -> Self {
        Self::Lake(error)
    }
}
