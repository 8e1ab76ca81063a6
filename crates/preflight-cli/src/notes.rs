//! What an ingest notices, one line a matter: a folder of copies is one matter, not one for each.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use preflight_ingest::Notice;

use crate::plain;

/// How many of the files that hold the same are named.
const NAMED: usize = 3;

/// Notes that wait for the end of a run.
#[derive(Default)]
pub(crate) struct Notes {
    /// For each source, the files that hold what it held.
    copies: Mutex<BTreeMap<String, Vec<String>>>,
}

impl Notes {
    /// Takes a notice; returns the line to say now, unless it waits for others of its kind.
    pub(crate) fn take(&self, notice: Notice) -> Option<String> {
        match notice {
            Notice::SameContent { path, source } => {
                let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
                copies.entry(source).or_default().push(path);
                None
            }
            other => Some(line(&other.to_string())),
        }
    }

    /// The lines that waited.
    pub(crate) fn waiting(self) -> Vec<String> {
        let copies = self.copies.into_inner();
        let copies = copies.unwrap_or_else(PoisonError::into_inner);
        let lines = copies
            .into_iter()
            .map(|(source, paths)| same(source, paths));
        lines.map(|text| line(&text)).collect()
    }
}

fn same(source: String, mut paths: Vec<String>) -> String {
    if paths.len() == 1 {
        let path = paths.remove(0);
        return Notice::SameContent { path, source }.to_string();
    }
    let count = paths.len();
    let more = match count - NAMED.min(count) {
        0 => String::new(),
        left => format!(" and {left} more"),
    };
    paths.truncate(NAMED);
    let named = paths.join(", ");
    format!("{count} files continue what was read as {source}: {named}{more}")
}

fn line(text: &str) -> String {
    format!("note: {}", plain::text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(path: &str) -> Notice {
        Notice::SameContent {
            path: path.to_owned(),
            source: "log.jsonl".to_owned(),
        }
    }

    #[test]
    fn copies_of_one_source_are_one_line() {
        let notes = Notes::default();
        for path in ["a", "b", "c", "d", "e"] {
            assert_eq!(notes.take(copy(path)), None);
        }
        let said = ["note: 5 files continue what was read as log.jsonl: a, b, c and 2 more"];
        assert_eq!(notes.waiting(), said);
    }

    #[test]
    fn other_notes_are_said_at_once() {
        let notes = Notes::default();
        let path = "log.jsonl".to_owned();
        let said = notes.take(Notice::TruncatedWhileRead { path });
        let expected = "note: log.jsonl was truncated while it was read";
        assert_eq!(said.as_deref(), Some(expected));
        assert!(notes.waiting().is_empty());
    }
}
