//! The second half of the first gate: does the tool do what the user asked for?

use preflight_record::{Decision, Gate, GateDiag, Presence, ToolMatch};

use crate::{
    Approval, Hooks, Preflight, Run,
    draft::{Draft, gate, given},
    hook::guarded,
    intent::next_attempt,
    messages,
    preflight::ASK_LIMIT,
};

const SILENT: &str = "hook did not return { approved, reason }";

impl<H: Hooks> Preflight<H> {
    /// Whether the tool is approved; if it is not, the record says so. Silence and failure are
    /// refusals.
    pub(crate) async fn confirm_tool(&self, draft: &mut Draft, run: &Run<'_>) -> bool {
        let confirm = async { self.hooks.confirm_tool_name_matches_intent(run).await };
        let (approved, reason) = match guarded(run.watch, confirm).await {
            Ok(Some(Approval {
                approved: true,
                reason,
            })) => (true, reason),
            Ok(Some(Approval { reason, .. })) => (false, reason.or(Some(SILENT.to_owned()))),
            Ok(None) => (false, Some(SILENT.to_owned())),
            Err(error) => (false, Some(format!("hook_error: {error}"))),
        };
        if !approved {
            refuse_tool(draft, run, reason.clone().unwrap_or_default());
        }
        if let Presence::Given(fixed) = &mut draft.fixed {
            fixed.tool_match = Presence::Given(ToolMatch {
                approved: Presence::Given(approved),
                reason: reason.map_or(Presence::Null, given),
                ..ToolMatch::default()
            });
        }
        approved
    }
}

/// Refuses the tool. The candidate stands in `_diag` alone.
fn refuse_tool(draft: &mut Draft, run: &Run<'_>, reason: String) {
    let attempt = run.input.tool_attempt;
    let (decision, kind, message) = match attempt < ASK_LIMIT {
        true => (Decision::AskUser, "tool_undetermined", messages::TOOL),
        false => (
            Decision::Hold,
            "tool_undetermined_exhausted",
            messages::TOOL_EXHAUSTED,
        ),
    };
    draft.execution_decision = decision;
    draft.reason = given(format!(
        "{}: tool undetermined ({reason}) attempt={attempt}/{ASK_LIMIT}",
        decision.as_str()
    ));
    draft.gate = Presence::Given(Gate {
        next_tool_attempt: next_attempt(attempt),
        diag: Presence::Given(GateDiag {
            candidate_tool: given(run.input.tool.name().to_owned()),
            user_action: given(run.user_action.unwrap_or_default().to_owned()),
            reason: given(reason),
            attempt: Presence::Given(attempt.into()),
            limit: Presence::Given(ASK_LIMIT.into()),
            ..GateDiag::default()
        }),
        ..gate(kind, message)
    });
}

/// Holds a tool whose schema cannot be gated: asking the user would not help.
pub(crate) fn hold_schema(draft: &mut Draft, reason: &str) {
    draft.reason = given(format!("hold: schema unsupported ({reason})"));
    draft.gate = Presence::Given(Gate {
        diag: Presence::Given(GateDiag {
            reason: given(reason.to_owned()),
            ..GateDiag::default()
        }),
        ..gate("schema_unsupported", messages::SCHEMA)
    });
}
