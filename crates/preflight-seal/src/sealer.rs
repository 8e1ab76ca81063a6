//! Sealing records, one after the other.

use std::collections::HashMap;

use crate::{
    Checkpoint, Hash, LogId, Seal, SealedLine, Unsealed, frontier::Frontier, reading::SEAL_OPENS,
};

/// The end of a log: what the next record is chained to.
///
/// One writer has one; that no two writers have one of the same log is for the store to see to.
#[derive(Debug, Clone)]
pub struct Sealer {
    log: LogId,
    segment: u64,
    seq: u64,
    prev: Hash,
    /// How many records each action key has.
    keys: HashMap<Box<str>, u64>,
    /// How many there are without one.
    unkeyed: u64,
    unsealed: Option<Unsealed>,
    tree: Frontier,
}

impl Sealer {
    /// The end of a log that holds nothing yet.
    pub fn new(log: LogId) -> Self {
        Self {
            log,
            segment: 0,
            seq: 0,
            prev: Hash::ZERO,
            keys: HashMap::new(),
            unkeyed: 0,
            unsealed: None,
            tree: Frontier::default(),
        }
    }

    /// Takes a record into account that a log holds already, as it is read from its start on.
    ///
    /// Whether its place is right is for the verifier to say: the chain goes on from here.
    pub fn resume(&mut self, line: &SealedLine<'_>, action_key: Option<&str>) {
        let seal = &line.seal;
        self.log.clone_from(&seal.log);
        self.segment = seal.segment;
        self.seq = seal.seq + 1;
        self.prev = line.link;
        self.unsealed = None;
        self.tree.push(line.link);
        *self.count(action_key) = seal.key_seq + 1;
    }

    /// Vouches for bytes that stand unsealed at the log's end, in the next seal.
    pub fn vouch(&mut self, unsealed: Unsealed) {
        self.unsealed = Some(unsealed);
    }

    /// Goes on to the next segment.
    pub fn turn(&mut self) {
        self.segment += 1;
    }

    /// The log.
    pub fn log(&self) -> &LogId {
        &self.log
    }

    /// The segment that the next record goes to.
    pub fn segment(&self) -> u64 {
        self.segment
    }

    /// How many records are sealed.
    pub fn size(&self) -> u64 {
        self.seq
    }

    /// The root of the Merkle tree over all of them.
    pub fn root(&self) -> Hash {
        self.tree.root()
    }

    /// How many records the Merkle tree has: fewer than [`Sealer::size`] where a log's beginning is
    /// missing.
    pub fn tree_size(&self) -> u64 {
        self.tree.size()
    }

    /// What a checkpoint says now; `None` where the Merkle tree is not whole, since the log's beginning
    /// is missing or its records are not in order.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        (self.tree.size() == self.seq).then(|| Checkpoint {
            origin: self.log.to_string(),
            size: self.seq,
            root: self.tree.root(),
        })
    }

    /// Appends a record with its seal and a line break.
    ///
    /// `record` is a JSON object in the form of [`preflight_record::OrderedJson`] that has no seal,
    /// and `digest` its SHA-256.
    pub fn seal(&mut self, record: &str, digest: Hash, action_key: Option<&str>, out: &mut String) {
        let count = self.count(action_key);
        let key_seq = *count;
        *count += 1;
        let seal = Seal {
            digest,
            key_seq,
            log: self.log.clone(),
            prev: self.prev,
            segment: self.segment,
            seq: self.seq,
            unsealed: self.unsealed.take(),
        };
        out.push_str(record.strip_suffix('}').unwrap_or(record));
        // An object without members takes no comma; no record is one.
        let opens = match record.len() {
            ..=2 => &SEAL_OPENS[1..],
            _ => SEAL_OPENS,
        };
        out.push_str(opens);
        let start = out.len();
        seal.write(out);
        self.prev = Hash::of(&out.as_bytes()[start..]);
        self.tree.push(self.prev);
        self.seq += 1;
        out.push_str("}\n");
    }

    fn count(&mut self, action_key: Option<&str>) -> &mut u64 {
        let Some(key) = action_key else {
            return &mut self.unkeyed;
        };
        // A key is copied when it is new only: nearly all records continue a chain.
        if !self.keys.contains_key(key) {
            self.keys.insert(key.into(), 0);
        }
        match self.keys.get_mut(key) {
            Some(count) => count,
            None => &mut self.unkeyed,
        }
    }
}
