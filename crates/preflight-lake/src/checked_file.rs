//! Files whose checksum is taken while they are written.

use std::{
    fs::File,
    io::{self, Read, Write},
    path::Path,
};

use xxhash_rust::xxh3::Xxh3;

/// A file that is written once, from its start.
pub(crate) struct CheckedFile {
    file: File,
    checksum: Xxh3,
    bytes: u64,
}

/// What was written.
pub(crate) struct Written {
    pub(crate) bytes: u64,
    /// XXH3-128, in hexadecimal.
    pub(crate) checksum: String,
}

impl CheckedFile {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: File::create(path)?,
            checksum: Xxh3::new(),
            bytes: 0,
        })
    }

    pub(crate) fn written(&self) -> Written {
        Written {
            bytes: self.bytes,
            checksum: text(&self.checksum),
        }
    }
}

impl Write for CheckedFile {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.file.write(buffer)?;
        self.checksum.update(&buffer[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The checksum of a file as it is now.
pub(crate) fn checksum_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut checksum = Xxh3::new();
    let mut block = vec![0; 256 * 1024];
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(text(&checksum)),
            Ok(read) => checksum.update(&block[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn text(checksum: &Xxh3) -> String {
    format!("{:032x}", checksum.digest128())
}
