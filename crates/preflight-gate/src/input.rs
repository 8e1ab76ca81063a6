//! What one run of the gate is given.

use std::sync::Arc;

use indexmap::IndexMap;
use preflight_record::{ChecklistItem, JsonText, Presence, Record};

use crate::{Segment, Tool, Trust};

/// A value that was settled before the instruction, such as a default in the user's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreSet {
    /// The value; without one there is nothing to look up.
    pub value: Option<JsonText>,
    /// Whose decision it was; only the user's counts.
    pub trust: Trust,
}

impl PreSet {
    /// A value that the user settled.
    pub fn by_user(value: impl Into<JsonText>) -> Self {
        Self {
            value: Some(value.into()),
            trust: Trust::User,
        }
    }

    /// The value, where the user settled it.
    pub(crate) fn trusted(&self) -> Option<&JsonText> {
        self.value.as_ref().filter(|_| self.trust == Trust::User)
    }
}

/// A value read from the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measurement {
    /// Whether the reading can be relied on.
    pub valid: bool,
    /// What was read.
    pub value: Option<JsonText>,
}

impl Measurement {
    /// A reading that can be relied on.
    pub fn valid(value: impl Into<JsonText>) -> Self {
        Self {
            valid: true,
            value: Some(value.into()),
        }
    }

    pub(crate) fn reliable(self) -> Option<JsonText> {
        self.value.filter(|_| self.valid)
    }
}

/// What one run is given: whose call, which tool, and everything that values may be looked up in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Input {
    /// The user that the agent acts for.
    pub user_id: String,
    /// What the user said, and what else the agent read, apart.
    pub instruction: Vec<Segment>,
    /// The tool that the agent picked.
    pub tool: Arc<Tool>,
    /// Values settled earlier, by field.
    pub pre_set_data: IndexMap<String, PreSet>,
    /// The action's name, settled earlier; used where the instruction gives none.
    pub user_action_pre_set: Option<PreSet>,
    /// Readings for [`crate::Hooks::measure_from_environment`] to pick from, by field.
    pub measured_data: IndexMap<String, Measurement>,
    /// The baseline for `prior_state`. Without one the store is asked, which is the better choice:
    /// that this is the key's latest executed record is the caller's word, and a record of another
    /// key is refused by a strict gate alone.
    pub prior: Option<Arc<Record<'static>>>,
    /// The user's conditions, each with a stable id.
    pub user_checklist: Vec<ChecklistItem<'static>>,
    /// What the user answered to an `ask_user`, by field.
    pub user_answers: IndexMap<String, JsonText>,
    /// What the user answered about conditions, by item id; for the checklist hook to read.
    pub checklist_answers: IndexMap<String, JsonText>,
    /// How often the intent gate asked already: `gate.next_intent_attempt` of the last record.
    pub intent_attempt: u32,
    /// How often the tool gate asked already: `gate.next_tool_attempt` of the last record.
    pub tool_attempt: u32,
    /// Whether this is a deferred run's trigger: conditions are verified and the call may go out.
    pub at_trigger: bool,
    /// The token of a `confirmation_required` gate that the user confirmed: good for one call of exactly
    /// this tool and these arguments, however it ends; see [`crate::Confirmations`].
    pub confirmation: Option<String>,
    /// Arguments for a tool that only reads, where reads pass ungated.
    pub read_arguments: Option<JsonText>,
}

impl Input {
    /// An input with nothing to look up in yet.
    pub fn new(user_id: impl Into<String>, tool: Arc<Tool>) -> Self {
        Self {
            user_id: user_id.into(),
            instruction: Vec::new(),
            tool,
            pre_set_data: IndexMap::new(),
            user_action_pre_set: None,
            measured_data: IndexMap::new(),
            prior: None,
            user_checklist: Vec::new(),
            user_answers: IndexMap::new(),
            checklist_answers: IndexMap::new(),
            intent_attempt: 0,
            tool_attempt: 0,
            at_trigger: false,
            confirmation: None,
            read_arguments: None,
        }
    }

    /// Adds what the user said.
    #[must_use]
    pub fn says(mut self, text: impl Into<String>) -> Self {
        self.instruction.push(Segment::user(text));
        self
    }

    /// Adds the user's answer about a field.
    #[must_use]
    pub fn answers(mut self, field: impl Into<String>, value: impl Into<JsonText>) -> Self {
        self.user_answers.insert(field.into(), value.into());
        self
    }

    /// Adds a condition of the user's.
    #[must_use]
    pub fn on_condition(mut self, id: impl Into<String>, description: impl Into<String>) -> Self {
        self.user_checklist.push(ChecklistItem {
            id: Presence::Given(id.into().into()),
            description: Presence::Given(description.into().into()),
            ..ChecklistItem::default()
        });
        self
    }
}
