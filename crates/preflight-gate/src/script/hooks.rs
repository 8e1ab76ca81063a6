//! Hooks that do what a script says.

use std::{collections::HashMap, sync::Arc};

use preflight_record::{ChecklistItem, ChecklistStatus, Field, JsonText, Presence, Timestamp};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Map, Value};

use super::{input::measurement, outcome::Scripting};
use crate::{
    Answer, Approval, ChecklistVerifier, Extraction, FieldPolicy, FieldSchema, HookError,
    HookResult, Hooks, Measurement, NoPriorState, PolicyDecision, Run, Validity, Verification,
    WhenCase, checklist::UNIMPLEMENTED,
};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct HookScript {
    classify_when_case: Scripting,
    extract_user_action_name: Scripting,
    confirm_tool_name_matches_intent: Scripting,
    build_action_key: KeyScript,
    extract_from_instruction: HashMap<String, Scripting>,
    measure_from_environment: MeasureScript,
    apply_field_policy: PolicyScript,
    validate_field_schema: HashMap<String, Scripting>,
    verify_user_checklist_item: HashMap<String, Scripting>,
}

#[derive(Debug)]
enum KeyScript {
    Template(String),
    Outcome(Scripting),
}

impl Default for KeyScript {
    fn default() -> Self {
        Self::Template("{userId}:{c3}".to_owned())
    }
}

impl<'de> Deserialize<'de> for KeyScript {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match value.get("template").and_then(Value::as_str) {
            Some(_) if value.as_object().is_some_and(|members| members.len() > 1) => {
                Err(D::Error::custom("a template stands alone"))
            }
            Some(template) => Ok(Self::Template(template.to_owned())),
            None => serde_json::from_str(&value.to_string())
                .map(Self::Outcome)
                .map_err(D::Error::custom),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct MeasureScript {
    passthrough: bool,
    fields: HashMap<String, Scripting>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PolicyScript {
    default: DefaultPolicy,
    #[serde(deserialize_with = "field_policies")]
    fields: HashMap<String, Map<String, Value>>,
}

fn field_policies<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<HashMap<String, Map<String, Value>>, D::Error> {
    const KEYS: &[&str] = &["throw", "none", "block", "pending_if_unknown"];
    let fields = HashMap::<String, Map<String, Value>>::deserialize(deserializer)?;
    let mut keys = fields.values().flat_map(Map::keys);
    match keys.find(|key| !KEYS.contains(&key.as_str())) {
        Some(key) => Err(D::Error::unknown_field(key, KEYS)),
        None => Ok(fields),
    }
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DefaultPolicy {
    /// Nothing is inherited.
    #[default]
    Reference,
    AllowPriorState,
}

/// A script as all of a gate's hooks.
pub(super) struct Scripted(HookScript);

impl Scripted {
    pub(super) fn new(script: HookScript) -> Self {
        Self(script)
    }
}

impl Hooks for Arc<Scripted> {
    async fn classify_when_case(&self, _: &Run<'_>) -> HookResult<WhenCase> {
        let case = |value: &JsonText| Some(WhenCase::from(text(value)?.as_str()));
        self.0.classify_when_case.as_hook(case)
    }

    async fn extract_user_action_name(&self, _: &Run<'_>) -> HookResult<String> {
        self.0.extract_user_action_name.as_hook(text)
    }

    async fn confirm_tool_name_matches_intent(&self, _: &Run<'_>) -> HookResult<Approval> {
        self.0.confirm_tool_name_matches_intent.as_hook(approval)
    }

    async fn extract_from_instruction(&self, field: &str, _: &Run<'_>) -> HookResult<Extraction> {
        match self.0.extract_from_instruction.get(field) {
            Some(scripting) => scripting.as_hook(extraction),
            None => Ok(None),
        }
    }

    async fn measure_from_environment(
        &self,
        field: &str,
        run: &Run<'_>,
    ) -> HookResult<Measurement> {
        let script = &self.0.measure_from_environment;
        if script.passthrough {
            return Ok(run.input.measured_data.get(field).cloned());
        }
        match script.fields.get(field) {
            Some(scripting) => scripting.as_hook(|value| measurement(value.as_str())),
            None => Ok(None),
        }
    }

    async fn build_action_key(&self, run: &Run<'_>) -> HookResult<String> {
        match &self.0.build_action_key {
            KeyScript::Outcome(scripting) => scripting.as_hook(text),
            KeyScript::Template(template) => Ok(Some(fill(template, run))),
        }
    }
}

impl FieldPolicy for Arc<Scripted> {
    fn apply<'a>(
        &'a self,
        field: &'a Field<'static>,
        run: &'a Run<'a>,
    ) -> Answer<'a, HookResult<PolicyDecision>> {
        let script = &self.0.apply_field_policy;
        let member = |key| script.fields.get(&*field.name).and_then(|own| own.get(key));
        if let Some(message) = member("throw") {
            let message = message.as_str().unwrap_or_default().to_owned();
            return Answer::now(Err(HookError::new(message)));
        }
        if member("none").is_some() {
            return Answer::now(Ok(None));
        }
        if let Some(note) = member("block") {
            let note = note.as_str().unwrap_or_default();
            return Answer::now(Ok(Some(PolicyDecision::block(note))));
        }
        let answer = match script.default {
            DefaultPolicy::Reference => NoPriorState.apply(field, run),
            DefaultPolicy::AllowPriorState => Answer::now(Ok(Some(PolicyDecision::keep()))),
        };
        match answer {
            Answer::Now(Some(Ok(Some(decision)))) if member("pending_if_unknown").is_some() => {
                Answer::now(Ok(Some(decision.pending_if_unknown())))
            }
            answer => answer,
        }
    }
}

impl FieldSchema for Arc<Scripted> {
    fn validate<'a>(
        &'a self,
        field: &'a str,
        _: &'a str,
        _: &'a Run<'a>,
    ) -> Answer<'a, HookResult<Validity>> {
        let fits = |value: &JsonText| Some(text(value).map_or(Validity::Fits, Validity::Violates));
        Answer::now(match self.0.validate_field_schema.get(field) {
            Some(scripting) => scripting.as_hook(fits),
            None => Ok(Some(Validity::Fits)),
        })
    }
}

impl ChecklistVerifier for Arc<Scripted> {
    fn verify<'a>(
        &'a self,
        item: &'a ChecklistItem<'static>,
        _: &'a Run<'a>,
    ) -> Answer<'a, HookResult<Verification>> {
        let id = item.id.given().map_or("", |id| id);
        Answer::now(match self.0.verify_user_checklist_item.get(id) {
            Some(scripting) => scripting.as_hook(verification),
            None => Ok(Some(Verification::unverified(UNIMPLEMENTED))),
        })
    }
}

fn text(value: &JsonText) -> Option<String> {
    serde_json::from_str(value.as_str()).ok()
}

fn approval(value: &JsonText) -> Option<Approval> {
    let value: Map<String, Value> = serde_json::from_str(value.as_str()).ok()?;
    Some(Approval {
        approved: value.get("approved") == Some(&Value::Bool(true)),
        reason: value
            .get("reason")
            .and_then(Value::as_str)
            .map(str::to_owned),
    })
}

/// A place that is not one (no span, three numbers, a negative one) becomes an empty span.
fn extraction(value: &JsonText) -> Option<Extraction> {
    let members: indexmap::IndexMap<String, Box<serde_json::value::RawValue>> =
        serde_json::from_str(value.as_str()).ok()?;
    let number = |key| serde_json::from_str::<usize>(members.get(key)?.get()).ok();
    let span = members.get("span");
    let span = span.and_then(|span| serde_json::from_str::<[usize; 2]>(span.get()).ok());
    Some(Extraction {
        value: super::text_of(members.get("value")?),
        segment_index: number("segment_index").unwrap_or(usize::MAX),
        span: span.map_or(0..0, |[start, end]| start..end),
    })
}

fn verification(value: &JsonText) -> Option<Verification> {
    let value: Map<String, Value> = serde_json::from_str(value.as_str()).ok()?;
    let member = |key: &str| match value.get(key) {
        None => Presence::Absent,
        Some(Value::String(text)) => Presence::Given(text.clone()),
        Some(_) => Presence::Null,
    };
    let verified = value.get("status").and_then(Value::as_str) == Some("verified");
    let verified_at = match member("verified_at") {
        Presence::Given(text) => {
            Timestamp::parse(text.into()).map_or(Presence::Absent, Presence::Given)
        }
        Presence::Null => Presence::Null,
        Presence::Absent => Presence::Absent,
    };
    Some(Verification {
        status: match verified {
            true => ChecklistStatus::Verified,
            false => ChecklistStatus::Unverified,
        },
        source: member("source"),
        verified_at,
        note: member("note"),
    })
}

/// Fills `{userId}`, `{c2}` and `{c3}`, each once through: a name that holds `{c3}` stays as it is.
fn fill(template: &str, run: &Run<'_>) -> String {
    let names = [
        ("{userId}", run.input.user_id.as_str()),
        ("{c2}", run.user_action.unwrap_or_default()),
        ("{c3}", run.input.tool.name()),
    ];
    let mut filled = String::new();
    let mut rest = template;
    while let Some(c) = rest.chars().next() {
        let name = names.iter().find(|(name, _)| rest.starts_with(name));
        let taken = match name {
            Some((name, value)) => {
                filled.push_str(value);
                name.len()
            }
            None => {
                filled.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    filled
}
