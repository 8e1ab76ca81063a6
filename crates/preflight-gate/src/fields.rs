//! The second gate's provider half: every field that the tool requires, and those it may take.

use preflight_record::{Field, FieldStatus, Presence};

use crate::{
    Hooks, Judgement, Preflight, Run,
    argument_plan::Fields,
    branch,
    draft::{Draft, Phase},
    lookup::{Baseline, unknown},
};

/// The fields of a run.
pub(crate) struct Found {
    /// What the tool requires.
    pub(crate) required: Vec<Field<'static>>,
    /// What it takes beyond that; never blocks.
    pub(crate) extra: Vec<Field<'static>>,
}

impl<H: Hooks> Preflight<H> {
    /// Looks up all fields, and decides.
    pub(crate) async fn judge_fields(
        &self,
        mut draft: Draft,
        phase: Phase,
        run: &Run<'_>,
        plan: &Fields,
    ) -> Judgement {
        let mut baseline = Baseline::new(run, self.parts.strict);
        let candidates = plan.candidates.iter();
        let mut required: Vec<_> = candidates.map(|name| unknown(name)).collect();
        for field in &mut required {
            self.settle_field(field, run, &mut baseline).await;
        }
        if let Err(open) = branch::choose(plan, &mut required) {
            open.describe(&mut draft);
            return self.finish(draft);
        }
        let mut extra: Vec<_> = plan.optional.iter().map(|name| unknown(name)).collect();
        for field in &mut extra {
            self.settle_field(field, run, &mut baseline).await;
        }
        if self.parts.routes {
            crate::routes::assign(plan, &mut required);
        }
        let found = Found { required, extra };
        match phase {
            Phase::AtInstruction => {
                found.defer_or_ask(&mut draft, run);
                self.finish(draft)
            }
            Phase::AtTrigger => self.judge_call(draft, run, found).await,
        }
    }
}

impl Found {
    /// Fields that no source answered, excused or not.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = &Field<'static>> {
        self.required
            .iter()
            .filter(|field| field.status == FieldStatus::Unknown)
    }

    /// How many fields are excused until trigger time.
    pub(crate) fn pending(&self) -> usize {
        self.unknown().filter(|field| is_pending(field)).count()
    }

    /// Required and optional fields that are known, with their JSON text: what would be sent.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.required.iter().chain(&self.extra);
        fields.filter_map(|field| Some((&*field.name, &**field.value.given()?)))
    }

    /// The optional fields worth a line: those known, and those that something took away.
    pub(crate) fn extra_json(&self) -> Option<String> {
        let told =
            |field: &&Field<'_>| field.status == FieldStatus::Known || field.note.given().is_some();
        let extra: Vec<String> = self.extra.iter().filter(told).map(Field::to_json).collect();
        (!extra.is_empty()).then(|| crate::json::array(extra))
    }
}

pub(crate) fn is_pending(field: &Field<'_>) -> bool {
    field.pending_at_trigger == Presence::Given(true)
}
