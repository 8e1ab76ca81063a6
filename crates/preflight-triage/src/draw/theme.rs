//! Colours, none of them the only sign: what they say is in words as well.
//!
//! The hues are those of Okabe and Ito, which are told apart with any kind of colour vision, from the
//! palette of 256 colours that terminals over ssh and tmux have.

use preflight_audit::Severity;
use ratatui::style::{Color, Modifier, Style};

/// A set of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// For a dark terminal.
    Dark,
    /// For a light terminal.
    Light,
    /// Weight and reversal alone.
    Plain,
}

impl Theme {
    /// All themes.
    pub const ALL: [Self; 3] = [Self::Dark, Self::Light, Self::Plain];

    /// What it is called.
    pub fn words(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Plain => "no colours",
        }
    }

    /// The next theme.
    pub fn next(self) -> Self {
        match self {
            Self::Dark => Self::Light,
            Self::Light => Self::Plain,
            Self::Plain => Self::Dark,
        }
    }

    fn pick(self, dark: u8, light: u8) -> Style {
        match self {
            Self::Dark => Style::new().fg(Color::Indexed(dark)),
            Self::Light => Style::new().fg(Color::Indexed(light)),
            Self::Plain => Style::new(),
        }
    }

    /// Text.
    pub fn base(self) -> Style {
        match self {
            Self::Dark => Style::new().fg(Color::Indexed(252)).bg(Color::Indexed(234)),
            Self::Light => Style::new().fg(Color::Indexed(235)).bg(Color::Indexed(231)),
            Self::Plain => Style::new(),
        }
    }

    /// What is there for completeness.
    pub fn dim(self) -> Style {
        match self {
            Self::Plain => Style::new().add_modifier(Modifier::DIM),
            theme => theme.pick(245, 243),
        }
    }

    /// Headings.
    pub fn head(self) -> Style {
        self.pick(117, 25).add_modifier(Modifier::BOLD)
    }

    /// Keys, and what can be opened.
    pub fn key(self) -> Style {
        self.pick(222, 94).add_modifier(Modifier::BOLD)
    }

    /// What the cursor is on.
    pub fn cursor(self) -> Style {
        match self {
            Self::Dark => Style::new().bg(Color::Indexed(24)).fg(Color::Indexed(255)),
            Self::Light => Style::new().bg(Color::Indexed(153)).fg(Color::Indexed(16)),
            Self::Plain => Style::new().add_modifier(Modifier::REVERSED),
        }
    }

    /// The screen that one is on.
    pub fn tab(self) -> Style {
        self.cursor().add_modifier(Modifier::BOLD)
    }

    /// What went well.
    pub fn good(self) -> Style {
        self.pick(43, 29)
    }

    /// What wants attention.
    pub fn warn(self) -> Style {
        self.pick(214, 130)
    }

    /// What went wrong.
    pub fn bad(self) -> Style {
        self.pick(208, 160).add_modifier(Modifier::BOLD)
    }

    /// A severity.
    pub fn severity(self, severity: Severity) -> Style {
        match severity {
            Severity::Critical => self.pick(208, 160).add_modifier(Modifier::BOLD),
            Severity::High => self.pick(214, 130).add_modifier(Modifier::BOLD),
            Severity::Medium => self.pick(222, 94),
            Severity::Low => self.pick(117, 25),
            Severity::Info => self.dim(),
        }
    }

    /// A text of a record.
    pub fn string(self) -> Style {
        self.pick(43, 29)
    }

    /// A number of a record.
    pub fn literal(self) -> Style {
        self.pick(175, 127)
    }
}
