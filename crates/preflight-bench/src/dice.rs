//! The only source of chance: a seeded generator and a few ways to draw from it.
//!
//! The draws are written out here, on integers, instead of taken from a
//! distribution crate, so that a seed gives the same bytes on every platform and
//! after every dependency update.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// One chance in a million, the unit of [`Dice::chance`].
pub(crate) const MILLION: u64 = 1_000_000;

/// A seeded stream of random draws.
#[derive(Clone, Debug)]
pub(crate) struct Dice(Xoshiro256PlusPlus);

impl Dice {
    /// Starts the stream that belongs to `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A number from 0 up to, not including, `end`; 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(end)) >> 64) as u64
    }

    /// An index below `len`.
    pub(crate) fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// Whether an event of `per_million` chances in a million happens.
    pub(crate) fn chance(&mut self, per_million: u64) -> bool {
        self.below(MILLION) < per_million
    }

    /// Whether an event of `percent` chances in a hundred happens.
    pub(crate) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of `items`, each as likely as the others. `items` must not be empty.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.index(items.len())]
    }

    /// One of `table`, as likely as its weight. `table` must not be empty.
    pub(crate) fn weighted<T: Copy>(&mut self, table: &[(u64, T)]) -> T {
        let total = table.iter().map(|(weight, _)| weight).sum();
        let mut at = self.below(total);
        for &(weight, item) in table {
            if at < weight {
                return item;
            }
            at -= weight;
        }
        table[0].1
    }
}
