//! The lines of a file of any size, with their places.

use std::io::{self, Read};

use crate::source::{Damage, Source};

/// How long a line can be; what goes beyond is no record.
const LONGEST: usize = 64 << 20;
const CHUNK: usize = 1 << 20;

/// Reads a file line by line.
pub(crate) struct Lines<'s> {
    file: Source<'s>,
    buffer: Vec<u8>,
    /// What of the buffer is not given out yet.
    start: usize,
    filled: usize,
    offset: u64,
    number: u64,
    ended: bool,
}

/// One line.
pub(crate) struct Line<'a> {
    /// Its bytes, without the line break; those of a line that is too long are cut short.
    pub(crate) bytes: &'a [u8],
    /// Its number, from 1.
    pub(crate) number: u64,
    /// Where it begins.
    pub(crate) offset: u64,
    /// Whether it has its line break.
    pub(crate) ended: bool,
}

impl<'s> Lines<'s> {
    pub(crate) fn new(file: Source<'s>) -> Self {
        Self {
            file,
            buffer: vec![0; CHUNK],
            start: 0,
            filled: 0,
            offset: 0,
            number: 0,
            ended: false,
        }
    }

    /// The next line; `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let mut searched = self.start;
        let (end, ended) = loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[searched..self.filled]) {
                break (searched + at, true);
            }
            if self.ended || self.filled - self.start >= LONGEST {
                break (self.filled, false);
            }
            searched = self.filled - self.start;
            self.fill()?;
        };
        // Where compression breaks off, what is left is no line.
        if !ended && (end == self.start || self.file.damage().is_some()) {
            return Ok(None);
        }
        let (start, offset) = (self.start, self.offset);
        self.start = end + usize::from(ended);
        self.offset += (self.start - start) as u64;
        self.number += 1;
        // The rest of a line that is too long is a line of its own, and no record either.
        Ok(Some(Line {
            bytes: &self.buffer[start..end],
            number: self.number,
            offset,
            ended: ended || !self.ended,
        }))
    }

    /// What is wrong with the file's compression, and the line and byte up to which it was read.
    pub(crate) fn damage(&self) -> Option<(Damage, u64, u64)> {
        let damage = self.file.damage()?;
        Some((damage, self.number + 1, self.offset))
    }

    /// Moves what is left to the front and reads on.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        if self.buffer.len() - self.filled < CHUNK / 2 {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            match self.file.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn lines_have_numbers_and_places_across_chunks() {
        let long = "x".repeat(3 * CHUNK);
        let text = format!("a\n\n{long}\nlast");
        let read = AtomicU64::new(0);
        let mut lines = Lines::new(Source::of(text.as_bytes(), &read).expect("readable"));
        let mut seen = Vec::new();
        while let Some(line) = lines.next().expect("readable") {
            assert!(text.as_bytes()[line.offset as usize..].starts_with(line.bytes));
            seen.push((line.number, line.offset, line.bytes.len(), line.ended));
        }
        let after = 3 + long.len() as u64 + 1;
        assert_eq!(
            seen,
            [
                (1, 0, 1, true),
                (2, 2, 0, true),
                (3, 3, long.len(), true),
                (4, after, 4, false)
            ]
        );
    }
}
