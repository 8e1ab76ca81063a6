//! The second gate's user half: each condition, verified right before execution.

use preflight_record::{ChecklistItem, ChecklistStatus, Presence};

use crate::{Hooks, Preflight, Run, Verification, draft::given, hook::guarded_answer};

impl<H: Hooks> Preflight<H> {
    /// The checklist with what was found now. What an item said of itself before is not looked at.
    pub(crate) async fn verify_checklist(&self, run: &Run<'_>) -> Vec<ChecklistItem<'static>> {
        let mut checked = Vec::with_capacity(run.input.user_checklist.len());
        for item in &run.input.user_checklist {
            checked.push(self.verify_item(item, run).await);
        }
        checked
    }

    async fn verify_item(
        &self,
        item: &ChecklistItem<'static>,
        run: &Run<'_>,
    ) -> ChecklistItem<'static> {
        let Some(verifier) = &self.parts.checklist else {
            return self.found(item, Verification::unverified(UNIMPLEMENTED));
        };
        let verify = || verifier.verify(item, run);
        match guarded_answer(run.watch, verify).await {
            Ok(Some(verification)) => self.found(item, verification),
            Ok(None) => bare(item),
            Err(error) => {
                let note = format!("checklist verification hook failed: {error}");
                self.found(item, Verification::unverified(note))
            }
        }
    }

    fn found(&self, item: &ChecklistItem<'static>, found: Verification) -> ChecklistItem<'static> {
        let verified = found.status == ChecklistStatus::Verified;
        let verified_at = match found.verified_at {
            Presence::Absent if verified => Presence::Given(self.stamp()),
            other => other,
        };
        ChecklistItem {
            status: Presence::Given(found.status),
            source: text(found.source),
            verified_at,
            note: text(found.note),
            ..bare(item)
        }
    }
}

/// What a verifier says of an item that it has no check for.
pub(crate) const UNIMPLEMENTED: &str = "verification hook not implemented (default)";

/// The item without any finding.
fn bare(item: &ChecklistItem<'static>) -> ChecklistItem<'static> {
    ChecklistItem {
        id: item.id.clone(),
        description: item.description.clone(),
        status: Presence::Given(ChecklistStatus::Unverified),
        overflow: item.overflow.clone(),
        ..ChecklistItem::default()
    }
}

fn text(text: Presence<String>) -> Presence<std::borrow::Cow<'static, str>> {
    match text {
        Presence::Absent => Presence::Absent,
        Presence::Null => Presence::Null,
        Presence::Given(text) => given(text),
    }
}
