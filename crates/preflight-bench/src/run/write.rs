//! Writing down what the gates decide.

use super::Run;
use crate::record::{
    Decision, Field, Fixed, Gate, Item, Phase, Record, Source, ToolMatch, ValueGate, WhenCase,
};

impl Run<'_> {
    /// Decides a call of the chain's tool: `execute` if all is clear, else `ask_user`.
    pub(super) fn decide(&mut self, fields: &mut [Field], items: &[Item]) {
        self.stamp(fields);
        self.work();
        let gate = ValueGate::over(fields, items);
        let (unknown, unverified) = (gate.unknown_count(), gate.unverified_count());
        let decision = match unknown + unverified {
            0 => Decision::Execute,
            _ => Decision::AskUser,
        };
        let counts = format!("unknown_fields={unknown}, unverified_checklist={unverified}");
        let mut record = self.at_gate_two(decision, format!("{}: {counts}", decision.name()));
        record.fields = Some(fields.to_vec());
        record.user_checklist = items.to_vec();
        record.unknown_count = Some(unknown);
        record.unverified_checklist_count = Some(unverified);
        record.gate = Some(Gate::Value(gate));
        self.records.push(record);
    }

    /// Records the outcome of the call that the last record allowed.
    pub(super) fn outcome(&mut self, decision: Decision, message: &str) {
        let Some(verdict) = self.records.last().cloned() else {
            return;
        };
        self.now = self.now + self.dice.between(1, 3) * 1000 + self.dice.between(2, 9);
        self.records.push(Record {
            execution_decision: decision,
            reason: format!("{} / {message}", verdict.reason),
            timestamp: self.now,
            ..verdict
        });
    }

    /// A record of the value gate, with its lists still to be filled in.
    pub(super) fn at_gate_two(&self, decision: Decision, reason: String) -> Record {
        let tool = self.chain.tool;
        Record {
            advisory_notes: tool.description,
            ..self.keyed(decision, reason, tool.name, ToolMatch::APPROVED)
        }
    }

    /// A record under the chain's key that has a tool in mind.
    pub(super) fn keyed(
        &self,
        decision: Decision,
        reason: String,
        tool: &'static str,
        tool_match: ToolMatch,
    ) -> Record {
        Record {
            action_key: Some(self.chain.key.clone()),
            phase: Some(Phase::AtTrigger),
            fixed: Some(Fixed {
                c1_when_case: Some(WhenCase::Immediate),
                c2_user_action_name: Some(self.phrase),
                c3_provider_action_name: tool,
                c2_source: Some(Source::Instruction),
                c3_match: Some(tool_match),
            }),
            ..Record::bare(decision, reason, self.now)
        }
    }
}

impl ToolMatch {
    /// The tool does what the user asks for.
    pub(super) const APPROVED: Self = Self {
        approved: true,
        reason: "capability matches",
    };
}
