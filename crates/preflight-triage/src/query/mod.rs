//! The language of filters: `class:action_definition_gap tool:shop.* since:7d -status:done "warehouse"`.
//!
//! ```text
//! key.rs         what can be asked for
//! pattern.rs     values with * in them
//! parse.rs       text to terms, with the place of what is wrong
//! explain.rs     terms to words
//! matcher.rs     terms to a test of rows
//! sql.rs         terms to SQL
//! complete.rs    what may come next
//! vocabulary.rs  the names that there are
//! ```

mod complete;
mod explain;
mod key;
mod matcher;
mod parse;
mod pattern;
mod sql;
mod vocabulary;

pub use complete::{Completion, complete};
pub use key::{Flag, Key};
pub use matcher::Matcher;
pub use parse::Problem;
pub use pattern::Pattern;
pub use sql::view as view_sql;
pub use vocabulary::Vocabulary;

use preflight_audit::Severity;

/// A filter: all of its terms must hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    text: String,
    terms: Vec<Term>,
}

/// One condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// Whether it must not hold.
    pub negated: bool,
    /// What must hold, or not.
    pub test: Test,
}

/// What a term looks at.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// Any text of the finding contains it; lower case.
    Text(String),
    /// A column is like one of the values.
    Like(Key, Vec<Pattern>),
    /// The severity is this one or a higher one.
    AtLeast(Severity),
    /// The id starts so.
    Id(String),
    /// The record was written then or later.
    Since(Moment),
    /// The record was written before.
    Until(Moment),
    /// Something holds.
    Is(Flag),
    /// Somebody works on it.
    Mine(String),
}

/// A point in time, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Since 1970.
    At(i64),
    /// Before now, whenever that is: a dashboard stays open.
    Ago(i64),
}

impl Moment {
    fn micros(self, now: i64) -> i64 {
        match self {
            Self::At(micros) => micros,
            Self::Ago(span) => now.saturating_sub(span),
        }
    }
}

impl Query {
    /// The text as it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Without white space around its text.
    pub fn trimmed(mut self) -> Self {
        self.text = self.text.trim().to_owned();
        self
    }

    /// The conditions.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Whether it asks about what `preflight.toml` sets aside, which is left out otherwise.
    fn asks_for_suppressed(&self) -> bool {
        let mut tests = self.terms.iter().map(|term| &term.test);
        tests.any(|test| *test == Test::Is(Flag::Suppressed))
    }
}
