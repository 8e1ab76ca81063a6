//! What may still take a looked-up value away: the field policy, then its schema.

use preflight_record::{Field, FieldStatus, Presence};

use crate::{Hooks, Preflight, Run, Validity, draft::given, hook::guarded, lookup::Baseline};

impl<H: Hooks> Preflight<H> {
    /// A field, looked up and checked.
    pub(crate) async fn settle_field(
        &self,
        name: &str,
        run: &Run<'_>,
        baseline: &mut Baseline,
    ) -> Field<'static> {
        let mut field = self.look_up(name, run, baseline).await;
        if field.lookup_failed == Presence::Given(true) {
            return field;
        }
        self.apply_policy(&mut field, run).await;
        self.apply_schema(&mut field, run).await;
        field
    }

    async fn apply_policy(&self, field: &mut Field<'static>, run: &Run<'_>) {
        let Some(policy) = &self.parts.policy else {
            return;
        };
        let decision = guarded(self.parts.hook_timeout, async {
            policy.apply(field, run).await
        });
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
        let validate = async { schema.validate(&field.name, value, run).await };
        let violation = match guarded(self.parts.hook_timeout, validate).await {
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
