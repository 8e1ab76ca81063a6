//! Many chains at once, merged into one log by time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::anomaly::{self, Anomaly};
use crate::chain::Chain;
use crate::dice::Dice;
use crate::plan::Plan;
use crate::record::Record;
use crate::run;
use crate::timestamp::Timestamp;
use crate::world::Keys;

const HOUR_MS: u64 = 3_600_000;
/// The shortest usual gap between two runs of a chain; the longest is 32 times that.
const GAP_MS: u64 = 15 * HOUR_MS / 2;
/// The same for a busy chain.
const BUSY_GAP_MS: u64 = HOUR_MS / 6;
/// Within what time the first chains of a log start.
const START_MS: u64 = 48 * HOUR_MS;

/// A chain in progress, the records of its current run, the next one last, and the
/// anomaly planted in that run.
struct Slot {
    chain: Chain,
    ahead: Vec<Record>,
    planted: Option<Anomaly>,
}

/// The endless log: each call of [`Interleave::next`] gives the next record.
///
/// Holds a fixed number of chains. One that has had its runs makes room for a new
/// one, so memory does not grow with the length of the log.
pub(crate) struct Interleave {
    dice: Dice,
    keys: Keys,
    slots: Vec<Slot>,
    /// The slots by the time of their next record.
    agenda: BinaryHeap<Reverse<(Timestamp, usize)>>,
    pace: u64,
    anomalies_per_million: u64,
    planted: BTreeMap<&'static str, u64>,
}

impl Interleave {
    /// Starts the log that `plan` describes.
    pub(crate) fn new(plan: &Plan) -> Self {
        let mut log = Self {
            dice: Dice::new(plan.seed),
            keys: Keys::default(),
            slots: Vec::new(),
            agenda: BinaryHeap::new(),
            pace: plan.pace(),
            anomalies_per_million: plan.anomalies_per_million(),
            planted: BTreeMap::new(),
        };
        for at in 0..plan.chains_at_once() {
            let chain = Chain::open(&mut log.keys, &mut log.dice);
            log.slots.push(Slot {
                chain,
                ahead: Vec::new(),
                planted: None,
            });
            let start = Timestamp(log.dice.below(START_MS / log.pace));
            log.play(at, start);
        }
        log
    }

    /// The next record of the log.
    pub(crate) fn next(&mut self) -> Option<Record> {
        let Reverse((_, at)) = self.agenda.pop()?;
        let record = self.slots[at].ahead.pop()?;
        match self.slots[at].ahead.last() {
            Some(next) => self.agenda.push(Reverse((next.timestamp, at))),
            None => self.go_on(at, record.timestamp),
        }
        Some(record)
    }

    /// How many chains have begun.
    pub(crate) fn chains(&self) -> u64 {
        self.keys.dealt()
    }

    /// How often each anomaly was planted in a run that has ended.
    pub(crate) fn planted(&self) -> &BTreeMap<&'static str, u64> {
        &self.planted
    }

    /// Plays the next run in a slot, in a new chain if the old one has had its runs.
    fn go_on(&mut self, at: usize, now: Timestamp) {
        if let Some(anomaly) = self.slots[at].planted {
            *self.planted.entry(anomaly.name()).or_default() += 1;
        }
        if self.slots[at].chain.runs_left == 0 {
            self.slots[at].chain = Chain::open(&mut self.keys, &mut self.dice);
        }
        let gap = self.gap(self.slots[at].chain.busy);
        self.play(at, now + gap);
    }

    /// Plays a run in a slot and puts its first record on the agenda.
    fn play(&mut self, at: usize, start: Timestamp) {
        let chain = &mut self.slots[at].chain;
        chain.runs_left -= 1;
        let mut records = run::play(chain, &mut self.dice, start);
        let planted = if self.dice.chance(self.anomalies_per_million) {
            anomaly::plant(&mut records, chain, &mut self.dice)
        } else {
            None
        };
        chain.learn(&records);
        records.reverse();
        if let Some(first) = records.last() {
            self.agenda.push(Reverse((first.timestamp, at)));
        }
        self.slots[at].ahead = records;
        self.slots[at].planted = planted;
    }

    /// A gap between two runs: each doubling of the shortest is as likely.
    fn gap(&mut self, busy: bool) -> u64 {
        let shortest = if busy { BUSY_GAP_MS } else { GAP_MS };
        let base = shortest << self.dice.below(5);
        (base + self.dice.below(base)) / self.pace + 1000
    }
}
