//! An entry past the length limit: digested as it goes by, its head alone kept.

use std::io;

use crate::{batch::HEAD, checksum::Checksum, chunk::TooLong};

/// How many times the limit an entry may have before its end is given up: what goes on for longer
/// is no log, but a device or a fault that would be read for ever.
const PATIENCE: u64 = 32;

/// What was seen of an entry that goes on.
#[derive(Default)]
pub(crate) struct LongEntry {
    digest: blake3::Hasher,
    checksum: Checksum,
    length: u64,
    consumed: u64,
    /// White space that is part of the entry only if more of it follows.
    held: Vec<u8>,
    pub(crate) head: Vec<u8>,
}

impl LongEntry {
    /// Adds bytes of the entry, white space at the end of it too.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.checksum.update(bytes);
        self.consumed += bytes.len() as u64;
        let held = std::mem::take(&mut self.held);
        self.entry(&held);
        self.entry(bytes);
    }

    /// Adds bytes of the entry; white space that ends it is not counted.
    pub(crate) fn add_trimmed(&mut self, bytes: &[u8]) {
        self.checksum.update(bytes);
        self.consumed += bytes.len() as u64;
        let (inner, blank) = bytes.split_at(bytes.trim_ascii_end().len());
        if !inner.is_empty() {
            let held = std::mem::take(&mut self.held);
            self.entry(&held);
            self.entry(inner);
        }
        self.held.extend_from_slice(blank);
    }

    /// Adds what stands between this entry and the next one.
    pub(crate) fn add_separator(&mut self, bytes: &[u8]) {
        self.checksum.update(bytes);
        self.consumed += bytes.len() as u64;
    }

    fn entry(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
        self.length += bytes.len() as u64;
        let wanted = HEAD - self.head.len();
        self.head
            .extend_from_slice(&bytes[..wanted.min(bytes.len())]);
    }

    /// An error once the entry is so long that its end is not waited for.
    pub(crate) fn check(&self, line: u64, limit: usize) -> io::Result<()> {
        let most = PATIENCE * limit as u64;
        if self.consumed <= most {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "what starts on line {line} has not ended after {} MiB: this is no log of decision records; \
             --max-line sets what is taken for a line",
            most / (1024 * 1024)
        )))
    }

    pub(crate) fn finish(self) -> (Vec<u8>, TooLong) {
        let too_long = TooLong {
            length: self.length,
            digest: *self.digest.finalize().as_bytes(),
            consumed: self.consumed,
            checksum: self.checksum.finish(),
        };
        (self.head, too_long)
    }
}
