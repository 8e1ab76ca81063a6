//! Checkpoints: a log's size and root, signed, in the format of C2SP's transparency logs.

use std::fmt;

use base64::{Engine, prelude::BASE64_STANDARD};
use signed_note::Note;

use crate::{Hash, KeyId, KeyRing, PrivateKey, Untrusted};

/// No log is larger; and what `ct-merkle` counts stays far from its limits.
const LARGEST: u64 = 1 << 53;

/// What a log was at some size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log's name.
    pub origin: String,
    /// How many records it had.
    pub size: u64,
    /// The root of the RFC 6962 Merkle tree over their links.
    pub root: Hash,
}

/// A text that is no checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no checkpoint: {0}")]
pub struct InvalidCheckpoint(String);

impl Checkpoint {
    /// The text that is signed.
    pub fn text(&self) -> String {
        format!(
            "{}\n{}\n{}\n",
            self.origin,
            self.size,
            BASE64_STANDARD.encode(self.root)
        )
    }

    /// Signs it, with one key or, when keys change, with two.
    ///
    /// # Errors
    ///
    /// There is no key, or the origin is no line of text.
    pub fn sign<'k>(
        self,
        keys: impl IntoIterator<Item = &'k PrivateKey>,
    ) -> Result<SignedCheckpoint, InvalidCheckpoint> {
        let invalid = |error: signed_note::NoteError| InvalidCheckpoint(error.to_string());
        let mut note = Note::new(self.text().as_bytes(), &[]).map_err(invalid)?;
        let signers: Vec<_> = keys.into_iter().map(PrivateKey::signer).collect();
        note.add_sigs(&signers).map_err(invalid)?;
        SignedCheckpoint::parse(&String::from_utf8_lossy(&note.to_bytes()))
    }

    fn parse(text: &str) -> Result<Self, InvalidCheckpoint> {
        let mut lines = text.lines();
        let mut line = |what| {
            lines
                .next()
                .ok_or_else(|| InvalidCheckpoint(format!("no {what}")))
        };
        let origin = line("origin")?.to_owned();
        let digits = line("size")?;
        let size = digits
            .parse()
            .ok()
            .filter(|size: &u64| size.to_string() == digits);
        let size = size
            .filter(|size| *size < LARGEST)
            .ok_or_else(|| InvalidCheckpoint(format!("{digits:?} is no size")))?;
        let root = line("root")?;
        let root =
            base64_hash(root).ok_or_else(|| InvalidCheckpoint(format!("{root:?} is no root")))?;
        if origin.is_empty() {
            return Err(InvalidCheckpoint("no origin".to_owned()));
        }
        Ok(Self { origin, size, root })
    }
}

pub(crate) fn base64_hash(text: &str) -> Option<Hash> {
    let bytes = BASE64_STANDARD.decode(text).ok()?;
    Some(<[u8; 32]>::try_from(bytes).ok()?.into())
}

/// A checkpoint with its signatures, not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedCheckpoint {
    /// What it says, as long as a signature under it counts.
    pub checkpoint: Checkpoint,
    text: String,
    signed: String,
    signatures: Vec<(KeyId, Vec<u8>)>,
}

impl SignedCheckpoint {
    /// Reads a signed note that holds a checkpoint.
    ///
    /// # Errors
    ///
    /// It is none.
    pub fn parse(note: &str) -> Result<Self, InvalidCheckpoint> {
        let parsed = Note::from_bytes(note.as_bytes())
            .map_err(|_| InvalidCheckpoint("it is no signed note".to_owned()))?;
        let (text, lines) = note
            .rsplit_once("\n\n")
            .ok_or_else(|| InvalidCheckpoint("it has no signatures".to_owned()))?;
        let signatures = lines
            .lines()
            .filter_map(|line| signed_note::Signature::from_bytes(line.as_bytes()).ok())
            .map(|signature| {
                let id = KeyId {
                    name: signature.name().to_owned(),
                    number: signature.id(),
                };
                (id, signature.signature().to_vec())
            })
            .collect();
        let text = format!("{text}\n");
        debug_assert_eq!(parsed.text(), text.as_bytes());
        Ok(Self {
            checkpoint: Checkpoint::parse(&text)?,
            text,
            signed: note.to_owned(),
            signatures,
        })
    }

    /// The keys by which it says it is signed.
    pub fn signers(&self) -> impl Iterator<Item = &KeyId> {
        self.signatures.iter().map(|(id, _)| id)
    }

    /// Whether it has this key's signature.
    pub fn is_signed_with(&self, key: &PrivateKey) -> bool {
        let id = key.id();
        let mut signatures = self.signatures.iter();
        signatures.any(|(signer, signature)| {
            // Ed25519 gives the same signature each time.
            *signer == id && key.sign(self.text.as_bytes()) == *signature
        })
    }

    /// The keys of a ring whose signatures it has. One that counts is enough: a note may be signed by
    /// others as well.
    ///
    /// # Errors
    ///
    /// Why none counts. A forged signature of a trusted key is worse than an unknown key, and told
    /// even beside one that counts.
    pub fn signed_by(&self, ring: &KeyRing) -> Result<Vec<KeyId>, Untrusted> {
        let mut trusted = Vec::new();
        let mut worst = None;
        for (id, signature) in &self.signatures {
            match ring.check(id, self.text.as_bytes(), signature) {
                Ok(()) => trusted.push(id.clone()),
                Err(forged @ Untrusted::Forged(_)) => return Err(forged),
                Err(revoked @ Untrusted::Revoked(_)) => worst = Some(revoked),
                Err(unknown) => worst = worst.or(Some(unknown)),
            }
        }
        match (trusted.is_empty(), worst) {
            (true, Some(worst)) => Err(worst),
            _ => Ok(trusted),
        }
    }
}

impl fmt::Display for SignedCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.signed)
    }
}

/// The checkpoints of a file in which one stands after the other, each followed by an empty line, with
/// the lines that they begin at. What is none is an error at its place.
pub fn checkpoints(text: &str) -> Vec<(usize, Result<SignedCheckpoint, InvalidCheckpoint>)> {
    let mut found = Vec::new();
    let mut note = String::new();
    let (mut start, mut signed) = (1, false);
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let is_signature = line.starts_with("\u{2014} ");
        // The first line behind the signatures ends the note.
        if signed && !is_signature {
            found.push((start, SignedCheckpoint::parse(&note)));
            note.clear();
            signed = false;
        }
        if note.is_empty() {
            if line.trim().is_empty() {
                continue;
            }
            start = index + 1;
        }
        signed |= is_signature;
        note.push_str(line);
    }
    if !note.is_empty() {
        found.push((start, SignedCheckpoint::parse(&note)));
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::NewKey;

    fn checkpoint(size: u64) -> Checkpoint {
        Checkpoint {
            origin: "bank.example/agent-7".to_owned(),
            size,
            root: Hash::of(&size.to_le_bytes()),
        }
    }

    fn keys() -> (PrivateKey, PrivateKey, KeyRing) {
        let (one, other) = (
            NewKey::random("one").expect("made"),
            NewKey::random("other").expect("made"),
        );
        let mut ring = KeyRing::new();
        ring.trust(&one.public).expect("a key");
        let private = |key: NewKey| key.into_private().expect("a key");
        (private(one), private(other), ring)
    }

    #[test]
    fn a_checkpoint_is_a_signed_note() {
        let (one, other, ring) = keys();
        let signed = checkpoint(20_852).sign([&one]).expect("signed");
        let text = signed.to_string();
        assert!(text.starts_with("bank.example/agent-7\n20852\n"), "{text}");
        assert!(text.contains("=\n\n\u{2014} one "), "{text}");
        let read = SignedCheckpoint::parse(&text).expect("a checkpoint");
        assert_eq!(read, signed);
        assert_eq!(read.signed_by(&ring), Ok(vec![one.id()]));
        assert!(read.is_signed_with(&one) && !read.is_signed_with(&other));

        let forged = SignedCheckpoint::parse(&text.replace("20852", "20853")).expect("a note");
        assert_eq!(forged.signed_by(&ring), Err(Untrusted::Forged(one.id())));
        let strange = checkpoint(1).sign([&other]).expect("signed");
        assert_eq!(
            strange.signed_by(&ring),
            Err(Untrusted::Unknown(other.id()))
        );
        // When keys change, both sign.
        let both = checkpoint(1).sign([&other, &one]).expect("signed");
        assert_eq!(both.signed_by(&ring), Ok(vec![one.id()]));
    }

    #[test]
    fn a_file_holds_many() {
        let (one, other, _) = keys();
        let first = checkpoint(1).sign([&one, &other]).expect("signed");
        let second = checkpoint(2).sign([&one]).expect("signed");
        let text = format!("{first}\n{second}\nhalf a no");
        let read = checkpoints(&text);
        assert_eq!(read.len(), 3);
        assert_eq!(read[0], (1, Ok(first)));
        assert_eq!(read[1], (8, Ok(second)));
        assert!(read[2].1.is_err());
        assert_eq!(read[2].0, 14);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\u{2014} |a|\n|1|=| |\\PC){0,60}") {
            for (_, checkpoint) in checkpoints(&text) {
                if let Ok(checkpoint) = checkpoint {
                    let _ = checkpoint.signed_by(&KeyRing::new());
                }
            }
        }
    }
}
