//! The result of an MCP `tools/list`: the answer, its result, or the list alone.

use preflight_gate::{JsonText, Tool};
use serde_json::{Map, Value};

use crate::LintError;

/// A tool as its provider defines it.
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) has_name: bool,
    /// Where it stands in the text.
    pub(crate) pointer: String,
    pub(crate) description: String,
    pub(crate) schema: Option<Value>,
    /// Why the gate holds each call of it.
    pub(crate) unsupported: Option<String>,
}

impl Definition {
    fn read(tool: &Value, pointer: String, position: usize) -> Self {
        let name = tool.get("name").and_then(Value::as_str).map(str::trim);
        let name = name.filter(|name| !name.is_empty());
        let description = tool.get("description").and_then(Value::as_str);
        let schema = tool.get("inputSchema").cloned();
        let text = schema
            .as_ref()
            .and_then(|schema| JsonText::parse(&schema.to_string()).ok());
        let gated = Tool::new(name.unwrap_or_default(), description, text);
        Self {
            name: name.map_or_else(|| format!("#{position}"), str::to_owned),
            has_name: name.is_some(),
            pointer,
            description: description.unwrap_or_default().trim().to_owned(),
            unsupported: gated.schema_unsupported().map(str::to_owned),
            schema,
        }
    }

    /// The declared properties.
    pub(crate) fn properties(&self) -> impl Iterator<Item = (&String, &Map<String, Value>)> {
        let properties = self.schema.as_ref().and_then(|s| s.get("properties"));
        let properties = properties.and_then(Value::as_object).into_iter().flatten();
        properties.filter_map(|(name, schema)| Some((name, schema.as_object()?)))
    }

    /// The names that the root requires.
    pub(crate) fn required(&self) -> impl Iterator<Item = (usize, &str)> {
        let required = self.schema.as_ref().and_then(|s| s.get("required"));
        let required = required.and_then(Value::as_array).into_iter().flatten();
        (0..)
            .zip(required)
            .filter_map(|(at, name)| Some((at, name.as_str()?)))
    }
}

pub(crate) fn read(text: &str) -> Result<Vec<Definition>, LintError> {
    let whole: Value = serde_json::from_str(text)?;
    let lists = ["", "/tools", "/result/tools"];
    let list = lists
        .iter()
        .find_map(|place| Some((place, whole.pointer(place)?.as_array()?)));
    let (place, list) = list.ok_or(LintError::NoTools)?;
    let tools = list.iter().enumerate();
    Ok(tools
        .map(|(at, tool)| Definition::read(tool, format!("{place}/{at}"), at))
        .collect())
}
