//! The key of a mask.

use std::{fmt, fs::File, io::Read, path::Path};

use crate::EvidenceError;

/// What is digested to tell whether a key is the right one.
const CHECK: &[u8] = b"preflight evidence key check";
/// What stands in front of a masked value's digest.
const MARKER: &str = "blake3-keyed:";

/// 32 bytes that only those hold who may compare masked values with others.
#[derive(Clone, PartialEq, Eq)]
pub struct MaskKey([u8; 32]);

impl MaskKey {
    /// A key from its bytes.
    pub const fn of(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads a key: a file of 32 bytes, or of 64 hexadecimal digits and a line end.
    ///
    /// # Errors
    ///
    /// The file can't be read, or holds something else.
    pub fn read(path: &Path) -> Result<Self, EvidenceError> {
        let fault = |reason: String| EvidenceError::Key {
            path: path.to_path_buf(),
            reason,
        };
        let make = "; a new key: head -c 32 /dev/urandom > FILE";
        let file = File::open(path).map_err(|error| fault(format!("{error}{make}")))?;
        let mut bytes = Vec::new();
        file.take(4096)
            .read_to_end(&mut bytes)
            .map_err(EvidenceError::io(path))?;
        if let Ok(key) = <[u8; 32]>::try_from(&*bytes) {
            return Ok(Self(key));
        }
        let key = blake3::Hash::from_hex(bytes.trim_ascii_end());
        key.map(|key| Self(*key.as_bytes()))
            .map_err(|_| fault(format!("a key is 32 bytes or 64 hexadecimal digits{make}")))
    }

    /// The keyed digest of a text, in hexadecimal.
    pub(crate) fn digest(&self, text: &str) -> String {
        let digest = blake3::keyed_hash(&self.0, text.as_bytes());
        digest.to_hex().to_string()
    }

    /// What stands in place of a value with this JSON text.
    pub(crate) fn marker(&self, json: &str) -> String {
        format!("{MARKER}{}", self.digest(json))
    }

    /// What tells whether a key is the one of a case, and gives nothing away.
    pub(crate) fn check(&self) -> String {
        let digest = blake3::keyed_hash(&self.0, CHECK);
        digest.to_hex()[..16].to_owned()
    }
}

/// A key is never printed.
impl fmt::Debug for MaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MaskKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_bytes_or_digits() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("key");
        let read =
            |content: &[u8]| std::fs::write(&path, content).map(|()| MaskKey::read(&path).ok());
        assert_eq!(read(&[7; 32])?, Some(MaskKey([7; 32])));
        assert_eq!(read("07".repeat(32).as_bytes())?, Some(MaskKey([7; 32])));
        assert_eq!(
            read(format!("{}\n", "07".repeat(32)).as_bytes())?,
            Some(MaskKey([7; 32]))
        );
        assert_eq!(read(b"secret")?, None);
        assert_eq!(read(&[7; 33])?, None);
        assert_eq!(format!("{:?}", MaskKey([7; 32])), "MaskKey");
        Ok(())
    }
}
