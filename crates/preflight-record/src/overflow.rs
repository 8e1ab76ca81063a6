//! Keys that the model has no name for: kept, never dropped.

use std::borrow::Cow;

/// Unknown keys of an object and of the unnamed objects inside it, with their JSON text.
///
/// A key of a nested object carries its path (`gate._diag.pending_at_trigger`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overflow<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> Overflow<'a> {
    /// Adds a key with its JSON text, which must be valid JSON.
    pub fn keep(&mut self, key: Cow<'a, str>, json: Cow<'a, str>) {
        self.0.push((key, json));
    }

    /// Takes over the keys of a nested object.
    pub fn keep_nested(&mut self, parent: &str, nested: Overflow<'a>) {
        let nested = nested.0.into_iter();
        self.0
            .extend(nested.map(|(key, json)| (format!("{parent}.{key}").into(), json)));
    }

    /// Takes a key out and returns its JSON text.
    pub fn remove(&mut self, key: &str) -> Option<Cow<'a, str>> {
        let at = self.0.iter().position(|(other, _)| other == key)?;
        Some(self.0.remove(at).1)
    }

    /// Whether every key had a name.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Key and JSON text, in the order written.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, json)| (&**key, &**json))
    }

    /// One JSON object with all keys, values to the digit as they were; `None` when there are none.
    pub fn to_json(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let members: Vec<String> = self
            .iter()
            .map(|(key, json)| format!("{}:{json}", serde_json::Value::from(key)))
            .collect();
        Some(format!("{{{}}}", members.join(",")))
    }
}
