//! The last step before a verdict that lets a call go out.

use preflight_record::{
    ChecklistItem, Decision, Gate, GateDiag, JsonText, Overflow, Presence, Record, RecordDigest,
};

use crate::{
    Hooks, Input, Judgement, Preflight, Reversibility, Run, ToolCall, Validity,
    confirmation::{CONFIRMATION, Confirmable},
    draft::{Draft, gate, given},
    fields::Found,
    hook::guarded_answer,
    json, messages,
    value_gate::{unverified, value_gate},
};

impl<H: Hooks> Preflight<H> {
    /// Verifies the conditions, and lets the call go out when nothing is left open.
    pub(crate) async fn judge_call(
        &self,
        mut draft: Draft,
        run: &Run<'_>,
        found: Found,
    ) -> Judgement {
        let checklist = self.verify_checklist(run).await;
        let unknown = found.unknown().count();
        let open = unverified(&checklist).count();
        let clear = unknown == 0 && open == 0;
        let arguments = clear.then(|| json::object(found.arguments()));
        self.describe(&mut draft, found, checklist);
        let Some(arguments) = arguments else {
            draft.execution_decision = Decision::AskUser;
            draft.reason = given(format!(
                "ask_user: unknown_fields={unknown}, unverified_checklist={open}"
            ));
            return self.finish(draft);
        };
        let sent = JsonText::from_checked(&arguments);
        if let Some(violation) = self.payload_violation(&sent, run).await {
            reject_payload(&mut draft, violation);
            return self.finish(draft);
        }
        match self.confirmation(&sent, run).await {
            Confirmation::NotNeeded => {}
            Confirmation::Given(token) => {
                let token = json::string(&token);
                draft.overflow.keep(CONFIRMATION.into(), token.into());
            }
            Confirmation::Missing(token) => {
                ask_confirmation(&mut draft, &token, arguments);
                return self.finish(draft);
            }
            Confirmation::Failed(error) => {
                draft.execution_decision = Decision::Hold;
                draft.reason = given(format!("hold: no confirmation can be asked for ({error})"));
                return self.finish(draft);
            }
        }
        draft.reason = given("execute: unknown_fields=0, unverified_checklist=0");
        draft
            .overflow
            .keep("call_arguments".into(), arguments.into());
        self.let_out(draft, run.input, sent)
    }

    /// Puts what was found on the record.
    fn describe(
        &self,
        record: &mut Record<'static>,
        found: Found,
        checklist: Vec<ChecklistItem<'static>>,
    ) {
        let (required, unknown) = (&found.required, found.unknown());
        let gate = value_gate(required, unknown, &checklist, Overflow::default());
        record.gate = Presence::Given(gate);
        record.unknown_count = Presence::Given(found.unknown().count() as i64);
        record.unverified_checklist_count = Presence::Given(unverified(&checklist).count() as i64);
        record.user_checklist = Presence::Given(checklist);
        if let Some(extra) = found.extra_json() {
            record.overflow.keep("extra_fields".into(), extra.into());
        }
        record.fields = Presence::Given(found.required);
    }

    /// The judgement that a call may come of.
    pub(crate) fn let_out(
        &self,
        mut draft: Draft,
        input: &Input,
        arguments: JsonText,
    ) -> Judgement {
        draft.execution_decision = Decision::Execute;
        let call = ToolCall {
            tool: input.tool.clone(),
            arguments,
        };
        Judgement {
            call: Some(call),
            ..self.finish(draft)
        }
    }

    async fn payload_violation(&self, arguments: &JsonText, run: &Run<'_>) -> Option<String> {
        let schema = self.parts.payload_schema.as_ref()?;
        let validate = || schema.validate(arguments, run);
        match guarded_answer(run.watch, validate).await {
            Ok(Some(Validity::Fits)) => None,
            Ok(Some(Validity::Violates(reason))) => Some(reason),
            Ok(None) => Some("validation hook returned nothing".to_owned()),
            Err(error) => Some(format!("validation hook failed: {error}")),
        }
    }

    /// Whether the user confirmed the call, where that is needed.
    async fn confirmation(&self, arguments: &JsonText, run: &Run<'_>) -> Confirmation {
        let tool = &run.input.tool;
        if !self.parts.reversibility || tool.reversibility() != Reversibility::Irreversible {
            return Confirmation::NotNeeded;
        }
        let action_key = run.action_key.unwrap_or_default();
        // Of the store, whatever the caller brought: a confirmation must not outlive its call.
        let last = match self.load(action_key).await {
            Ok(last) => {
                last.map(|record| RecordDigest::of(record.to_json().as_bytes()).to_string())
            }
            Err(error) => Some(error.to_string()),
        };
        let call = Confirmable {
            tool: tool.name(),
            action_key,
            arguments: arguments.as_str(),
            last: &last.unwrap_or_default(),
        };
        let confirmations = &self.parts.confirmations;
        let given = run.input.confirmation.as_deref();
        match given.filter(|token| confirmations.counts(token, &call, self.now())) {
            Some(token) => Confirmation::Given(token.to_owned()),
            None => match confirmations.ask(&call, self.now()) {
                Ok(token) => Confirmation::Missing(token),
                Err(error) => Confirmation::Failed(error.to_string()),
            },
        }
    }
}

/// What became of the user's confirmation.
enum Confirmation {
    NotNeeded,
    /// By this token.
    Given(String),
    /// It is to be asked for with this token.
    Missing(String),
    /// It cannot even be asked for.
    Failed(String),
}

/// Holds a run whose arguments are not to be sent.
pub(crate) fn reject_payload(record: &mut Record<'static>, violation: String) {
    record.execution_decision = Decision::Hold;
    record.reason = given(format!("hold: payload invalid ({violation})"));
    stop(record, gate("payload_invalid", messages::PAYLOAD));
    if let Presence::Given(gate) = &mut record.gate {
        gate.payload_violation = Presence::Given(json::string(&violation).into());
    }
}

fn ask_confirmation(record: &mut Record<'static>, token: &str, arguments: String) {
    record.execution_decision = Decision::AskUser;
    record.reason = given("ask_user: confirmation required");
    stop(
        record,
        gate("confirmation_required", messages::CONFIRMATION),
    );
    if let Presence::Given(gate) = &mut record.gate {
        gate.overflow
            .keep(CONFIRMATION.into(), json::string(token).into());
        gate.overflow
            .keep("confirm_arguments".into(), arguments.into());
    }
}

/// Replaces the value gate, which is clear, by the one that stops the run.
fn stop(record: &mut Record<'static>, stopping: Gate<'static>) {
    record.gate = Presence::Given(Gate {
        diag: Presence::Given(GateDiag::default()),
        ..stopping
    });
}
