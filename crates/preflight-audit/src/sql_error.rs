//! A statement that fails: where in it, and what was meant.

use std::fmt;

use datafusion::common::Span;
use unicode_width::UnicodeWidthStr;

/// A failed statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlError {
    /// What is wrong.
    pub message: String,
    /// Where: line and column from 1, and how many characters.
    pub place: Option<Place>,
    /// The nearest name that exists.
    pub similar: Option<String>,
}

/// A place in a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// In characters, at least 1.
    pub length: usize,
}

impl Place {
    /// The place of a part of a parsed statement.
    pub(crate) fn of(span: Span) -> Option<Self> {
        let (start, end) = (span.start, span.end);
        let length = match start.line == end.line {
            true => end.column.saturating_sub(start.column),
            false => 1,
        };
        (start.line > 0).then_some(Self {
            line: start.line as usize,
            column: start.column.max(1) as usize,
            length: length.max(1) as usize,
        })
    }
}

impl std::error::Error for SqlError {}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(place) = self.place {
            write!(f, " (line {}, column {})", place.line, place.column)?;
        }
        if let Some(similar) = &self.similar {
            write!(f, "; did you mean {similar}?")?;
        }
        Ok(())
    }
}

impl SqlError {
    /// An error without a place.
    pub(crate) fn plain(message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            message: message.into(),
            place: None,
            similar: None,
        })
    }

    /// The line of the statement with the place marked below it.
    pub fn excerpt(&self, sql: &str) -> Option<String> {
        let place = self.place?;
        let line = sql.lines().nth(place.line - 1)?;
        // A tab has no width of its own, and some characters take two cells.
        let line = line.replace('\t', " ");
        let (before, rest) = line.split_at(byte_of(&line, place.column - 1));
        let marked = &rest[..byte_of(rest, place.length)];
        let number = place.line.to_string();
        let indent = " ".repeat(number.len() + " | ".len() + before.width());
        let marks = "^".repeat(marked.width().max(1));
        Some(format!("{number} | {line}\n{indent}{marks}"))
    }
}

/// Where a character begins, or the end.
fn byte_of(text: &str, character: usize) -> usize {
    let mut starts = text.char_indices().map(|(at, _)| at);
    starts.nth(character).unwrap_or(text.len())
}

/// The name that is nearest to one that does not exist, if any is near.
pub fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let lower = name.to_lowercase();
    let scored = names.map(|known| (strsim::jaro_winkler(&lower, &known.to_lowercase()), known));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(score, _)| *score > 0.8)
        .map(|(_, known)| known.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_marked() {
        let place = Some(Place {
            line: 2,
            column: 6,
            length: 4,
        });
        let error = SqlError {
            message: String::new(),
            place,
            similar: None,
        };
        let excerpt = error.excerpt("select 1\nfrom reco").expect("a place");
        assert_eq!(excerpt, "2 | from reco\n         ^^^^");
        let excerpt = error.excerpt("\n漢字\t, 金額").expect("a place");
        assert_eq!(excerpt, "2 | 漢字 , 金額\n           ^^^^");
        assert!(
            error
                .excerpt("\n漢")
                .is_some_and(|excerpt| excerpt.ends_with('^'))
        );
    }

    #[test]
    fn near_names_are_found() {
        let names = ["records", "fields", "checklist"];
        assert_eq!(
            nearest("record", names.into_iter()).as_deref(),
            Some("records")
        );
        assert_eq!(
            nearest("FIELDS", names.into_iter()).as_deref(),
            Some("fields")
        );
        assert_eq!(nearest("xyzzy", names.into_iter()), None);
    }
}
