//! The last step before a verdict that lets a call go out.

use preflight_record::{Decision, Gate, GateDiag, JsonText, Overflow, Presence, Record};

use crate::{
    Hooks, Judgement, Preflight, Reversibility, Run, ToolCall, Validity,
    draft::{Settled, gate, given},
    fields::Found,
    hook::guarded,
    json,
    key_locks::KeyGuard,
    messages,
    reversibility::confirmation_token,
    value_gate::{unverified, value_gate},
};

impl<H: Hooks> Preflight<H> {
    /// Verifies the conditions, and lets the call go out when nothing is left open.
    pub(crate) async fn judge_call(
        &self,
        settled: Settled,
        run: &Run<'_>,
        found: Found,
        key: KeyGuard,
    ) -> Judgement {
        let checklist = self.verify_checklist(run).await;
        let unknown = found.unknown().count();
        let open = unverified(&checklist).count();
        let clear = unknown == 0 && open == 0;
        let arguments = clear.then(|| JsonText::from_checked(json::object(found.arguments())));
        let decision = if clear {
            Decision::Execute
        } else {
            Decision::AskUser
        };
        let mut record = settled.record(run.input, decision);
        record.advisory_notes = given(run.input.tool.description().to_owned());
        record.unknown_count = Presence::Given(unknown as i64);
        record.unverified_checklist_count = Presence::Given(open as i64);
        let gate = value_gate(
            &found.required,
            found.unknown(),
            &checklist,
            Overflow::default(),
        );
        record.gate = Presence::Given(gate);
        record.user_checklist = Presence::Given(checklist);
        if let Some(extra) = found.extra_json() {
            record.overflow.keep("extra_fields".into(), extra.into());
        }
        record.fields = Presence::Given(found.required);
        let Some(arguments) = arguments else {
            record.reason = given(format!(
                "ask_user: unknown_fields={unknown}, unverified_checklist={open}"
            ));
            return self.finish(record, Some(key));
        };
        if let Some(violation) = self.payload_violation(&arguments, run).await {
            reject_payload(&mut record, violation);
            return self.finish(record, Some(key));
        }
        if let Some(token) = self.missing_confirmation(&arguments, run) {
            ask_confirmation(&mut record, &token, &arguments);
            return self.finish(record, Some(key));
        }
        record.reason = given("execute: unknown_fields=0, unverified_checklist=0");
        self.let_out(record, run, arguments, key)
    }

    /// The judgement that a call may come of.
    pub(crate) fn let_out(
        &self,
        mut record: Record<'static>,
        run: &Run<'_>,
        arguments: JsonText,
        key: KeyGuard,
    ) -> Judgement {
        let sent = arguments.as_str().to_owned();
        record.overflow.keep("call_arguments".into(), sent.into());
        let call = ToolCall {
            tool: run.input.tool.clone(),
            arguments,
        };
        Judgement {
            call: Some(call),
            ..self.finish(record, Some(key))
        }
    }

    async fn payload_violation(&self, arguments: &JsonText, run: &Run<'_>) -> Option<String> {
        let schema = self.parts.payload_schema.as_ref()?;
        let validate = async { schema.validate(arguments, run).await };
        match guarded(self.parts.hook_timeout, validate).await {
            Ok(Some(Validity::Fits)) => None,
            Ok(Some(Validity::Violates(reason))) => Some(reason),
            Ok(None) => Some("validation hook returned nothing".to_owned()),
            Err(error) => Some(format!("validation hook failed: {error}")),
        }
    }

    /// The token that the user still has to confirm.
    fn missing_confirmation(&self, arguments: &JsonText, run: &Run<'_>) -> Option<String> {
        let tool = &run.input.tool;
        if !self.parts.reversibility || tool.reversibility() != Reversibility::Irreversible {
            return None;
        }
        let key = run.action_key.unwrap_or_default();
        let token = confirmation_token(tool.name(), key, arguments.as_str());
        (run.input.confirmation.as_deref() != Some(&token)).then_some(token)
    }
}

fn reject_payload(record: &mut Record<'static>, violation: String) {
    record.execution_decision = Decision::Hold;
    record.reason = given(format!("hold: payload invalid ({violation})"));
    stop(record, gate("payload_invalid", messages::PAYLOAD));
    if let Presence::Given(gate) = &mut record.gate {
        gate.payload_violation = Presence::Given(json::string(&violation).into());
    }
}

fn ask_confirmation(record: &mut Record<'static>, token: &str, arguments: &JsonText) {
    record.execution_decision = Decision::AskUser;
    record.reason = given("ask_user: confirmation required");
    stop(
        record,
        gate("confirmation_required", messages::CONFIRMATION),
    );
    if let Presence::Given(gate) = &mut record.gate {
        gate.overflow
            .keep("confirmation".into(), json::string(token).into());
        let arguments = arguments.as_str().to_owned();
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

impl<H: Hooks> Preflight<H> {
    /// A tool that only reads: no gate, but a record.
    pub(crate) async fn pass_read(
        &self,
        input: &crate::Input,
    ) -> Result<Judgement, crate::GateError> {
        let action_key = format!("{}:read:{}", input.user_id, input.tool.name());
        let patience = self.parts.key_patience;
        let Some(key) = self.keys.hold(&action_key, patience).await else {
            return Err(crate::GateError::KeyBusy(action_key));
        };
        let run = Run {
            action_key: Some(&action_key),
            ..Run::start(input)
        };
        let mut record = crate::draft::undecided(input, Decision::Execute);
        record.phase = given(crate::draft::Phase::AtTrigger.as_str());
        record.action_key = given(action_key.clone());
        record.fixed = Presence::Given(preflight_record::Fixed {
            when_case: Presence::Null,
            user_action_name: Presence::Null,
            user_action_source: Presence::Null,
            provider_action_name: given(input.tool.name().to_owned()),
            ..Default::default()
        });
        record.advisory_notes = given(input.tool.description().to_owned());
        record.gate = Presence::Given(value_gate(&[], [].into_iter(), &[], Overflow::default()));
        record.reason = given("execute: read_only tool, passed ungated");
        let declared = json::string(Reversibility::ReadOnly.as_str());
        record
            .overflow
            .keep("reversibility".into(), declared.into());
        let arguments = input.read_arguments.clone();
        let arguments = arguments.unwrap_or_else(|| JsonText::from_checked("{}".to_owned()));
        Ok(self.let_out(record, &run, arguments, key))
    }
}
