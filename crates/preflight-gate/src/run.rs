//! The decision path, from the input to a judgement.

use preflight_record::Presence;

use crate::{
    GateError, Hooks, Input, Judgement, Preflight, Reversibility, Run,
    argument_plan::ArgumentPlan,
    draft::{Draft, Phase, given},
    hook::Watch,
    intent::{Intent, without_key},
    tool_gate::hold_schema,
};

impl<H: Hooks> Preflight<H> {
    pub(crate) async fn judge(&self, input: &Input) -> Result<Judgement, GateError> {
        if self.parts.reversibility && input.tool.reversibility() == Reversibility::ReadOnly {
            return self.pass_read(input).await;
        }
        let mut draft = Draft::undecided(input);
        if let Some(reason) = missing_ids(input) {
            draft.reason = given(reason);
            return Ok(self.finish(draft));
        }
        let watch = Watch::start(self.parts.hook_timeout);
        let run = Run::start(input, &watch);
        match self.settle_intent(&run, &mut draft).await {
            None => Ok(self.finish(draft)),
            Some(intent) => self.judge_intent(draft, run, intent).await,
        }
    }

    /// The intent is settled: the tool gate, and what comes after it.
    async fn judge_intent(
        &self,
        mut draft: Draft,
        run: Run<'_>,
        intent: Intent,
    ) -> Result<Judgement, GateError> {
        let phase = match intent.when_case == "immediate" || run.input.at_trigger {
            true => Phase::AtTrigger,
            false => Phase::AtInstruction,
        };
        draft.phase = given(phase.as_str());
        draft.fixed = Presence::Given(intent.fixed(run.input));
        let run = Run {
            when_case: Some(intent.when_case),
            user_action: Some(&intent.user_action),
            ..run
        };
        let action_key = match self.action_key(&run).await {
            Ok(key) => key,
            Err(reason) => {
                without_key(&mut draft, reason);
                return Ok(self.finish(draft));
            }
        };
        let key = self.begin(&action_key).await?;
        run.watch.restart();
        draft.action_key = given(action_key);
        let run = Run {
            action_key: Some(key.key()),
            ..run
        };
        let judgement = self.judge_tool(draft, phase, &run).await;
        Ok(judgement.of_key(key))
    }

    /// The key is known: whether the tool is the right one, and what its call lacks.
    async fn judge_tool(&self, mut draft: Draft, phase: Phase, run: &Run<'_>) -> Judgement {
        if !self.confirm_tool(&mut draft, run).await {
            return self.finish(draft);
        }
        let tool = &run.input.tool;
        draft.advisory_notes = given(tool.description().to_owned());
        match tool.plan() {
            ArgumentPlan::Unsupported(reason) => {
                hold_schema(&mut draft, reason);
                self.finish(draft)
            }
            ArgumentPlan::Fields(plan) => self.judge_fields(draft, phase, run, plan).await,
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
