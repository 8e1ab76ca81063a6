//! What would fix a gap.

use serde::Serialize;

/// A suggestion, bound to what was counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suggestion {
    /// Code of the rule that it follows from.
    pub rule: &'static str,
    /// The tool.
    pub tool: String,
    /// The field, where it is about one.
    pub field: Option<String>,
    /// What to do.
    pub says: String,
    /// How many gaps it is bound to.
    pub gaps: u64,
    /// Of how many users.
    pub users: u64,
    /// Digests of records behind it.
    pub records: Vec<String>,
    /// The change as an RFC 6902 patch of the definitions that were given; it was applied, and the
    /// outcome is a valid schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<serde_json::Value>,
}
