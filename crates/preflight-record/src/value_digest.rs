//! The digest by which a value is recognised in another record.

use std::fmt;

use crate::{CanonicalJson, Rejection};

/// What separates these digests from those of records: BLAKE3's key derivation context.
const CONTEXT: &str = "preflight-audit value digest v1";

/// BLAKE3 of a value's canonical text, in a domain of its own.
///
/// Equal values have equal digests, however they are spelled. `b3sum --derive-key "preflight-audit
/// value digest v1"` computes the same over [`CanonicalJson`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueDigest([u8; 32]);

impl ValueDigest {
    /// The digest of a value, given as JSON.
    ///
    /// # Errors
    ///
    /// The text is not one JSON value that this crate's reader accepts.
    ///
    /// ```
    /// use preflight_record::ValueDigest;
    ///
    /// let digest = ValueDigest::of("120.0")?;
    /// assert_eq!(digest, ValueDigest::of("1.2e2")?);
    /// assert_ne!(digest, ValueDigest::of("\"120\"")?);
    /// # Ok::<(), Box<preflight_record::Rejection>>(())
    /// ```
    pub fn of(json: &str) -> Result<Self, Box<Rejection>> {
        let canonical = CanonicalJson::of(json)?;
        let digest = blake3::derive_key(CONTEXT, canonical.as_str().as_bytes());
        Ok(Self(digest))
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first hexadecimal digits, by which a person tells values apart.
    pub fn short(&self) -> String {
        let mut hex = self.to_string();
        hex.truncate(8);
        hex
    }
}

impl fmt::Display for ValueDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(blake3::Hash::from_bytes(self.0).to_hex().as_str())
    }
}

impl fmt::Debug for ValueDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ValueDigest({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_stays_what_it_is() {
        let digest = ValueDigest::of("{\"b\": 1.0, \"a\": null}").expect("valid");
        assert_eq!(
            digest,
            ValueDigest::of("{\"a\":null,\"b\":1}").expect("valid")
        );
        assert_eq!(
            digest.to_string(),
            "2d9b1d37f5249baf6c056a7cb2493534bcfe45ccd0ab06b193ff24672230da4f"
        );
        assert_eq!(digest.short(), digest.to_string()[..8]);
        assert_ne!(
            digest.as_bytes(),
            blake3::hash(b"{\"a\":null,\"b\":1}").as_bytes()
        );
    }
}
