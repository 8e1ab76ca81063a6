//! Runs at instruction time: values are settled now, conditions and the call wait for the trigger.

use std::sync::Arc;

use indexmap::IndexMap;
use preflight_record::{ChecklistItem, Decision, JsonText, Overflow, Presence, Record};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    Input, Run, Segment, Tool, Trust,
    draft::{Phase, given},
    fields::{Found, is_pending},
    json,
    value_gate::value_gate,
};

impl Found {
    /// Defers, or asks for what is unknown and not excused. No condition is looked at.
    pub(crate) fn defer_or_ask(self, record: &mut Record<'static>, run: &Run<'_>) {
        let pending = self.pending();
        let unknown = self.unknown().count();
        let blocking = unknown - pending;
        if blocking == 0 {
            let when_case = run.when_case.unwrap_or_default();
            record.execution_decision = Decision::Deferred;
            record.reason = given(format!(
                "deferred: c1_when_case is \"{when_case}\" — awaiting trigger (pending_at_trigger={pending})"
            ));
            record.deferred_input = given(carried(run.input));
        } else {
            let mut diag = Overflow::default();
            let phase = json::string(Phase::AtInstruction.as_str());
            diag.keep("phase".into(), phase.into());
            diag.keep("pending_at_trigger".into(), pending.to_string().into());
            let asked = self.unknown().filter(|field| !is_pending(field));
            record.execution_decision = Decision::AskUser;
            record.gate = Presence::Given(value_gate(&self.required, asked, &[], diag));
            record.reason = given(format!(
                "ask_user: unknown_fields={blocking}, unverified_checklist=0"
            ));
        }
        record.unknown_count = Presence::Given(unknown as i64);
        if let Some(extra) = self.extra_json() {
            record.overflow.keep("extra_fields".into(), extra.into());
        }
        record.fields = Presence::Given(self.required);
    }
}

/// What a deferred run carries to its trigger: the intent. A measurement would be stale by then,
/// and a condition confirmed now says nothing about then.
fn carried(input: &Input) -> String {
    let segments = json::array(input.instruction.iter().map(segment_json));
    let checklist = json::array(input.user_checklist.iter().map(ChecklistItem::to_json));
    let answers = input.user_answers.iter();
    let answers = json::object(answers.map(|(name, value)| (name.as_str(), value.as_str())));
    let mut members = vec![
        ("instruction", segments.as_str()),
        ("userChecklist", checklist.as_str()),
    ];
    if !input.user_answers.is_empty() {
        members.push(("userAnswers", answers.as_str()));
    }
    json::object(members)
}

fn segment_json(segment: &Segment) -> String {
    let text = json::string(&segment.text);
    let trust = json::string(segment.trust.label());
    let origin = segment.origin.as_deref().map(json::string);
    let mut members = vec![("text", text.as_str()), ("trust", trust.as_str())];
    members.extend(origin.as_deref().map(|origin| ("origin", origin)));
    json::object(members)
}

/// A record from which no deferred run can be taken up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The record's decision is not `deferred`.
    #[error("only a deferred record can be taken up at its trigger, not one that says {0}")]
    NotDeferred(&'static str),
    /// Another tool was deferred.
    #[error("the run was deferred for another tool")]
    OtherTool,
    /// What the run carries cannot be read, for instance because it is masked.
    #[error("the carried input cannot be read: {0}")]
    Unreadable(String),
}

#[derive(Deserialize)]
struct Carried<'a> {
    instruction: Vec<CarriedSegment>,
    #[serde(rename = "userChecklist", borrow)]
    user_checklist: Vec<&'a RawValue>,
    #[serde(rename = "userAnswers", borrow, default)]
    user_answers: IndexMap<String, &'a RawValue>,
}

#[derive(Deserialize)]
struct CarriedSegment {
    text: String,
    #[serde(default)]
    trust: String,
    origin: Option<String>,
}

impl Input {
    /// Takes up a deferred run at its trigger: the intent as it was given, everything else anew.
    ///
    /// The run is judged whole again; add what was measured since before running it.
    ///
    /// # Errors
    ///
    /// [`ResumeError`], when the record is not a deferred run of this tool.
    pub fn at_trigger_of(
        deferred: &Record<'_>,
        user_id: impl Into<String>,
        tool: Arc<Tool>,
    ) -> Result<Self, ResumeError> {
        if deferred.execution_decision != Decision::Deferred {
            return Err(ResumeError::NotDeferred(
                deferred.execution_decision.as_str(),
            ));
        }
        let fixed = deferred.fixed.given();
        let name = fixed.and_then(|fixed| fixed.provider_action_name.given());
        if name.is_none_or(|name| name != tool.name()) {
            return Err(ResumeError::OtherTool);
        }
        let carried = deferred.deferred_input.given();
        let carried = carried.ok_or_else(|| unreadable("there is none"))?;
        let carried: Carried<'_> = serde_json::from_str(carried).map_err(unreadable)?;
        let mut input = Self::new(user_id, tool);
        input.at_trigger = true;
        input.instruction = carried.instruction.into_iter().map(Segment::from).collect();
        for item in carried.user_checklist {
            input
                .user_checklist
                .push(crate::wire::checklist_item(item.get()).map_err(unreadable)?);
        }
        for (field, answer) in carried.user_answers {
            let answer = JsonText::parse(answer.get()).map_err(unreadable)?;
            input.user_answers.insert(field, answer);
        }
        Ok(input)
    }
}

fn unreadable(error: impl ToString) -> ResumeError {
    ResumeError::Unreadable(error.to_string())
}

impl From<CarriedSegment> for Segment {
    fn from(carried: CarriedSegment) -> Self {
        Self {
            text: carried.text,
            trust: Trust::from_label(&carried.trust),
            origin: carried.origin,
        }
    }
}
