//! A statement that fails: where in it, and what was meant.

use std::fmt;

use datafusion::{
    common::{Diagnostic, SchemaError},
    error::DataFusionError,
    sql::sqlparser::parser::ParserError,
};

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

    /// Explains an error of the engine; `tables` are the names that exist.
    pub(crate) fn explain(error: &DataFusionError, sql: &str, tables: &[String]) -> Box<Self> {
        let root = error.find_root();
        let (message, similar) = match root {
            DataFusionError::SchemaError(schema_error, _) => explain_schema(schema_error),
            DataFusionError::SQL(parser_error, _) => (explain_syntax(parser_error), None),
            DataFusionError::Plan(message) => explain_plan(message, tables),
            other => (other.strip_backtrace(), None),
        };
        let place = diagnostic(error)
            .and_then(place_of_span)
            .or_else(|| place_in_message(&root.to_string()))
            .or_else(|| place_of_name(&message, sql));
        Box::new(Self {
            message,
            place,
            similar,
        })
    }

    /// The line of the statement with the place marked below it.
    pub fn excerpt(&self, sql: &str) -> Option<String> {
        let place = self.place?;
        let line = sql.lines().nth(place.line - 1)?;
        let number = place.line.to_string();
        let indent = " ".repeat(number.len() + place.column + 2);
        let rest = line.chars().count().saturating_sub(place.column - 1).max(1);
        let marks = "^".repeat(place.length.clamp(1, rest));
        Some(format!("{number} | {line}\n{indent}{marks}"))
    }
}

fn explain_schema(error: &SchemaError) -> (String, Option<String>) {
    match error {
        SchemaError::FieldNotFound {
            field,
            valid_fields,
        } => {
            let names: Vec<String> = valid_fields
                .iter()
                .map(|field| field.name.clone())
                .collect();
            let similar = nearest(&field.name, names.iter().map(String::as_str));
            let known = match names.len() {
                0 => String::new(),
                1..=12 => format!("; there is {}", names.join(", ")),
                _ => String::new(),
            };
            let known = if similar.is_some() {
                String::new()
            } else {
                known
            };
            (
                format!("there is no column {:?}{known}", field.name),
                similar,
            )
        }
        other => (other.to_string(), None),
    }
}

fn explain_syntax(error: &ParserError) -> String {
    match error {
        ParserError::RecursionLimitExceeded => "the statement is nested too deeply".to_owned(),
        ParserError::ParserError(message) | ParserError::TokenizerError(message) => {
            let end = message.find(" at Line: ").unwrap_or(message.len());
            message[..end].to_owned()
        }
    }
}

fn explain_plan(message: &str, tables: &[String]) -> (String, Option<String>) {
    let name = message
        .strip_prefix("table '")
        .and_then(|rest| rest.split_once("' not found"));
    match name {
        Some((name, _)) => {
            let name = name.rsplit('.').next().unwrap_or(name);
            let similar = nearest(name, tables.iter().map(String::as_str));
            (format!("there is no table {name:?}"), similar)
        }
        None if is_refusal(message) => (
            "only questions are answered: the lake is read-only".to_owned(),
            None,
        ),
        None => (message.to_owned(), None),
    }
}

/// Whether the engine refused a statement because it would write.
fn is_refusal(message: &str) -> bool {
    ["DDL", "DML", "Statement"]
        .iter()
        .any(|kind| message.starts_with(&format!("{kind} not supported")))
}

fn diagnostic(error: &DataFusionError) -> Option<&Diagnostic> {
    match error {
        DataFusionError::Diagnostic(diagnostic, _) => Some(diagnostic),
        DataFusionError::Context(_, inner) => diagnostic(inner),
        DataFusionError::Collection(errors) => errors.first().and_then(diagnostic),
        DataFusionError::Shared(inner) => diagnostic(inner),
        _ => None,
    }
}

fn place_of_span(diagnostic: &Diagnostic) -> Option<Place> {
    let span = diagnostic.span?;
    let (start, end) = (span.start, span.end);
    let length = if start.line == end.line {
        end.column.saturating_sub(start.column)
    } else {
        1
    };
    (start.line > 0).then_some(Place {
        line: start.line as usize,
        column: start.column.max(1) as usize,
        length: length.max(1) as usize,
    })
}

/// The parser's messages end in `at Line: 1, Column: 8`.
fn place_in_message(message: &str) -> Option<Place> {
    let (line, column) = message.split_once("Line: ")?.1.split_once(", Column: ")?;
    let digits = |text: &str| {
        let end = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        text[..end].parse::<usize>().ok()
    };
    let (line, column) = (digits(line)?, digits(column)?);
    (line > 0 && column > 0).then_some(Place {
        line,
        column,
        length: 1,
    })
}

/// Where no place is known, the name that the message quotes is looked for in the statement.
fn place_of_name(message: &str, sql: &str) -> Option<Place> {
    let name = message
        .split(['"', '\''])
        .nth(1)
        .filter(|name| !name.is_empty())?;
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    for (line, text) in (1..).zip(sql.lines()) {
        for (at, _) in text.match_indices(name) {
            let before = is_word(text[..at].chars().next_back());
            let after = is_word(text[at + name.len()..].chars().next());
            if !before && !after {
                let column = text[..at].chars().count() + 1;
                return Some(Place {
                    line,
                    column,
                    length: name.chars().count(),
                });
            }
        }
    }
    None
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
