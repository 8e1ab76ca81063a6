//! Runs that wait for a trigger.

use super::Run;
use super::lookup::unknown;
use crate::record::{
    Cause, Decision, DeferredInput, Field, Phase, Record, Segment, Source, Value, ValueGate,
    WhenCase,
};

/// What makes an action wait.
const WAITING: [(u64, WhenCase); 3] = [
    (45, WhenCase::Scheduled),
    (45, WhenCase::Conditional),
    (10, WhenCase::Recurring),
];

impl Run<'_> {
    /// Settles values now, waits for hours, and runs whole again at the trigger.
    pub(super) fn deferred(&mut self) {
        let mut fields = self.settled();
        let input = self.instruction(&fields);
        let pending = self.leave_pending(&mut fields);
        self.defer(&mut fields, input);
        self.wait(3 * 3600, 20 * 3600);
        if let Some(at) = pending {
            self.find(&mut fields[at], Source::MeasuredData);
        }
        self.decide(&mut fields, &[]);
        self.succeed();
    }

    /// In four of ten runs, leaves a field open until the trigger.
    fn leave_pending(&mut self, fields: &mut [Field]) -> Option<usize> {
        if !self.dice.percent(40) {
            return None;
        }
        let at = self.dice.index(fields.len());
        fields[at] = unknown(fields[at].name, Cause::Pending);
        Some(at)
    }

    fn defer(&mut self, fields: &mut [Field], input: DeferredInput) {
        self.stamp(fields);
        self.work();
        let when = self.dice.weighted(&WAITING);
        let pending = ValueGate::over(fields, &[]).unknown_count();
        let reason = format!(
            "deferred: c1_when_case is \"{}\" — awaiting trigger (pending_at_trigger={pending})",
            when.name()
        );
        let mut record = Record {
            phase: Some(Phase::AtInstruction),
            fields: Some(fields.to_vec()),
            unknown_count: Some(pending),
            deferred_input: Some(input),
            ..self.at_gate_two(Decision::Deferred, reason)
        };
        if let Some(fixed) = &mut record.fixed {
            fixed.c1_when_case = Some(when);
        }
        self.records.push(record);
    }

    /// The user's words, with the values in them.
    fn instruction(&self, fields: &[Field]) -> DeferredInput {
        let mut text = self.phrase.to_owned();
        for value in fields.iter().filter_map(Field::value) {
            text.push(' ');
            text.push_str(&spoken(value));
        }
        let segment = Segment {
            text,
            trust: "user",
        };
        DeferredInput {
            instruction: vec![segment],
            user_checklist: Vec::new(),
        }
    }
}

/// A value as it stands in an instruction.
fn spoken(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("\"{text}\""),
        Value::Number(number) => number.to_string(),
        Value::Position([x, y, z]) => format!("{}/{}/{}", x / 10, y / 10, z / 10),
    }
}
