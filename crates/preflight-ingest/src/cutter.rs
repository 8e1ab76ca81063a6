//! Cutting a stream into chunks of whole entries.

use std::{
    io::{self, Read},
    sync::Arc,
};

use memchr::{memchr, memchr_iter, memrchr};
use preflight_record::Entry;

use crate::{
    Progress,
    chunk::{Chunk, Entries, Finished, KnownDigests, Stretch, Value},
    long_entry::LongEntry,
    values::{Found, ValueScanner},
};

/// How much is read at once where no buffer is filled.
const BLOCK: usize = 1024 * 1024;

/// Sizes of chunks and entries, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// A chunk is handed on when it is this large.
    pub(crate) chunk: usize,
    /// A line longer than this is quarantined.
    pub(crate) entry: usize,
}

/// Where a source is read from, and under which name.
pub(crate) struct Position {
    pub(crate) source: usize,
    pub(crate) name: Arc<str>,
    pub(crate) offset: u64,
    pub(crate) line: u64,
    pub(crate) known: Option<KnownDigests>,
    /// Where the bytes that are read are counted, if they were not yet.
    pub(crate) progress: Option<Arc<Progress>>,
}

/// How entries follow one another in a source.
pub(crate) enum Framing {
    Lines,
    /// With the bytes in front of the first value, an array's bracket among them.
    Values(ValueScanner, usize),
}

/// The pipeline has stopped; its own error says why.
#[derive(Debug)]
pub(crate) struct Stopped;

/// Why a source was not read to its end.
#[derive(Debug)]
pub(crate) enum CutError {
    Io(io::Error),
    Stopped,
}

impl From<io::Error> for CutError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Stopped> for CutError {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// Fills chunks from one source after another and hands them on.
pub(crate) struct Cutter<'p> {
    limits: Limits,
    chunk: Chunk,
    progress: Option<Arc<Progress>>,
    next_sequence: u64,
    send: &'p dyn Fn(Chunk) -> Result<(), Stopped>,
    spare: &'p dyn Fn() -> Vec<u8>,
}

impl<'p> Cutter<'p> {
    pub(crate) fn new(
        limits: Limits,
        send: &'p dyn Fn(Chunk) -> Result<(), Stopped>,
        spare: &'p dyn Fn() -> Vec<u8>,
    ) -> Self {
        Self {
            limits,
            chunk: Chunk::default(),
            progress: None,
            next_sequence: 0,
            send,
            spare,
        }
    }

    /// Says that a batch's stretch is read again.
    pub(crate) fn replace(&mut self, batch: u64) {
        self.chunk.replaced.push(batch);
    }

    /// Says that a source has come to its end.
    pub(crate) fn finish(&mut self, finished: Finished) {
        self.chunk.finished.push(finished);
    }

    /// Hands on what was gathered, and returns the number of chunks so far.
    pub(crate) fn flush(&mut self) -> Result<u64, Stopped> {
        if !self.chunk.is_empty() {
            let mut chunk = std::mem::take(&mut self.chunk);
            chunk.sequence = self.next_sequence;
            self.next_sequence += 1;
            (self.send)(chunk)?;
            self.chunk.buffer = (self.spare)();
        }
        Ok(self.next_sequence)
    }

    /// Reads a source to its end, and returns the offset of that.
    pub(crate) fn read(
        &mut self,
        reader: &mut dyn Read,
        position: Position,
        framing: Framing,
    ) -> Result<u64, CutError> {
        self.progress.clone_from(&position.progress);
        match framing {
            Framing::Lines => self.read_lines(reader, position),
            Framing::Values(scanner, skip) => self.read_values(reader, position, scanner, skip),
        }
    }

    /// Fills the chunk's buffer up to `size` bytes; `false` at the end of the source.
    fn fill(&mut self, reader: &mut dyn Read, size: usize) -> io::Result<bool> {
        let buffer = &mut self.chunk.buffer;
        let wanted = size.saturating_sub(buffer.len());
        if buffer.capacity() < size {
            buffer.reserve_exact(wanted);
        }
        let before = buffer.len();
        let read = reader.take(wanted as u64).read_to_end(buffer);
        if let Some(progress) = &self.progress {
            progress.add_bytes((buffer.len() - before) as u64);
        }
        let read = read?;
        Ok(read == wanted)
    }

    fn read_lines(
        &mut self,
        reader: &mut dyn Read,
        mut position: Position,
    ) -> Result<u64, CutError> {
        let mut from = self.chunk.buffer.len();
        let mut size = self.limits.chunk.max(from + BLOCK.min(self.limits.chunk));
        loop {
            match self.fill(reader, size) {
                Ok(true) => {}
                Ok(false) => {
                    self.last_lines(&mut position, from)?;
                    return Ok(position.offset);
                }
                Err(error) => {
                    // What was whole before the fault is kept.
                    let whole = memrchr(b'\n', &self.chunk.buffer[from..]);
                    self.chunk
                        .buffer
                        .truncate(whole.map_or(from, |at| from + at + 1));
                    self.add_lines(&mut position, from);
                    return Err(error.into());
                }
            }
            match memrchr(b'\n', &self.chunk.buffer[from..]) {
                Some(at) => {
                    let cut = from + at + 1;
                    let rest = self.chunk.buffer[cut..].to_vec();
                    self.chunk.buffer.truncate(cut);
                    self.add_lines(&mut position, from);
                    self.flush()?;
                    self.chunk.buffer.extend_from_slice(&rest);
                    from = 0;
                    size = self
                        .limits
                        .chunk
                        .max(rest.len() + BLOCK.min(self.limits.chunk));
                }
                None if self.chunk.buffer.len() - from > self.limits.entry => {
                    self.skip_line(reader, &mut position, from)?;
                    from = 0;
                    let rest = self.chunk.buffer.len();
                    size = self.limits.chunk.max(rest + BLOCK.min(self.limits.chunk));
                }
                None => size += self.limits.chunk,
            }
        }
    }

    /// Adds the complete lines from `from` to the end of the buffer as one stretch.
    fn add_lines(&mut self, position: &mut Position, from: usize) {
        let range = from..self.chunk.buffer.len();
        if range.is_empty() {
            return;
        }
        let bytes = &self.chunk.buffer[range.clone()];
        let lines = memchr_iter(b'\n', bytes).count() as u64;
        let unterminated = !bytes.ends_with(b"\n");
        let length = bytes.len() as u64;
        self.chunk.stretches.push(Stretch {
            source: position.source,
            name: Arc::clone(&position.name),
            range,
            start: position.offset,
            first_line: position.line,
            next_line: position.line + lines + u64::from(unterminated),
            entries: Entries::Lines,
            unterminated,
            provisional: false,
            known: position.known.clone(),
        });
        position.offset += length;
        position.line += lines + u64::from(unterminated);
    }

    /// Ends a source. A last line without a line end that is no record may still be completed by
    /// its writer: it gets a batch of its own, to be taken back when the source has grown.
    fn last_lines(&mut self, position: &mut Position, from: usize) -> Result<(), Stopped> {
        let tail = memrchr(b'\n', &self.chunk.buffer[from..]).map_or(from, |at| from + at + 1);
        let line = &self.chunk.buffer[tail..];
        if line.is_empty() || Entry::parse(line).is_ok() {
            self.add_lines(position, from);
            return self.flush_when_half_full();
        }
        let rest = self.chunk.buffer.split_off(tail);
        self.add_lines(position, from);
        self.flush()?;
        self.chunk.buffer.extend_from_slice(&rest);
        self.add_lines(position, 0);
        if let Some(stretch) = self.chunk.stretches.last_mut() {
            stretch.provisional = true;
        }
        self.flush().map(drop)
    }

    /// Sources smaller than a chunk share one.
    fn flush_when_half_full(&mut self) -> Result<(), Stopped> {
        if self.chunk.buffer.len() >= self.limits.chunk / 2 {
            self.flush()?;
        }
        Ok(())
    }

    /// Reads on to the end of a line that is past the limit, keeping its head alone.
    fn skip_line(
        &mut self,
        reader: &mut dyn Read,
        position: &mut Position,
        from: usize,
    ) -> Result<(), CutError> {
        let mut long = LongEntry::default();
        let mut block = self.chunk.buffer.split_off(from);
        let (rest, unterminated) = loop {
            if let Some(at) = memchr(b'\n', &block) {
                long.add(&block[..at]);
                long.add_separator(b"\n");
                break (block.split_off(at + 1), false);
            }
            long.add(&block);
            long.check(position.line, self.limits.entry)?;
            if !self.next_block(reader, &mut block)? {
                break (Vec::new(), true);
            }
        };
        let next_line = position.line + 1;
        self.add_too_long(position, long, next_line, unterminated)?;
        self.chunk.buffer.extend_from_slice(&rest);
        Ok(())
    }

    /// Replaces a block by the next one; `false` at the end of the source.
    fn next_block(&self, reader: &mut dyn Read, block: &mut Vec<u8>) -> io::Result<bool> {
        block.clear();
        let read = reader.take(BLOCK as u64).read_to_end(block)?;
        if let Some(progress) = &self.progress {
            progress.add_bytes(read as u64);
        }
        Ok(read > 0)
    }

    /// Hands on what was gathered, then an entry past the limit as a chunk of its own.
    fn add_too_long(
        &mut self,
        position: &mut Position,
        long: LongEntry,
        next_line: u64,
        unterminated: bool,
    ) -> Result<(), Stopped> {
        let (head, too_long) = long.finish();
        let consumed = too_long.consumed;
        self.flush()?;
        self.chunk.buffer.extend_from_slice(&head);
        self.chunk.stretches.push(Stretch {
            source: position.source,
            name: Arc::clone(&position.name),
            range: 0..head.len(),
            start: position.offset,
            first_line: position.line,
            next_line,
            unterminated,
            provisional: unterminated,
            known: position.known.clone(),
            entries: Entries::TooLong(too_long),
        });
        position.offset += consumed;
        position.line = next_line;
        self.flush().map(drop)
    }

    fn read_values(
        &mut self,
        reader: &mut dyn Read,
        mut position: Position,
        mut scanner: ValueScanner,
        mut skip: usize,
    ) -> Result<u64, CutError> {
        self.flush()?;
        let mut pending = Pending::default();
        loop {
            let scanned = self.chunk.buffer.len();
            let filled = self.fill(reader, scanned.max(self.limits.chunk / 2) + BLOCK);
            let from = scanned + std::mem::take(&mut skip);
            scanner.scan(&self.chunk.buffer, from, |found| pending.add(found));
            let more = match filled {
                Ok(more) => more,
                Err(error) => {
                    // What was whole before the fault is kept.
                    self.chunk.buffer.truncate(pending.end);
                    self.add_values(&mut position, pending);
                    return Err(error.into());
                }
            };
            if !more {
                if let Some(found) = scanner.finish(self.chunk.buffer.len()) {
                    pending.add(found);
                }
                pending.end = self.chunk.buffer.len();
                pending.end_line = scanner.line();
                self.add_values(&mut position, pending);
                self.flush()?;
                return Ok(position.offset);
            }
            let open = scanner
                .open()
                .filter(|(start, _)| self.chunk.buffer.len() - start > self.limits.entry);
            if let Some((start, line)) = open {
                // The blanks in front of the value belong to what is before it.
                pending.end = start;
                pending.end_line = line;
                let long = self.chunk.buffer.split_off(start);
                scanner.shift(start);
                self.add_values(&mut position, std::mem::take(&mut pending));
                if !self.skip_value(reader, &mut position, &mut scanner, long, &mut pending)? {
                    pending.end = self.chunk.buffer.len();
                    pending.end_line = scanner.line();
                    self.add_values(&mut position, pending);
                    self.flush()?;
                    return Ok(position.offset);
                }
                continue;
            }
            if self.chunk.buffer.len() >= self.limits.chunk / 2 && pending.end > 0 {
                let rest = self.chunk.buffer.split_off(pending.end);
                scanner.shift(pending.end);
                self.add_values(&mut position, std::mem::take(&mut pending));
                self.flush()?;
                self.chunk.buffer.extend_from_slice(&rest);
            }
        }
    }

    /// Reads on to the end of a value that is past the limit, of which `block` holds the beginning,
    /// keeping its head alone. What follows it is left in the buffer, and the values in that in
    /// `pending`. Returns `false` at the end of the source.
    fn skip_value(
        &mut self,
        reader: &mut dyn Read,
        position: &mut Position,
        scanner: &mut ValueScanner,
        mut block: Vec<u8>,
        pending: &mut Pending,
    ) -> Result<bool, CutError> {
        let mut long = LongEntry::default();
        let mut found = Vec::new();
        let mut goes_on = true;
        while found.is_empty() {
            long.add_trimmed(&block);
            long.check(position.line, self.limits.entry)?;
            goes_on = self.next_block(reader, &mut block)?;
            scanner.restart();
            scanner.scan(&block, 0, |value| found.push(value));
            if !goes_on {
                found.extend(scanner.finish(block.len()));
            }
        }
        let mut found = found.into_iter();
        let end = found.next().map_or((0, 0, scanner.line()), |end| {
            (end.range.end, end.next, end.next_line)
        });
        let (inner, next, next_line) = end;
        long.add_trimmed(&block[..inner]);
        long.add_separator(&block[inner..next]);
        self.add_too_long(position, long, next_line, false)?;
        scanner.shift(next);
        self.chunk.buffer.extend_from_slice(&block[next..]);
        found.for_each(|value| pending.add(value.shifted(next)));
        Ok(goes_on)
    }

    fn add_values(&mut self, position: &mut Position, pending: Pending) {
        if pending.end == 0 {
            return;
        }
        self.chunk.stretches.push(Stretch {
            source: position.source,
            name: Arc::clone(&position.name),
            range: 0..pending.end,
            start: position.offset,
            first_line: position.line,
            next_line: pending.end_line,
            entries: Entries::Values(pending.values),
            unterminated: false,
            provisional: false,
            known: position.known.clone(),
        });
        position.offset += pending.end as u64;
        position.line = pending.end_line;
    }
}

/// Values that were found since the last chunk.
#[derive(Default)]
struct Pending {
    values: Vec<Value>,
    end: usize,
    end_line: u64,
}

impl Pending {
    fn add(&mut self, found: Found) {
        self.values.push(Value {
            range: found.range,
            line: found.line,
        });
        self.end = found.next.max(self.end);
        self.end_line = found.next_line;
    }
}
