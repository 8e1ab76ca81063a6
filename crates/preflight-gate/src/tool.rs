//! The tool that a call goes to.

use preflight_record::JsonText;

use crate::{Reversibility, argument_plan::ArgumentPlan};

/// A tool as its provider declares it, read once and shared by runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    name: String,
    description: Option<String>,
    input_schema: Option<JsonText>,
    plan: ArgumentPlan,
    reversibility: Reversibility,
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

    pub(crate) fn plan(&self) -> &ArgumentPlan {
        &self.plan
    }
}
