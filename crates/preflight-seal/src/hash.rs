//! SHA-256, in the hexadecimal spelling that `sha256sum` has.

use std::{fmt, str};

use sha2::{Digest, Sha256};

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hash([u8; 32]);

/// How many digits one has.
pub(crate) const HEX: usize = 64;

impl Hash {
    /// What a log's first record is chained to.
    pub const ZERO: Self = Self([0; 32]);

    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of parts, one after the other.
    pub(crate) fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads 64 lower-case hexadecimal digits.
    pub fn from_hex(digits: &[u8]) -> Option<Self> {
        let (pairs, rest) = digits.as_chunks::<2>();
        let mut bytes = [0; 32];
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return None;
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = nibble(*high)? << 4 | nibble(*low)?;
        }
        Some(Self(bytes))
    }

    /// Appends the 64 digits.
    pub(crate) fn push_hex(&self, text: &mut String) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; HEX];
        for (pair, byte) in hex.as_chunks_mut::<2>().0.iter_mut().zip(self.0) {
            *pair = [
                DIGITS[usize::from(byte >> 4)],
                DIGITS[usize::from(byte & 15)],
            ];
        }
        text.push_str(str::from_utf8(&hex).unwrap_or_default());
    }
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl From<[u8; 32]> for Hash {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl AsRef<[u8]> for Hash {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hex = String::with_capacity(HEX);
        self.push_hex(&mut hex);
        f.write_str(&hex)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_and_back() {
        let hash = Hash::of(b"abc");
        let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash.to_string(), hex);
        assert_eq!(Hash::from_hex(hex.as_bytes()), Some(hash));
        assert_eq!(Hash::from_hex(hex.to_uppercase().as_bytes()), None);
        assert_eq!(Hash::from_hex(&hex.as_bytes()[1..]), None);
        assert_eq!(Hash::of_parts([&b"a"[..], b"bc"]), hash);
    }
}
