//! Gate 1, second half: does the tool do what the user asks for?

use super::Run;
use crate::record::{Decision, Gate, Record, ToolDiag, ToolGate, ToolMatch};
use crate::world::TOOLS;

/// Asks before the run is held.
const LIMIT: u32 = 2;

const WRONG: &str = "the tool cannot produce the requested change";
const NONE: &str = "no listed tool can produce the requested change";
const HOOK_ERROR: &str = "hook_error: embedding service down";

const ASK: &str = "I could not tell which action this maps to. Please describe what you want \
                   done, in your own words.";
const GIVE_UP: &str = "I still could not match this to an action I can perform. Let us sort it \
                       out in conversation.";

impl Run<'_> {
    /// The first candidate is refused, the right tool approved.
    pub(super) fn wrong_tool(&mut self) {
        let candidate = self.another_tool();
        self.refuse_tool(candidate, WRONG, 0);
        self.clear();
    }

    /// The hook that compares action and tool fails; on the next pass it works.
    pub(super) fn tool_hook_failed(&mut self) {
        self.refuse_tool(self.chain.tool.name, HOOK_ERROR, 0);
        self.clear();
    }

    /// No tool does it: one candidate after another, then a hold.
    pub(super) fn tool_missing(&mut self) {
        for attempt in 0..=LIMIT {
            let candidate = self.another_tool();
            self.refuse_tool(candidate, NONE, attempt);
        }
    }

    /// A tool other than the chain's own.
    fn another_tool(&mut self) -> &'static str {
        loop {
            let tool = TOOLS[self.dice.index(TOOLS.len())].name;
            if tool != self.chain.tool.name {
                return tool;
            }
        }
    }

    fn refuse_tool(&mut self, candidate: &'static str, why: &'static str, attempt: u32) {
        let exhausted = attempt == LIMIT;
        let decision = if exhausted {
            Decision::Hold
        } else {
            Decision::AskUser
        };
        let reason = format!(
            "{}: tool undetermined ({why}) attempt={attempt}/{LIMIT}",
            decision.name()
        );
        let refused = ToolMatch {
            approved: false,
            reason: why,
        };
        self.work();
        self.records.push(Record {
            gate: Some(self.tool_gate(candidate, why, attempt)),
            ..self.keyed(decision, reason, candidate, refused)
        });
        self.wait(7, 70);
    }

    fn tool_gate(&self, candidate: &'static str, reason: &'static str, attempt: u32) -> Gate {
        let (kind, message) = match attempt {
            LIMIT => ("tool_undetermined_exhausted", GIVE_UP),
            _ => ("tool_undetermined", ASK),
        };
        Gate::Tool(ToolGate {
            kind,
            user_message: message.to_owned(),
            next_tool_attempt: (attempt < LIMIT).then_some(attempt + 1),
            diag: ToolDiag {
                candidate_tool: candidate,
                user_action: self.phrase,
                reason,
                attempt,
                limit: LIMIT,
            },
        })
    }
}
