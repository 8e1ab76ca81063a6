//! A scripted run's input.

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny},
};
use serde_json::value::RawValue;

use super::{ScriptError, text_of};
use crate::{Input, Measurement, PreSet, Reversibility, Segment, Tool, Trust, wire};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct InputScript {
    user_id: String,
    #[serde(deserialize_with = "segments")]
    instruction: Vec<SegmentScript>,
    mcp_tool: ToolScript,
    #[serde(default, deserialize_with = "null_is_none")]
    pre_set_data: Members,
    #[serde(default, deserialize_with = "null_is_none")]
    fixed_pre_set: Members,
    #[serde(default, rename = "measured_data", deserialize_with = "null_is_none")]
    measured_data: Members,
    #[serde(default)]
    prior_execution_state: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "null_is_none")]
    user_checklist: Vec<Box<RawValue>>,
    #[serde(default, deserialize_with = "null_is_none")]
    user_answers: Members,
    #[serde(default, deserialize_with = "null_is_none")]
    checklist_answers: Members,
    #[serde(default, rename = "intent_attempt", deserialize_with = "null_is_none")]
    intent_attempt: u32,
    #[serde(default, rename = "tool_attempt", deserialize_with = "null_is_none")]
    tool_attempt: u32,
    #[serde(default, rename = "at_trigger")]
    at_trigger: bool,
}

/// A key that holds `null` says as much as one that is not there.
fn null_is_none<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A plain text has no labels, so there is nothing in it to trust.
fn segments<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SegmentScript>, D::Error> {
    // Not an untagged enum: that would not say which key of a segment is wrong.
    let instruction = Box::<RawValue>::deserialize(deserializer)?;
    let text = match instruction.get().starts_with('"') {
        true => serde_json::from_str(instruction.get()),
        false => return serde_json::from_str(instruction.get()).map_err(D::Error::custom),
    };
    Ok(vec![SegmentScript {
        text: text.map_err(D::Error::custom)?,
        trust: String::new(),
        origin: None,
    }])
}

type Members = IndexMap<String, Box<RawValue>>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SegmentScript {
    text: String,
    #[serde(default)]
    trust: String,
    origin: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ToolScript {
    name: String,
    description: Option<String>,
    input_schema: Option<Box<RawValue>>,
    // What else MCP defines for a tool; no gate looks at it.
    #[serde(default, rename = "title")]
    _title: IgnoredAny,
    #[serde(default, rename = "outputSchema")]
    _output_schema: IgnoredAny,
    #[serde(default, rename = "annotations")]
    _annotations: IgnoredAny,
    #[serde(default, rename = "icons")]
    _icons: IgnoredAny,
    #[serde(default, rename = "execution")]
    _execution: IgnoredAny,
    #[serde(default, rename = "_meta")]
    _meta: IgnoredAny,
}

impl InputScript {
    pub(super) fn read(self) -> Result<Input, ScriptError> {
        let mut input = Input::new(self.user_id, Arc::new(self.mcp_tool.read()));
        input.instruction = self
            .instruction
            .into_iter()
            .map(SegmentScript::read)
            .collect();
        // A raw value is refused: only `{value, trust}` says whose decision it was.
        input.pre_set_data = self
            .pre_set_data
            .iter()
            .filter_map(|(field, raw)| Some((field.clone(), pre_set(raw)?)))
            .collect();
        input.user_action_pre_set = self
            .fixed_pre_set
            .get("c2_user_action_name")
            .and_then(|raw| pre_set(raw));
        input.measured_data = self
            .measured_data
            .iter()
            .filter_map(|(field, raw)| Some((field.clone(), measurement(raw.get())?)))
            .collect();
        input.prior = self
            .prior_execution_state
            .map(|raw| prior(&raw))
            .transpose()?;
        for item in &self.user_checklist {
            let item = wire::checklist_item(item.get()).map_err(ScriptError::new)?;
            input.user_checklist.push(item);
        }
        input.user_answers = texts(&self.user_answers);
        input.checklist_answers = texts(&self.checklist_answers);
        input.intent_attempt = self.intent_attempt;
        input.tool_attempt = self.tool_attempt;
        input.at_trigger = self.at_trigger;
        Ok(input)
    }
}

impl SegmentScript {
    fn read(self) -> Segment {
        Segment {
            text: self.text,
            trust: Trust::from_label(&self.trust),
            origin: self.origin,
        }
    }
}

impl ToolScript {
    fn read(self) -> Tool {
        let schema = self.input_schema.as_deref().map(text_of);
        Tool::new(self.name, self.description.as_deref(), schema)
            .with_reversibility(Reversibility::Gated)
    }
}

fn texts(members: &Members) -> IndexMap<String, preflight_record::JsonText> {
    members
        .iter()
        .map(|(name, raw)| (name.clone(), text_of(raw)))
        .collect()
}

fn prior(raw: &RawValue) -> Result<Arc<preflight_record::Record<'static>>, ScriptError> {
    let record = wire::record(raw.get());
    record
        .map(Arc::new)
        .map_err(|fault| ScriptError::new(format!("priorExecutionState: {fault}")))
}

/// A wrapped value; anything else is none.
fn pre_set(raw: &RawValue) -> Option<PreSet> {
    let members: Members = serde_json::from_str(raw.get()).ok()?;
    let trust: String = serde_json::from_str(members.get("trust")?.get()).ok()?;
    Some(PreSet {
        value: members.get("value").map(|value| text_of(value)),
        trust: Trust::from_label(&trust),
    })
}

/// A measurement; only a `valid` that is `true` is one to rely on.
pub(super) fn measurement(json: &str) -> Option<Measurement> {
    let members: Members = serde_json::from_str(json).ok()?;
    Some(Measurement {
        valid: members
            .get("valid")
            .is_some_and(|valid| valid.get() == "true"),
        value: members.get("value").map(|value| text_of(value)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_text_is_not_trusted_and_null_is_absent() {
        let script = r#"{"userId":"u","instruction":"pay","mcpTool":{"name":"t","inputSchema":null},
            "preSetData":null,"measured_data":null,"userChecklist":null,"intent_attempt":null}"#;
        let script: InputScript = serde_json::from_str(script).expect("a script");
        let input = script.read().expect("an input");
        assert_eq!(input.instruction[0].trust, Trust::Untrusted);
        assert!(input.pre_set_data.is_empty() && input.tool.input_schema().is_none());
    }

    #[test]
    fn only_wrapped_values_are_pre_set() {
        let raw = |json: &str| RawValue::from_string(json.to_owned()).expect("JSON");
        assert_eq!(pre_set(&raw("\"a\"")), None);
        assert_eq!(pre_set(&raw("null")), None);
        let wrapped = pre_set(&raw(r#"{"value":null,"trust":"user"}"#)).expect("wrapped");
        assert_eq!(wrapped.trusted().map(|value| value.as_str()), Some("null"));
        assert!(
            pre_set(&raw(r#"{"trust":"user"}"#))
                .expect("wrapped")
                .trusted()
                .is_none()
        );
    }
}
