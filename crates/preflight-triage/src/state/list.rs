//! The table of findings: view, cursor, marks, groups.

use std::{collections::HashSet, sync::Arc};

use preflight_audit::FindingId;

use super::FilterInput;
use crate::{
    query::Query,
    table::{Findings, Triaged, View, ViewSpec},
};

/// The table of findings.
#[derive(Debug, Default)]
pub struct ListState {
    /// What is to be shown.
    pub spec: ViewSpec,
    /// A filter that is being typed.
    pub input: Option<FilterInput>,
    /// Which rows are shown.
    pub view: View,
    /// The findings that these are rows of: those of the state before, until a view of new ones is
    /// there.
    pub table: Arc<Findings>,
    /// The decisions on them.
    pub triaged: Arc<Triaged>,
    /// The line that the cursor is on.
    pub cursor: usize,
    /// The first line on the screen.
    pub offset: usize,
    /// Findings that are marked.
    pub marked: HashSet<FindingId>,
    /// Groups that are open, by name.
    opened: HashSet<String>,
    /// The line of each group's head, and whether the group is open.
    heads: Vec<(usize, bool)>,
    lines: usize,
    /// Whether the next view keeps the cursor on its finding.
    keeps: bool,
}

/// A line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// The head of a group.
    Group {
        /// Which one.
        group: usize,
        /// Whether its rows follow.
        is_open: bool,
    },
    /// A row of the table of findings.
    Row(usize),
}

/// What the cursor is on, whatever line that is.
enum Anchor {
    Finding(FindingId),
    Group(String),
}

impl ListState {
    pub(super) fn new(query: Query) -> Self {
        Self {
            spec: ViewSpec {
                query,
                ..ViewSpec::default()
            },
            ..Self::default()
        }
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.lines
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// A line.
    pub fn line(&self, at: usize) -> Option<Line> {
        if self.view.group.is_none() {
            return self.view.rows.get(at).map(|row| Line::Row(*row as usize));
        }
        let group = self
            .heads
            .partition_point(|(head, _)| *head <= at)
            .checked_sub(1)?;
        let (head, is_open) = self.heads[group];
        match at - head {
            0 => Some(Line::Group { group, is_open }),
            within if is_open => {
                let stretch = self.view.groups[group];
                let row = (within <= stretch.len as usize)
                    .then(|| self.view.rows[stretch.start as usize + within - 1]);
                row.map(|row| Line::Row(row as usize))
            }
            _ => None,
        }
    }

    /// The rows of a group.
    pub fn rows_of(&self, group: usize) -> &[u32] {
        let stretch = self.view.groups[group];
        &self.view.rows[stretch.start as usize..(stretch.start + stretch.len) as usize]
    }

    /// What a group's rows have in common.
    pub fn name_of(&self, group: usize) -> String {
        let row = self.rows_of(group).first().copied();
        match (self.view.group, row) {
            (Some(column), Some(row)) => column.value(&self.table, &self.triaged, row as usize),
            _ => String::new(),
        }
    }

    /// The row that the cursor is on.
    pub fn current(&self) -> Option<usize> {
        match self.line(self.cursor)? {
            Line::Row(row) => Some(row),
            Line::Group { .. } => None,
        }
    }

    /// What a decision is about: what is marked, or else what the cursor is on.
    pub fn targets(&self) -> Vec<FindingId> {
        if !self.marked.is_empty() {
            let mut marked: Vec<FindingId> = self.marked.iter().copied().collect();
            marked.sort_unstable();
            return marked;
        }
        match self.line(self.cursor) {
            Some(Line::Row(row)) => vec![self.table.id(row)],
            Some(Line::Group { group, .. }) => {
                let rows = self.rows_of(group).iter();
                rows.map(|row| self.table.id(*row as usize)).collect()
            }
            None => Vec::new(),
        }
    }

    /// Moves the cursor, and the screen with it.
    pub fn move_to(&mut self, line: usize, height: usize) {
        self.cursor = line.min(self.lines.saturating_sub(1));
        self.show_cursor(height);
    }

    /// Keeps the cursor on the screen.
    pub fn show_cursor(&mut self, height: usize) {
        let height = height.max(1);
        if self.cursor < self.offset {
            self.offset = self.cursor;
        } else if self.cursor >= self.offset + height {
            self.offset = self.cursor + 1 - height;
        }
        // What is there fills the screen.
        self.offset = self.offset.min(self.lines.saturating_sub(height));
    }

    /// Opens or closes the group under the cursor.
    pub fn toggle(&mut self) -> bool {
        let Some(Line::Group { group, .. }) = self.line(self.cursor) else {
            return false;
        };
        let name = self.name_of(group);
        if !self.opened.remove(&name) {
            self.opened.insert(name);
        }
        self.lay_out();
        true
    }

    /// Marks or unmarks what the cursor is on.
    pub fn toggle_mark(&mut self) {
        match self.line(self.cursor) {
            Some(Line::Row(row)) => self.mark(&[row as u32]),
            Some(Line::Group { group, .. }) => {
                let rows = self.rows_of(group).to_vec();
                self.mark(&rows);
            }
            None => {}
        }
    }

    /// Marks rows, or unmarks them where all are marked.
    fn mark(&mut self, rows: &[u32]) {
        let ids = rows.iter().map(|row| self.table.id(*row as usize));
        match ids.clone().all(|id| self.marked.contains(&id)) {
            true => ids.for_each(|id| {
                self.marked.remove(&id);
            }),
            false => self.marked.extend(ids),
        }
    }

    /// Marks all rows of the view, or none where any is marked.
    pub fn toggle_all(&mut self) {
        match self.marked.is_empty() {
            true => {
                let rows = self.view.rows.iter();
                self.marked = rows.map(|row| self.table.id(*row as usize)).collect();
            }
            false => self.marked = HashSet::new(),
        }
    }

    /// The next view shows other findings: the cursor goes to the first of them.
    pub fn start_over(&mut self) {
        self.keeps = false;
    }

    /// What the cursor is on before another view or another table comes.
    fn anchor(&self) -> Option<Anchor> {
        Some(match self.line(self.cursor)? {
            Line::Row(row) => Anchor::Finding(self.table.id(row)),
            Line::Group { group, .. } => Anchor::Group(self.name_of(group)),
        })
    }

    /// Takes a view and the table that it is over. The cursor stays on its finding and the finding on
    /// its line of the screen, unless another filter was asked for.
    pub fn show(&mut self, view: View, table: Arc<Findings>, triaged: Arc<Triaged>, height: usize) {
        let anchor = self.keeps.then(|| self.anchor()).flatten();
        let on_screen = self.cursor.saturating_sub(self.offset);
        (self.view, self.table, self.triaged) = (view, table, triaged);
        self.lay_out();
        match (self.keeps, anchor) {
            (false, _) => (self.cursor, self.offset) = (0, 0),
            (true, anchor) => {
                let line = anchor.and_then(|anchor| self.find(&anchor));
                self.cursor = line
                    .unwrap_or(self.cursor)
                    .min(self.lines.saturating_sub(1));
                self.offset = self.cursor.saturating_sub(on_screen);
            }
        }
        self.keeps = true;
        self.show_cursor(height);
    }

    fn find(&self, anchor: &Anchor) -> Option<usize> {
        match anchor {
            Anchor::Finding(id) => {
                let row = self.table.row_of(*id)? as u32;
                let position = self.view.rows.iter().position(|other| *other == row)?;
                self.line_of(position)
            }
            Anchor::Group(name) => {
                let mut groups = 0..self.view.groups.len();
                let group = groups.find(|group| self.name_of(*group) == *name)?;
                Some(self.heads[group].0)
            }
        }
    }

    /// The line of a position in the view; that of its group where the group is closed.
    fn line_of(&self, position: usize) -> Option<usize> {
        if self.view.group.is_none() {
            return Some(position);
        }
        let groups = &self.view.groups;
        let group = groups
            .partition_point(|group| group.start as usize <= position)
            .checked_sub(1)?;
        let (head, is_open) = self.heads[group];
        Some(match is_open {
            true => head + 1 + position - groups[group].start as usize,
            false => head,
        })
    }

    fn lay_out(&mut self) {
        if self.view.group.is_none() {
            self.heads.clear();
            self.lines = self.view.rows.len();
            return;
        }
        let mut line = 0;
        let heads = (0..self.view.groups.len()).map(|group| {
            let is_open = !self.opened.is_empty() && self.opened.contains(&self.name_of(group));
            let head = line;
            line += 1 + if is_open {
                self.view.groups[group].len as usize
            } else {
                0
            };
            (head, is_open)
        });
        self.heads = heads.collect();
        self.lines = line;
    }
}
