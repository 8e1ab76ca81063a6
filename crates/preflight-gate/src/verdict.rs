//! What a run of the gate comes to, before and after it is on record.

use std::sync::Arc;

use preflight_record::{Decision, JsonText, Record};

use crate::{
    ArgumentsError, Tool,
    arguments_map::arguments_map,
    keys::{KeyRun, KeyTurn},
    preflight::GateId,
    signing::VERDICT,
};

/// What the gates found, on no record yet. Only [`crate::Preflight::run`] makes one.
#[derive(Debug)]
#[must_use = "a judgement that is not recorded permits nothing"]
pub struct Judgement {
    pub(crate) record: Arc<Record<'static>>,
    pub(crate) call: Option<ToolCall>,
    pub(crate) gate: GateId,
    pub(crate) key: Option<KeyRun>,
}

impl Judgement {
    pub(crate) fn of_key(self, key: KeyRun) -> Self {
        Self {
            key: Some(key),
            ..self
        }
    }

    /// The decision.
    pub fn decision(&self) -> Decision {
        self.record.execution_decision
    }

    /// What will be recorded.
    pub fn record(&self) -> &Record<'static> {
        &self.record
    }
}

/// A judgement on record: what [`crate::Preflight::execute_if_ready`] takes, once.
///
/// Nothing but a gate makes one, from a judgement of its own and after its store kept the record.
/// It cannot be copied:
///
/// ```compile_fail
/// fn twice(verdict: preflight_gate::Verdict) -> [preflight_gate::Verdict; 2] {
///     [verdict.clone(), verdict]
/// }
/// ```
///
/// nor made by hand:
///
/// ```compile_fail
/// fn forge(record: std::sync::Arc<preflight_record::Record<'static>>) -> preflight_gate::Verdict {
///     preflight_gate::Verdict { record }
/// }
/// ```
#[derive(Debug)]
#[must_use = "an execute verdict keeps its action key's turn until it is executed or dropped"]
pub struct Verdict {
    pub(crate) record: Arc<Record<'static>>,
    pub(crate) call: Option<ToolCall>,
    pub(crate) gate: GateId,
    pub(crate) turn: Option<KeyTurn>,
}

impl Verdict {
    /// The decision. Compare it with [`Decision::Execute`], never a count with zero.
    pub fn decision(&self) -> Decision {
        self.record.execution_decision
    }

    /// Whether the call may go out.
    pub fn is_ready(&self) -> bool {
        self.call.is_some()
    }

    /// What was recorded.
    pub fn record(&self) -> &Arc<Record<'static>> {
        &self.record
    }

    /// What to show the agent's user, where the gate asks something of its own.
    pub fn user_message(&self) -> Option<&str> {
        let gate = self.record.gate.given()?;
        gate.user_message.given().map(|message| &**message)
    }

    /// The verdict as text, to be handed to another process and taken up there, or here again, with
    /// [`crate::Preflight::redeem`]. `None` where nothing may go out, or verdicts are not signed.
    ///
    /// It gives the action key's turn back: a run that is executed meanwhile overtakes it.
    pub fn into_token(self) -> Option<String> {
        let mut members = self.record.overflow.iter();
        let signed = self.call.is_some() && members.any(|(key, _)| key == VERDICT);
        signed.then(|| self.record.to_json())
    }

    /// The fields that the user is to be asked for.
    pub fn unknown_fields(&self) -> impl Iterator<Item = &str> {
        let gate = self.record.gate.given();
        let unknown = gate.and_then(|gate| gate.unknown_fields.given());
        unknown.into_iter().flatten().map(|field| &*field.name)
    }
}

/// The call that was judged.
#[derive(Debug, Clone)]
pub struct ToolCall {
    pub(crate) tool: Arc<Tool>,
    pub(crate) arguments: JsonText,
}

impl ToolCall {
    /// The tool.
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// The arguments, to the letter what `call_arguments` on record holds.
    pub fn arguments(&self) -> &JsonText {
        &self.arguments
    }

    /// The arguments as a map, for clients that take one.
    ///
    /// # Errors
    ///
    /// [`ArgumentsError::Inexact`] rather than a number that lost digits: what was judged is what
    /// is sent, or nothing is.
    pub fn arguments_map(
        &self,
    ) -> Result<serde_json::Map<String, serde_json::Value>, ArgumentsError> {
        arguments_map(self.arguments.as_str())
    }
}
