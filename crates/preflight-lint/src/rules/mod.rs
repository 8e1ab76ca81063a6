//! The rules, one function each.

mod fields;
mod schema;
mod tool;

use serde::Serialize;
use serde_json::Value;

use crate::{definitions::Definition, fields::Fields};

/// What rules look at.
pub(crate) struct Subject<'d> {
    pub(crate) definition: &'d Definition,
    pub(crate) fields: Fields<'d>,
}

impl<'d> Subject<'d> {
    pub(crate) fn of(definition: &'d Definition) -> Self {
        Self {
            definition,
            fields: definition.fields(),
        }
    }
}

/// What a rule found.
#[derive(PartialEq)]
pub(crate) struct Found {
    /// JSON pointer within the definition.
    pub(crate) at: String,
    pub(crate) field: Option<String>,
    pub(crate) says: String,
    /// RFC 6902 operations on the definition that mend it, where the definition says all that they
    /// need.
    pub(crate) fix: Option<Vec<Value>>,
}

impl Found {
    fn new(at: impl Into<String>, says: impl Into<String>) -> Self {
        Self {
            at: at.into(),
            field: None,
            says: says.into(),
            fix: None,
        }
    }

    fn of(self, field: &str) -> Self {
        Self {
            field: Some(field.to_owned()),
            ..self
        }
    }

    fn fixed_by(self, fix: Option<Vec<Value>>) -> Self {
        Self { fix, ..self }
    }
}

/// A rule.
#[derive(Debug, Serialize)]
pub struct Rule {
    /// Code, such as `TD003`.
    pub code: &'static str,
    /// Name.
    pub name: &'static str,
    /// info, low, medium or high.
    pub severity: &'static str,
    /// What it finds, in a line.
    pub summary: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// What to do.
    pub fix: &'static str,
    #[serde(skip)]
    pub(crate) check: fn(&Subject<'_>) -> Vec<Found>,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for Rule {}

/// The rule of a code or a name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES
        .iter()
        .find(|rule| rule.code.eq_ignore_ascii_case(name) || rule.name == name)
}

macro_rules! rules {
    ($($code:literal $name:ident $severity:literal $check:path, $summary:literal, $why:literal, $fix:literal;)*) => {
        /// All rules, by code.
        pub static RULES: &[Rule] = &[$(Rule {
            code: $code,
            name: stringify!($name),
            severity: $severity,
            summary: $summary,
            why: $why,
            fix: $fix,
            check: $check,
        }),*];
    };
}

rules! {
    "TD001" name_missing "high" tool::name_missing,
        "A tool has no name.",
        "Nothing can call it, and a record of the call names no tool.",
        "Give it a name.";
    "TD002" description_missing "medium" tool::description_missing,
        "A tool has no description.",
        "The gate asks whether the tool does what the user wants; nothing says what it does.",
        "Say what the tool does, and what it does to the world.";
    "TD003" input_schema_missing "high" schema::input_schema_missing,
        "A tool has no inputSchema.",
        "The gate holds each call with schema_unsupported: nothing says which arguments must be known.",
        "Declare an object schema with properties and required.";
    "TD004" schema_unsupported "high" schema::schema_unsupported,
        "The gate cannot tell which arguments the inputSchema makes mandatory.",
        "The gate holds each call with schema_unsupported.",
        "Put what is mandatory into required at the root, or into the required of the branches of a root oneOf.";
    "TD005" schema_invalid "high" schema::schema_invalid,
        "The inputSchema is no valid JSON Schema, or cannot be compiled.",
        "No value can be checked against it, so no field passes.",
        "Correct the schema; without $schema it is read as JSON Schema 2020-12.";
    "TD006" remote_reference "high" schema::remote_reference,
        "The inputSchema refers to a schema elsewhere.",
        "Nothing is fetched before a call, so the schema cannot be used.",
        "Put the schema into $defs and refer to it as #/$defs/NAME.";
    "TD007" required_undeclared "high" fields::required_undeclared,
        "A required field is not among the properties.",
        "An agent has to ask for a value of which it knows the name alone.",
        "Declare the field with type and description.";
    "TD008" field_type_missing "medium" fields::type_missing,
        "A field has no type.",
        "Any value passes, and the provider refuses it later.",
        "Declare a type, an enum or a const.";
    "TD009" field_description_missing "low" fields::description_missing,
        "A field has no description.",
        "The question to the user can only repeat the field's name.",
        "Say what the value is, in the words of the person who is asked.";
    "TD010" field_format_missing "low" fields::format_missing,
        "A text field is named like a format and declares none.",
        "Any text passes, and the provider refuses it later.",
        "Declare the format, or a pattern.";
    "TD011" enum_in_prose "medium" fields::enum_in_prose,
        "A field's description lists the values, and no enum does.",
        "What only prose says is not checked before the call.",
        "Declare the values as enum.";
    "TD012" field_unanswerable "medium" fields::unanswerable,
        "A required field looks like a value that no user can know.",
        "The agent asks, nobody can answer, and the call is held.",
        "Take the words users have for it and resolve the id yourself, declare a default, or describe where the value is found.";
    "TD013" undeclared_condition "medium" tool::undeclared_condition,
        "A condition stands in the description alone.",
        "The description is recorded as advice, and never gated.",
        "Put it on a line of its own that starts with [Required], [Verify] or [Notice], or into the schema.";
    "TD014" name_repeated "high" tool::name_repeated,
        "Two tools have the same name.",
        "A call and its record tell the name alone, so nobody knows which of them was meant.",
        "Give each a name of its own.";
    "TD015" default_in_prose "low" fields::default_in_prose,
        "A field's description names a default, and the schema does not.",
        "The agent asks the user for a value that the provider already has.",
        "Declare the value as default.";
}
