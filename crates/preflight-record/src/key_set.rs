//! The keys of one object, to find the one that stands twice.

use std::{borrow::Cow, collections::HashSet};

use smallvec::SmallVec;

/// Objects of records have a dozen keys: comparing them in line beats hashing.
const IN_LINE: usize = 16;

#[derive(Default)]
pub(crate) struct KeySet<'a> {
    few: SmallVec<[Cow<'a, str>; IN_LINE]>,
    many: HashSet<Cow<'a, str>>,
}

impl<'a> KeySet<'a> {
    /// Adds a key; `false` when it is there already.
    pub(crate) fn insert(&mut self, key: Cow<'a, str>) -> bool {
        if self.few.contains(&key) {
            return false;
        }
        if self.few.len() < IN_LINE {
            self.few.push(key);
            return true;
        }
        self.many.insert(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_objects_are_checked_too() {
        let mut keys = KeySet::default();
        for n in 0..1_000 {
            assert!(keys.insert(format!("k{n}").into()));
        }
        assert!(!keys.insert("k3".into()));
        assert!(!keys.insert("k999".into()));
    }
}
