//! Proofs that a record is in a log, and that a log only grew.

use std::fmt::Write;

use base64::{Engine, prelude::BASE64_STANDARD};
use ct_merkle::{ConsistencyProof, InclusionProof, RootHash, mem_backed_tree::MemoryBackedTree};
use sha2::Sha256;

use crate::{
    Checkpoint, Content, Hash, InvalidCheckpoint, Reading, SignedCheckpoint,
    checkpoint::base64_hash,
};

/// The first line of an inclusion proof.
const HEADER: &str = "c2sp.org/tlog-proof@v1";

/// The whole Merkle tree of a log, to make proofs from: about 100 bytes of memory for each record.
pub struct Tree(MemoryBackedTree<Sha256, Hash>);

/// A proof that could not be made or does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// The record is not among those of the checkpoint.
    #[error("record {seq} is not among the {size} that the checkpoint is about")]
    OutOfRange {
        /// The record's number.
        seq: u64,
        /// The checkpoint's size.
        size: u64,
    },
    /// The log is not the one that the checkpoint is about, or was altered.
    #[error("the log's first {0} records are not those that the checkpoint is about")]
    OtherRoot(u64),
    /// A text that is no proof.
    #[error("no proof: {0}")]
    Malformed(String),
    /// The record is not what was sealed, or not sealed at all.
    #[error("the record is not what was sealed")]
    Edited,
    /// The record's place is another one than the proof's.
    #[error("the record is number {seq} of its log, the proof is about number {index} of {origin}")]
    OtherRecord {
        /// The record's number.
        seq: u64,
        /// The proof's.
        index: u64,
        /// The proof's log.
        origin: String,
    },
    /// The hashes do not lead from the record to the root.
    #[error("the hashes do not lead to the checkpoint's root")]
    DoesNotHold,
    /// The older checkpoint is of more records than the newer one, or of another log.
    #[error("the checkpoints cannot be of one log that grew: {0}")]
    NotOlder(String),
}

impl From<InvalidCheckpoint> for ProofError {
    fn from(error: InvalidCheckpoint) -> Self {
        Self::Malformed(error.to_string())
    }
}

impl Tree {
    /// The tree over some records' links.
    pub fn of(links: impl IntoIterator<Item = Hash>) -> Self {
        let mut tree = MemoryBackedTree::new();
        for link in links {
            tree.push(link);
        }
        Self(tree)
    }

    /// How many records it is over.
    pub fn size(&self) -> u64 {
        self.0.len()
    }

    /// Its root.
    pub fn root(&self) -> Hash {
        Hash::from(<[u8; 32]>::from(*self.0.root().as_bytes()))
    }

    /// Proves that record `seq` is among those of a checkpoint, which must be of this tree.
    ///
    /// # Errors
    ///
    /// The tree is not the checkpoint's, or the record is not in it.
    pub fn prove_inclusion(
        &self,
        seq: u64,
        checkpoint: SignedCheckpoint,
    ) -> Result<Inclusion, ProofError> {
        let size = checkpoint.checkpoint.size;
        if self.size() != size || self.root() != checkpoint.checkpoint.root {
            return Err(ProofError::OtherRoot(size));
        }
        let index = usize::try_from(seq).ok().filter(|_| seq < size);
        let index = index.ok_or(ProofError::OutOfRange { seq, size })?;
        Ok(Inclusion {
            index: seq,
            hashes: hashes(self.0.prove_inclusion(index).as_bytes()),
            checkpoint,
        })
    }

    /// Proves that this tree is what the one of `old_size` records grew to.
    ///
    /// # Errors
    ///
    /// This one is smaller, or the old one is empty: that any tree grew from nothing needs no proof.
    pub fn prove_consistency(&self, old_size: u64) -> Result<Vec<Hash>, ProofError> {
        let additions = self.size().checked_sub(old_size).filter(|_| old_size > 0);
        let additions = additions.and_then(|additions| usize::try_from(additions).ok());
        let additions = additions.ok_or_else(|| {
            ProofError::NotOlder(format!("{old_size} records, then {}", self.size()))
        })?;
        Ok(hashes(self.0.prove_consistency(additions).as_bytes()))
    }
}

fn hashes(bytes: &[u8]) -> Vec<Hash> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|hash| Hash::from(*hash))
        .collect()
}

fn root(checkpoint: &Checkpoint) -> RootHash<Sha256> {
    RootHash::new((*checkpoint.root.as_bytes()).into(), checkpoint.size)
}

/// A proof that a record is in a log, in the format of C2SP's `tlog-proof`: whoever has it, the
/// record's line and the signer's public key needs nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inclusion {
    /// The record's number.
    pub index: u64,
    /// From the leaf's sibling to the root's child.
    pub hashes: Vec<Hash>,
    /// The log when it was proved. Its signature is for the reader to check.
    pub checkpoint: SignedCheckpoint,
}

impl Inclusion {
    /// The proof as text.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}\nindex {}\n", self.index);
        for hash in &self.hashes {
            // Writing to a String does not fail.
            let _ = writeln!(text, "{}", BASE64_STANDARD.encode(hash));
        }
        let _ = write!(text, "\n{}", self.checkpoint);
        text
    }

    /// Reads a proof.
    ///
    /// # Errors
    ///
    /// It is none.
    pub fn parse(text: &str) -> Result<Self, ProofError> {
        let malformed = |detail: &str| ProofError::Malformed(detail.to_owned());
        let rest = text
            .strip_prefix(HEADER)
            .and_then(|rest| rest.strip_prefix('\n'));
        let rest = rest.ok_or_else(|| malformed("its first line is another one"))?;
        let (head, checkpoint) = rest
            .split_once("\n\n")
            .ok_or_else(|| malformed("it has no checkpoint"))?;
        let mut lines = head.lines().skip_while(|line| line.starts_with("extra "));
        let index = lines.next().and_then(|line| line.strip_prefix("index "));
        let index = index.and_then(|index| index.parse().ok());
        let index = index.ok_or_else(|| malformed("it has no index"))?;
        let hashes: Option<Vec<Hash>> = lines.map(base64_hash).collect();
        Ok(Self {
            index,
            hashes: hashes.ok_or_else(|| malformed("one of its hashes is none"))?,
            checkpoint: SignedCheckpoint::parse(checkpoint)?,
        })
    }

    /// Checks that a record, given as its line in the log, is the one that this is about.
    ///
    /// # Errors
    ///
    /// It is not, or the proof does not hold. Whether the checkpoint's signature counts is left to
    /// [`SignedCheckpoint::signed_by`].
    pub fn check(&self, line: &[u8]) -> Result<(), ProofError> {
        let Reading::Sealed(sealed) = Reading::of(line.trim_ascii()) else {
            return Err(ProofError::Edited);
        };
        if sealed.content == Content::Edited {
            return Err(ProofError::Edited);
        }
        let origin = &self.checkpoint.checkpoint.origin;
        if sealed.seal.seq != self.index || sealed.seal.log.as_str() != origin {
            return Err(ProofError::OtherRecord {
                seq: sealed.seal.seq,
                index: self.index,
                origin: origin.clone(),
            });
        }
        self.check_link(sealed.link)
    }

    /// Checks that a record, given as its link, is the one that this is about.
    ///
    /// # Errors
    ///
    /// The proof does not hold.
    pub fn check_link(&self, link: Hash) -> Result<(), ProofError> {
        let bytes = self
            .hashes
            .iter()
            .flat_map(|hash| *hash.as_bytes())
            .collect();
        let proof = InclusionProof::<Sha256>::try_from_bytes(bytes);
        let proof = proof.map_err(|_| ProofError::DoesNotHold)?;
        root(&self.checkpoint.checkpoint)
            .verify_inclusion(&link, self.index, &proof)
            .map_err(|_| ProofError::DoesNotHold)
    }
}

/// Checks that the log of one checkpoint grew to that of another.
///
/// # Errors
///
/// It did not, as far as these hashes show.
pub fn check_consistency(
    old: &Checkpoint,
    new: &Checkpoint,
    hashes: &[Hash],
) -> Result<(), ProofError> {
    if old.origin != new.origin {
        let detail = format!("{} is another log than {}", new.origin, old.origin);
        return Err(ProofError::NotOlder(detail));
    }
    if old.size > new.size {
        let detail = format!("{} records, then {}", old.size, new.size);
        return Err(ProofError::NotOlder(detail));
    }
    if old.size == 0 {
        return Ok(());
    }
    let bytes = hashes.iter().flat_map(|hash| *hash.as_bytes()).collect();
    let proof = ConsistencyProof::<Sha256>::try_from_bytes(bytes);
    let proof = proof.map_err(|_| ProofError::DoesNotHold)?;
    root(new)
        .verify_consistency(&root(old), &proof)
        .map_err(|_| ProofError::DoesNotHold)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::NewKey;

    fn links(count: u64) -> Vec<Hash> {
        (0..count).map(|n| Hash::of(&n.to_le_bytes())).collect()
    }

    fn checkpoint(tree: &Tree) -> SignedCheckpoint {
        let checkpoint = Checkpoint {
            origin: "a".to_owned(),
            size: tree.size(),
            root: tree.root(),
        };
        let key = NewKey::random("k").expect("made").into_private();
        checkpoint.sign([&key.expect("a key")]).expect("signed")
    }

    #[test]
    fn each_record_of_logs_of_many_sizes_is_proved() {
        for size in [1, 2, 3, 7, 8, 9, 64, 100] {
            let links = links(size);
            let tree = Tree::of(links.clone());
            let signed = checkpoint(&tree);
            for (seq, link) in links.iter().enumerate() {
                let proof = tree
                    .prove_inclusion(seq as u64, signed.clone())
                    .expect("in it");
                let read = Inclusion::parse(&proof.to_text()).expect("a proof");
                assert_eq!(read, proof);
                assert_eq!(read.check_link(*link), Ok(()));
                assert_eq!(read.check_link(Hash::ZERO), Err(ProofError::DoesNotHold));
                let mut other = read.clone();
                other.index = (other.index + 1) % (size + 1);
                assert_eq!(other.check_link(*link).is_ok(), size == 0);
            }
            assert!(tree.prove_inclusion(size, signed).is_err());
        }
    }

    #[test]
    fn growth_is_proved_and_a_rewritten_past_is_not() {
        for (old, new) in [
            (1, 1),
            (1, 2),
            (3, 7),
            (4, 8),
            (7, 100),
            (64, 65),
            (100, 100),
        ] {
            let before = Tree::of(links(old));
            let after = Tree::of(links(new));
            let proof = after.prove_consistency(old).expect("larger");
            let (one, other) = (
                checkpoint(&before).checkpoint,
                checkpoint(&after).checkpoint,
            );
            assert_eq!(check_consistency(&one, &other, &proof), Ok(()));
            let mut rewritten = links(new);
            rewritten[0] = Hash::ZERO;
            let rewritten = Tree::of(rewritten);
            let proof = rewritten.prove_consistency(old).expect("larger");
            let other = checkpoint(&rewritten).checkpoint;
            let held = check_consistency(&one, &other, &proof);
            assert_eq!(held, Err(ProofError::DoesNotHold));
        }
        let (small, large) = (
            checkpoint(&Tree::of(links(2))),
            checkpoint(&Tree::of(links(3))),
        );
        let shrunk = check_consistency(&large.checkpoint, &small.checkpoint, &[]);
        assert!(matches!(shrunk, Err(ProofError::NotOlder(_))));
    }

    proptest! {
        #[test]
        fn any_text_is_a_proof_or_none(text in "(c2sp.org/tlog-proof@v1\n|index |extra |[0-9]|\n|=|\u{2014} |\\PC){0,40}") {
            if let Ok(proof) = Inclusion::parse(&text) {
                let _ = proof.check(b"{}");
            }
        }

        #[test]
        fn any_hashes_are_checked_without_a_panic(
            sizes in (any::<u64>(), any::<u64>()),
            index in any::<u64>(),
            hashes in prop::collection::vec(any::<[u8; 32]>().prop_map(Hash::from), 0..70),
        ) {
            let at = |size| Checkpoint { origin: "a".to_owned(), size: size % (1 << 53), root: Hash::ZERO };
            let _ = check_consistency(&at(sizes.0), &at(sizes.1), &hashes);
            static ONE: LazyLock<SignedCheckpoint> = LazyLock::new(|| checkpoint(&Tree::of(links(1))));
            let mut checkpoint = ONE.clone();
            checkpoint.checkpoint = at(sizes.0);
            let proof = Inclusion { index, hashes, checkpoint };
            let _ = proof.check_link(Hash::ZERO);
        }
    }
}
