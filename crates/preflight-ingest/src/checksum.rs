//! Recognising bytes that were read before, faster than evidence is digested.

use std::io::{self, Read};

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// The checksum of a stretch, in hexadecimal.
pub(crate) fn of(bytes: &[u8]) -> String {
    text(xxh3_128(bytes))
}

/// A checksum of bytes that come in pieces.
#[derive(Default, Clone)]
pub(crate) struct Checksum(Xxh3);

impl Checksum {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(&self) -> String {
        text(self.0.digest128())
    }
}

/// The checksum of the next `length` bytes, or `None` if there are fewer.
pub(crate) fn of_next(reader: &mut dyn Read, length: u64) -> io::Result<Option<String>> {
    let mut checksum = Checksum::default();
    let mut block = vec![0; 256 * 1024];
    let mut left = length;
    while left > 0 {
        let wanted = left.min(block.len() as u64) as usize;
        match reader.read(&mut block[..wanted]) {
            Ok(0) => return Ok(None),
            Ok(read) => {
                checksum.update(&block[..read]);
                left -= read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(checksum.finish()))
}

fn text(checksum: u128) -> String {
    format!("{checksum:032x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_whole_agree() -> io::Result<()> {
        let bytes: Vec<u8> = (0..=255).cycle().take(600_000).collect();
        assert_eq!(of_next(&mut &bytes[..], 600_000)?, Some(of(&bytes)));
        assert_eq!(of_next(&mut &bytes[..], 600_001)?, None);
        Ok(())
    }
}
