//! A log's file, decompressed.

use std::{
    cell::Cell,
    fmt,
    fs::File,
    io::{self, Cursor, Read},
    path::Path,
    rc::Rc,
    sync::atomic::{AtomicU64, Ordering},
};

/// What is wrong with a file's compression. What stands before it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Damage {
    /// It ends too early.
    Cut,
    /// It is not what the compressor wrote.
    Altered,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cut => "the compressed file is cut off: nothing after this can be read",
            Self::Altered => "the compressed file is damaged: nothing after this can be read",
        })
    }
}

/// The bytes of a file, decompressed where its first bytes say gzip or Zstandard.
pub(crate) struct Source<'s> {
    bytes: Box<dyn Read + 's>,
    compressed: bool,
    /// Whether reading failed below the decompression: that is no damage of the content.
    failed: Rc<Cell<bool>>,
    damage: Option<Damage>,
}

impl<'s> Source<'s> {
    /// Opens a file; `read` counts its bytes as they stand on the disk.
    pub(crate) fn open(path: &Path, read: &'s AtomicU64) -> io::Result<Self> {
        Self::of(File::open(path)?, read)
    }

    /// The same of anything that can be read.
    pub(crate) fn of(bytes: impl Read + 's, read: &'s AtomicU64) -> io::Result<Self> {
        let failed = Rc::<Cell<bool>>::default();
        let mut counted = Counted {
            bytes,
            read,
            failed: Rc::clone(&failed),
        };
        let mut head = Vec::with_capacity(MAGIC);
        counted.by_ref().take(MAGIC as u64).read_to_end(&mut head)?;
        let compression = Compression::of(&head);
        let whole = Cursor::new(head).chain(counted);
        Ok(Self {
            bytes: match compression {
                None => Box::new(whole),
                Some(compression) => decompressed(compression, whole)?,
            },
            compressed: compression.is_some(),
            failed,
            damage: None,
        })
    }

    /// What was found to be wrong with the compression so far.
    pub(crate) fn damage(&self) -> Option<Damage> {
        self.damage
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.damage.is_some() {
            return Ok(0);
        }
        match self.bytes.read(buffer) {
            Err(error)
                if self.compressed
                    && !self.failed.get()
                    && error.kind() != io::ErrorKind::Interrupted =>
            {
                self.damage = Some(match error.kind() {
                    io::ErrorKind::UnexpectedEof => Damage::Cut,
                    _ => Damage::Altered,
                });
                Ok(0)
            }
            read => read,
        }
    }
}

const MAGIC: usize = 4;

#[derive(Debug, Clone, Copy)]
enum Compression {
    Gzip,
    Zstandard,
}

impl Compression {
    fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd] => Some(Self::Zstandard),
            _ => None,
        }
    }
}

#[cfg(feature = "compression")]
fn decompressed<'s>(
    compression: Compression,
    bytes: impl Read + 's,
) -> io::Result<Box<dyn Read + 's>> {
    Ok(match compression {
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(io::BufReader::new(bytes))),
        Compression::Zstandard => Box::new(zstd::Decoder::new(bytes)?),
    })
}

#[cfg(not(feature = "compression"))]
fn decompressed<'s>(compression: Compression, _: impl Read + 's) -> io::Result<Box<dyn Read + 's>> {
    let detail = format!("{compression:?}: preflight-seal was built without `compression`");
    Err(io::Error::new(io::ErrorKind::Unsupported, detail))
}

/// Counts what is read, and notes that reading failed.
struct Counted<'s, R> {
    bytes: R,
    read: &'s AtomicU64,
    failed: Rc<Cell<bool>>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer);
        match &read {
            Ok(count) => {
                self.read.fetch_add(*count as u64, Ordering::Relaxed);
            }
            Err(error) => self.failed.set(error.kind() != io::ErrorKind::Interrupted),
        }
        read
    }
}

#[cfg(all(test, feature = "compression"))]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(bytes).expect("compressed");
        gzip.finish().expect("compressed")
    }

    fn read(bytes: &[u8]) -> (Vec<u8>, Option<Damage>, u64) {
        let count = AtomicU64::new(0);
        let mut source = Source::of(bytes, &count).expect("readable");
        let mut found = Vec::new();
        source.read_to_end(&mut found).expect("no error");
        let damage = source.damage();
        (found, damage, count.load(Ordering::Relaxed))
    }

    #[test]
    fn content_comes_out_whatever_the_compression_and_damage_is_named() {
        let text = b"one line\nanother\n".repeat(10_000);
        let size = text.len() as u64;
        assert_eq!(read(&text), (text.clone(), None, size));
        let zstandard = zstd::encode_all(&*text, 1).expect("compressed");
        for compressed in [
            gzip(&text),
            zstandard,
            [gzip(&text[..9]), gzip(&text[9..])].concat(),
        ] {
            let size = compressed.len() as u64;
            assert_eq!(read(&compressed), (text.clone(), None, size));
            let (some, damage, _) = read(&compressed[..compressed.len() - 5]);
            assert!(text.starts_with(&some));
            assert_eq!(damage, Some(Damage::Cut));
            let mut altered = compressed.clone();
            altered[compressed.len() / 2] ^= 0x55;
            // Without a checksum in it, altered text may come out: that is for the seals to find.
            let (found, damage, _) = read(&altered);
            assert!(damage.is_some() || found != text);
        }
        assert_eq!(read(&[]), (Vec::new(), None, 0));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error_and_no_damage() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("no disk"))
            }
        }
        let compressed = gzip(&b"text".repeat(100));
        let count = AtomicU64::new(0);
        let half = compressed[..20].chain(Failing);
        let mut source = Source::of(half, &count).expect("its head is there");
        assert!(source.read_to_end(&mut Vec::new()).is_err());
        assert_eq!(source.damage(), None);
    }
}
