//! The digest by which a finding names its record.

use std::{fmt, str::FromStr};

/// BLAKE3 of an entry's bytes as they were written, without the line terminator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordDigest([u8; 32]);

/// A text that is not 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a record digest: 64 hexadecimal digits are expected")]
pub struct InvalidDigest(String);

impl RecordDigest {
    /// The digest of an entry.
    pub fn of(entry: &[u8]) -> Self {
        Self(*blake3::hash(entry).as_bytes())
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for RecordDigest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for RecordDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(blake3::Hash::from_bytes(self.0).to_hex().as_str())
    }
}

impl fmt::Debug for RecordDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordDigest({self})")
    }
}

impl FromStr for RecordDigest {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        blake3::Hash::from_hex(text)
            .map(|hash| Self(*hash.as_bytes()))
            .map_err(|_| InvalidDigest(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_and_back() {
        let digest = RecordDigest::of(b"{}");
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert!("zz".parse::<RecordDigest>().is_err());
    }
}
