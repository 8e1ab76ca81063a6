//! Cursors.

use crate::state::{App, Focus, Screen};

impl App {
    /// Moves the cursor of the screen; the least and the largest number go to the ends.
    pub(super) fn move_by(&mut self, lines: isize) {
        let height = self.places.list_height;
        match self.screen {
            Screen::Overview => {
                let last = self.overview.items().len().saturating_sub(1);
                self.overview.cursor = moved(self.overview.cursor, lines, last);
            }
            Screen::Findings => {
                let last = self.list.len().saturating_sub(1);
                self.list
                    .move_to(moved(self.list.cursor, lines, last), height);
            }
            Screen::Quarantine => {
                let count = self.quarantine.lines.as_ref().map_or(0, Vec::len);
                let state = &mut self.quarantine;
                state.cursor = moved(state.cursor, lines, count.saturating_sub(1));
                state.offset = kept(state.offset, state.cursor, height);
            }
            Screen::Chain if self.chain.focus == Focus::Document => {
                let last = self.places.document_lines.saturating_sub(1);
                self.chain.line = moved(self.chain.line, lines, last);
                let (lines, height) = (self.places.document_lines, self.places.document_height);
                self.chain.show_line(lines, height);
            }
            Screen::Chain => self.move_in_chain(lines),
        }
    }

    /// At the edge of what was read of a long chain, more is read.
    fn move_in_chain(&mut self, lines: isize) {
        let Some(page) = &self.chain.page else {
            return;
        };
        let at = page.range.start + self.chain.cursor;
        let to = moved(at, lines, page.total.saturating_sub(1));
        if !page.range.contains(&to) {
            return self.read_chain(Some(to));
        }
        let cursor = to - page.range.start;
        if cursor != self.chain.cursor {
            self.chain.cursor = cursor;
            self.chain.show_cursor(self.places.list_height);
            self.part_changed();
        }
    }

    pub(super) fn click_line(&mut self, line: usize) {
        let (height, is_again) = (self.places.list_height, self.is_on(line));
        match self.screen {
            Screen::Overview => self.overview.cursor = line,
            Screen::Findings => self.list.move_to(line, height),
            Screen::Quarantine => self.quarantine.cursor = line,
            Screen::Chain => {
                self.chain.focus = Focus::Timeline;
                let step = line as isize - self.chain.cursor as isize;
                self.move_in_chain(step);
            }
        }
        // A second click opens, as Enter does.
        if is_again {
            self.open();
        }
    }

    fn is_on(&self, line: usize) -> bool {
        line == match self.screen {
            Screen::Overview => self.overview.cursor,
            Screen::Findings => self.list.cursor,
            Screen::Quarantine => self.quarantine.cursor,
            Screen::Chain => self.chain.cursor,
        }
    }

    pub(super) fn click_document(&mut self, line: usize) {
        self.chain.focus = Focus::Document;
        let is_again = self.chain.line == line;
        self.chain.line = line;
        if is_again {
            self.open();
        }
    }
}

fn moved(from: usize, lines: isize, last: usize) -> usize {
    match lines {
        isize::MIN => 0,
        isize::MAX => last,
        lines => from.saturating_add_signed(lines).min(last),
    }
}

fn kept(offset: usize, cursor: usize, height: usize) -> usize {
    offset
        .min(cursor)
        .max((cursor + 1).saturating_sub(height.max(1)))
}
