//! What keys, palette and mouse ask for.

use crate::{
    engine::Job,
    keys::Action,
    query::{Query, view_sql},
    state::{App, ChainPart, Command, Dialog, FilterInput, Focus, Prompt, PromptKind, Screen},
    table::{Column, GROUPS, Sort},
};

impl App {
    /// Does what an action asks for.
    pub fn act(&mut self, action: Action) {
        match action {
            Action::Down => self.move_by(1),
            Action::Up => self.move_by(-1),
            Action::PageDown => self.move_by(self.page()),
            Action::PageUp => self.move_by(-self.page()),
            Action::Top => self.move_by(isize::MIN),
            Action::Bottom => self.move_by(isize::MAX),
            Action::Right => self.sideways(true),
            Action::Left => self.sideways(false),
            Action::Open => self.open(),
            Action::Back => self.back(),
            Action::Quit => self.command(Command::Quit),
            Action::Suspend => self.command(Command::Suspend),
            Action::Redraw => self.command(Command::Redraw),
            Action::Help => self.dialog = Some(Dialog::Help { scroll: 0 }),
            Action::Palette => {
                self.dialog = Some(Dialog::Palette {
                    input: Default::default(),
                    cursor: 0,
                });
            }
            Action::NextPart => self.next_screen(true),
            Action::PreviousPart => self.next_screen(false),
            Action::GoOverview => self.go(Screen::Overview),
            Action::GoFindings => self.go(Screen::Findings),
            Action::GoChain => self.go(Screen::Chain),
            Action::GoQuarantine => self.go(Screen::Quarantine),
            Action::Filter => {
                self.screen = Screen::Findings;
                let mut text = self.list.spec.query.text().to_owned();
                if !text.is_empty() {
                    text.push(' ');
                }
                self.list.input = Some(FilterInput::new(&text));
                self.read_filter();
            }
            Action::ClearFilter => self.set_filter(Query::default()),
            Action::TimeRange => {
                let prompt = Prompt::new(PromptKind::TimeRange, "7d", Vec::new());
                self.dialog = Some(Dialog::Prompt(prompt));
            }
            Action::SortNext => self.sort_step(true),
            Action::SortPrevious => self.sort_step(false),
            Action::Reverse => {
                self.list.spec.sort.descending ^= true;
                self.start_view();
            }
            Action::Group => self.group_step(),
            Action::Mark => self.mark(),
            Action::MarkAll => self.list.toggle_all(),
            Action::Acknowledge
            | Action::Assign
            | Action::Snooze
            | Action::FalsePositive
            | Action::Done
            | Action::Reopen
            | Action::Note => self.decide(action),
            Action::Undo => self.undo(),
            Action::CopyId => self.copy_ids(),
            Action::CopySql => {
                let sql = view_sql(&self.list.spec, &self.list.table, self.now);
                self.command(Command::Copy(sql));
                self.say("copied the SQL behind the view");
            }
            Action::Export => self.ask_format(),
            Action::Edit => self.edit(),
            Action::ToggleValues => self.toggle_values(),
            Action::SaveView => {
                let prompt = Prompt::new(PromptKind::ViewName, "", Vec::new());
                self.dialog = Some(Dialog::Prompt(prompt));
            }
            Action::Views => self.dialog = Some(Dialog::Views { cursor: 0 }),
            Action::Reload => self.load(),
            Action::Theme => {
                self.theme = self.theme.next();
                self.command(Command::Redraw);
                self.say(format!("theme: {}", self.theme.words()));
            }
        }
    }

    /// Half of what the screen shows.
    fn page(&self) -> isize {
        let height = match (self.screen, self.chain.focus) {
            (Screen::Chain, Focus::Document) => self.places.document_height,
            _ => self.places.list_height,
        };
        (height / 2).max(1) as isize
    }

    fn sideways(&mut self, forward: bool) {
        match self.screen {
            Screen::Chain => {
                self.chain.part = self.chain.part.next(forward);
                self.part_changed();
            }
            Screen::Overview => {
                let last = crate::table::DAYS - 1;
                let back = self.overview.days_back;
                self.overview.days_back = match (back, forward) {
                    (None, true) => None,
                    (None, false) => Some(0),
                    (Some(0), true) => None,
                    (Some(back), true) => Some(back - 1),
                    (Some(back), false) => Some((back + 1).min(last)),
                };
            }
            Screen::Findings | Screen::Quarantine => {}
        }
    }

    /// Another part of the record is shown: from its top, and with what it needs.
    pub(super) fn part_changed(&mut self) {
        self.chain.leave_document();
        if self.chain.part == ChainPart::Record {
            self.read_raw();
        }
    }

    /// Reads the record's bytes, unless they are there.
    pub(super) fn read_raw(&mut self) {
        let Some(place) = self.chain.place() else {
            return;
        };
        let is_there = self
            .chain
            .raw
            .as_ref()
            .is_some_and(|(known, _)| *known == place);
        if !is_there {
            (self.chain.raw, self.chain.json) = (None, None);
            self.start(Job::Raw(place));
        }
    }

    fn toggle_values(&mut self) {
        use preflight_audit::Values;
        self.chain.values = match self.chain.values {
            Values::Masked => Values::Shown,
            Values::Shown => Values::Masked,
        };
        self.say(match self.chain.values {
            Values::Masked => "values are masked",
            Values::Shown => "values are shown",
        });
        // The record is cut anew, with or without its values.
        if let Some((place, raw)) = self.chain.raw.take() {
            self.chain.show_raw(place, raw);
        }
        let around = self
            .chain
            .page
            .as_ref()
            .map(|page| page.range.start + self.chain.cursor);
        self.read_chain(around);
    }

    fn sort_step(&mut self, forward: bool) {
        let columns = Column::ALL;
        let at = columns
            .iter()
            .position(|one| *one == self.list.spec.sort.column);
        let step = if forward { 1 } else { columns.len() - 1 };
        let column = columns[(at.unwrap_or(0) + step) % columns.len()];
        self.list.spec.sort = Sort {
            column,
            descending: matches!(column, Column::Time | Column::Severity),
        };
        self.say(format!("sorted by {}", column.name()));
        self.start_view();
    }

    /// Sorts by a column; by the same one again, the other way around.
    pub(super) fn sort_by(&mut self, column: Column) {
        let sort = &mut self.list.spec.sort;
        *sort = match sort.column == column {
            true => Sort {
                column,
                descending: !sort.descending,
            },
            false => Sort {
                column,
                descending: matches!(column, Column::Time | Column::Severity),
            },
        };
        self.start_view();
    }

    fn group_step(&mut self) {
        let at = self
            .list
            .spec
            .group
            .and_then(|group| GROUPS.iter().position(|one| *one == group));
        let next = at.map_or(0, |at| at + 1);
        self.list.spec.group = GROUPS.get(next).copied();
        self.list.start_over();
        self.say(match self.list.spec.group {
            Some(column) => format!("grouped by {}", column.name()),
            None => "not grouped".to_owned(),
        });
        self.start_view();
    }

    fn mark(&mut self) {
        self.list.toggle_mark();
        self.move_by(1);
    }

    /// Another filter, sort or group: other rows.
    pub(crate) fn start_view(&mut self) {
        let Some(findings) = self.findings().cloned() else {
            return;
        };
        self.start(Job::View {
            spec: Box::new(self.list.spec.clone()),
            findings,
            triaged: std::sync::Arc::clone(&self.triaged),
            now: self.now,
        });
    }

    /// Sets a filter; the cursor goes to the first of its findings.
    pub(super) fn set_filter(&mut self, query: Query) {
        self.list.input = None;
        self.list.spec.query = query;
        self.list.start_over();
        self.start_view();
    }

    /// Reads the lake.
    pub fn load(&mut self) {
        self.is_stale = false;
        self.load_started = self.now;
        self.start(Job::Load);
    }
}
