//! What the engine says of a statement that fails, in words for the one who wrote it.
//!
//! Kinds of errors are told apart by type. Where only the engine's wording does, a test holds it
//! (`tests/e2e/sql_errors.rs`); wording that is not known is handed on as it is.

use datafusion::{
    arrow::error::ArrowError,
    common::{Column, Diagnostic, SchemaError},
    error::DataFusionError,
    sql::sqlparser::parser::ParserError,
};

use crate::{Place, SqlError, nearest_name};

type Explained = (String, Option<String>);

/// Explains an error of the engine; `tables` are the names that exist.
pub(crate) fn explain(error: &DataFusionError, sql: &str, tables: &[String]) -> Box<SqlError> {
    let root = error.find_root();
    if let DataFusionError::External(ours) = root
        && let Some(ours) = ours.downcast_ref::<SqlError>()
    {
        return Box::new(ours.clone());
    }
    let (message, similar) = match root {
        DataFusionError::SchemaError(error, _) => of_schema(error),
        DataFusionError::SQL(error, _) => (of_syntax(error), None),
        DataFusionError::Plan(message) => of_plan(message, tables),
        DataFusionError::ArrowError(error, _) => (of_values(error), None),
        DataFusionError::Execution(message) | DataFusionError::NotImplemented(message) => {
            (message.clone(), None)
        }
        DataFusionError::External(error) => (error.to_string(), None),
        other => (other.strip_backtrace(), None),
    };
    let message = one_line(&message);
    let place = diagnostic(error)
        .and_then(|diagnostic| diagnostic.span)
        .and_then(Place::of)
        .or_else(|| place_in_message(&root.to_string()))
        .or_else(|| place_of_name(&message, sql));
    Box::new(SqlError {
        message,
        place,
        similar,
    })
}

/// Whether an error may come from a file of the lake, and not from a statement.
pub(crate) fn is_of_a_file(error: &DataFusionError) -> bool {
    matches!(
        error.find_root(),
        DataFusionError::ParquetError(_)
            | DataFusionError::ObjectStore(_)
            | DataFusionError::IoError(_)
            | DataFusionError::ExecutionJoin(_)
    ) || matches!(
        error.find_root(),
        DataFusionError::ArrowError(error, _)
            if matches!(**error, ArrowError::ParquetError(_) | ArrowError::IoError(..))
    )
}

fn of_schema(error: &SchemaError) -> Explained {
    let SchemaError::FieldNotFound {
        field,
        valid_fields,
    } = error
    else {
        return (error.to_string(), None);
    };
    let qualified = |column: &Column| match &column.relation {
        Some(relation) => format!("{}.{}", relation.table(), column.name),
        None => column.name.clone(),
    };
    let names = valid_fields.iter().map(|column| column.name.as_str());
    let similar = nearest_name(&field.name, names).and_then(|name| {
        // A name that stands in a table of another name needs that name before it.
        let of_name = |column: &&Column| column.name == name;
        let column = valid_fields.iter().find(of_name)?;
        Some(match column.name == field.name {
            true => qualified(column),
            false => name,
        })
    });
    let known = match valid_fields.len() {
        1..=12 if similar.is_none() => {
            let names: Vec<&str> = valid_fields.iter().map(|c| c.name.as_str()).collect();
            format!("; there is {}", names.join(", "))
        }
        _ => String::new(),
    };
    (
        format!("there is no column {:?}{known}", qualified(field)),
        similar,
    )
}

fn of_syntax(error: &ParserError) -> String {
    match error {
        ParserError::RecursionLimitExceeded => "the statement is nested too deeply".to_owned(),
        ParserError::ParserError(message) | ParserError::TokenizerError(message) => {
            let end = message.find(" at Line: ").unwrap_or(message.len());
            message[..end].to_owned()
        }
    }
}

/// A value that can't be computed with.
fn of_values(error: &ArrowError) -> String {
    match error {
        ArrowError::DivideByZero => "a division by zero".to_owned(),
        ArrowError::CastError(message)
        | ArrowError::ParseError(message)
        | ArrowError::ComputeError(message)
        | ArrowError::ArithmeticOverflow(message)
        | ArrowError::InvalidArgumentError(message) => message.clone(),
        other => other.to_string(),
    }
}

fn of_plan(message: &str, tables: &[String]) -> Explained {
    if let Some(name) = between(message, "table '", "' not found") {
        let name = name.rsplit('.').next().unwrap_or(name);
        let similar = nearest_name(name, tables.iter().map(String::as_str));
        return (format!("there is no table {name:?}"), similar);
    }
    if let Some(name) = between(message, "Invalid function '", "'") {
        let offered = between(message, "Did you mean '", "'");
        let similar = nearest_name(name, offered.into_iter());
        return (format!("there is no function {name:?}"), similar);
    }
    if let Some(call) = between(message, "the given name and argument types '", "'") {
        return (of_call(call, message), None);
    }
    if let Some(column) = between(message, ", column \"", "\" must appear in the GROUP BY") {
        let message = format!("{column:?} must be in GROUP BY or inside an aggregate function");
        return (message, None);
    }
    let is_refusal = ["DDL", "DML", "Statement"]
        .iter()
        .any(|kind| message.starts_with(&format!("{kind} not supported")));
    match is_refusal {
        true => (
            "only questions are answered: the lake is read-only".to_owned(),
            None,
        ),
        false => (message.to_owned(), None),
    }
}

/// A call that fits none of a function's signatures.
fn of_call(call: &str, message: &str) -> String {
    let candidates = message.split_once("Candidate functions:");
    let candidates = candidates.map_or("", |(_, list)| list).lines();
    let candidates: Vec<&str> = candidates
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    match candidates.is_empty() {
        true => format!("{call}: the function does not take such arguments"),
        false => format!(
            "{call}: the function takes other arguments: {}",
            candidates.join(", ")
        ),
    }
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once(after)?.0)
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
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
