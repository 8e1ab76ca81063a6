//! Which records of a long chain are shown.

use std::ops::Range;

use preflight_audit::Chain;

use crate::commands::ingest::count;

/// Records that are read and written at once.
const PAGE: usize = 4_096;

/// A stretch of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window(Range<usize>);

impl Window {
    pub(crate) fn first(chain: &Chain<'_>, limit: usize) -> Self {
        Self(0..limit.min(chain.len()))
    }

    pub(crate) fn last(chain: &Chain<'_>, limit: usize) -> Self {
        Self(chain.len().saturating_sub(limit)..chain.len())
    }

    /// The last records, or those around the first one that was asked for.
    pub(crate) fn around_focus(chain: &Chain<'_>, limit: usize) -> Self {
        match chain.focus().first() {
            Some(focus) => Self(around(*focus, limit, chain.len())),
            None => Self::last(chain, limit),
        }
    }

    /// The records, as many at once as memory should hold.
    pub(crate) fn pages(&self) -> impl Iterator<Item = Range<usize>> {
        let Range { start, end } = self.0;
        (start..end)
            .step_by(PAGE)
            .map(move |from| from..end.min(from + PAGE))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn earlier(&self) -> usize {
        self.0.start
    }

    pub(crate) fn later(&self, chain: &Chain<'_>) -> usize {
        chain.len() - self.0.end
    }

    /// What a reader should know is not there.
    pub(crate) fn left_out(&self, chain: &Chain<'_>) -> Option<String> {
        let (earlier, later) = (self.earlier() as u64, self.later(chain) as u64);
        let parts = [(earlier, "earlier"), (later, "later")];
        let parts = parts.iter().filter(|(number, _)| *number > 0);
        let parts: Vec<String> = parts
            .map(|(number, when)| count(*number, &format!("{when} record")))
            .collect();
        (!parts.is_empty()).then(|| {
            format!(
                "left out: {}; --last N or --limit N show others",
                parts.join(" and ")
            )
        })
    }
}

fn around(focus: usize, limit: usize, length: usize) -> Range<usize> {
    let start = focus
        .saturating_sub(limit / 2)
        .min(length.saturating_sub(limit));
    start..length.min(start + limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_focus_is_in_the_middle_or_as_near_as_the_ends_allow() {
        assert_eq!(around(0, 4, 10), 0..4);
        assert_eq!(around(5, 4, 10), 3..7);
        assert_eq!(around(9, 4, 10), 6..10);
        assert_eq!(around(1, 4, 3), 0..3);
        assert_eq!(around(2, 0, 3), 2..2);
    }

    #[test]
    fn pages_cover_the_window_once() {
        let pages: Vec<_> = Window(10..PAGE * 2 + 11).pages().collect();
        assert_eq!(
            pages,
            [
                10..PAGE + 10,
                PAGE + 10..PAGE * 2 + 10,
                PAGE * 2 + 10..PAGE * 2 + 11
            ]
        );
        assert_eq!(Window(3..3).pages().count(), 0);
    }
}
