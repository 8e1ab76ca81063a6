//! The second half of the first gate: does the tool do what the user asked for?

use preflight_record::{Decision, Gate, GateDiag, Presence, Record};

use crate::{
    Approval, Hooks, Input, Preflight, Run,
    draft::{Settled, gate, given},
    hook::guarded,
    intent::next_attempt,
    messages,
    preflight::ASK_LIMIT,
};

const SILENT: &str = "hook did not return { approved, reason }";

impl<H: Hooks> Preflight<H> {
    /// Silence and failure are refusals.
    pub(crate) async fn confirm_tool(&self, run: &Run<'_>) -> Approval {
        let confirm = async { self.hooks.confirm_tool_name_matches_intent(run).await };
        match guarded(self.parts.hook_timeout, confirm).await {
            Ok(Some(approval)) if approval.approved => approval,
            Ok(Some(Approval { reason, .. })) => {
                Approval::refused(reason.unwrap_or_else(|| SILENT.to_owned()))
            }
            Ok(None) => Approval::refused(SILENT),
            Err(error) => Approval::refused(format!("hook_error: {error}")),
        }
    }
}

/// The record of a refused tool. The candidate stands in `_diag` alone.
pub(crate) fn refuse_tool(settled: Settled, run: &Run<'_>, refusal: Approval) -> Record<'static> {
    let input = run.input;
    let attempt = input.tool_attempt;
    let (decision, kind, message) = match attempt < ASK_LIMIT {
        true => (Decision::AskUser, "tool_undetermined", messages::TOOL),
        false => (
            Decision::Hold,
            "tool_undetermined_exhausted",
            messages::TOOL_EXHAUSTED,
        ),
    };
    let reason = refusal.reason.unwrap_or_default();
    Record {
        reason: given(format!(
            "{}: tool undetermined ({reason}) attempt={attempt}/{ASK_LIMIT}",
            decision.as_str()
        )),
        gate: Presence::Given(Gate {
            next_tool_attempt: next_attempt(attempt),
            diag: Presence::Given(GateDiag {
                candidate_tool: given(input.tool.name().to_owned()),
                user_action: given(run.user_action.unwrap_or_default().to_owned()),
                reason: given(reason),
                attempt: Presence::Given(attempt.into()),
                limit: Presence::Given(ASK_LIMIT.into()),
                ..GateDiag::default()
            }),
            ..gate(kind, message)
        }),
        ..settled.record(input, decision)
    }
}

/// The record of a tool whose schema cannot be gated: asking the user would not help.
pub(crate) fn unsupported(settled: Settled, input: &Input, reason: &str) -> Record<'static> {
    Record {
        advisory_notes: given(input.tool.description().to_owned()),
        reason: given(format!("hold: schema unsupported ({reason})")),
        gate: Presence::Given(Gate {
            diag: Presence::Given(GateDiag {
                reason: given(reason.to_owned()),
                ..GateDiag::default()
            }),
            ..gate("schema_unsupported", messages::SCHEMA)
        }),
        ..settled.record(input, Decision::Hold)
    }
}
