//! The first half of the first gate: is it settled what the user wants, and when?

use std::borrow::Cow;

use preflight_record::{Decision, Fixed, Gate, GateDiag, IntentIssue, JsonText, Presence};

use crate::{
    Hooks, Input, Preflight, Run, WhenCase,
    draft::{Draft, gate, given},
    fingerprint::intent_fingerprint,
    hook::guarded,
    messages,
    preflight::ASK_LIMIT,
};

const WHEN: &str = "c1_when_case";
const ACTION: &str = "c2_user_action_name";

/// A settled intent.
pub(crate) struct Intent {
    pub(crate) when_case: &'static str,
    pub(crate) user_action: String,
    source: &'static str,
}

/// A slot that is not settled.
struct Issue {
    slot: &'static str,
    code: &'static str,
    detail: Option<Cow<'static, str>>,
}

impl<H: Hooks> Preflight<H> {
    /// Settles both slots, or says on the record what is missing.
    pub(crate) async fn settle_intent(&self, run: &Run<'_>, draft: &mut Draft) -> Option<Intent> {
        let when_case = self.when_case(run).await;
        let action = self.user_action(run).await;
        match (when_case, action) {
            (Ok(when_case), Ok((user_action, source))) => Some(Intent {
                when_case,
                user_action,
                source,
            }),
            (when_case, action) => {
                ask(draft, run.input, when_case, action);
                None
            }
        }
    }

    async fn when_case(&self, run: &Run<'_>) -> Result<&'static str, Issue> {
        let classify = async { self.hooks.classify_when_case(run).await };
        let (code, detail) = match guarded(run.watch, classify).await {
            Ok(Some(case)) => match (case.settled(), case) {
                (Some(settled), _) => return Ok(settled),
                (None, WhenCase::Other(text)) => {
                    let quoted = JsonText::string(&text).to_string();
                    ("out_of_enum", Some(quoted.into()))
                }
                (None, _) => ("out_of_enum", None),
            },
            Ok(None) => ("out_of_enum", None),
            Err(error) => ("hook_error", Some(error.to_string().into())),
        };
        Err(Issue {
            slot: WHEN,
            code,
            detail,
        })
    }

    /// The name the instruction gives, else the one the user settled before.
    async fn user_action(&self, run: &Run<'_>) -> Result<(String, &'static str), Issue> {
        let extract = async { self.hooks.extract_user_action_name(run).await };
        if let Ok(Some(name)) = guarded(run.watch, extract).await
            && !is_blank(&name)
        {
            return Ok((name, "instruction"));
        }
        let pre_set = run.input.user_action_pre_set.as_ref();
        let name = pre_set.and_then(|pre_set| pre_set.trusted());
        let name = name.and_then(|json| serde_json::from_str::<String>(json.as_str()).ok());
        match name.filter(|name| !is_blank(name)) {
            Some(name) => Ok((name, "pre_set_data")),
            None => Err(Issue {
                slot: ACTION,
                code: "unresolved",
                detail: Some("instruction and pre-set both empty".into()),
            }),
        }
    }

    pub(crate) async fn action_key(&self, run: &Run<'_>) -> Result<String, String> {
        let build = async { self.hooks.build_action_key(run).await };
        match guarded(run.watch, build).await {
            Ok(Some(key)) if is_blank(&key) => Err("the key is blank".to_owned()),
            Ok(Some(key)) if key == preflight_record::UNKEYED_BUCKET => {
                Err("the key is the name of the bucket for records without one".to_owned())
            }
            Ok(Some(key)) => Ok(key),
            Ok(None) => Err("hook returned nothing".to_owned()),
            Err(error) => Err(format!("hook_error: {error}")),
        }
    }
}

impl Intent {
    pub(crate) fn fixed(&self, input: &Input) -> Fixed<'static> {
        Fixed {
            when_case: given(self.when_case),
            user_action_name: given(self.user_action.clone()),
            user_action_source: given(self.source),
            provider_action_name: given(input.tool.name().to_owned()),
            ..Fixed::default()
        }
    }
}

/// Holds a run whose action key could not be built.
pub(crate) fn without_key(draft: &mut Draft, reason: String) {
    draft.reason = given(format!("hold: action key failed ({reason})"));
    draft.gate = Presence::Given(Gate {
        diag: Presence::Given(GateDiag {
            reason: given(reason),
            ..GateDiag::default()
        }),
        ..gate("action_key_failed", messages::ACTION_KEY)
    });
}

/// Asks for what is not settled, or holds when it was asked often enough.
fn ask(
    draft: &mut Draft,
    input: &Input,
    when_case: Result<&'static str, Issue>,
    action: Result<(String, &'static str), Issue>,
) {
    let attempt = input.intent_attempt;
    let exhausted = attempt >= ASK_LIMIT;
    let (kind, message) = match (exhausted, &when_case, &action) {
        (true, ..) => ("intent_undetermined_exhausted", messages::INTENT_EXHAUSTED),
        (false, Err(_), Err(_)) => ("intent_undetermined", messages::INTENT_BOTH),
        (false, Err(_), Ok(_)) => ("intent_undetermined", messages::INTENT_WHEN),
        (false, Ok(_), _) => ("intent_undetermined", messages::INTENT_WHAT),
    };
    let mut fixed = Fixed {
        when_case: Presence::Null,
        user_action_name: Presence::Null,
        user_action_source: Presence::Null,
        provider_action_name: given(input.tool.name().to_owned()),
        ..Fixed::default()
    };
    let mut issues = Vec::new();
    match when_case {
        Ok(case) => fixed.when_case = given(case),
        Err(issue) => issues.push(issue),
    }
    match action {
        Ok((name, source)) => {
            fixed.user_action_name = given(name);
            fixed.user_action_source = given(source);
        }
        Err(issue) => issues.push(issue),
    }
    let decision = if exhausted {
        Decision::Hold
    } else {
        Decision::AskUser
    };
    let slots: Vec<String> = issues
        .iter()
        .map(|issue| format!("{}:{}", issue.slot, issue.code))
        .collect();
    draft.execution_decision = decision;
    draft.fixed = Presence::Given(fixed);
    draft.reason = given(format!(
        "{}: fixed undetermined ({}) attempt={attempt}/{ASK_LIMIT}",
        decision.as_str(),
        slots.join(", ")
    ));
    draft.gate = Presence::Given(Gate {
        intent_fingerprint: given(intent_fingerprint(&input.instruction)),
        next_intent_attempt: next_attempt(attempt),
        diag: Presence::Given(GateDiag {
            issues: Presence::Given(issues.into_iter().map(IntentIssue::from).collect()),
            attempt: Presence::Given(attempt.into()),
            limit: Presence::Given(ASK_LIMIT.into()),
            ..GateDiag::default()
        }),
        ..gate(kind, message)
    });
}

impl From<Issue> for IntentIssue<'static> {
    fn from(issue: Issue) -> Self {
        Self {
            slot: given(issue.slot),
            code: given(issue.code),
            detail: issue.detail.map_or(Presence::Absent, Presence::Given),
            ..Self::default()
        }
    }
}

/// The attempt to pass in next, `null` when there is none left.
pub(crate) fn next_attempt(attempt: u32) -> Presence<i64> {
    match attempt < ASK_LIMIT {
        true => Presence::Given(i64::from(attempt) + 1),
        false => Presence::Null,
    }
}

fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '\u{feff}')
}
