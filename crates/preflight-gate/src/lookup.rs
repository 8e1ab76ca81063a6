//! Where a field's value comes from: five sources in a fixed order, and none is invented.

use std::sync::Arc;

use preflight_record::{Decision, Field, FieldStatus, JsonText, Overflow, Presence, Record};

use crate::{Hooks, Preflight, Run, draft::given, hook::guarded};

/// The baseline of a run, asked of the store once and only when a field gets that far.
pub(crate) struct Baseline {
    asked: Option<Result<Option<Arc<Record<'static>>>, String>>,
}

impl Baseline {
    /// The baseline that the caller brought, if it is one.
    pub(crate) fn new(run: &Run<'_>) -> Self {
        let brought = run.input.prior.as_ref();
        Self {
            asked: brought.map(|record| Ok(Some(Arc::clone(record)))),
        }
    }
}

impl<H: Hooks> Preflight<H> {
    /// Looks a field up, in order. The first source that has it settles it; one that fails settles
    /// it as unknown, since a later source could answer for what the earlier one would have said.
    pub(crate) async fn look_up(
        &self,
        name: &str,
        run: &Run<'_>,
        baseline: &mut Baseline,
    ) -> Field<'static> {
        let input = run.input;
        if let Some(value) = input.user_answers.get(name) {
            return self.known(name, value, "user_answer");
        }
        let extract = async { self.hooks.extract_from_instruction(name, run).await };
        match guarded(self.parts.hook_timeout, extract).await {
            Err(error) => return self.failed(name, "instruction", error.message()),
            Ok(Some(found)) if found.is_grounded(&input.instruction) => {
                return self.known(name, &found.value, "instruction");
            }
            Ok(_) => {}
        }
        if let Some(value) = input
            .pre_set_data
            .get(name)
            .and_then(|pre_set| pre_set.trusted())
        {
            return self.known(name, value, "pre_set_data");
        }
        let measure = async { self.hooks.measure_from_environment(name, run).await };
        match guarded(self.parts.hook_timeout, measure).await {
            Err(error) => return self.failed(name, "measured_data", error.message()),
            Ok(measurement) => {
                if let Some(value) = measurement.and_then(|m| m.reliable()) {
                    return self.known(name, &value, "measured_data");
                }
            }
        }
        match self.baseline(run, baseline).await {
            Err(error) => self.failed(name, "prior_state", error),
            Ok(record) => match record.and_then(|record| inherit(record, name)) {
                Some(field) => Field {
                    resolved_at: Presence::Given(self.stamp()),
                    ..field
                },
                None => self.unknown(name),
            },
        }
    }

    async fn baseline<'b>(
        &self,
        run: &Run<'_>,
        baseline: &'b mut Baseline,
    ) -> Result<Option<&'b Record<'static>>, &'b str> {
        if baseline.asked.is_none() {
            let loaded = match run.action_key {
                Some(key) => self
                    .parts
                    .store
                    .load(key)
                    .await
                    .map_err(|error| error.to_string()),
                None => Ok(None),
            };
            baseline.asked = Some(loaded);
        }
        match &baseline.asked {
            Some(Ok(record)) => Ok(record.as_deref()),
            Some(Err(error)) => Err(error),
            None => Ok(None),
        }
    }

    fn known(&self, name: &str, value: &JsonText, source: &'static str) -> Field<'static> {
        Field {
            value: given(value.as_str().to_owned()),
            status: FieldStatus::Known,
            source: given(source),
            origin_source: given(source),
            ..self.unknown(name)
        }
    }

    fn unknown(&self, name: &str) -> Field<'static> {
        Field {
            name: name.to_owned().into(),
            value: Presence::Absent,
            status: FieldStatus::Unknown,
            source: Presence::Null,
            origin_source: Presence::Null,
            pending_at_trigger: Presence::Absent,
            lookup_failed: Presence::Absent,
            diag_note: Presence::Absent,
            note: Presence::Absent,
            resolved_at: Presence::Given(self.stamp()),
            overflow: Overflow::default(),
        }
    }

    fn failed(&self, name: &str, tier: &str, error: &str) -> Field<'static> {
        Field {
            lookup_failed: Presence::Given(true),
            pending_at_trigger: Presence::Given(false),
            note: given(format!("lookup hook failed (tier: {tier})")),
            diag_note: given(error.to_owned()),
            ..self.unknown(name)
        }
    }
}

/// A field of the baseline: its source becomes `prior_state`, its origin stays what it was.
fn inherit(baseline: &Record<'static>, name: &str) -> Option<Field<'static>> {
    if baseline.execution_decision != Decision::Executed {
        return None;
    }
    let field = baseline
        .fields
        .given()?
        .iter()
        .find(|field| field.name == name)?;
    if field.status != FieldStatus::Known || is_masked(field) {
        return None;
    }
    let value = field.value.given()?.clone();
    Some(Field {
        name: field.name.clone(),
        value: Presence::Given(value),
        status: FieldStatus::Known,
        source: given("prior_state"),
        origin_source: field.origin_source.clone(),
        pending_at_trigger: Presence::Absent,
        lookup_failed: Presence::Absent,
        diag_note: Presence::Absent,
        note: Presence::Absent,
        resolved_at: Presence::Absent,
        overflow: Overflow::default(),
    })
}

/// A masked value is no value: its digest must not be sent as an argument.
fn is_masked(field: &Field<'_>) -> bool {
    field
        .overflow
        .iter()
        .any(|(key, _)| key == crate::masking::MASKED)
}
