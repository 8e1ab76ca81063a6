//! The decision path, from the input to a judgement.

use preflight_record::{Decision, Presence, ToolMatch};

use crate::{
    GateError, Hooks, Input, Judgement, Preflight, Reversibility, Run,
    argument_plan::ArgumentPlan,
    draft::{Phase, Settled, given, undecided},
    intent::Intent,
    tool_gate::{refuse_tool, unsupported},
};

impl<H: Hooks> Preflight<H> {
    pub(crate) async fn judge(&self, input: &Input) -> Result<Judgement, GateError> {
        if self.parts.reversibility && input.tool.reversibility() == Reversibility::ReadOnly {
            return self.pass_read(input).await;
        }
        if let Some(reason) = missing_ids(input) {
            let mut record = undecided(input, Decision::Hold);
            record.reason = given(reason);
            return Ok(self.finish(record, None));
        }
        match self.settle_intent(input).await {
            Err(record) => Ok(self.finish(*record, None)),
            Ok(intent) => self.judge_intent(input, intent).await,
        }
    }

    /// The intent is settled: the tool gate, and what comes after it.
    async fn judge_intent(&self, input: &Input, intent: Intent) -> Result<Judgement, GateError> {
        let run = Run {
            when_case: Some(intent.when_case),
            user_action: Some(&intent.user_action),
            ..Run::start(input)
        };
        let phase = match intent.when_case == "immediate" || input.at_trigger {
            true => Phase::AtTrigger,
            false => Phase::AtInstruction,
        };
        let action_key = match self.action_key(&run).await {
            Ok(key) => key,
            Err(reason) => {
                return Ok(self.finish(intent.without_key(input, phase, reason), None));
            }
        };
        let patience = self.parts.key_patience;
        let Some(key) = self.keys.hold(&action_key, patience).await else {
            return Err(GateError::KeyBusy(action_key));
        };
        let run = Run {
            action_key: Some(&action_key),
            ..run
        };
        let approval = self.confirm_tool(&run).await;
        let mut fixed = intent.fixed(input);
        fixed.tool_match = Presence::Given(ToolMatch {
            approved: Presence::Given(approval.approved),
            reason: approval.reason.clone().map_or(Presence::Null, given),
            ..ToolMatch::default()
        });
        let settled = Settled {
            action_key: action_key.clone(),
            phase,
            fixed,
        };
        if !approval.approved {
            let record = refuse_tool(settled, &run, approval);
            return Ok(self.finish(record, Some(key)));
        }
        match input.tool.plan() {
            ArgumentPlan::Unsupported(reason) => {
                let record = unsupported(settled, input, reason);
                Ok(self.finish(record, Some(key)))
            }
            ArgumentPlan::Fields(plan) => Ok(self.judge_fields(settled, &run, plan, key).await),
        }
    }
}

/// Items without an id have nothing that an answer could be attached to.
fn missing_ids(input: &Input) -> Option<String> {
    let items = input.user_checklist.iter().enumerate();
    let missing: Vec<String> = items
        .filter(|(_, item)| item.id.given().is_none_or(|id| id.is_empty()))
        .map(|(index, _)| index.to_string())
        .collect();
    (!missing.is_empty())
        .then(|| format!("checklist item without id at index: {}", missing.join(", ")))
}
