//! Sealed records: hash chains, Merkle checkpoints, signatures.
