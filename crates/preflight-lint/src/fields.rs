//! The fields of an input schema: the properties of its objects, however deep.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::places::escaped;

/// A schema that is no mere `true` or `false`.
pub(crate) type Schema = Map<String, Value>;

/// Lists of schemas for the same value.
const BRANCHES: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// A schema for the same value each.
const CONDITIONAL: [&str; 2] = ["then", "else"];
/// Keywords that may declare a name which `properties` does not.
const OPEN: [&str; 3] = ["$ref", "$dynamicRef", "patternProperties"];

/// A declared property.
pub(crate) struct Field<'s> {
    /// Its name.
    pub(crate) name: &'s str,
    /// The names that lead to it: `to`, `address.city`, `lines[].sku`.
    pub(crate) path: String,
    /// JSON pointer into the schema.
    pub(crate) pointer: String,
    pub(crate) schema: &'s Schema,
    /// Whether its object requires it.
    pub(crate) is_required: bool,
}

/// A name that an object requires and declares nowhere.
pub(crate) struct Undeclared {
    pub(crate) path: String,
    /// JSON pointer into the schema, to the name in `required`.
    pub(crate) pointer: String,
}

/// What a schema declares.
#[derive(Default)]
pub(crate) struct Fields<'s> {
    pub(crate) declared: Vec<Field<'s>>,
    pub(crate) undeclared: Vec<Undeclared>,
}

impl<'s> Fields<'s> {
    pub(crate) fn of(schema: Option<&'s Value>) -> Self {
        let mut fields = Self::default();
        let Some(Value::Object(schema)) = schema else {
            return fields;
        };
        fields.value(schema, "", "", &HashSet::new());
        for key in ["$defs", "definitions"] {
            for (name, definition) in members(schema, key) {
                let pointer = format!("/{key}/{}", escaped(name));
                fields.value(definition, &pointer, name, &HashSet::new());
            }
        }
        fields
    }

    /// `around`: what schemas for the same value declare. A branch that declares it again refines it.
    fn value(&mut self, schema: &'s Schema, pointer: &str, path: &str, around: &HashSet<&'s str>) {
        self.properties(schema, pointer, path, around);
        self.required(schema, pointer, path, around);
        let own = members(schema, "properties").map(|(name, _)| name);
        let around: HashSet<&str> = around.iter().copied().chain(own).collect();
        for (at, branch) in branches(schema) {
            self.value(branch, &format!("{pointer}/{at}"), path, &around);
        }
        for (at, items) in items(schema) {
            let (pointer, path) = (format!("{pointer}/{at}"), format!("{path}[]"));
            self.value(items, &pointer, &path, &HashSet::new());
        }
        if let Some(Value::Object(others)) = schema.get("additionalProperties") {
            let pointer = format!("{pointer}/additionalProperties");
            self.value(others, &pointer, &joined(path, "*"), &HashSet::new());
        }
    }

    fn properties(
        &mut self,
        schema: &'s Schema,
        pointer: &str,
        path: &str,
        around: &HashSet<&'s str>,
    ) {
        let required: HashSet<&str> = required(schema).map(|(_, name)| name).collect();
        let own = members(schema, "properties").filter(|(name, _)| !around.contains(name));
        for (name, property) in own {
            let field = Field {
                name,
                path: joined(path, name),
                pointer: format!("{pointer}/properties/{}", escaped(name)),
                schema: property,
                is_required: required.contains(name),
            };
            let (pointer, path) = (field.pointer.clone(), field.path.clone());
            self.declared.push(field);
            self.value(property, &pointer, &path, &HashSet::new());
        }
    }

    fn required(
        &mut self,
        schema: &'s Schema,
        pointer: &str,
        path: &str,
        around: &HashSet<&'s str>,
    ) {
        if OPEN.iter().any(|key| schema.contains_key(*key)) {
            return;
        }
        let branches: Vec<&Schema> = branches(schema).map(|(_, branch)| branch).collect();
        let declares = |schema: &Schema, name: &str| {
            let properties = schema.get("properties");
            properties.is_some_and(|properties| properties.get(name).is_some())
        };
        for (at, name) in required(schema) {
            let is_declared = around.contains(name)
                || declares(schema, name)
                || branches.iter().any(|branch| declares(branch, name));
            if !is_declared {
                self.undeclared.push(Undeclared {
                    path: joined(path, name),
                    pointer: format!("{pointer}/required/{at}"),
                });
            }
        }
    }
}

fn joined(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// The schemas by name under `key`.
fn members<'s>(schema: &'s Schema, key: &str) -> impl Iterator<Item = (&'s str, &'s Schema)> {
    let members = schema.get(key).and_then(Value::as_object);
    let members = members.into_iter().flatten();
    members.filter_map(|(name, schema)| Some((name.as_str(), schema.as_object()?)))
}

/// The names that an object requires, each with its position.
pub(crate) fn required(schema: &Schema) -> impl Iterator<Item = (usize, &str)> {
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().enumerate();
    required.filter_map(|(at, name)| Some((at, name.as_str()?)))
}

/// Other schemas for the same value, each with its place.
fn branches(schema: &Schema) -> impl Iterator<Item = (String, &Schema)> {
    let listed = BRANCHES.iter().flat_map(|key| listed(schema, key));
    let single = CONDITIONAL.iter().filter_map(|key| {
        let branch = schema.get(*key)?.as_object()?;
        Some(((*key).to_owned(), branch))
    });
    listed.chain(single)
}

/// The schemas of an array's items, each with its place.
fn items(schema: &Schema) -> impl Iterator<Item = (String, &Schema)> {
    let one = schema.get("items").and_then(Value::as_object);
    let one = one.map(|items| ("items".to_owned(), items));
    one.into_iter()
        .chain(listed(schema, "items"))
        .chain(listed(schema, "prefixItems"))
}

fn listed<'s>(schema: &'s Schema, key: &'s str) -> impl Iterator<Item = (String, &'s Schema)> {
    let list = schema.get(key).and_then(Value::as_array);
    let list = list.into_iter().flatten().enumerate();
    list.filter_map(move |(at, schema)| Some((format!("{key}/{at}"), schema.as_object()?)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_found_however_deep() {
        let schema = json!({
            "properties": {
                "a": {"properties": {"b": {}}, "required": ["b", "gone"]},
                "list": {"items": {"properties": {"c": {}}}},
                "map": {"additionalProperties": {"properties": {"d": {}}}},
                "pair": {"prefixItems": [{"properties": {"e": {}}}]},
            },
            "oneOf": [
                {"properties": {"a": {"const": 1}, "f": {}}, "required": ["f", "a"]},
                {"required": ["g"]},
            ],
            "$defs": {"x/y": {"properties": {"h": {}}}},
        });
        let fields = Fields::of(Some(&schema));
        let declared: Vec<String> = fields
            .declared
            .iter()
            .map(|field| format!("{} {} {}", field.path, field.pointer, field.is_required))
            .collect();
        assert_eq!(
            declared,
            [
                "a /properties/a false",
                "a.b /properties/a/properties/b true",
                "list /properties/list false",
                "list[].c /properties/list/items/properties/c false",
                "map /properties/map false",
                "map.*.d /properties/map/additionalProperties/properties/d false",
                "pair /properties/pair false",
                "pair[].e /properties/pair/prefixItems/0/properties/e false",
                "f /oneOf/0/properties/f true",
                "x/y.h /$defs/x~1y/properties/h false",
            ]
        );
        let undeclared: Vec<String> = fields
            .undeclared
            .iter()
            .map(|name| format!("{} {}", name.path, name.pointer))
            .collect();
        assert_eq!(
            undeclared,
            ["a.gone /properties/a/required/1", "g /oneOf/1/required/0"]
        );
        for pointer in fields.declared.iter().map(|field| &field.pointer) {
            assert!(schema.pointer(pointer).is_some(), "{pointer}");
        }
    }
}
