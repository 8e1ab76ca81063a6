//! Looking up the fields of a call.

use super::Run;
use crate::record::{Cause, Field, FieldState, Source};
use crate::timestamp::Timestamp;
use crate::world::FieldSpec;

/// The sources of a value that was neither asked for nor inherited.
const SOURCES: [(u64, Source); 3] = [
    (55, Source::Instruction),
    (23, Source::MeasuredData),
    (22, Source::PreSetData),
];

/// How often a value that could be inherited is, in percent.
const INHERITED: u64 = 25;

impl Run<'_> {
    /// Finds a value for each field of the chain's tool.
    pub(super) fn settled(&mut self) -> Vec<Field> {
        let specs = self.chain.tool.fields;
        specs.iter().map(|spec| self.settle(spec)).collect()
    }

    fn settle(&mut self, spec: &FieldSpec) -> Field {
        if self.dice.percent(INHERITED)
            && let Some(field) = self.chain.inherited(spec.name)
        {
            return field;
        }
        let source = self.dice.weighted(&SOURCES);
        Field::known(spec.name, spec.kind.draw(self.dice), source)
    }

    /// Sets `field` to a value from `source`.
    pub(super) fn find(&mut self, field: &mut Field, source: Source) {
        let spec = self.chain.tool.field(field.name);
        if let Some(spec) = spec {
            *field = Field::known(spec.name, spec.kind.draw(self.dice), source);
        }
    }

    /// Stamps `fields` with the times at which this pass resolved them.
    pub(super) fn stamp(&mut self, fields: &mut [Field]) {
        for field in fields {
            self.work();
            field.resolved_at = self.now;
        }
    }
}

/// A field named `name` that is unknown because of `cause`.
pub(super) fn unknown(name: &'static str, cause: Cause) -> Field {
    Field {
        name,
        state: FieldState::Unknown(cause),
        resolved_at: Timestamp::default(),
    }
}
