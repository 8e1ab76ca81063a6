//! Lines that are no records.

use crate::engine::QuarantinedLine;

/// Lines that are no records.
#[derive(Debug, Default)]
pub struct QuarantineState {
    /// The lines, the latest first; none before they are read.
    pub lines: Option<Vec<QuarantinedLine>>,
    /// The line that the cursor is on.
    pub cursor: usize,
    /// The first line on the screen.
    pub offset: usize,
}

impl QuarantineState {
    /// The line under the cursor.
    pub fn current(&self) -> Option<&QuarantinedLine> {
        self.lines.as_ref()?.get(self.cursor)
    }
}
