//! A log as what hangs together in it.

use crate::{Hash, Seal};

/// Where a line stands. Places are ordered as the lines are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    /// The file, by its position in the log.
    pub(super) file: usize,
    pub(super) offset: u64,
    pub(super) line: u64,
}

impl Place {
    /// Before all lines.
    pub(super) const START: Self = Self {
        file: 0,
        offset: 0,
        line: 0,
    };
}

/// Sealed lines that follow each other in the file, each chained to the one before. An untouched log
/// is one stretch, so what is kept grows with the damage and not with the log.
#[derive(Debug, Clone)]
pub(super) struct Stretch {
    pub(super) first: Stop,
    pub(super) last: Stop,
    pub(super) prev: Hash,
    pub(super) link: Hash,
    /// Whether its first record is not what was sealed.
    pub(super) begins_edited: bool,
    /// Whether its seals are those of another log.
    pub(super) foreign: bool,
}

/// One end of a stretch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop {
    pub(super) seq: u64,
    pub(super) segment: u64,
    pub(super) place: Place,
}

impl Stretch {
    pub(super) fn new(seal: &Seal, link: Hash, place: Place) -> Self {
        let stop = Stop::new(seal, place);
        Self {
            first: stop,
            last: stop,
            prev: seal.prev,
            link,
            begins_edited: false,
            foreign: false,
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.last.seq - self.first.seq + 1
    }

    /// Whether a seal goes on where this ends.
    pub(super) fn is_followed_by(&self, seal: &Seal) -> bool {
        seal.prev == self.link && seal.seq == self.last.seq + 1
    }

    pub(super) fn extend(&mut self, seal: &Seal, link: Hash, place: Place) {
        self.last = Stop::new(seal, place);
        self.link = link;
    }
}

impl Stop {
    fn new(seal: &Seal, place: Place) -> Self {
        Self {
            seq: seal.seq,
            segment: seal.segment,
            place,
        }
    }
}

/// A line that is not part of the chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loose {
    pub(super) kind: LooseKind,
    pub(super) place: Place,
    /// Whether it still names the record that it should follow: then it was one of the chain.
    pub(super) claims: bool,
}

impl Loose {
    /// Whether another damaged line follows this one: they may be one that was broken in two.
    pub(super) fn is_before(self, other: Self) -> bool {
        let damaged = |loose: Self| loose.kind == LooseKind::Damaged;
        let next = (self.place.file, self.place.line + 1) == (other.place.file, other.place.line);
        damaged(self) && damaged(other) && next
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LooseKind {
    Unsealed,
    Damaged,
    /// Without a line break, at the end of its file.
    Torn,
    /// Sealed, but neither the record nor its place is what was sealed.
    Edited,
}
