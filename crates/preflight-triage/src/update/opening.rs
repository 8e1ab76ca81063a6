//! From one screen to another.

use preflight_audit::FindingId;

use crate::{
    engine::{ChainQuery, Job, JobKind},
    query::Query,
    state::{App, ChainPart, Dialog, Focus, Item, Screen},
};

impl App {
    /// Goes to a screen.
    pub(super) fn go(&mut self, screen: Screen) {
        match screen {
            Screen::Chain => match self.list.current() {
                Some(_) if self.chain.finding.is_none() => return self.open_finding(),
                _ if self.chain.finding.is_none() => {
                    return self.say("open a finding first: Enter in the list of findings");
                }
                _ => {}
            },
            Screen::Quarantine if self.quarantine.lines.is_none() => self.read_quarantine(),
            _ => {}
        }
        self.screen = screen;
    }

    pub(super) fn next_screen(&mut self, forward: bool) {
        let at = Screen::ALL
            .iter()
            .position(|one| *one == self.screen)
            .unwrap_or(0);
        let step = if forward { 1 } else { Screen::ALL.len() - 1 };
        let mut to = Screen::ALL[(at + step) % Screen::ALL.len()];
        // Without a finding there is no chain to go to.
        if to == Screen::Chain && self.chain.finding.is_none() {
            to = Screen::ALL[(at + 2 * step) % Screen::ALL.len()];
        }
        self.go(to);
    }

    /// Opens what the cursor is on.
    pub(super) fn open(&mut self) {
        match self.screen {
            Screen::Overview => self.open_item(),
            Screen::Findings => {
                if !self.list.toggle() {
                    self.open_finding();
                }
            }
            Screen::Chain => match self.chain.focus {
                Focus::Timeline => self.chain.focus = Focus::Document,
                Focus::Document if self.chain.part == ChainPart::Record => self.fold(),
                Focus::Document => {}
            },
            Screen::Quarantine => {
                if let Some(line) = self.quarantine.current() {
                    let mut lines = vec![line.reason.clone(), String::new()];
                    lines.extend(line.raw.lines().map(str::to_owned));
                    let title = format!("{}:{}", line.source, line.line);
                    self.dialog = Some(Dialog::Text { title, lines });
                }
            }
        }
    }

    fn open_item(&mut self) {
        let Some(item) = self.overview.current() else {
            return;
        };
        match (self.overview.filter(&item), item) {
            (_, Item::Quarantine) => self.go(Screen::Quarantine),
            (_, Item::Seal) => {
                let seals = self.loaded.as_ref().map(|loaded| &loaded.lake.seals);
                let seals = seals.cloned().unwrap_or_default();
                match seals.filter() {
                    Some(filter) => self.open_filter(&filter),
                    None => {
                        self.dialog = Some(Dialog::Text {
                            title: "Seals".to_owned(),
                            lines: seals.lines(),
                        });
                    }
                }
            }
            (Some(filter), _) => self.open_filter(&filter),
            (None, _) => {}
        }
    }

    fn open_filter(&mut self, filter: &str) {
        match Query::parse(filter, &self.vocabulary) {
            Ok(query) => {
                self.set_filter(query);
                self.screen = Screen::Findings;
            }
            Err(problem) => self.complain(problem.message),
        }
    }

    fn open_finding(&mut self) {
        let id = self.list.current().map(|row| self.list.table.id(row));
        if let Some(id) = id {
            self.open_chain(id);
        }
    }

    /// Opens the chain of a finding.
    pub fn open_chain(&mut self, finding: FindingId) {
        let values = self.chain.values;
        self.chain = crate::state::ChainState {
            finding: Some(finding),
            values,
            part: self.chain.part,
            ..Default::default()
        };
        self.screen = Screen::Chain;
        self.read_chain(None);
    }

    /// Reads records of the open chain.
    pub(super) fn read_chain(&mut self, around: Option<usize>) {
        if let Some(finding) = self.chain.finding {
            self.start(Job::Chain(ChainQuery {
                finding,
                values: self.chain.values,
                around,
            }));
        }
    }

    pub(super) fn read_quarantine(&mut self) {
        if self.loaded.is_some() {
            self.start(Job::Quarantine);
        }
    }

    fn fold(&mut self) {
        let Some(json) = &self.chain.json else {
            return;
        };
        let shown = json.shown(|node| self.chain.turned.contains(&node));
        let Some((node, ..)) = shown.get(self.chain.line) else {
            return;
        };
        let node = *node;
        if !self.chain.turned.remove(&node) {
            self.chain.turned.insert(node);
        }
    }

    /// Closes, or goes back to where one came from.
    pub(super) fn back(&mut self) {
        if self.runs(JobKind::Export) {
            self.give_up(JobKind::Export);
            return self.say("the export was given up");
        }
        match self.screen {
            Screen::Overview => {}
            Screen::Chain if self.chain.focus == Focus::Document => {
                self.chain.focus = Focus::Timeline;
            }
            Screen::Chain => {
                self.give_up(JobKind::Chain);
                self.screen = Screen::Findings;
            }
            Screen::Findings if !self.list.marked.is_empty() => self.list.marked.clear(),
            Screen::Findings | Screen::Quarantine => self.screen = Screen::Overview,
        }
    }
}
