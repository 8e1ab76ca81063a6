//! The tool that a call goes to.

use std::fmt;
#[cfg(feature = "json-schema")]
use std::sync::{Arc, OnceLock};

use preflight_record::JsonText;

#[cfg(feature = "json-schema")]
use crate::json_schema::{CompiledSchema, SchemaFault};
use crate::{Reversibility, argument_plan::ArgumentPlan};

/// A tool as its provider declares it, read once and shared by runs.
#[derive(Clone)]
pub struct Tool {
    name: String,
    description: Option<String>,
    input_schema: Option<JsonText>,
    plan: ArgumentPlan,
    reversibility: Reversibility,
    #[cfg(feature = "json-schema")]
    compiled: Arc<OnceLock<Result<CompiledSchema, SchemaFault>>>,
}

impl Tool {
    /// A tool with its input schema, as `tools/list` gives it.
    ///
    /// A schema that is missing or cannot be gated does not fail here: the run holds with
    /// `schema_unsupported`, so that the refusal is on record.
    ///
    /// ```
    /// use preflight_gate::{JsonText, Tool};
    ///
    /// let schema = JsonText::parse(r#"{"type":"object","required":["to"]}"#)?;
    /// let tool = Tool::new("mail.send", Some("Sends a mail."), Some(schema));
    /// assert_eq!(tool.name(), "mail.send");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        name: impl Into<String>,
        description: Option<&str>,
        input_schema: Option<JsonText>,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.map(str::to_owned),
            plan: ArgumentPlan::read(input_schema.as_ref()),
            input_schema,
            reversibility: Reversibility::default(),
            #[cfg(feature = "json-schema")]
            compiled: Arc::default(),
        }
    }

    /// Says what the tool can do to the world; see [`Reversibility`].
    #[must_use]
    pub fn with_reversibility(mut self, reversibility: Reversibility) -> Self {
        self.reversibility = reversibility;
        self
    }

    /// `c3_provider_action_name`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The provider's prose: recorded as `advisory_notes`, never gated.
    pub fn description(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }

    /// The input schema's text.
    pub fn input_schema(&self) -> Option<&JsonText> {
        self.input_schema.as_ref()
    }

    /// What the tool can do to the world.
    pub fn reversibility(&self) -> Reversibility {
        self.reversibility
    }

    /// Why a run with this tool holds with `schema_unsupported`; none where it can be gated.
    pub fn schema_unsupported(&self) -> Option<&str> {
        match &self.plan {
            ArgumentPlan::Unsupported(reason) => Some(reason),
            ArgumentPlan::Fields(_) => None,
        }
    }

    /// What [`DeclaredSchema`](crate::DeclaredSchema) cannot check with this schema; empty where it
    /// can check all of it.
    #[cfg(feature = "json-schema")]
    pub fn schema_faults(&self) -> Vec<SchemaFault> {
        match self.compiled_schema() {
            Ok(schema) => schema.faults(),
            Err(fault) => vec![fault.clone()],
        }
    }

    pub(crate) fn plan(&self) -> &ArgumentPlan {
        &self.plan
    }

    /// The schema as a validator, compiled at the first use.
    #[cfg(feature = "json-schema")]
    pub(crate) fn compiled_schema(&self) -> &Result<CompiledSchema, SchemaFault> {
        let compile = || CompiledSchema::compile(self.input_schema.as_ref());
        self.compiled.get_or_init(compile)
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
