//! What the agent's user gets to read. No message names a tool: people pick what they are shown.

pub(crate) const INTENT_WHAT: &str = "I could not tell what you want done. Please say it again.";
pub(crate) const INTENT_WHEN: &str =
    "I could not tell when you want this done. Please say it again, including the timing.";
pub(crate) const INTENT_BOTH: &str =
    "I could not tell what you want done, or when. Please say it again.";
pub(crate) const INTENT_EXHAUSTED: &str =
    "I still could not tell what you want done. Stopping here — let's sort it out in conversation.";
pub(crate) const TOOL: &str = "I could not tell which action this maps to. Please describe what you want done, in your own words.";
pub(crate) const TOOL_EXHAUSTED: &str =
    "I still could not match this to an action I can perform. Let us sort it out in conversation.";
pub(crate) const ACTION_KEY: &str =
    "Something went wrong on our side before this could start. Nothing was done.";
pub(crate) const SCHEMA: &str =
    "This action does not say clearly enough what it needs. Nothing was done.";
pub(crate) const BRANCH_UNRESOLVED: &str = "There is more than one way to do this, and I could not tell which one you mean. Please choose.";
pub(crate) const BRANCH_CONFLICT: &str =
    "What you gave fits more than one way to do this. Please choose one.";
pub(crate) const PAYLOAD: &str =
    "The details do not fit together for this action. Nothing was done.";
pub(crate) const CONFIRMATION: &str =
    "This cannot be undone. Please check the exact details and confirm.";
