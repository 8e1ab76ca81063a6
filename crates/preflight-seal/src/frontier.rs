//! The Merkle tree of RFC 6962 over a log that only grows, as little of it as its root takes.

use sha2::{Digest, Sha256};

use crate::Hash;

/// The roots of the largest whole subtrees, widest first: one for each bit of the size.
///
/// The tree's leaves are the records' links. `ct-merkle` keeps all leaves; a writer that goes on for
/// years and a verifier of any size keep at most 64 hashes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frontier {
    size: u64,
    roots: Vec<Hash>,
}

impl Frontier {
    pub(crate) fn push(&mut self, link: Hash) {
        let mut root = Hash::of_parts([&[0][..], link.as_bytes()]);
        // As many subtrees are whole now as ones end the size's binary form.
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.roots.pop() {
                root = parent(left, root);
            }
        }
        self.roots.push(root);
        self.size += 1;
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    pub(crate) fn root(&self) -> Hash {
        let roots = self.roots.iter().rev().copied();
        let root = roots.reduce(|right, left| parent(left, right));
        root.unwrap_or_else(|| Hash::from(<[u8; 32]>::from(Sha256::digest(b""))))
    }
}

fn parent(left: Hash, right: Hash) -> Hash {
    Hash::of_parts([&[1][..], left.as_bytes(), right.as_bytes()])
}

#[cfg(test)]
mod tests {
    use ct_merkle::mem_backed_tree::MemoryBackedTree;

    use super::*;

    #[test]
    fn roots_are_those_of_the_whole_tree() {
        let mut whole = MemoryBackedTree::<Sha256, Hash>::new();
        let mut frontier = Frontier::default();
        for size in 0..200_u64 {
            assert_eq!(frontier.root().as_ref(), &whole.root().as_bytes()[..]);
            let link = Hash::of(&size.to_le_bytes());
            frontier.push(link);
            whole.push(link);
        }
        assert_eq!(frontier.size(), 200);
    }
}
