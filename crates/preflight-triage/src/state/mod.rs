//! All that the dashboard knows: what is drawn depends on this alone.
//!
//! ```text
//! list.rs       the table of findings: view, cursor, marks, groups
//! filter.rs     a filter as it is typed
//! overview.rs   the first screen
//! chain.rs      a chain, record by record
//! quarantine.rs lines that are no records
//! dialog.rs     what lies over a screen
//! places.rs     what was drawn where, for the mouse
//! saved.rs      views and visits, kept between runs
//! ```

mod chain;
mod dialog;
mod filter;
mod list;
mod overview;
mod places;
mod quarantine;
mod saved;

pub use chain::{ChainPart, ChainState, Focus};
pub use dialog::{Dialog, Pending, Prompt, PromptKind};
pub use filter::FilterInput;
pub(crate) use filter::insert;
pub use list::{Line, ListState};
pub use overview::{Item, OverviewState};
pub use places::{Hit, Places};
pub use quarantine::QuarantineState;
pub use saved::{Memory, SavedView, built_in_views};

use std::sync::Arc;

use preflight_audit::{RulePack, Standings};

use crate::{
    draw::Theme,
    engine::{Job, JobKind, Loaded, Ticket},
    query::{Query, Vocabulary},
    table::{Findings, Triaged},
};

/// A screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    /// What fails, and whose it is.
    Overview,
    /// The table.
    Findings,
    /// One chain.
    Chain,
    /// Lines that are no records.
    Quarantine,
}

impl Screen {
    /// All screens, in the order of their numbers.
    pub const ALL: [Self; 4] = [
        Self::Overview,
        Self::Findings,
        Self::Chain,
        Self::Quarantine,
    ];

    /// What it is called.
    pub fn words(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Findings => "Findings",
            Self::Chain => "Chain",
            Self::Quarantine => "Quarantine",
        }
    }
}

/// A line at the foot of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Whether something went wrong.
    pub is_error: bool,
    /// What is said.
    pub text: String,
}

/// A job that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    /// Its kind.
    pub kind: JobKind,
    /// Which one.
    pub ticket: Ticket,
    /// Since when, in microseconds since 1970.
    pub since: i64,
}

/// What the loop around the state has to do.
pub enum Command {
    /// Start a job.
    Run(Ticket, Job),
    /// Give a job up.
    Cancel(JobKind),
    /// Put a text on the clipboard.
    Copy(String),
    /// Show a text in an editor.
    Edit {
        /// What its file is called.
        name: String,
        /// The text.
        text: String,
    },
    /// Keep saved views.
    SaveViews(Vec<SavedView>),
    /// Draw everything again.
    Redraw,
    /// Rest in the background of the shell.
    Suspend,
    /// End.
    Quit,
}

/// The state.
pub struct App {
    /// The lake, as it was named.
    pub lake: String,
    /// The log that is followed.
    pub following: Option<String>,
    /// Who decides.
    pub who: String,
    /// The rules.
    pub pack: RulePack,
    /// The names that filters know.
    pub vocabulary: Vocabulary,
    /// Colours.
    pub theme: Theme,
    /// Now, in microseconds since 1970.
    pub now: i64,
    /// The screen.
    pub screen: Screen,
    /// The lake's findings, once they are there.
    pub loaded: Option<Loaded>,
    /// Why the lake could not be read the last time.
    pub failure: Option<String>,
    /// The decisions, row by row.
    pub triaged: Arc<Triaged>,
    /// The first screen.
    pub overview: OverviewState,
    /// The table.
    pub list: ListState,
    /// The chain.
    pub chain: ChainState,
    /// Lines that are no records.
    pub quarantine: QuarantineState,
    /// What lies over the screen.
    pub dialog: Option<Dialog>,
    /// The line at the foot.
    pub message: Option<Message>,
    /// What runs.
    pub running: Vec<Running>,
    /// What was drawn where.
    pub places: Places,
    /// Saved views.
    pub views: Vec<SavedView>,
    /// Sorted ids of the last visit.
    pub seen: Option<Arc<Vec<u64>>>,
    /// Whether the lake changed since it was read.
    pub(crate) is_stale: bool,
    /// When the last reading of the lake ended, and how long it rests then, in microseconds.
    pub(crate) last_load: (i64, i64),
    /// When the reading that runs began.
    pub(crate) load_started: i64,
    /// When the next snooze ends.
    pub(crate) next_wake: Option<i64>,
    /// Whether the raw line is to be opened as soon as it is there.
    pub(crate) edits_next: bool,
    next_ticket: Ticket,
    commands: Vec<Command>,
}

impl App {
    /// A dashboard that has nothing to show yet.
    pub fn new(lake: String, who: String, pack: RulePack, theme: Theme, now: i64) -> Self {
        let vocabulary = Vocabulary::of(&pack, &who);
        let query = Query::parse(START, &vocabulary).unwrap_or_default();
        Self {
            lake,
            following: None,
            who,
            pack,
            vocabulary,
            theme,
            now,
            screen: Screen::Overview,
            loaded: None,
            failure: None,
            triaged: Arc::default(),
            overview: OverviewState::default(),
            list: ListState::new(query),
            chain: ChainState::default(),
            quarantine: QuarantineState::default(),
            dialog: None,
            message: None,
            running: Vec::new(),
            places: Places::default(),
            views: built_in_views(),
            seen: None,
            is_stale: false,
            last_load: (0, 0),
            load_started: 0,
            next_wake: None,
            edits_next: false,
            next_ticket: 1,
            commands: Vec::new(),
        }
    }

    /// Starts with another filter, on the findings.
    ///
    /// # Errors
    ///
    /// The text is no filter.
    pub fn start_with(&mut self, filter: &str) -> Result<(), String> {
        let query = Query::parse(filter, &self.vocabulary);
        self.list.spec.query = query.map_err(|problem| problem.message)?;
        self.screen = Screen::Findings;
        Ok(())
    }

    /// The findings; none before they are there.
    pub fn findings(&self) -> Option<&Arc<Findings>> {
        self.loaded.as_ref().map(|loaded| &loaded.findings)
    }

    /// The decisions by finding.
    pub fn standings(&self) -> Option<&Arc<Standings>> {
        self.loaded.as_ref().map(|loaded| &loaded.decided.standings)
    }

    /// Whether a job of a kind runs.
    pub fn runs(&self, kind: JobKind) -> bool {
        self.running.iter().any(|running| running.kind == kind)
    }

    /// What is to be done, in order.
    pub fn take_commands(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.commands)
    }

    pub(crate) fn command(&mut self, command: Command) {
        self.commands.push(command);
    }

    /// Starts a job; its answer is awaited, that of an earlier one of its kind no more.
    pub(crate) fn start(&mut self, job: Job) {
        let kind = job.kind();
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.running.retain(|running| running.kind != kind);
        self.running.push(Running {
            kind,
            ticket,
            since: self.now,
        });
        self.commands.push(Command::Run(ticket, job));
    }

    /// Gives a job up.
    pub(crate) fn give_up(&mut self, kind: JobKind) {
        if self.runs(kind) {
            self.running.retain(|running| running.kind != kind);
            self.commands.push(Command::Cancel(kind));
        }
    }

    /// Whether an answer is awaited; it is no more.
    pub(crate) fn settle(&mut self, kind: JobKind, ticket: Ticket) -> bool {
        let before = self.running.len();
        self.running
            .retain(|running| (running.kind, running.ticket) != (kind, ticket));
        self.running.len() < before
    }

    /// Says something at the foot of the screen.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.message = Some(Message {
            is_error: false,
            text: text.into(),
        });
    }

    /// Says there what went wrong.
    pub(crate) fn complain(&mut self, text: impl Into<String>) {
        self.message = Some(Message {
            is_error: true,
            text: text.into(),
        });
    }
}

/// The filter that a dashboard starts with: what somebody still has to look at.
pub const START: &str = "status:open,acknowledged";
