//! Opening an input: decompression by content, byte counting.

use std::{
    fs::{File, Metadata},
    io::{self, Cursor, Read, Seek, SeekFrom},
    path::Path,
    sync::Arc,
    time::UNIX_EPOCH,
};

use crate::{Input, Progress};

/// An open input, decompressed.
pub(crate) struct Stream {
    pub(crate) reader: Box<dyn Read>,
    /// What the file was when it was opened; `None` for standard input.
    pub(crate) stamp: Option<Stamp>,
    /// Whether what is read below the decompression was counted already.
    pub(crate) compressed: bool,
}

/// How a source is compressed, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstandard,
}

impl Compression {
    /// The compression that a file with these first bytes has, if any.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        if head.starts_with(&[0x1f, 0x8b]) {
            return Some(Self::Gzip);
        }
        (head == [0x28, 0xb5, 0x2f, 0xfd]).then_some(Self::Zstandard)
    }

    /// The name, in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstandard => "zstandard",
        }
    }
}

/// What tells whether a file is still the one that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    /// Microseconds since 1970.
    pub(crate) modified: i64,
    /// Device and inode, where the system has them.
    pub(crate) identity: (u64, u64),
}

impl Stamp {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path).map(|metadata| Self::new(&metadata))
    }

    fn new(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since_epoch = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            size: metadata.len(),
            modified: since_epoch.map_or(0, |time| time.as_micros() as i64),
            identity: identity(metadata),
        }
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

impl Stream {
    /// Opens an input at its start.
    pub(crate) fn open(input: &Input, progress: &Arc<Progress>) -> io::Result<Self> {
        match input {
            Input::Stdin => {
                let (reader, compression) = decompressed(io::stdin().lock(), progress)?;
                Ok(Self {
                    reader,
                    stamp: None,
                    compressed: compression.is_some(),
                })
            }
            Input::File(path) => {
                let file = File::open(path)?;
                let stamp = Some(Stamp::new(&file.metadata()?));
                let (reader, compression) = decompressed(file, progress)?;
                Ok(Self {
                    reader,
                    stamp,
                    compressed: compression.is_some(),
                })
            }
        }
    }

    /// Opens a file that is not compressed, past bytes that were checked before.
    pub(crate) fn open_at(path: &Path, offset: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let stamp = Some(Stamp::new(&file.metadata()?));
        file.seek(SeekFrom::Start(offset))?;
        Ok(Self {
            reader: Box::new(file),
            stamp,
            compressed: false,
        })
    }
}

/// Decompresses gzip and Zstandard, whatever the file is called, and says whether it was either.
///
/// What is compressed is counted below the decompression; what is not reaches its buffer as the
/// system reads it, and is counted there.
pub(crate) fn decompressed(
    mut reader: impl Read + 'static,
    progress: &Arc<Progress>,
) -> io::Result<(Box<dyn Read>, Option<Compression>)> {
    let mut magic = Vec::with_capacity(4);
    reader.by_ref().take(4).read_to_end(&mut magic)?;
    let compression = Compression::of(&magic);
    let reader = Cursor::new(magic).chain(reader);
    let reader: Box<dyn Read> = match compression {
        None => Box::new(reader),
        Some(Compression::Gzip) => Box::new(flate2::read::MultiGzDecoder::new(Counted::new(
            reader, progress,
        ))),
        Some(Compression::Zstandard) => {
            Box::new(zstd::Decoder::new(Counted::new(reader, progress))?)
        }
    };
    Ok((reader, compression))
}

/// Counts what is read, before decompression.
struct Counted<R> {
    inner: R,
    progress: Arc<Progress>,
}

impl<R> Counted<R> {
    fn new(inner: R, progress: &Arc<Progress>) -> Self {
        Self {
            inner,
            progress: Arc::clone(progress),
        }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.progress.add_bytes(read as u64);
        Ok(read)
    }
}
