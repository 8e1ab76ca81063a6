//! What may still take a looked-up value away: the field policy, then its schema.

use preflight_record::{Field, FieldStatus, Presence};

use crate::{
    Hooks, Preflight, Run, Validity, draft::given, hook::guarded_answer, lookup::Baseline,
};

impl<H: Hooks> Preflight<H> {
    /// Looks a field up, and checks what was found.
    pub(crate) async fn settle_field(
        &self,
        field: &mut Field<'static>,
        run: &Run<'_>,
        baseline: &mut Baseline,
    ) {
        self.look_up(field, run, baseline).await;
        field.resolved_at = Presence::Given(self.stamp());
        if field.lookup_failed != Presence::Given(true) {
            self.apply_policy(field, run).await;
            self.apply_schema(field, run).await;
        }
    }

    async fn apply_policy(&self, field: &mut Field<'static>, run: &Run<'_>) {
        let Some(policy) = &self.parts.policy else {
            return;
        };
        let decision = guarded_answer(run.watch, || policy.apply(field, run));
        let note = match decision.await {
            Ok(Some(decision)) => {
                if decision.demote {
                    demote(field);
                }
                if let Some(note) = decision.note {
                    field.note = given(note);
                }
                if decision.pending && field.status == FieldStatus::Unknown {
                    field.pending_at_trigger = Presence::Given(true);
                }
                return;
            }
            Ok(None) => "field policy hook did not return a valid FieldRecord".to_owned(),
            Err(error) => format!("field policy hook failed: {error}"),
        };
        demote(field);
        field.note = given(note);
    }

    async fn apply_schema(&self, field: &mut Field<'static>, run: &Run<'_>) {
        let (Some(schema), Some(value)) = (&self.parts.field_schema, field.value.given()) else {
            return;
        };
        let validate = || schema.validate(&field.name, value, run);
        let violation = match guarded_answer(run.watch, validate).await {
            Ok(Some(Validity::Fits)) => return,
            Ok(Some(Validity::Violates(reason))) => reason,
            Ok(None) => "validation hook returned nothing".to_owned(),
            Err(error) => format!("validation hook failed: {error}"),
        };
        let source = field.source.given().map_or("unknown", |source| source);
        let note = format!("schema violation (source {source}): {violation}");
        demote(field);
        field.pending_at_trigger = Presence::Given(false);
        field.note = given(note);
    }
}

/// Takes the value away. Where it came from first stays on record.
fn demote(field: &mut Field<'static>) {
    field.status = FieldStatus::Unknown;
    field.value = Presence::Absent;
    field.source = Presence::Null;
}
