//! Opt-in: calls of a tool that only reads go out without a gate, and on record.

use preflight_record::{Fixed, JsonText, Overflow, Presence};

use crate::{
    GateError, Hooks, Input, Judgement, Preflight, Reversibility,
    call::reject_payload,
    draft::{Draft, Phase, given},
    json,
    value_gate::value_gate,
};

impl<H: Hooks> Preflight<H> {
    /// Lets a read out. Nothing was decided, so fields and counts stay `null`.
    pub(crate) async fn pass_read(&self, input: &Input) -> Result<Judgement, GateError> {
        let action_key = format!("{}:read:{}", input.user_id, input.tool.name());
        let key = self.begin(&action_key).await?;
        let arguments = input.read_arguments.clone();
        let arguments = arguments.unwrap_or_else(|| JsonText::from_checked("{}"));
        let mut draft = Draft::undecided(input);
        draft.action_key = given(action_key);
        draft.phase = given(Phase::AtTrigger.as_str());
        draft.fixed = Presence::Given(Fixed {
            when_case: Presence::Null,
            user_action_name: Presence::Null,
            user_action_source: Presence::Null,
            provider_action_name: given(input.tool.name().to_owned()),
            ..Fixed::default()
        });
        draft.advisory_notes = given(input.tool.description().to_owned());
        if !arguments.as_str().starts_with('{') {
            reject_payload(&mut draft, "the arguments are no object".to_owned());
            return Ok(self.finish(draft).of_key(key));
        }
        let nothing = [].into_iter();
        draft.gate = Presence::Given(value_gate(&[], nothing, &[], Overflow::default()));
        draft.reason = given("execute: read_only tool, passed ungated");
        let declared = json::string(Reversibility::ReadOnly.as_str());
        draft.overflow.keep("reversibility".into(), declared.into());
        let sent = arguments.as_str().to_owned();
        draft.overflow.keep("call_arguments".into(), sent.into());
        let judgement = self.let_out(draft, input, arguments);
        Ok(judgement.of_key(key))
    }
}
