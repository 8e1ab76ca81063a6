//! What was drawn where, for the mouse.

use ratatui::layout::{Position, Rect};

use super::{ChainPart, Screen};
use crate::table::Column;

/// Something that can be clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    /// The tab of a screen.
    Tab(Screen),
    /// A line of the list on the screen.
    Line(usize),
    /// The head of a column.
    Head(Column),
    /// The tab of a part of the chain.
    Part(ChainPart),
    /// A line of the chain's document.
    Document(usize),
    /// A line of the dialog.
    Choice(usize),
    /// The filter.
    Filter,
}

/// What was drawn where, and how much room lists have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    hits: Vec<(Rect, Hit)>,
    /// Lines that the list on the screen has room for.
    pub list_height: usize,
    /// Lines that the document beside or below it has room for.
    pub document_height: usize,
    /// Lines that the document has.
    pub document_lines: usize,
}

impl Places {
    /// Notes what was drawn.
    pub fn add(&mut self, area: Rect, hit: Hit) {
        self.hits.push((area, hit));
    }

    /// What was drawn last at a place.
    pub fn at(&self, column: u16, row: u16) -> Option<Hit> {
        let position = Position::new(column, row);
        let mut hits = self.hits.iter().rev();
        hits.find(|(area, _)| area.contains(position))
            .map(|(_, hit)| *hit)
    }
}
