//! The result of an MCP `tools/list`: the answer, its result, or the list alone.

use std::collections::HashMap;

use preflight_gate::{JsonText, Tool};
use serde_json::Value;

use crate::{LintError, fields::Fields};

/// A tool as its provider defines it.
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) has_name: bool,
    /// The place in the list of another tool of this name before it.
    pub(crate) repeats: Option<usize>,
    /// Where it stands in the text.
    pub(crate) pointer: String,
    pub(crate) value: Value,
    /// The tool as the gate reads it.
    pub(crate) gated: Tool,
}

impl Definition {
    pub(crate) fn read(value: &Value, pointer: String, position: usize) -> Self {
        let name = value.get("name").and_then(Value::as_str).map(str::trim);
        let name = name.filter(|name| !name.is_empty());
        let description = value.get("description").and_then(Value::as_str);
        let schema = value.get("inputSchema").map(Value::to_string);
        let schema = schema.and_then(|schema| JsonText::parse(&schema).ok());
        Self {
            name: name.map_or_else(|| format!("#{position}"), str::to_owned),
            has_name: name.is_some(),
            repeats: None,
            pointer,
            value: value.clone(),
            gated: Tool::new(name.unwrap_or_default(), description, schema),
        }
    }

    /// The same tool with another definition.
    pub(crate) fn with(&self, value: &Value) -> Self {
        Self {
            repeats: self.repeats,
            ..Self::read(value, self.pointer.clone(), 0)
        }
    }

    pub(crate) fn description(&self) -> &str {
        self.gated.description().trim()
    }

    pub(crate) fn schema(&self) -> Option<&Value> {
        self.value.get("inputSchema")
    }

    pub(crate) fn fields(&self) -> Fields<'_> {
        Fields::of(self.schema())
    }
}

pub(crate) fn read(text: &str) -> Result<Vec<Definition>, LintError> {
    let whole: Value = serde_json::from_str(text)?;
    let lists = ["", "/tools", "/result/tools"];
    let list = lists
        .iter()
        .find_map(|place| Some((place, whole.pointer(place)?.as_array()?)));
    let (place, list) = list.ok_or(LintError::NoTools)?;
    let mut definitions = Vec::with_capacity(list.len());
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (at, tool) in list.iter().enumerate() {
        if !tool.is_object() {
            return Err(LintError::NoTool(format!("{place}/{at}")));
        }
        let mut definition = Definition::read(tool, format!("{place}/{at}"), at);
        if definition.has_name {
            definition.repeats = seen.get(&definition.name).copied();
            seen.entry(definition.name.clone()).or_insert(at);
        }
        definitions.push(definition);
    }
    Ok(definitions)
}
