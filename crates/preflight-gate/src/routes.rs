//! Opt-in: who can settle an unknown.

use preflight_record::{Field, FieldStatus, Presence};

use crate::{argument_plan::Fields, json};

/// Who can settle an unknown field; stands as `route` on the field and in `gate.unknown_fields`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// The user: nothing is known of the value.
    AskUser,
    /// The agent's own systems: a lookup failed, or a stored or measured value was malformed.
    SystemLookup,
    /// The tool's provider: the schema requires a field that it does not declare.
    DefinitionRepair,
}

impl Route {
    /// As records spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AskUser => "ask_user",
            Self::SystemLookup => "system_lookup",
            Self::DefinitionRepair => "definition_repair",
        }
    }

    fn of(field: &Field<'_>, plan: &Fields) -> Self {
        let own_data = ["pre_set_data", "measured_data", "prior_state"];
        let note = field.note.given().map_or("", |note| note);
        let malformed = |source: &str| {
            note.strip_prefix("schema violation (source ")
                .is_some_and(|rest| rest.starts_with(source))
        };
        if field.lookup_failed == Presence::Given(true) || own_data.into_iter().any(malformed) {
            Self::SystemLookup
        } else if plan.undeclared.contains(&*field.name) {
            Self::DefinitionRepair
        } else {
            Self::AskUser
        }
    }
}

/// Puts a route on each unknown field.
pub(crate) fn assign(plan: &Fields, fields: &mut [Field<'static>]) {
    for field in fields
        .iter_mut()
        .filter(|field| field.status == FieldStatus::Unknown)
    {
        let route = json::string(Route::of(field, plan).as_str());
        field.overflow.keep("route".into(), route.into());
    }
}
