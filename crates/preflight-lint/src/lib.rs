//! A lint for tool definitions, before any record exists: what a gate before the call could not ask
//! for, or could not check.
//!
//! ```text
//! definitions.rs  the result of an MCP `tools/list`
//! places.rs       where in the text a JSON pointer leads
//! conditions.rs   conditions in prose
//! rules/          the rules
//! ```
//!
//! ```
//! let linted = preflight_lint::lint(r#"[{"name":"mail.send","description":"Sends a mail."}]"#)?;
//! assert_eq!(linted.problems[0].rule.name, "input_schema_missing");
//! # Ok::<(), preflight_lint::LintError>(())
//! ```

mod conditions;
mod definitions;
mod places;
mod rules;

use serde::Serialize;

pub use conditions::undeclared_sentences;
pub use rules::{RULES, Rule, rule};

/// Why a text could not be linted.
#[derive(Debug, thiserror::Error)]
pub enum LintError {
    /// It is no JSON.
    #[error("this is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It is JSON of another kind.
    #[error("this holds no tools: expected the result of tools/list, or an array of tools")]
    NoTools,
}

/// Something that a definition should say otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The rule.
    pub rule: &'static Rule,
    /// The tool's name; its place in the list, where it has none.
    pub tool: String,
    /// The field, where it is about one.
    pub field: Option<String>,
    /// What is wrong.
    pub says: String,
    /// JSON pointer into the text.
    pub pointer: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// What was looked at, and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Linted {
    /// How many tools there are.
    pub tools: usize,
    /// In the order of the text, then of the rules.
    pub problems: Vec<Problem>,
}

/// Lints the result of an MCP `tools/list`.
///
/// # Errors
///
/// The text is no JSON, or holds no list of tools.
pub fn lint(text: &str) -> Result<Linted, LintError> {
    let definitions = definitions::read(text)?;
    let places = places::Places::of(text);
    let mut problems: Vec<(usize, Problem)> = Vec::new();
    for definition in &definitions {
        for rule in RULES {
            for found in (rule.check)(definition) {
                let pointer = format!("{}{}", definition.pointer, found.at);
                let at = places.offset(&pointer);
                let (line, column) = places::line_and_column(text, at);
                let problem = Problem {
                    rule,
                    tool: definition.name.clone(),
                    field: found.field,
                    says: found.says,
                    pointer,
                    line,
                    column,
                };
                problems.push((at, problem));
            }
        }
    }
    problems.sort_by_key(|(at, problem)| (*at, problem.rule.code));
    Ok(Linted {
        tools: definitions.len(),
        problems: problems.into_iter().map(|(_, problem)| problem).collect(),
    })
}
