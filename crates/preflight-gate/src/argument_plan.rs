//! What an input schema makes mandatory, where the gate can tell.

use indexmap::IndexSet;
use preflight_record::JsonText;
use serde_json::{Map, Value};

/// The fields to look up for a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ArgumentPlan {
    /// The schema says something about mandatory arguments that the gate does not read.
    Unsupported(String),
    /// The fields.
    Fields(Box<Fields>),
}

/// The fields of a schema that can be gated.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Fields {
    /// Root `required`.
    pub(crate) required: Names,
    /// What each branch of a root `oneOf` requires beyond that; empty without one.
    pub(crate) branches: Vec<Names>,
    /// All that the schema may require: root first, then the branches.
    pub(crate) candidates: Names,
    /// Declared properties that nothing requires.
    pub(crate) optional: Names,
    /// Required names that `properties` does not declare: only the provider can say what they are.
    pub(crate) undeclared: Names,
}

/// Names in order, each once.
type Names = IndexSet<String>;

/// Root keywords that change which arguments are mandatory, or may.
const UNSUPPORTED: [&str; 16] = [
    "anyOf",
    "allOf",
    "if",
    "then",
    "else",
    "not",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "minProperties",
    "enum",
    "const",
    "extends",
];

/// Keys of a branch that say nothing about arguments.
const ANNOTATIONS: [&str; 6] = [
    "title",
    "description",
    "$comment",
    "default",
    "examples",
    "type",
];

impl ArgumentPlan {
    pub(crate) fn read(schema: Option<&JsonText>) -> Self {
        match schema.ok_or("no inputSchema").and_then(parse) {
            Err(reason) => Self::Unsupported(reason.to_owned()),
            Ok(schema) => match Fields::read(&schema) {
                Err(reason) => Self::Unsupported(reason),
                Ok(fields) => Self::Fields(Box::new(fields)),
            },
        }
    }
}

fn parse(schema: &JsonText) -> Result<Map<String, Value>, &'static str> {
    match serde_json::from_str(schema.as_str()) {
        Ok(Value::Object(schema)) => Ok(schema),
        _ => Err("inputSchema is not an object"),
    }
}

impl Fields {
    fn read(schema: &Map<String, Value>) -> Result<Self, String> {
        if let Some(keyword) = UNSUPPORTED.iter().find(|key| schema.contains_key(**key)) {
            return Err((*keyword).to_owned());
        }
        if schema.get("type").is_some_and(|kind| kind != "object") {
            return Err("type is not object".to_owned());
        }
        let required = names(schema.get("required"))?;
        let branches = branches(schema.get("oneOf"), &required)?;
        let declared = properties(schema.get("properties"))?;
        let mut candidates = required.clone();
        candidates.extend(branches.iter().flatten().cloned());
        Ok(Self {
            optional: declared.difference(&candidates).cloned().collect(),
            undeclared: candidates.difference(&declared).cloned().collect(),
            candidates,
            required,
            branches,
        })
    }
}

fn names(list: Option<&Value>) -> Result<Names, String> {
    let unreadable = || "required is not a list of names".to_owned();
    let Some(list) = list else {
        return Ok(Names::new());
    };
    let list = list.as_array().ok_or_else(unreadable)?;
    let names = list.iter().map(|name| name.as_str().map(str::to_owned));
    names.collect::<Option<_>>().ok_or_else(unreadable)
}

fn properties(properties: Option<&Value>) -> Result<Names, String> {
    match properties {
        None => Ok(Names::new()),
        Some(Value::Object(properties)) => Ok(properties.keys().cloned().collect()),
        Some(_) => Err("properties is not an object".to_owned()),
    }
}

/// The branches of a root `oneOf`, which may add `required` and nothing else.
fn branches(one_of: Option<&Value>, required: &Names) -> Result<Vec<Names>, String> {
    let Some(one_of) = one_of else {
        return Ok(Vec::new());
    };
    let list = one_of.as_array().filter(|list| !list.is_empty());
    let list = list.ok_or("oneOf is not a list of schemas")?;
    list.iter()
        .map(|branch| read_branch(branch, required))
        .collect()
}

fn read_branch(branch: &Value, required: &Names) -> Result<Names, String> {
    let branch = branch.as_object().ok_or("oneOf is not a list of schemas")?;
    let foreign = |key: &&String| *key != "required" && !ANNOTATIONS.contains(&key.as_str());
    if let Some(key) = branch.keys().find(foreign) {
        return Err(format!("oneOf with {key} in a branch"));
    }
    if branch.get("type").is_some_and(|kind| kind != "object") {
        return Err("oneOf with type in a branch".to_owned());
    }
    let mut names = names(branch.get("required"))?;
    if names.is_empty() {
        // There is nothing in it that the user could choose, or that could be grounded.
        return Err("oneOf with a branch that requires nothing".to_owned());
    }
    names.retain(|name| !required.contains(name));
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(schema: &str) -> ArgumentPlan {
        ArgumentPlan::read(Some(&JsonText::parse(schema).expect("JSON")))
    }

    fn fields(schema: &str) -> Fields {
        match plan(schema) {
            ArgumentPlan::Fields(fields) => *fields,
            ArgumentPlan::Unsupported(reason) => panic!("unsupported: {reason}"),
        }
    }

    #[test]
    fn a_missing_schema_is_not_an_empty_one() {
        assert_eq!(
            ArgumentPlan::read(None),
            ArgumentPlan::Unsupported("no inputSchema".to_owned())
        );
        assert_eq!(fields(r#"{"type":"object"}"#), Fields::default());
        assert_eq!(fields("{}"), Fields::default());
    }

    #[test]
    fn required_optional_and_branches_are_told_apart() {
        let fields = fields(
            r#"{"properties":{"a":{},"b":{},"c":{},"d":{}},"required":["a","a"],
                "oneOf":[{"required":["a","b"]},{"title":"by c","required":["c","x"]},{"required":["x"]}]}"#,
        );
        let list = |names: &Names| names.iter().cloned().collect::<Vec<_>>();
        assert_eq!(list(&fields.required), ["a"]);
        let branches: Vec<_> = fields.branches.iter().map(list).collect();
        assert_eq!(branches, [vec!["b"], vec!["c", "x"], vec!["x"]]);
        assert_eq!(list(&fields.optional), ["d"]);
        assert_eq!(list(&fields.undeclared), ["x"]);
        assert_eq!(list(&fields.candidates), ["a", "b", "c", "x"]);
    }

    #[test]
    fn what_changes_the_mandatory_is_unsupported() {
        for (schema, reason) in [
            (r#"{"anyOf":[]}"#, "anyOf"),
            (r##"{"$ref":"#"}"##, "$ref"),
            (r#"{"not":{}}"#, "not"),
            (r#"{"if":{}}"#, "if"),
            (r#"{"allOf":[{"required":["a"]}]}"#, "allOf"),
            (r#"{"dependentRequired":{"a":["b"]}}"#, "dependentRequired"),
            (r#"{"minProperties":1}"#, "minProperties"),
            (
                r#"{"oneOf":[{"properties":{}}]}"#,
                "oneOf with properties in a branch",
            ),
            (r#"{"oneOf":[]}"#, "oneOf is not a list of schemas"),
            (r#"{"oneOf":[true]}"#, "oneOf is not a list of schemas"),
            (
                r#"{"oneOf":[{"required":["a"]},{}]}"#,
                "oneOf with a branch that requires nothing",
            ),
            (
                r#"{"oneOf":[{"required":["a"]},{"required":[],"title":"none"}]}"#,
                "oneOf with a branch that requires nothing",
            ),
            (
                r#"{"oneOf":[{"required":["a",null]}]}"#,
                "required is not a list of names",
            ),
            (r#"{"required":"a"}"#, "required is not a list of names"),
            (r#"{"required":[1]}"#, "required is not a list of names"),
            (r#"{"type":"string"}"#, "type is not object"),
            ("true", "inputSchema is not an object"),
        ] {
            assert_eq!(
                plan(schema),
                ArgumentPlan::Unsupported(reason.to_owned()),
                "{schema}"
            );
        }
    }
}
