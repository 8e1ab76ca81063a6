//! What lies over a screen.

use preflight_audit::{Action as Decide, FindingId};
use tui_input::Input;

/// What lies over a screen, and takes the keys.
#[derive(Debug)]
pub enum Dialog {
    /// The keys.
    Help {
        /// The first line shown.
        scroll: usize,
    },
    /// Commands by their words.
    Palette {
        /// What was typed.
        input: Input,
        /// The command that is chosen.
        cursor: usize,
    },
    /// A line to type.
    Prompt(Prompt),
    /// A decision on many findings.
    Confirm(Pending),
    /// How to export.
    Formats {
        /// The format that is chosen.
        cursor: usize,
        /// Which findings.
        targets: Vec<FindingId>,
    },
    /// Saved views.
    Views {
        /// The view that is chosen.
        cursor: usize,
    },
    /// Something longer to read.
    Text {
        /// What it is about.
        title: String,
        /// The lines.
        lines: Vec<String>,
    },
}

/// A decision that is still to be confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// What.
    pub action: Decide,
    /// On which findings.
    pub findings: Vec<FindingId>,
}

/// A line to type.
#[derive(Debug)]
pub struct Prompt {
    /// What for.
    pub kind: PromptKind,
    /// The line.
    pub input: Input,
    /// What is wrong with it.
    pub error: Option<String>,
    /// On which findings.
    pub findings: Vec<FindingId>,
}

/// What a line is typed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptKind {
    /// Who works on it.
    Assignee,
    /// Until when it rests.
    Snooze,
    /// Why it is no fault.
    Reason,
    /// A remark.
    Note,
    /// Name of a view.
    ViewName,
    /// From when, to when.
    TimeRange,
    /// Where a file goes.
    Path(crate::engine::ExportFormat),
}

impl PromptKind {
    /// What is asked for.
    pub fn words(self) -> &'static str {
        match self {
            Self::Assignee => "Assign to (empty: nobody)",
            Self::Snooze => "Snooze until (24h, 7d, 2026-12-31)",
            Self::Reason => "False positive because",
            Self::Note => "Note",
            Self::ViewName => "Save this view as",
            Self::TimeRange => "From (and to): 7d, or 2026-06-01 2026-07-01; empty: all",
            Self::Path(_) => "Write to",
        }
    }
}

impl Prompt {
    /// A prompt with a text to start from.
    pub fn new(kind: PromptKind, text: &str, findings: Vec<FindingId>) -> Self {
        Self {
            kind,
            input: Input::new(text.to_owned()),
            error: None,
            findings,
        }
    }
}
