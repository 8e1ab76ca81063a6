//! One pass over a log's lines.

use std::collections::{HashMap, HashSet};

use memchr::memmem;
use sha2::{Digest, Sha256};

use super::piece::{Loose, LooseKind, Place, Stretch};
use crate::{
    Content, Hash, LogId, Reading, Seal, SealedLine, Unsealed, frontier::Frontier, lines::Line,
};

/// How many breaks of a chain are told apart; a log with more is not looked at to its end.
const MOST_BREAKS: usize = 10_000;

/// A line that is wrong by itself, whatever stands around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) kind: FaultKind,
    pub(super) place: Place,
    pub(super) seq: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// The record is not what was sealed.
    Content,
    /// The seal names another log.
    Log,
    /// The seal names another segment.
    Segment,
    /// The seal counts its chain's records wrongly.
    KeySequence { expected: u64, found: u64 },
    /// The seal vouches for unsealed bytes before it that are not there.
    Vouched { missing: bool },
    /// The line break is missing.
    Torn,
}

/// What one pass finds.
pub(super) struct Walk {
    pub(super) log: LogId,
    pub(super) stretches: Vec<Stretch>,
    pub(super) loose: Vec<Loose>,
    pub(super) faults: Vec<Fault>,
    pub(super) records: u64,
    pub(super) respelled: u64,
    /// Bytes without a seal that a later seal vouches for.
    pub(super) vouched: u64,
    /// Roots that were asked for, by the tree's size.
    pub(super) roots: HashMap<u64, Hash>,
    wanted: Vec<u64>,
    tree: Frontier,
    keys: HashMap<Box<[u8]>, u64>,
    skipped: Skipped,
    /// Where stretches ended, and another one may go on.
    ends: HashSet<Hash>,
    /// The last record, where it alone is of another segment than those before it in its file.
    turned: Option<(Place, u64)>,
}

/// Lines since the last sealed one.
#[derive(Default)]
struct Skipped {
    hasher: Sha256,
    bytes: u64,
    loose: usize,
}

impl Walk {
    /// Starts a walk that notes the tree's root at some sizes.
    pub(super) fn new(log: LogId, mut sizes: Vec<u64>) -> Self {
        sizes.sort_unstable_by(|one, other| other.cmp(one));
        let mut walk = Self {
            log,
            stretches: Vec::new(),
            loose: Vec::new(),
            faults: Vec::new(),
            records: 0,
            respelled: 0,
            vouched: 0,
            roots: HashMap::new(),
            wanted: sizes,
            tree: Frontier::default(),
            keys: HashMap::new(),
            skipped: Skipped::default(),
            ends: HashSet::new(),
            turned: None,
        };
        walk.note_root();
        walk
    }

    /// Takes the next line; `false` when there is too much wrong to go on.
    pub(super) fn take(&mut self, line: &Line<'_>, file: usize) -> bool {
        let place = Place {
            file,
            offset: line.offset,
            line: line.number,
        };
        match Reading::of(line.bytes) {
            Reading::Sealed(sealed) => {
                self.sealed(&sealed, place);
                if !line.ended {
                    self.fault(FaultKind::Torn, place, sealed.seal.seq);
                }
            }
            _ if line.bytes.iter().all(u8::is_ascii_whitespace) => self.skip(line),
            Reading::Unsealed => self.loose(LooseKind::Unsealed, line, place),
            Reading::Damaged => self.loose(LooseKind::Damaged, line, place),
        }
        self.stretches.len() + self.loose.len() + self.faults.len() <= MOST_BREAKS
    }

    fn sealed(&mut self, line: &SealedLine<'_>, place: Place) {
        self.records += 1;
        let seal = &line.seal;
        let edited = line.content == Content::Edited;
        self.respelled += u64::from(line.content == Content::Respelled);
        let native = seal.log == self.log;
        let strange = self.stretches.last().is_some_and(|current| current.foreign);
        let follows = match self.stretches.last() {
            Some(current) => current.is_followed_by(seal) && !(current.foreign && native),
            None => seal.seq == 0 && seal.prev == Hash::ZERO,
        };
        let skipped = std::mem::take(&mut self.skipped);
        if follows && !strange {
            self.vouch(seal.unsealed, skipped, edited, place, seal.seq);
            if edited {
                self.fault(FaultKind::Content, place, seal.seq);
            }
            if !native {
                self.fault(FaultKind::Log, place, seal.seq);
            }
            self.segment(seal, place);
        }
        let before = self
            .stretches
            .last()
            .map_or(Hash::ZERO, |current| current.link);
        // Chained to the record before, yet with another number than comes next.
        let misnumbered = !follows && seal.prev == before;
        // Behind a copy of it, a stretch goes on as one of its own.
        let resumes = self.ends.contains(&seal.prev);
        match self.stretches.last_mut() {
            Some(current) if follows && !resumes => current.extend(seal, line.link, place),
            current => {
                self.ends.extend(current.map(|current| current.link));
                self.stretches.push(Stretch {
                    begins_edited: misnumbered || (edited && !follows),
                    foreign: !native,
                    ..Stretch::new(seal, line.link, place)
                });
            }
        }
        if native {
            self.grow(line);
            if !edited {
                self.count_key(line, place);
            }
        }
    }

    /// Compares the segment that a seal names with the one before.
    fn segment(&mut self, seal: &Seal, place: Place) {
        let before = self.stretches.last().map(|current| current.last);
        self.turned = None;
        match before {
            Some(last) if seal.segment == last.segment => {}
            Some(last) if seal.segment == last.segment + 1 => {
                // Segments may be put together in one file, but none has one record at its end only.
                self.turned = (last.place.file == place.file).then_some((place, seal.seq));
            }
            None if seal.segment == 0 => {}
            _ => self.fault(FaultKind::Segment, place, seal.seq),
        }
    }

    /// Ends the walk.
    pub(super) fn finish(&mut self) {
        if let Some((place, seq)) = self.turned.take() {
            self.fault(FaultKind::Segment, place, seq);
        }
    }

    /// Adds to the tree what is next in it.
    fn grow(&mut self, line: &SealedLine<'_>) {
        if line.seal.seq == self.tree.size() {
            self.tree.push(line.link);
            self.note_root();
        }
    }

    fn note_root(&mut self) {
        while self.wanted.last() == Some(&self.tree.size()) {
            self.wanted.pop();
            self.roots.insert(self.tree.size(), self.tree.root());
        }
    }

    fn count_key(&mut self, line: &SealedLine<'_>, place: Place) {
        let found = line.seal.key_seq;
        let whole = self.is_whole();
        match self.keys.get_mut(&*line.action_key) {
            Some(next) => {
                // With records missing or doubled, what they counted is anybody's guess.
                let expected = std::mem::replace(next, found + 1);
                if whole && found != expected {
                    let kind = FaultKind::KeySequence { expected, found };
                    self.fault(kind, place, line.seal.seq);
                }
            }
            None => {
                self.keys.insert(line.action_key.as_ref().into(), found + 1);
                let from_start = self
                    .stretches
                    .first()
                    .is_some_and(|first| first.first.seq == 0);
                if whole && from_start && found != 0 {
                    let kind = FaultKind::KeySequence { expected: 0, found };
                    self.fault(kind, place, line.seal.seq);
                }
            }
        }
    }

    /// Whether nothing is wrong so far.
    fn is_whole(&self) -> bool {
        self.stretches.len() == 1 && self.faults.is_empty() && self.loose.is_empty()
    }

    /// Compares the lines without a seal before this one with what its seal says of them.
    fn vouch(
        &mut self,
        vouched: Option<Unsealed>,
        skipped: Skipped,
        edited: bool,
        place: Place,
        seq: u64,
    ) {
        let found = (skipped.bytes > 0).then(|| Unsealed {
            bytes: skipped.bytes,
            digest: <[u8; 32]>::from(skipped.hasher.finalize()).into(),
        });
        let loose = self.loose.len() - skipped.loose;
        match (vouched, found) {
            (Some(vouched), found) if found == Some(vouched) => {
                self.vouched += vouched.bytes;
                let lines = self.loose.split_off(loose);
                // A crash leaves half a line. A whole record has no business without a seal, but
                // before the log's first seal.
                let whole = |loose: &Loose| seq > 0 && loose.kind == LooseKind::Unsealed;
                self.loose.extend(lines.into_iter().filter(whole));
            }
            (Some(_), found) => {
                self.loose.truncate(loose);
                let missing = found.is_none();
                self.fault(FaultKind::Vouched { missing }, place, seq);
            }
            // A line break was put into the record: its first half is no line of its own.
            (None, Some(_)) if edited => {
                if let Some(Loose {
                    kind: LooseKind::Damaged,
                    ..
                }) = self.loose[loose..].last()
                {
                    self.loose.pop();
                }
            }
            (None, _) => {}
        }
    }

    fn skip(&mut self, line: &Line<'_>) {
        self.skipped.hasher.update(line.bytes);
        self.skipped.bytes += line.bytes.len() as u64;
        if line.ended {
            self.skipped.hasher.update(b"\n");
            self.skipped.bytes += 1;
        }
    }

    fn loose(&mut self, kind: LooseKind, line: &Line<'_>, place: Place) {
        self.skip(line);
        self.skipped.loose += 1;
        self.loose.push(Loose {
            kind: if line.ended { kind } else { LooseKind::Torn },
            place,
            claims: self.is_claimed(line.bytes),
        });
    }

    /// Whether a line names the record that the next one is to follow, or the next one's number.
    fn is_claimed(&self, line: &[u8]) -> bool {
        let (prev, seq) = match self.stretches.last() {
            Some(current) => (current.link, current.last.seq + 1),
            None => (Hash::ZERO, 0),
        };
        let names = |text: String| memmem::find(line, text.as_bytes()).is_some();
        names(prev.to_string()) || names(format!(",\"seq\":{seq},"))
    }

    fn fault(&mut self, kind: FaultKind, place: Place, seq: u64) {
        self.faults.push(Fault { kind, place, seq });
    }
}
