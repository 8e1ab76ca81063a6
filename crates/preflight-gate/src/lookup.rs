//! Where a field's value comes from: five sources in a fixed order, and none is invented.

use std::sync::Arc;

use preflight_record::{Decision, Field, FieldStatus, JsonText, Overflow, Presence, Record};

use crate::{Hooks, Preflight, Run, draft::given, hook::guarded};

/// The baseline of a run, asked of the store once and only when a field gets that far.
pub(crate) struct Baseline {
    asked: Option<Result<Option<Arc<Record<'static>>>, String>>,
}

impl Baseline {
    /// The baseline that the caller brought, if it is one; `strict` takes only one of this key.
    pub(crate) fn new(run: &Run<'_>, strict: bool) -> Self {
        let of_key = |record: &Arc<Record<'static>>| {
            record.action_key.given().map(|key| &**key) == run.action_key
        };
        let brought = run.input.prior.as_ref();
        let asked = brought.map(|record| match strict && !of_key(record) {
            true => Ok(None),
            false => Ok(Some(Arc::clone(record))),
        });
        Self { asked }
    }
}

impl<H: Hooks> Preflight<H> {
    /// Looks a field up, in order. The first source that has it settles it; one that fails settles
    /// it as unknown, since a later source could answer for what the earlier one would have said.
    pub(crate) async fn look_up(
        &self,
        field: &mut Field<'static>,
        run: &Run<'_>,
        baseline: &mut Baseline,
    ) {
        let input = run.input;
        if let Some(value) = input.user_answers.get(&*field.name) {
            return know(field, value, "user_answer");
        }
        let extract = async { self.hooks.extract_from_instruction(&field.name, run).await };
        match guarded(run.watch, extract).await {
            Err(error) => return fail(field, "instruction", error.message()),
            Ok(Some(found)) if found.is_grounded(&input.instruction) => {
                return know(field, &found.value, "instruction");
            }
            Ok(_) => {}
        }
        let pre_set = input.pre_set_data.get(&*field.name);
        if let Some(value) = pre_set.and_then(|pre_set| pre_set.trusted()) {
            return know(field, value, "pre_set_data");
        }
        let measure = async { self.hooks.measure_from_environment(&field.name, run).await };
        match guarded(run.watch, measure).await {
            Err(error) => return fail(field, "measured_data", error.message()),
            Ok(measurement) => {
                if let Some(value) = measurement.and_then(|m| m.reliable()) {
                    return know(field, &value, "measured_data");
                }
            }
        }
        match self.baseline(run, baseline).await {
            Err(error) => fail(field, "prior_state", error),
            Ok(Some(record)) => inherit(field, record),
            Ok(None) => {}
        }
    }

    async fn baseline<'b>(
        &self,
        run: &Run<'_>,
        baseline: &'b mut Baseline,
    ) -> Result<Option<&'b Record<'static>>, &'b str> {
        if baseline.asked.is_none() {
            let loaded = match run.action_key {
                Some(key) => self.load(key).await.map_err(|error| error.to_string()),
                None => Ok(None),
            };
            run.watch.restart();
            baseline.asked = Some(loaded);
        }
        match &baseline.asked {
            Some(Ok(record)) => Ok(record.as_deref()),
            Some(Err(error)) => Err(error),
            None => Ok(None),
        }
    }
}

/// A field that nothing was found for yet.
pub(crate) fn unknown(name: &str) -> Field<'static> {
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
        resolved_at: Presence::Absent,
        overflow: Overflow::default(),
    }
}

fn know(field: &mut Field<'static>, value: &JsonText, source: &'static str) {
    field.value = given(value.as_str().to_owned());
    field.status = FieldStatus::Known;
    field.source = given(source);
    field.origin_source = given(source);
}

fn fail(field: &mut Field<'static>, tier: &str, error: &str) {
    field.lookup_failed = Presence::Given(true);
    field.pending_at_trigger = Presence::Given(false);
    field.note = given(format!("lookup hook failed (tier: {tier})"));
    field.diag_note = given(error.to_owned());
}

/// Takes a field over from the baseline: its source becomes `prior_state`, its origin stays what it
/// was.
fn inherit(field: &mut Field<'static>, baseline: &Record<'static>) {
    if baseline.execution_decision != Decision::Executed {
        return;
    }
    let fields = baseline.fields.given().map_or(&[][..], Vec::as_slice);
    let Some(held) = fields.iter().find(|held| held.name == field.name) else {
        return;
    };
    // A value that is absent was not held, and a masked one is no value: its digest must not be
    // sent as an argument.
    if held.status == FieldStatus::Known && held.value.given().is_some() && !is_masked(held) {
        field.value = held.value.clone();
        field.status = FieldStatus::Known;
        field.source = given("prior_state");
        field.origin_source = held.origin_source.clone();
    }
}

fn is_masked(field: &Field<'_>) -> bool {
    field
        .overflow
        .iter()
        .any(|(key, _)| key == crate::masking::MASKED)
}
