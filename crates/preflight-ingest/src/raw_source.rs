//! A source's bytes again, by the places that ingest took down.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
    sync::Arc,
};

use crate::{Compression, Progress, stream};

/// A source whose bytes are read by their offset, which counts decompressed bytes.
///
/// ```
/// use preflight_ingest::RawSource;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("agent.jsonl");
/// std::fs::write(&path, "first\nsecond\n")?;
/// let mut source = RawSource::open(&path)?;
/// assert_eq!(source.read_at(6, 6)?, b"second");
/// assert_eq!(source.read_at(12, 100)?, b"\n", "what is there");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct RawSource {
    bytes: Bytes,
    compression: Option<Compression>,
}

enum Bytes {
    /// A file as it is.
    Plain(File),
    /// A compressed one can only be read forwards: the bytes so far, and the rest.
    Decompressed(u64, Box<dyn Read>),
}

impl RawSource {
    /// Opens a regular file, compressed or not.
    ///
    /// # Errors
    ///
    /// There is no such file, or it can't be read, or it is a pipe or a device.
    pub fn open(path: &Path) -> io::Result<Self> {
        // A pipe would be waited for before it can be looked at.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let (reader, compression) =
            stream::decompressed(File::open(path)?, &Arc::<Progress>::default())?;
        let bytes = match compression {
            None => Bytes::Plain(File::open(path)?),
            Some(_) => Bytes::Decompressed(0, reader),
        };
        Ok(Self { bytes, compression })
    }

    /// How the file is compressed.
    pub fn compression(&self) -> Option<Compression> {
        self.compression
    }

    /// The bytes from `offset` on, at most `length` of them; fewer where the source ends.
    ///
    /// Of a compressed source, each call must ask for bytes behind those of the one before.
    ///
    /// # Errors
    ///
    /// The file can't be read, or its compression is damaged before the end of the stretch.
    pub fn read_at(&mut self, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let mut found = Vec::new();
        match &mut self.bytes {
            Bytes::Plain(file) => {
                file.seek(SeekFrom::Start(offset))?;
                file.take(length).read_to_end(&mut found)?;
            }
            Bytes::Decompressed(position, reader) => {
                let skip = offset.checked_sub(*position);
                let skip =
                    skip.ok_or_else(|| io::Error::other("bytes were asked for backwards"))?;
                *position += io::copy(&mut reader.by_ref().take(skip), &mut io::sink())?;
                *position += reader.take(length).read_to_end(&mut found)? as u64;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn compressed_bytes_are_read_forwards() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a");
        let mut gzip = flate2::write::GzEncoder::new(File::create(&path)?, Default::default());
        gzip.write_all(b"0123456789")?;
        gzip.finish()?;
        let mut source = RawSource::open(&path)?;
        assert_eq!(source.compression(), Some(Compression::Gzip));
        assert_eq!(source.read_at(2, 3)?, b"234");
        assert_eq!(source.read_at(5, 2)?, b"56");
        assert!(source.read_at(1, 1).is_err());
        assert_eq!(source.read_at(8, 5)?, b"89");
        assert_eq!(source.read_at(50, 5)?, b"");

        std::fs::write(&path, zstd::encode_all(&b"0123456789"[..], 1)?)?;
        let mut source = RawSource::open(&path)?;
        assert_eq!(source.compression(), Some(Compression::Zstandard));
        assert_eq!(source.read_at(9, 3)?, b"9");
        assert!(RawSource::open(folder.path()).is_err());
        Ok(())
    }
}
