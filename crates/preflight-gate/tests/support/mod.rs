//! A gate over a transfer tool whose hooks answer at once.

#![allow(dead_code, reason = "no test uses all of it")]

use std::sync::Arc;

use preflight_gate::{
    Answer, Approval, ChecklistVerifier, Extraction, FieldPolicy, FieldSchema, HookResult, Hooks,
    Input, JsonText, Measurement, NoPriorState, PolicyDecision, Preflight, Run, Store, Tool,
    Validity, Verification, WhenCase,
};
use preflight_record::{ChecklistItem, Field};

/// Hooks that find everything there is to find.
pub struct Ready;

impl Hooks for Ready {
    async fn classify_when_case(&self, _: &Run<'_>) -> HookResult<WhenCase> {
        Ok(Some(WhenCase::Immediate))
    }

    async fn extract_user_action_name(&self, _: &Run<'_>) -> HookResult<String> {
        Ok(Some("send money".to_owned()))
    }

    async fn confirm_tool_name_matches_intent(&self, _: &Run<'_>) -> HookResult<Approval> {
        Ok(Some(Approval::approved()))
    }

    async fn extract_from_instruction(&self, field: &str, _: &Run<'_>) -> HookResult<Extraction> {
        Ok((field == "amount").then(|| Extraction {
            value: JsonText::from(500_000),
            segment_index: 0,
            span: 5..12,
        }))
    }

    async fn measure_from_environment(
        &self,
        field: &str,
        run: &Run<'_>,
    ) -> HookResult<Measurement> {
        Ok(run.input.measured_data.get(field).cloned())
    }

    async fn build_action_key(&self, run: &Run<'_>) -> HookResult<String> {
        Ok(Some(run.input.user_id.clone()))
    }
}

/// A schema that everything fits.
pub struct Fits;

impl FieldSchema for Fits {
    fn validate<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: &'a Run<'a>,
    ) -> Answer<'a, HookResult<Validity>> {
        Answer::now(Ok(Some(Validity::Fits)))
    }
}

/// A verifier that confirms.
pub struct Confirms;

impl ChecklistVerifier for Confirms {
    fn verify<'a>(
        &'a self,
        _: &'a ChecklistItem<'static>,
        _: &'a Run<'a>,
    ) -> Answer<'a, HookResult<Verification>> {
        Answer::now(Ok(Some(Verification::verified("measured_data"))))
    }
}

/// A gate with every field hook in place.
pub fn gate(store: Arc<dyn Store>) -> Preflight<Ready> {
    Preflight::builder()
        .hooks(Ready)
        .field_policy(NoPriorState)
        .field_schema(Fits)
        .checklist(Confirms)
        .store(store)
        .build()
        .expect("not strict")
}

/// A tool with three required fields.
pub fn transfer() -> Arc<Tool> {
    let schema = r#"{"type":"object","properties":{"from_account":{"type":"string"},
        "to_account":{"type":"string"},"amount":{"type":"integer"}},
        "required":["from_account","to_account","amount"]}"#;
    let schema = JsonText::parse(schema).expect("JSON");
    Arc::new(Tool::new(
        "bank.transfer",
        Some("Transfers are final."),
        Some(schema),
    ))
}

/// A run that executes: one field answered, one in the instruction, one measured. The user is the
/// action key.
pub fn complete(user: &str, tool: &Arc<Tool>) -> Input {
    let mut input = Input::new(user, Arc::clone(tool))
        .says("send 500,000 won to my landlord")
        .answers("to_account", "220-118-99");
    let measured = Measurement::valid("1102534471");
    input
        .measured_data
        .insert("from_account".to_owned(), measured);
    input
}

/// A policy that takes nothing away.
pub struct KeepAll;

impl FieldPolicy for KeepAll {
    fn apply<'a>(
        &'a self,
        _: &'a Field<'static>,
        _: &'a Run<'a>,
    ) -> Answer<'a, HookResult<PolicyDecision>> {
        Answer::now(Ok(Some(PolicyDecision::keep())))
    }
}
