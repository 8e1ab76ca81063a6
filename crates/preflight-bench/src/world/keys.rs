//! Which user works with which tool: an endless supply of distinct chains.

use super::tools::{TOOLS, Tool};

/// Users whose chains are dealt out in turns, so that neighbours differ.
const BLOCK: u64 = 64;
/// Tools that each user's agent calls.
const TOOLS_PER_USER: u64 = 6;
/// A step that visits every chain of a block once (odd, and no multiple of 3).
const STEP: u64 = 149;
/// A step that visits every tool once (no multiple of 5).
const TOOL_STEP: u64 = 7;

/// The user and the tool that a chain belongs to.
pub(crate) struct Name {
    pub(crate) user: u64,
    pub(crate) tool: &'static Tool,
}

/// Deals out pairs of user and tool, none of them twice, in constant memory.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    dealt: u64,
}

impl Keys {
    /// The next pair.
    pub(crate) fn deal(&mut self) -> Name {
        let size = BLOCK * TOOLS_PER_USER;
        let (block, place) = (self.dealt / size, self.dealt % size * STEP % size);
        self.dealt += 1;
        let user = block * BLOCK + place % BLOCK + 1;
        let tool =
            (user * TOOL_STEP * TOOLS_PER_USER + place / BLOCK * TOOL_STEP) % TOOLS.len() as u64;
        Name {
            user,
            tool: &TOOLS[tool as usize],
        }
    }

    /// How many pairs were dealt.
    pub(crate) fn dealt(&self) -> u64 {
        self.dealt
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn deals_no_pair_twice() {
        let mut keys = Keys::default();
        let pairs: HashSet<_> = (0..5000)
            .map(|_| keys.deal())
            .map(|name| (name.user, name.tool.name))
            .collect();
        assert_eq!(pairs.len(), 5000);
    }

    #[test]
    fn calls_every_tool() {
        let mut keys = Keys::default();
        let tools: HashSet<_> = (0..5000).map(|_| keys.deal().tool.name).collect();
        assert_eq!(tools.len(), TOOLS.len());
    }
}
