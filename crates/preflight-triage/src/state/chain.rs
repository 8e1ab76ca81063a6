//! A chain, record by record.

use std::collections::HashSet;

use preflight_audit::{ChainRecord, FindingId, Values};

use crate::{
    engine::{ChainPage, RecordPlace},
    json_view::JsonView,
};

/// A part of what is shown of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChainPart {
    /// Fields, conditions, asks, findings.
    #[default]
    Fields,
    /// What differs from the baseline, side by side.
    Baseline,
    /// The record as JSON.
    Record,
    /// What the rule says.
    Rule,
}

impl ChainPart {
    /// All parts, in order.
    pub const ALL: [Self; 4] = [Self::Fields, Self::Baseline, Self::Record, Self::Rule];

    /// What it is called.
    pub fn words(self) -> &'static str {
        match self {
            Self::Fields => "Fields",
            Self::Baseline => "Baseline",
            Self::Record => "JSON",
            Self::Rule => "Rule",
        }
    }

    /// The next part, or the one before.
    pub fn next(self, forward: bool) -> Self {
        let at = Self::ALL.iter().position(|part| *part == self).unwrap_or(0);
        let step = if forward { 1 } else { Self::ALL.len() - 1 };
        Self::ALL[(at + step) % Self::ALL.len()]
    }
}

/// Where the cursor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    /// On a record.
    #[default]
    Timeline,
    /// On a line of what is shown of it.
    Document,
}

/// A chain.
#[derive(Debug)]
pub struct ChainState {
    /// The finding that it was opened for.
    pub finding: Option<FindingId>,
    /// Some of its records.
    pub page: Option<ChainPage>,
    /// Why it can't be shown.
    pub error: Option<String>,
    /// The record that the cursor is on, in the page.
    pub cursor: usize,
    /// The first record on the screen.
    pub offset: usize,
    /// What is shown of it.
    pub part: ChainPart,
    /// Where keys go.
    pub focus: Focus,
    /// The line of the document that the cursor is on.
    pub line: usize,
    /// The first line of the document on the screen.
    pub scroll: usize,
    /// Whether values are masked.
    pub values: Values,
    /// The record's bytes, or why they can't be read again.
    pub raw: Option<(RecordPlace, Result<String, String>)>,
    /// The record as JSON.
    pub json: Option<JsonView>,
    /// Nodes of it that are folded otherwise than they were at first.
    pub turned: HashSet<usize>,
}

impl Default for ChainState {
    fn default() -> Self {
        Self {
            finding: None,
            page: None,
            error: None,
            cursor: 0,
            offset: 0,
            part: ChainPart::default(),
            focus: Focus::default(),
            line: 0,
            scroll: 0,
            values: Values::Masked,
            raw: None,
            json: None,
            turned: HashSet::new(),
        }
    }
}

impl ChainState {
    /// The record under the cursor.
    pub fn record(&self) -> Option<&ChainRecord> {
        self.page.as_ref()?.records.get(self.cursor)
    }

    /// Where it stands.
    pub fn place(&self) -> Option<RecordPlace> {
        let record = self.record()?;
        Some(RecordPlace {
            source: record.source.clone(),
            line: record.line,
        })
    }

    /// Takes records; the cursor goes to the one that was asked for.
    pub fn show(&mut self, page: ChainPage) {
        self.cursor = page.focus.saturating_sub(page.range.start);
        self.cursor = self.cursor.min(page.records.len().saturating_sub(1));
        self.error = None;
        self.page = Some(page);
        self.leave_document();
    }

    /// Takes the bytes of a record.
    pub fn show_raw(&mut self, place: RecordPlace, raw: Result<String, String>) {
        self.json = raw
            .as_ref()
            .ok()
            .and_then(|text| JsonView::of(text, self.values));
        self.raw = Some((place, raw));
        self.turned.clear();
    }

    /// Another record: the document starts from its top.
    pub fn leave_document(&mut self) {
        (self.line, self.scroll) = (0, 0);
    }

    /// Keeps the cursor's record on the screen.
    pub fn show_cursor(&mut self, height: usize) {
        let height = height.max(1);
        if self.cursor < self.offset {
            self.offset = self.cursor;
        } else if self.cursor >= self.offset + height {
            self.offset = self.cursor + 1 - height;
        }
        let records = self.page.as_ref().map_or(0, |page| page.records.len());
        self.offset = self.offset.min(records.saturating_sub(height));
    }

    /// Keeps the cursor's line on the screen.
    pub fn show_line(&mut self, lines: usize, height: usize) {
        self.line = self.line.min(lines.saturating_sub(1));
        let height = height.max(1);
        if self.line < self.scroll {
            self.scroll = self.line;
        } else if self.line >= self.scroll + height {
            self.scroll = self.line + 1 - height;
        }
    }
}
