//! A filter as it is typed.

use tui_input::{Input, InputRequest};

use crate::query::{Completion, Problem, Query, Vocabulary, complete};
use crate::table::{Findings, Triaged};

/// A filter that is being typed.
#[derive(Debug, Clone, Default)]
pub struct FilterInput {
    /// The text and the cursor in it.
    pub input: Input,
    /// What may come next.
    pub completions: Vec<Completion>,
    /// The one that is chosen.
    pub chosen: Option<usize>,
    /// What is wrong with the text.
    pub problem: Option<Problem>,
    /// The text before.
    pub before: String,
}

impl FilterInput {
    /// Starts with the filter that holds.
    pub fn new(text: &str) -> Self {
        Self {
            input: Input::new(text.to_owned()),
            before: text.to_owned(),
            ..Self::default()
        }
    }

    /// The byte at which the cursor stands.
    pub fn cursor_byte(&self) -> usize {
        byte_of(self.input.value(), self.input.cursor())
    }

    /// Reads the text, and looks for what may come next.
    pub fn read(
        &mut self,
        vocabulary: &Vocabulary,
        findings: &Findings,
        triaged: &Triaged,
    ) -> Option<Query> {
        let text = self.input.value();
        self.completions = complete(text, self.cursor_byte(), vocabulary, findings, triaged);
        self.chosen = None;
        match Query::parse(text, vocabulary) {
            Ok(query) => {
                self.problem = None;
                Some(query)
            }
            Err(problem) => {
                self.problem = Some(problem);
                None
            }
        }
    }

    /// Chooses another completion.
    pub fn choose(&mut self, forward: bool) {
        let count = self.completions.len();
        if count == 0 {
            return;
        }
        self.chosen = Some(match (self.chosen, forward) {
            (None, true) => 0,
            (None, false) => count - 1,
            (Some(at), true) => (at + 1) % count,
            (Some(at), false) => (at + count - 1) % count,
        });
    }

    /// Takes the chosen completion, or the first one.
    pub fn accept(&mut self) -> bool {
        let Some(completion) = self.completions.get(self.chosen.unwrap_or(0)).cloned() else {
            return false;
        };
        let mut text = self.input.value().to_owned();
        text.replace_range(completion.place.clone(), &completion.text);
        let cursor = text[..completion.place.start + completion.text.len()]
            .chars()
            .count();
        self.input = Input::new(text).with_cursor(cursor);
        true
    }

    /// Puts a text where the cursor is.
    pub fn insert(&mut self, text: &str) {
        insert(&mut self.input, text);
    }
}

/// Puts a text where the cursor is, in one line.
pub(crate) fn insert(input: &mut Input, text: &str) {
    for c in text.chars().filter(|c| !c.is_control()) {
        input.handle(InputRequest::InsertChar(c));
    }
}

fn byte_of(text: &str, characters: usize) -> usize {
    text.char_indices()
        .nth(characters)
        .map_or(text.len(), |(at, _)| at)
}
