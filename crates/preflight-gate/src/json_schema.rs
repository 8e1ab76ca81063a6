//! The tool's own input schema as field and payload validator.

use std::collections::HashMap;

use jsonschema::{PatternOptions, Validator, ValidatorMap};
use serde_json::Value;

use crate::{Answer, FieldSchema, HookError, HookResult, JsonText, PayloadSchema, Run, Validity};

/// Checks arguments against the schema that the tool declares.
///
/// JSON Schema 2020-12 unless the schema names another draft. Nothing is fetched, formats are
/// asserted, patterns run in linear time, and what is found wrong is told without the value. A
/// schema that cannot be compiled fails as a hook does: no field passes.
///
/// ```no_run
/// # fn build<H: preflight_gate::Hooks>(hooks: H) -> Result<(), preflight_gate::BuildError> {
/// use preflight_gate::{DeclaredSchema, Preflight};
///
/// let gate = Preflight::builder()
///     .hooks(hooks)
///     .field_schema(DeclaredSchema)
///     .payload_schema(DeclaredSchema)
///     .build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct DeclaredSchema;

impl FieldSchema for DeclaredSchema {
    fn validate<'a>(
        &'a self,
        field: &'a str,
        value: &'a str,
        run: &'a Run<'a>,
    ) -> Answer<'a, HookResult<Validity>> {
        let schema = run.input.tool.compiled_schema();
        Answer::now(match schema.as_ref().map(|schema| schema.field(field)) {
            Err(fault) => Err(HookError::new(fault.reason.clone())),
            Ok(FieldValidator::Undeclared) => Ok(Some(Validity::Fits)),
            Ok(FieldValidator::Unusable) => {
                Err(HookError::new("the field's schema cannot be used"))
            }
            Ok(FieldValidator::Usable(validator)) => check(validator, value),
        })
    }
}

impl PayloadSchema for DeclaredSchema {
    fn validate<'a>(
        &'a self,
        arguments: &'a JsonText,
        run: &'a Run<'a>,
    ) -> Answer<'a, HookResult<Validity>> {
        let schema = run.input.tool.compiled_schema();
        Answer::now(match schema.as_ref().map(CompiledSchema::whole) {
            Err(fault) => Err(HookError::new(fault.reason.clone())),
            Ok(None) => Err(HookError::new("the inputSchema cannot be used")),
            Ok(Some(validator)) => check(validator, arguments.as_str()),
        })
    }
}

fn check(validator: &Validator, value: &str) -> HookResult<Validity> {
    // A number that no double comes near is no value that this check can speak of.
    let value: Value = serde_json::from_str(value)?;
    Ok(Some(match validator.validate(&value) {
        Ok(()) => Validity::Fits,
        Err(error) => Validity::Violates(describe(&error)),
    }))
}

/// What is wrong, and where, without the value: the words go into the record.
fn describe(error: &jsonschema::ValidationError<'_>) -> String {
    let place = error.instance_path().to_string();
    match place.is_empty() {
        true => error.masked().to_string(),
        false => format!("{place}: {}", error.masked()),
    }
}

/// A part of an input schema that [`DeclaredSchema`] cannot check, so that no value passes there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFault {
    /// JSON pointer into the schema.
    pub pointer: String,
    /// Why.
    pub reason: String,
}

impl SchemaFault {
    fn whole(reason: impl Into<String>) -> Self {
        Self {
            pointer: String::new(),
            reason: reason.into(),
        }
    }
}

impl From<jsonschema::ValidationError<'_>> for SchemaFault {
    fn from(error: jsonschema::ValidationError<'_>) -> Self {
        Self {
            pointer: error.instance_path().to_string(),
            reason: format!("the inputSchema cannot be used: {}", error.masked()),
        }
    }
}

fn options() -> jsonschema::ValidationOptions<'static> {
    jsonschema::options()
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::regex())
        .offline()
}

/// A tool's input schema, compiled once.
pub(crate) struct CompiledSchema {
    validators: ValidatorMap,
    /// Pointer of each declared property.
    fields: HashMap<String, String>,
}

impl CompiledSchema {
    pub(crate) fn compile(schema: Option<&JsonText>) -> Result<Self, SchemaFault> {
        let schema = schema.ok_or_else(|| SchemaFault::whole("the tool has no inputSchema"))?;
        let schema: Value = serde_json::from_str(schema.as_str())
            .map_err(|error| SchemaFault::whole(error.to_string()))?;
        let validators = options().build_map(&schema)?;
        let names = schema.get("properties").and_then(Value::as_object);
        let names = names.into_iter().flat_map(|names| names.keys());
        let fields = names.map(|name| (name.clone(), pointer(name))).collect();
        Ok(Self { validators, fields })
    }

    /// What could not be compiled, field by field; the schema as a whole where no field is at fault.
    pub(crate) fn faults(&self) -> Vec<SchemaFault> {
        let unusable = |pointer: &&String| self.validators.get(pointer).is_none();
        let fields = self.fields.values().filter(unusable);
        let mut faults: Vec<SchemaFault> = fields
            .map(|pointer| SchemaFault {
                pointer: pointer.trim_start_matches('#').to_owned(),
                reason: "the field's schema cannot be used".to_owned(),
            })
            .collect();
        if faults.is_empty() && self.whole().is_none() {
            faults.push(SchemaFault::whole("the inputSchema cannot be used"));
        }
        faults.sort_by(|a, b| a.pointer.cmp(&b.pointer));
        faults
    }

    fn field(&self, name: &str) -> FieldValidator<'_> {
        let Some(pointer) = self.fields.get(name) else {
            return FieldValidator::Undeclared;
        };
        // The map leaves out what it could not compile, such as a pattern with a look-ahead.
        match self.validators.get(pointer) {
            Some(validator) => FieldValidator::Usable(validator),
            None => FieldValidator::Unusable,
        }
    }

    fn whole(&self) -> Option<&Validator> {
        self.validators.get("#")
    }
}

enum FieldValidator<'a> {
    /// The schema says nothing of the field by itself.
    Undeclared,
    /// It says something that cannot be checked, so nothing passes.
    Unusable,
    Usable(&'a Validator),
}

/// The JSON pointer of a declared property.
fn pointer(name: &str) -> String {
    format!(
        "#/properties/{}",
        name.replace('~', "~0").replace('/', "~1")
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Input, Tool, hook::Watch};

    fn watch() -> Watch {
        Watch::start(std::time::Duration::from_secs(60))
    }

    fn answer<T: Unpin>(answer: Answer<'_, T>) -> T {
        match answer {
            Answer::Now(Some(value)) => value,
            _ => panic!("the answer is known at once"),
        }
    }

    fn field(schema: &str, name: &str, value: &str) -> HookResult<Validity> {
        let schema = JsonText::parse(schema).expect("JSON");
        let input = Input::new("u", Arc::new(Tool::new("t", None, Some(schema))));
        answer(FieldSchema::validate(
            &DeclaredSchema,
            name,
            value,
            &Run::start(&input, &watch()),
        ))
    }

    const FITS: HookResult<Validity> = Ok(Some(Validity::Fits));

    #[test]
    fn type_format_pattern_and_reference_are_checked() {
        let schema = r##"{"$defs":{"n":{"type":"integer","minimum":1}},"properties":{
            "amount":{"$ref":"#/$defs/n"},"before":{"type":"string","format":"date"},
            "a/b~c":{"pattern":"^[0-9]+$"},"수신계좌":{"type":"string"}}}"##;
        assert_eq!(field(schema, "amount", "5"), FITS);
        assert_eq!(field(schema, "before", r#""2026-01-01""#), FITS);
        assert_eq!(field(schema, "other", "5"), FITS);
        for (name, value) in [
            ("amount", "0"),
            ("amount", r#""5""#),
            ("before", r#""tomorrow""#),
            ("a/b~c", r#""x""#),
            ("수신계좌", "1"),
        ] {
            let found = field(schema, name, value);
            assert!(
                matches!(found, Ok(Some(Validity::Violates(_)))),
                "{name}: {found:?}"
            );
        }
    }

    #[test]
    fn what_is_wrong_is_told_without_the_value() {
        let found = field(
            r#"{"properties":{"pin":{"maxLength":3}}}"#,
            "pin",
            r#""secret""#,
        );
        let Ok(Some(Validity::Violates(words))) = found else {
            panic!("{found:?}");
        };
        assert!(!words.contains("secret"), "{words}");
    }

    #[test]
    fn a_schema_that_cannot_be_used_lets_nothing_pass() {
        for schema in [
            r#"{"properties":{"a":{"$ref":"https://example.com/schema.json"}}}"#,
            r#"{"properties":{"a":{"pattern":"(?=x)y"}}}"#,
            r#"{"properties":{"a":{"type":"nonsense"}}}"#,
        ] {
            assert!(field(schema, "a", "1").is_err(), "{schema}");
        }
    }

    #[test]
    fn the_payload_is_checked_as_a_whole() {
        let schema = r#"{"properties":{"a":{}},"required":["a"],"additionalProperties":false}"#;
        let schema = JsonText::parse(schema).expect("JSON");
        let input = Input::new("u", Arc::new(Tool::new("t", None, Some(schema))));
        let payload = |json: &str| {
            let arguments = JsonText::parse(json).expect("JSON");
            let watch = watch();
            let run = Run::start(&input, &watch);
            answer(PayloadSchema::validate(&DeclaredSchema, &arguments, &run))
        };
        assert_eq!(payload(r#"{"a":1}"#), FITS);
        assert!(matches!(
            payload(r#"{"a":1,"b":2}"#),
            Ok(Some(Validity::Violates(_)))
        ));
        assert!(matches!(payload("{}"), Ok(Some(Validity::Violates(_)))));
    }
}
