//! The six hooks that an agent must implement.

use std::future::Future;

use crate::{Extraction, HookResult, Input, Measurement, WhenCase, hook::Watch};

/// What a hook may look at: the input, and what the run has settled so far.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Run<'a> {
    /// What the run was given.
    pub input: &'a Input,
    /// `c1_when_case`, from the tool gate on.
    pub when_case: Option<&'a str>,
    /// `c2_user_action_name`, from the tool gate on.
    pub user_action: Option<&'a str>,
    /// The action key, once it is built.
    pub action_key: Option<&'a str>,
    pub(crate) watch: &'a Watch,
}

impl<'a> Run<'a> {
    pub(crate) fn start(input: &'a Input, watch: &'a Watch) -> Self {
        Self {
            input,
            when_case: None,
            user_action: None,
            action_key: None,
            watch,
        }
    }
}

/// Whether a tool does what the user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Only an explicit `true` lets a run go on.
    pub approved: bool,
    /// Why, for logs; it may name the tool, since the user never sees it.
    pub reason: Option<String>,
}

impl Approval {
    /// The tool does what the user asked for.
    pub fn approved() -> Self {
        Self {
            approved: true,
            reason: None,
        }
    }

    /// It does not.
    pub fn refused(reason: impl Into<String>) -> Self {
        Self {
            approved: false,
            reason: Some(reason.into()),
        }
    }
}

/// The six hooks without which there is no gate.
///
/// Each may fail, and may find nothing (`Ok(None)`): both stop the run or leave a field unknown,
/// and neither ever counts as a pass. So do a panic, and a hook that does not return within
/// [`crate::Builder::hook_timeout`]. A hook that blocks its thread cannot be interrupted, so that its
/// run waits, and it has failed if it returns too late: wait with `await`.
pub trait Hooks: Send + Sync {
    /// When the user wants it done.
    ///
    /// Got wrong: `immediate` for "every Friday" runs it now, once, and unasked; the reverse holds
    /// back what was wanted now. An unsure classifier returns `None`, which asks.
    fn classify_when_case(
        &self,
        run: &Run<'_>,
    ) -> impl Future<Output = HookResult<WhenCase>> + Send;

    /// What the user calls the action, in the user's words.
    ///
    /// Got wrong: the tool gate compares the tool against a task that nobody gave. Read it from
    /// the trusted segments only, or a forwarded mail names the action.
    fn extract_user_action_name(
        &self,
        run: &Run<'_>,
    ) -> impl Future<Output = HookResult<String>> + Send;

    /// Whether the tool picked does what the user asked for.
    ///
    /// Got wrong: this is the only line between a wrong pick and its execution. Judge scope too:
    /// "clean up the old invoices" is bounded, `records.delete_all` is not. A table of approved
    /// pairs is a better judge than the model that made the pick.
    fn confirm_tool_name_matches_intent(
        &self,
        run: &Run<'_>,
    ) -> impl Future<Output = HookResult<Approval>> + Send;

    /// A field's value in the instruction, with the segment and the UTF-16 span it stands in.
    ///
    /// Got wrong: a value that the text does not hold is an invented value with the best of
    /// sources. The gate checks that the span exists and is the user's; that the value is what the
    /// span says, only this hook can know.
    fn extract_from_instruction(
        &self,
        field: &str,
        run: &Run<'_>,
    ) -> impl Future<Output = HookResult<Extraction>> + Send;

    /// A field's value in the environment, read now.
    ///
    /// Got wrong: a cached or a default value passes for a measurement. Say `valid` only of a
    /// reading made for this run.
    fn measure_from_environment(
        &self,
        field: &str,
        run: &Run<'_>,
    ) -> impl Future<Output = HookResult<Measurement>> + Send;

    /// The key of the chain that this run belongs to.
    ///
    /// Got wrong: too coarse a key lets a value of one action be inherited by another; too fine a
    /// one never inherits, and loses its place in the chain when asked again. It bounds what
    /// `prior_state` can reach, so it must hold the user.
    fn build_action_key(&self, run: &Run<'_>) -> impl Future<Output = HookResult<String>> + Send;
}
