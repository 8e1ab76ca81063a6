//! The seal: what a record carries so that an edit of the log shows.

use std::fmt::Write;

use crate::{Hash, hash::HEX};

/// The key under which a record carries its seal.
pub const SEAL: &str = "seal";

/// The seal of one record.
///
/// ```text
/// "seal":{"digest":"<64 hex>","key_seq":0,"log":"5c0ffee0d15ea5e1","prev":"<64 hex>","segment":0,"seq":0,"v":1}
/// ```
///
/// Its text is canonical (RFC 8785), and its SHA-256 is the record's *link*: what the next record is
/// chained to, and the leaf of the log's Merkle tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// SHA-256 of the record without its seal, in the form of
    /// [`preflight_record::OrderedJson`].
    pub digest: Hash,
    /// How many records of the same action key (or without one) stand before this one in the log.
    pub key_seq: u64,
    /// The log.
    pub log: LogId,
    /// The link of the record before; zeros for the first one.
    pub prev: Hash,
    /// The segment that the record was written to, from 0.
    pub segment: u64,
    /// How many sealed records stand before this one in the log.
    pub seq: u64,
    /// Lines without a seal between the record before and this one, line breaks included: records
    /// from before the log was sealed, or a line that a crash tore.
    pub unsealed: Option<Unsealed>,
}

/// Bytes of a log that are not sealed one by one, and that a seal vouches for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsealed {
    /// How many.
    pub bytes: u64,
    /// Their SHA-256.
    pub digest: Hash,
}

/// The name of a log: what tells its records from those of another one.
///
/// One to 64 of the characters `a`-`z`, `0`-`9`, `.`, `_`, `-` and `/`. It is the origin of the log's
/// checkpoints, so two logs must not share one: [`LogId::random`] makes one nobody else has.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LogId(String);

/// A text that is no log's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no log: 1 to {max} of the characters a-z, 0-9, . _ - / are expected", max = LogId::LONGEST)]
pub struct InvalidLogId(String);

impl LogId {
    /// How long a name can be.
    pub const LONGEST: usize = 64;

    /// Checks a name.
    ///
    /// # Errors
    ///
    /// It is empty, too long or has other characters.
    pub fn new(name: &str) -> Result<Self, InvalidLogId> {
        match is_name(name.as_bytes()) {
            true => Ok(Self(name.to_owned())),
            false => Err(InvalidLogId(name.chars().take(100).collect())),
        }
    }

    /// A name that no other log has.
    ///
    /// # Errors
    ///
    /// The system has no randomness to give.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes)?;
        let mut name = String::with_capacity(16);
        for byte in bytes {
            // Writing to a String does not fail.
            let _ = write!(name, "{byte:02x}");
        }
        Ok(Self(name))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for LogId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_name(bytes: &[u8]) -> bool {
    let fits = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'/');
    (1..=LogId::LONGEST).contains(&bytes.len()) && bytes.iter().all(fits)
}

impl Seal {
    /// The longest that a seal's text can be.
    pub(crate) const LONGEST: usize = 512;

    /// Appends the seal as JSON.
    pub(crate) fn write(&self, text: &mut String) {
        text.push_str("{\"digest\":\"");
        self.digest.push_hex(text);
        // Writing to a String does not fail.
        let _ = write!(
            text,
            "\",\"key_seq\":{},\"log\":\"{}\",\"prev\":\"",
            self.key_seq, self.log
        );
        self.prev.push_hex(text);
        let _ = write!(text, "\",\"segment\":{},\"seq\":{}", self.segment, self.seq);
        if let Some(unsealed) = self.unsealed {
            let _ = write!(
                text,
                ",\"unsealed\":{{\"bytes\":{},\"digest\":\"",
                unsealed.bytes
            );
            unsealed.digest.push_hex(text);
            text.push_str("\"}");
        }
        text.push_str(",\"v\":1}");
    }

    /// The seal as JSON.
    pub fn to_json(&self) -> String {
        let mut text = String::with_capacity(320);
        self.write(&mut text);
        text
    }

    /// Reads a seal's text, which must be spelled as [`Seal::to_json`] spells it.
    pub fn from_json(json: &[u8]) -> Option<Self> {
        let mut rest = Rest(json);
        rest.literal(b"{\"digest\":\"")?;
        let digest = rest.hash()?;
        rest.literal(b"\",\"key_seq\":")?;
        let key_seq = rest.number()?;
        rest.literal(b",\"log\":\"")?;
        let log = rest.name()?;
        rest.literal(b"\",\"prev\":\"")?;
        let prev = rest.hash()?;
        rest.literal(b"\",\"segment\":")?;
        let segment = rest.number()?;
        rest.literal(b",\"seq\":")?;
        let seq = rest.number()?;
        let unsealed = match rest.literal(b",\"unsealed\":{\"bytes\":") {
            Some(()) => Some(rest.unsealed()?),
            None => None,
        };
        rest.literal(b",\"v\":1}")?;
        rest.0.is_empty().then_some(Self {
            digest,
            key_seq,
            log,
            prev,
            segment,
            seq,
            unsealed,
        })
    }

    /// The link that the next record is chained to: SHA-256 of the seal's text.
    pub fn link(&self) -> Hash {
        Hash::of(self.to_json().as_bytes())
    }
}

/// What is left of a seal's text.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn literal(&mut self, literal: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(literal)?;
        Some(())
    }

    fn hash(&mut self) -> Option<Hash> {
        let (digits, rest) = self.0.split_at_checked(HEX)?;
        self.0 = rest;
        Hash::from_hex(digits)
    }

    /// A whole number that any reader of JSON holds exactly.
    fn number(&mut self) -> Option<u64> {
        const EXACT: u64 = 1 << 53;
        let length = self
            .0
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (digits, rest) = self.0.split_at(length);
        self.0 = rest;
        if digits.is_empty() || (digits.len() > 1 && digits[0] == b'0') {
            return None;
        }
        let number = str::from_utf8(digits).ok()?.parse().ok()?;
        (number < EXACT).then_some(number)
    }

    fn name(&mut self) -> Option<LogId> {
        let length = self.0.iter().position(|byte| *byte == b'"')?;
        let (name, rest) = self.0.split_at(length);
        self.0 = rest;
        let name = is_name(name).then_some(name)?;
        Some(LogId(str::from_utf8(name).ok()?.to_owned()))
    }

    fn unsealed(&mut self) -> Option<Unsealed> {
        let bytes = self.number()?;
        self.literal(b",\"digest\":\"")?;
        let digest = self.hash()?;
        self.literal(b"\"}")?;
        Some(Unsealed { bytes, digest })
    }
}

#[cfg(test)]
mod tests {
    use preflight_record::OrderedJson;
    use proptest::prelude::*;

    use super::*;

    fn seals() -> impl Strategy<Value = Seal> {
        let hash = || any::<[u8; 32]>().prop_map(Hash::from);
        let number = || 0..1_u64 << 53;
        let unsealed = (number(), hash()).prop_map(|(bytes, digest)| Unsealed { bytes, digest });
        let numbers = (number(), number(), number());
        let log = "[a-z0-9._/-]{1,64}";
        (hash(), hash(), numbers, log, prop::option::of(unsealed)).prop_map(
            |(digest, prev, (key_seq, segment, seq), log, unsealed)| Seal {
                digest,
                key_seq,
                log: LogId::new(&log).expect("a name"),
                prev,
                segment,
                seq,
                unsealed,
            },
        )
    }

    proptest! {
        #[test]
        fn seals_are_read_back_and_canonical(seal in seals()) {
            let json = seal.to_json();
            prop_assert!(json.len() <= Seal::LONGEST);
            prop_assert_eq!(Seal::from_json(json.as_bytes()), Some(seal));
            let canonical = OrderedJson::of(&json).expect("valid");
            prop_assert_eq!(canonical.as_str(), json);
        }

        #[test]
        fn another_spelling_is_no_seal(seal in seals(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut json = seal.to_json().into_bytes();
            let at = at.index(json.len());
            prop_assume!(json[at] != byte);
            json[at] = byte;
            // Either it is no seal any more or a different one; it never reads as the same.
            prop_assert_ne!(Seal::from_json(&json), Some(seal));
        }
    }

    #[test]
    fn names_are_checked() {
        assert!(LogId::new("bank.example/agent-7").is_ok());
        for name in ["", "A", "a b", "a+b", "é", &"a".repeat(65)] {
            assert!(LogId::new(name).is_err(), "{name}");
        }
        assert_ne!(
            LogId::random().expect("random"),
            LogId::random().expect("random")
        );
    }
}
