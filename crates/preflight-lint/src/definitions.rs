//! The result of an MCP `tools/list`: the answer, its result, or the list alone.

use std::collections::HashMap;

use preflight_gate::{JsonText, Tool};
use serde_json::{Map, Value};

use crate::{
    LintError, Problem, Rule,
    fields::{Fields, required},
    patch::{apply, operation},
    places::escaped,
    rules::{Found, RULES, Subject},
};

/// The root of an input schema.
const SCHEMA: &str = "/inputSchema";

/// The tools of a list, to look at one by one.
pub struct Definitions(Vec<Definition>);

impl Definitions {
    /// Reads the result of an MCP `tools/list`.
    ///
    /// # Errors
    ///
    /// The text is no JSON, or holds no list of tools.
    pub fn read(text: &str) -> Result<Self, LintError> {
        read(text).map(Self)
    }

    /// All of them, in order.
    pub fn all(&self) -> &[Definition] {
        &self.0
    }

    /// The first tool of a name.
    pub fn get(&self, name: &str) -> Option<&Definition> {
        self.0
            .iter()
            .find(|definition| definition.has_name && definition.name == name)
    }
}

/// A tool as its provider defines it.
pub struct Definition {
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
    fn read(value: &Value, pointer: String, position: usize) -> Self {
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

    /// The name; the place in the list where it has none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The definition as it was given.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The description, without blanks around it.
    pub fn description(&self) -> &str {
        self.gated.description().trim()
    }

    /// Where the tool stands in the text.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// A property at the root of the input schema.
    pub fn property(&self, name: &str) -> Option<&Map<String, Value>> {
        self.schema()?.get("properties")?.get(name)?.as_object()
    }

    /// The names of all these.
    pub fn properties(&self) -> impl Iterator<Item = &str> {
        let properties = self.schema().and_then(|schema| schema.get("properties"));
        let properties = properties.and_then(Value::as_object).into_iter().flatten();
        properties.map(|(name, _)| name.as_str())
    }

    /// Where in the definition such a property is.
    pub fn property_place(name: &str) -> String {
        format!("{SCHEMA}/properties/{}", escaped(name))
    }

    /// What the root of the input schema requires, as it was given.
    pub fn required(&self) -> Option<&[Value]> {
        let required = self.schema()?.get("required")?.as_array()?;
        Some(required)
    }

    /// Whether the root of the input schema requires a name.
    pub fn requires(&self, name: &str) -> bool {
        let schema = self.schema().and_then(Value::as_object);
        schema.is_some_and(|schema| required(schema).any(|(_, required)| required == name))
    }

    /// What is wrong with the tool; lines and columns are not known here.
    pub fn problems(&self) -> Vec<Problem> {
        let subject = Subject::of(self);
        let found = RULES.iter().flat_map(|rule| {
            let found = (rule.check)(&subject).into_iter();
            found.map(move |found| (rule, found))
        });
        let problems = found.map(|(rule, found)| Problem {
            rule,
            tool: self.name.clone(),
            patch: self.mended(rule, &found),
            field: found.field,
            says: found.says,
            pointer: format!("{}{}", self.pointer, found.at),
            place: found.at,
            line: 1,
            column: 1,
        });
        problems.collect()
    }

    /// An RFC 6902 patch of the whole text from operations on this tool alone; none where they do
    /// not apply, or leave a schema that the gate can use less well than before.
    pub fn patch(&self, operations: &[Value]) -> Option<Value> {
        let after = self.changed(operations)?;
        self.stays_usable(&after)
            .then(|| self.on_the_text(operations))
    }

    /// The patch of a problem, if it mends it.
    fn mended(&self, rule: &Rule, found: &Found) -> Option<Value> {
        let operations = found.fix.as_deref()?;
        let after = self.changed(operations)?;
        let left = (rule.check)(&Subject::of(&after));
        let is_left = |other: &Found| (&other.at, &other.says) == (&found.at, &found.says);
        let is_mended = !left.iter().any(is_left) && self.stays_usable(&after);
        is_mended.then(|| self.on_the_text(operations))
    }

    fn changed(&self, operations: &[Value]) -> Option<Self> {
        let mut value = self.value.clone();
        apply(&mut value, &Value::from(operations)).ok()?;
        Some(self.with(&value))
    }

    /// Whether the gate can use the schema of another definition as well, or better.
    fn stays_usable(&self, after: &Self) -> bool {
        if self.schema() == after.schema() {
            return true;
        }
        let is_gated = |definition: &Self| definition.gated.schema_unsupported().is_none();
        let faults = |definition: &Self| definition.gated.schema_faults().len();
        (is_gated(after) || !is_gated(self)) && faults(after) <= faults(self)
    }

    /// The operations with the pointers of the text. The first one fails where another tool stands
    /// there now.
    fn on_the_text(&self, operations: &[Value]) -> Value {
        let name = self.value.get("name");
        let guard = name.map(|name| operation("test", "/name", name));
        let operations = guard.into_iter().chain(operations.iter().cloned());
        let moved = operations.map(|mut operation| {
            for key in ["path", "from"] {
                if let Some(Value::String(pointer)) = operation.get_mut(key) {
                    pointer.insert_str(0, &self.pointer);
                }
            }
            operation
        });
        moved.collect()
    }

    pub(crate) fn schema(&self) -> Option<&Value> {
        self.value.get("inputSchema")
    }

    pub(crate) fn fields(&self) -> Fields<'_> {
        Fields::of(self.schema())
    }
}

fn read(text: &str) -> Result<Vec<Definition>, LintError> {
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
