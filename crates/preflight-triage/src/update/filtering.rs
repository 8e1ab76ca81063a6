//! Keys while a filter is typed.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent};

use super::dialogs::type_into;
use crate::{query::Query, state::App};

impl App {
    pub(super) fn filter_key(&mut self, key: KeyEvent) {
        let Some(input) = &mut self.list.input else {
            return;
        };
        match key.code {
            KeyCode::Esc => {
                let before = input.before.trim_end().to_owned();
                let query = Query::parse(&before, &self.vocabulary).unwrap_or_default();
                self.set_filter(query);
            }
            KeyCode::Enter if input.chosen.is_some() => {
                input.accept();
                self.filter_typed();
            }
            KeyCode::Enter if input.problem.is_none() => self.list.input = None,
            KeyCode::Enter => {}
            KeyCode::Tab => {
                if input.accept() {
                    self.filter_typed();
                }
            }
            KeyCode::Down => input.choose(true),
            KeyCode::Up => input.choose(false),
            _ => {
                let before = input.input.value().to_owned();
                type_into(&mut input.input, key);
                match input.input.value() == before {
                    true => {
                        self.read_filter();
                    }
                    false => self.filter_typed(),
                }
            }
        }
    }

    /// The text changed: what it means is shown at once, unless it means nothing.
    pub(super) fn filter_typed(&mut self) {
        let Some(query) = self.read_filter() else {
            return;
        };
        let before = std::mem::replace(&mut self.list.spec.query, query);
        if before.terms() != self.list.spec.query.terms() {
            self.list.start_over();
            self.start_view();
        }
    }

    pub(super) fn read_filter(&mut self) -> Option<Query> {
        let findings = self.findings().map(Arc::clone).unwrap_or_default();
        let triaged = Arc::clone(&self.triaged);
        let input = self.list.input.as_mut()?;
        let query = input.read(&self.vocabulary, &findings, &triaged)?;
        Some(query.trimmed())
    }
}
