//! The fixed checklist: when, what the user calls the action, which tool.

use serde::Serialize;

use super::Source;

/// When an action is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WhenCase {
    Immediate,
    Scheduled,
    Conditional,
    Recurring,
}

impl WhenCase {
    /// The name written into records.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::Scheduled => "scheduled",
            Self::Conditional => "conditional",
            Self::Recurring => "recurring",
        }
    }
}

/// A record's `fixed` object.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Fixed {
    pub(crate) c1_when_case: Option<WhenCase>,
    pub(crate) c2_user_action_name: Option<&'static str>,
    pub(crate) c3_provider_action_name: &'static str,
    pub(crate) c2_source: Option<Source>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) c3_match: Option<ToolMatch>,
}

/// Whether the tool does what the user asks for.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ToolMatch {
    pub(crate) approved: bool,
    pub(crate) reason: &'static str,
}
