//! From the pieces of a damaged log to what was done to it.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    Outcome,
    backbone::{backbone, out_of_place},
    piece::{Loose, LooseKind, Place, Stretch},
    walk::{Fault, FaultKind, Walk},
};
use crate::Hash;

/// Something wrong, with its place in the log.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) outcome: Outcome,
    pub(super) place: Place,
    pub(super) seq: Option<u64>,
    pub(super) detail: String,
}

impl Finding {
    /// Nothing yet, at a place.
    pub(super) fn at(place: Place) -> Self {
        Self {
            outcome: Outcome::Edited,
            place,
            seq: None,
            detail: String::new(),
        }
    }
}

/// All that is wrong with a log's lines.
pub(super) struct Resolved {
    pub(super) findings: Vec<Finding>,
    /// Records behind the chain's last one that are there, but damaged.
    pub(super) damaged_at_end: u64,
}

impl Resolved {
    /// Adds what was found besides the lines, in its place.
    pub(super) fn add(&mut self, findings: Vec<Finding>) {
        self.findings.extend(findings);
        self.findings
            .sort_by_key(|finding| (finding.place, finding.outcome));
    }
}

/// The links that lines of the log have, by number: those that were asked for.
pub(super) type Links = HashMap<u64, Vec<(Place, Hash)>>;

/// What a walk comes to.
pub(super) struct Resolver<'w> {
    walk: &'w Walk,
    /// Whether the log's first segment is there.
    from_start: bool,
    stretches: Vec<Stretch>,
    loose: Vec<Loose>,
    /// Stretches of the chain by number, as positions in `stretches`.
    chain: Vec<usize>,
    /// Loose lines that are accounted for.
    explained: HashSet<Place>,
    findings: Vec<Finding>,
    edited: HashSet<Place>,
}

impl<'w> Resolver<'w> {
    pub(super) fn new(walk: &'w Walk, from_start: bool) -> Self {
        let mut loose = walk.loose.clone();
        // An edited record that nothing hangs on is a line without a place.
        let is_alone = |stretch: &Stretch| stretch.begins_edited && stretch.count() == 1;
        let stretches = walk.stretches.iter();
        let (alone, stretches): (Vec<_>, Vec<_>) = stretches.cloned().partition(is_alone);
        loose.extend(alone.iter().map(|stretch| Loose {
            kind: LooseKind::Edited,
            place: stretch.first.place,
            claims: true,
        }));
        loose.sort_by_key(|loose| loose.place);
        let chain = backbone(&stretches);
        Self {
            walk,
            from_start,
            stretches,
            loose,
            chain,
            explained: HashSet::new(),
            findings: Vec::new(),
            edited: HashSet::new(),
        }
    }

    /// Numbers whose links tell a copy from a fork.
    pub(super) fn wanted(&self) -> BTreeSet<u64> {
        let doubtful = self.doubtful();
        doubtful
            .iter()
            .flat_map(|stretch| [stretch.first.seq.checked_sub(1), Some(stretch.first.seq)])
            .flatten()
            .collect()
    }

    /// The number after the chain's last.
    pub(super) fn end(&self) -> u64 {
        let last = self.chain.last().map(|at| &self.stretches[*at]);
        last.map_or(0, |stretch| stretch.last.seq + 1)
    }

    /// Where the chain's last record stands.
    pub(super) fn last(&self) -> Place {
        let last = self.chain.last().map(|at| &self.stretches[*at]);
        last.map_or(Place::START, |stretch| stretch.last.place)
    }

    /// The number that the chain starts with.
    pub(super) fn start(&self) -> u64 {
        let first = self.chain.first().map(|at| &self.stretches[*at]);
        first.map_or(0, |stretch| stretch.first.seq)
    }

    /// Names everything.
    pub(super) fn findings(mut self, links: &Links) -> Resolved {
        for fault in &self.walk.faults {
            self.fault(fault);
        }
        self.start_of_chain();
        self.breaks();
        self.places();
        self.strangers(links);
        let damaged_at_end = self.leftovers();
        self.findings
            .sort_by_key(|finding| (finding.place, finding.outcome));
        Resolved {
            findings: self.findings,
            damaged_at_end,
        }
    }

    fn find(&mut self, outcome: Outcome, place: Place, seq: Option<u64>, detail: String) {
        // A line is edited once, however many signs of it there are.
        if outcome == Outcome::Edited && !self.edited.insert(place) {
            return;
        }
        self.findings.push(Finding {
            outcome,
            place,
            seq,
            detail,
        });
    }

    fn fault(&mut self, fault: &Fault) {
        let (outcome, detail) = match fault.kind {
            FaultKind::Content => (
                Outcome::Edited,
                "the record is not the one that was sealed".to_owned(),
            ),
            FaultKind::Log => (Outcome::Edited, "its seal names another log".to_owned()),
            FaultKind::Segment => (Outcome::Edited, "its seal names another segment".to_owned()),
            FaultKind::KeySequence { expected, found } => (
                Outcome::Edited,
                format!(
                    "its seal counts {found} earlier records of its action key, there are {expected}"
                ),
            ),
            FaultKind::Vouched { missing: true } => (
                Outcome::Deleted,
                "the unsealed lines before it that its seal vouches for are gone".to_owned(),
            ),
            FaultKind::Vouched { missing: false } => (
                Outcome::Edited,
                "the unsealed lines before it are not those that its seal vouches for".to_owned(),
            ),
            FaultKind::Torn => (
                Outcome::TornTail,
                "the file's last line lacks its line break".to_owned(),
            ),
        };
        self.find(outcome, fault.place, Some(fault.seq), detail);
    }

    /// A log starts with its first record.
    fn start_of_chain(&mut self) {
        let Some(first) = self.chain.first().map(|at| self.stretches[*at].clone()) else {
            return;
        };
        if self.from_start {
            self.gap(None, &first);
        }
    }

    fn breaks(&mut self) {
        let pairs: Vec<[usize; 2]> = self.chain.array_windows().copied().collect();
        let mut skip = false;
        for (index, [before, after]) in pairs.iter().enumerate() {
            let (before, after) = (
                self.stretches[*before].clone(),
                self.stretches[*after].clone(),
            );
            if after.first.seq > before.last.seq + 1 {
                skip = false;
                self.gap(Some(&before), &after);
            } else if after.prev != before.link && !std::mem::take(&mut skip) {
                let next = pairs.get(index + 1).map(|[_, next]| &self.stretches[*next]);
                // A record whose seal was edited fits neither side.
                let fits_next = next.is_some_and(|next| next.prev == after.link);
                skip =
                    after.count() == 1 && !fits_next && !self.edited.contains(&before.last.place);
                let stop = if skip { after.first } else { before.last };
                let detail = match skip {
                    true => format!(
                        "its seal is not the one that was made for record {}",
                        stop.seq
                    ),
                    false => format!(
                        "record {} is chained to another record than this one",
                        after.first.seq
                    ),
                };
                // Where the next one is edited too, this break is its doing.
                if !self.edited.contains(&after.first.place) {
                    self.find(Outcome::Edited, stop.place, Some(stop.seq), detail);
                }
            }
        }
    }

    /// Names what became of the records between two stretches.
    fn gap(&mut self, before: Option<&Stretch>, after: &Stretch) {
        let first = before.map_or(0, |before| before.last.seq + 1);
        let mut missing = after.first.seq - first;
        if missing == 0 {
            // Only at the log's start: the first record is chained to something.
            if after.prev != Hash::ZERO {
                let detail = "the log's first record is chained to something".to_owned();
                self.find(Outcome::Edited, after.first.place, Some(0), detail);
            }
            return;
        }
        let from = before.map_or(Place::START, |before| before.last.place);
        let mut between: Vec<Loose> = self.loose.clone();
        between.retain(|loose| from < loose.place && loose.place < after.first.place);
        // Those that name their place first.
        between.sort_by_key(|loose| (!loose.claims, loose.place));
        for loose in between {
            if missing == 0 {
                // The rest of a line that a line break was put into.
                if self.is_rest(loose) {
                    self.explained.insert(loose.place);
                }
                continue;
            }
            self.explained.insert(loose.place);
            let seq = first + (after.first.seq - first - missing);
            missing -= 1;
            self.damaged(loose, Some(seq));
        }
        if missing > 0 && after.begins_edited {
            // Two lines became one: the first one's record went into the second's.
            let detail = "the record is not the one that was sealed".to_owned();
            self.find(
                Outcome::Edited,
                after.first.place,
                Some(after.first.seq),
                detail,
            );
            missing -= 1;
        }
        if missing > 0 {
            self.missing(before, after, missing);
        }
    }

    /// Whether a damaged line stands beside one that is accounted for.
    fn is_rest(&self, loose: Loose) -> bool {
        let beside = |line: Option<u64>| {
            let mut explained = self.explained.iter();
            line.is_some_and(|line| {
                explained.any(|place| (place.file, place.line) == (loose.place.file, line))
            })
        };
        let line = loose.place.line;
        loose.kind == LooseKind::Damaged
            && (beside(line.checked_sub(1)) || beside(line.checked_add(1)))
    }

    fn missing(&mut self, before: Option<&Stretch>, after: &Stretch, missing: u64) {
        let segments = before.map(|before| before.last.segment + 1..after.first.segment);
        // A file between the two, of which no record is whole, is a segment that is not missing.
        let is_between = |file: usize| {
            before.is_some_and(|before| before.last.place.file < file)
                && file < after.first.place.file
        };
        let remains = self.loose.iter().any(|loose| is_between(loose.place.file));
        let segments =
            segments.filter(|segments| segments.end.saturating_sub(segments.start) > 1 || !remains);
        let next = after.first.seq;
        let (outcome, detail) = match segments {
            Some(segments) if !segments.is_empty() => (
                Outcome::RotationGap,
                format!(
                    "{}: {} between this one and the file before",
                    records_missing(next - missing, next),
                    match segments.end - segments.start {
                        1 => format!("segment {} is missing", segments.start),
                        _ => format!(
                            "segments {} to {} are missing",
                            segments.start,
                            segments.end - 1
                        ),
                    }
                ),
            ),
            _ => (
                Outcome::Deleted,
                format!("{} before this one", records_missing(next - missing, next)),
            ),
        };
        self.find(outcome, after.first.place, Some(next - missing), detail);
    }

    fn damaged(&mut self, loose: Loose, seq: Option<u64>) {
        let (outcome, detail) = match loose.kind {
            LooseKind::Torn => (
                Outcome::TornTail,
                "the file's last line stops before its end",
            ),
            LooseKind::Edited => (
                Outcome::Edited,
                "neither the record nor its seal is what was sealed",
            ),
            LooseKind::Unsealed | LooseKind::Damaged => {
                (Outcome::Edited, "the record's seal cannot be read any more")
            }
        };
        self.find(outcome, loose.place, seq, detail.to_owned());
    }

    /// Whether the chain's stretches stand in its order.
    fn places(&mut self) {
        let chain: Vec<Stretch> = self
            .chain
            .iter()
            .map(|at| self.stretches[*at].clone())
            .collect();
        for moved in out_of_place(&chain) {
            let Stretch { first, last, .. } = chain[moved];
            let detail = match moved.checked_sub(1).map(|before| &chain[before]) {
                Some(before) if first.seq == last.seq => format!(
                    "record {} belongs behind line {}",
                    first.seq, before.last.place.line
                ),
                Some(before) => format!(
                    "records {} to {} belong behind line {}",
                    first.seq, last.seq, before.last.place.line
                ),
                None => format!("record {} belongs at the log's start", first.seq),
            };
            self.find(Outcome::Reordered, first.place, Some(first.seq), detail);
        }
    }

    fn doubtful(&self) -> Vec<Stretch> {
        let chain: HashSet<usize> = self.chain.iter().copied().collect();
        let stretches = self.stretches.iter().enumerate();
        stretches
            .filter(|(at, _)| !chain.contains(at))
            .map(|(_, stretch)| stretch.clone())
            .collect()
    }

    /// Names the stretches that the chain has no place for.
    fn strangers(&mut self, links: &Links) {
        let strangers = self.doubtful();
        let ends: HashSet<Hash> = strangers.iter().map(|stretch| stretch.link).collect();
        for stranger in strangers {
            let first = stranger.first;
            // The rest of a branch is told with its beginning.
            if ends.contains(&stranger.prev) && !stranger.foreign {
                continue;
            }
            let at = |seq: u64| links.get(&seq).into_iter().flatten();
            let own = at(first.seq).find(|(place, _)| *place == first.place);
            let copied = own.and_then(|(_, own)| {
                at(first.seq).find(|(place, link)| link == own && self.is_in_chain(*place))
            });
            let branches = match first.seq.checked_sub(1) {
                Some(before) => at(before).any(|(_, link)| *link == stranger.prev),
                None => stranger.prev == Hash::ZERO,
            };
            let (outcome, detail) = if stranger.foreign {
                (Outcome::Inserted, "sealed for another log".to_owned())
            } else if let Some((place, _)) = copied {
                (Outcome::Inserted, format!("a copy of line {}", place.line))
            } else if branches {
                let detail = match first.seq.checked_sub(1) {
                    Some(before) => format!("record {before} is followed by two different records"),
                    None => "the log has two beginnings".to_owned(),
                };
                (Outcome::Fork, detail)
            } else {
                (
                    Outcome::Inserted,
                    "chained to no record of this log".to_owned(),
                )
            };
            self.find(outcome, first.place, Some(first.seq), detail);
        }
    }

    fn is_in_chain(&self, place: Place) -> bool {
        self.chain.iter().any(|at| {
            let stretch = &self.stretches[*at];
            (stretch.first.place..=stretch.last.place).contains(&place)
        })
    }

    /// Names the loose lines that stand in no gap; returns how many records behind the chain's end they
    /// were.
    fn leftovers(&mut self) -> u64 {
        let mut at_end = 0;
        let end = self.chain.last().map(|at| self.stretches[*at].last.place);
        let mut loose = self.loose.clone();
        loose.retain(|loose| {
            !self.explained.contains(&loose.place) && !self.edited.contains(&loose.place)
        });
        for together in loose.chunk_by(|one, other| one.is_before(*other)) {
            let first = together[0];
            let is_last = end.is_none_or(|end| first.place > end);
            let claims = together.iter().any(|loose| loose.claims);
            match first.kind {
                LooseKind::Torn | LooseKind::Edited => {
                    at_end += u64::from(is_last);
                    self.damaged(first, None);
                }
                _ if is_last && claims => {
                    at_end += 1;
                    self.damaged(first, Some(self.end()));
                }
                LooseKind::Unsealed => {
                    let detail = "a record without a seal".to_owned();
                    self.find(Outcome::Unsealed, first.place, None, detail);
                }
                LooseKind::Damaged => {
                    let detail = "no record, and no seal vouches for it".to_owned();
                    self.find(Outcome::Inserted, first.place, None, detail);
                }
            }
        }
        at_end
    }
}

fn records_missing(first: u64, next: u64) -> String {
    match next - first {
        1 => format!("record {first} is missing"),
        count => format!("{count} records, {first} to {}, are missing", next - 1),
    }
}
