//! A lint for tool definitions, before any record exists: what a gate before the call could not ask
//! for, or could not check.
//!
//! ```text
//! definitions.rs  the result of an MCP `tools/list`
//! fields.rs       the fields of a schema, however deep
//! places.rs       where in the text a JSON pointer leads
//! conditions.rs   conditions in prose
//! prose.rs        values and defaults in prose
//! rules/          the rules
//! patch.rs        changes as RFC 6902 patches
//! ```
//!
//! A problem carries a patch where the definition itself says all that the change needs:
//!
//! ```
//! let mut tools = serde_json::json!([{
//!     "name": "mail.send",
//!     "description": "Sends a mail. The sender must be verified.",
//!     "inputSchema": {"type": "object"}
//! }]);
//! let linted = preflight_lint::lint(&tools.to_string())?;
//! let problem = &linted.problems[0];
//! assert_eq!(problem.rule.name, "undeclared_condition");
//!
//! let patch = problem.patch.as_ref().expect("a patch");
//! preflight_lint::apply(&mut tools, patch)?;
//! assert_eq!(
//!     tools[0]["description"],
//!     "Sends a mail.\n[Required] The sender must be verified."
//! );
//! assert!(preflight_lint::lint(&tools.to_string())?.problems.is_empty());
//! # Ok::<(), preflight_lint::LintError>(())
//! ```

mod conditions;
mod definitions;
mod fields;
mod patch;
mod places;
mod prose;
mod rules;

use serde::Serialize;
use serde_json::Value;

pub use conditions::{condition_label, declares, undeclared_sentences};
pub use definitions::{Definition, Definitions};
pub use patch::apply;
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
    /// An element of the list is something else.
    #[error("{0} is no tool: expected an object")]
    NoTool(String),
    /// A patch does not apply.
    #[error("the patch does not apply: {0}")]
    Patch(#[from] json_patch::PatchError),
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
    /// The part of it behind the tool.
    pub place: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// An RFC 6902 patch of the text that mends it, where the text says all that it needs. It was
    /// tried: what comes out is usable, and the problem is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Value>,
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
    let definitions = Definitions::read(text)?;
    let places = places::Places::of(text);
    let mut found: Vec<(usize, Problem)> = Vec::new();
    for definition in definitions.all() {
        let problems = definition.problems().into_iter();
        found.extend(problems.map(|problem| (places.offset(&problem.pointer), problem)));
    }
    found.sort_by_key(|(at, problem)| (*at, problem.rule.code));
    let mut cursor = places::Cursor::new(text);
    let problems = found.into_iter().map(|(at, problem)| {
        let (line, column) = cursor.at(at);
        Problem {
            line,
            column,
            ..problem
        }
    });
    Ok(Linted {
        tools: definitions.all().len(),
        problems: problems.collect(),
    })
}
