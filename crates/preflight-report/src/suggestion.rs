//! What would fix a gap.

use serde::Serialize;

/// A suggestion, bound to what was counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suggestion {
    /// Code of the rule whose gaps it is bound to; where it is bound to records that carried a
    /// condition in prose, that of the rule on definitions.
    pub rule: String,
    /// Code of the rule on definitions that is not kept.
    pub definition_rule: Option<&'static str>,
    /// The tool.
    pub tool: String,
    /// The field, where it is about one.
    pub field: Option<String>,
    /// JSON pointer into the definitions.
    pub pointer: String,
    /// What to do.
    pub says: String,
    /// What was counted: gaps, or records that carried the condition.
    pub counted: &'static str,
    /// How many.
    pub count: u64,
    /// In how many episodes; none for records.
    pub episodes: Option<u64>,
    /// Of how many episodes of the tool.
    pub tool_episodes: Option<u64>,
    /// Of how many users.
    pub users: u64,
    /// Digests of records behind it, the latest ones.
    pub records: Vec<String>,
    /// The change as an RFC 6902 patch of the definitions that were given; it was applied, and the
    /// outcome is a schema that the gate can use.
    pub patch: Option<serde_json::Value>,
}
