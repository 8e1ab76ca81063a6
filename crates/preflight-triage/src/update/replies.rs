//! What the engine answers.

use std::sync::Arc;

use crate::{
    engine::{ChainPage, Decided, Job, JobKind, Loaded, RecordPlace, Reply},
    state::{App, Command, Screen},
    table::Findings,
};

/// A lake that changes all the time is read again after this many microseconds, or after three times
/// what the last reading took.
const REST: i64 = 2_000_000;

impl App {
    pub(super) fn reply(&mut self, reply: Reply) {
        match reply {
            Reply::Loaded(ticket, loaded) if self.settle(JobKind::Load, ticket) => {
                self.loaded(*loaded);
            }
            Reply::Triaged(ticket, triaged, overview) if self.settle(JobKind::Triage, ticket) => {
                self.overview.counts = Some(*overview);
                let last = self.overview.items().len().saturating_sub(1);
                self.overview.cursor = self.overview.cursor.min(last);
                self.triaged = triaged;
                self.start_view();
            }
            Reply::Viewed(ticket, view, table, triaged) if self.settle(JobKind::View, ticket) => {
                let height = self.places.list_height;
                self.list.show(*view, table, triaged, height);
            }
            Reply::Chain(ticket, page) if self.settle(JobKind::Chain, ticket) => {
                self.chain_page(*page);
            }
            Reply::Raw(ticket, place, raw) if self.settle(JobKind::Raw, ticket) => {
                self.raw(place, raw);
            }
            Reply::Quarantine(ticket, lines) if self.settle(JobKind::Quarantine, ticket) => {
                self.quarantine.cursor = self.quarantine.cursor.min(lines.len().saturating_sub(1));
                self.quarantine.lines = Some(lines);
            }
            Reply::Exported(ticket, path, said) if self.settle(JobKind::Export, ticket) => {
                self.say(format!("{} holds {said}", path.display()));
            }
            Reply::Decided(ticket, decided) if self.settle(JobKind::Decide, ticket) => {
                let undoable = decided.undoable.last();
                let is_undo = self
                    .message
                    .as_ref()
                    .is_some_and(|m| m.text.starts_with("undone"));
                if let Some(said) = undoable.map(|last| last.said.clone()).filter(|_| !is_undo) {
                    self.say(format!("{said} (u undoes it)"));
                }
                self.decided(*decided);
            }
            Reply::LogChanged(decided) => self.decided(*decided),
            Reply::LakeChanged => {
                self.is_stale = true;
                self.read_if_stale();
            }
            Reply::Followed(Ok(said)) => self.say(said),
            Reply::Followed(Err(said)) => self.complain(said),
            Reply::Failed(kind, ticket, message) if self.settle(kind, ticket) => {
                self.failed(kind, message);
            }
            // An answer that nobody waits for any more.
            _ => {}
        }
    }

    /// Takes records, if they are still those of the open chain.
    fn chain_page(&mut self, page: ChainPage) {
        if self.chain.finding == Some(page.finding) && self.chain.values == page.values {
            self.chain.show(page);
            self.chain.show_cursor(self.places.list_height);
            self.part_changed();
        }
    }

    fn failed(&mut self, kind: JobKind, message: String) {
        match kind {
            JobKind::Load => {
                self.last_load = (self.now, REST);
                self.failure = Some(message);
            }
            JobKind::Chain => self.chain.error = Some(message),
            _ => self.complain(message),
        }
    }

    fn loaded(&mut self, loaded: Loaded) {
        self.last_load = (self.now, 3 * (self.now - self.load_started));
        self.failure = None;
        if let Some(warning) = loaded.decided.warnings.first() {
            self.complain(warning.clone());
        }
        self.loaded = Some(loaded);
        self.quarantine.lines = None;
        if self.screen == Screen::Quarantine {
            self.read_quarantine();
        }
        self.start_triage();
    }

    fn raw(&mut self, place: RecordPlace, raw: Result<String, String>) {
        if std::mem::take(&mut self.edits_next) {
            match &raw {
                Ok(text) => self.command(Command::Edit {
                    name: format!("{}-{}.json", place.source, place.line),
                    text: text.clone(),
                }),
                Err(error) => self.complain(error.clone()),
            }
        }
        if self.chain.place().as_ref() == Some(&place) {
            self.chain.show_raw(place, raw);
        }
    }

    /// Takes the decisions as they are now.
    fn decided(&mut self, decided: Decided) {
        if let Some(warning) = decided.warnings.first() {
            self.complain(warning.clone());
        }
        if let Some(loaded) = &mut self.loaded {
            loaded.decided = decided;
            self.start_triage();
        }
    }

    /// Looks every finding up in the decisions, and counts.
    pub(super) fn start_triage(&mut self) {
        let Some(loaded) = &self.loaded else {
            return;
        };
        self.next_wake = loaded.decided.standings.next_wake(self.now);
        let job = Job::Triage {
            findings: Arc::<Findings>::clone(&loaded.findings),
            standings: Arc::clone(&loaded.decided.standings),
            seen: self.seen.clone(),
            now: self.now,
        };
        self.start(job);
    }

    /// Time went by: a snooze may have ended, and the lake may be due.
    pub(super) fn tick(&mut self) {
        let wake = self.next_wake.filter(|wake| *wake <= self.now);
        if wake.is_some() {
            self.next_wake = None;
            self.start_triage();
        }
        self.read_if_stale();
    }

    fn read_if_stale(&mut self) {
        let (ended, took) = self.last_load;
        if self.is_stale && !self.runs(JobKind::Load) && self.now >= ended + took.max(REST) {
            self.load();
        }
    }
}
