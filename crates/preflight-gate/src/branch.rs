//! Which branch of a root `oneOf` a run takes: what is grounded picks it.

use std::collections::HashSet;

use indexmap::IndexSet;
use preflight_record::{Decision, Field, FieldStatus, Gate, GateDiag, Presence, Record};

use crate::{
    argument_plan::Fields,
    draft::{gate, given},
    json, messages,
};

/// A choice that only the user can make.
#[derive(Debug, PartialEq)]
pub(crate) struct Open {
    kind: &'static str,
    message: &'static str,
    options: Vec<String>,
}

/// Keeps the root's fields and those of the one branch that fits: the only one complete, else the
/// only one begun. The other branches' fields are not sent.
pub(crate) fn choose(plan: &Fields, fields: &mut Vec<Field<'static>>) -> Result<(), Open> {
    if plan.branches.is_empty() {
        return Ok(());
    }
    let is_known = |field: &&Field<'_>| field.status == FieldStatus::Known;
    let known = fields.iter().filter(is_known).map(|field| &*field.name);
    let known: HashSet<&str> = known.collect();
    let known = |name: &String| known.contains(name.as_str());
    let complete = only(plan, |branch| branch.iter().all(known));
    let begun = only(plan, |branch| branch.iter().any(known));
    let chosen = match (complete, begun) {
        (Fitting::One(branch), _) | (Fitting::None, Fitting::One(branch)) => branch,
        (Fitting::Many, _) => {
            return Err(open(plan, "branch_conflict", messages::BRANCH_CONFLICT));
        }
        (Fitting::None, _) => {
            return Err(open(plan, "branch_unresolved", messages::BRANCH_UNRESOLVED));
        }
    };
    fields.retain(|field| plan.required.contains(&*field.name) || chosen.contains(&*field.name));
    Ok(())
}

enum Fitting<'a> {
    None,
    One(&'a IndexSet<String>),
    Many,
}

fn only(plan: &Fields, fits: impl Fn(&IndexSet<String>) -> bool) -> Fitting<'_> {
    let mut fitting = plan.branches.iter().filter(|branch| fits(branch));
    match (fitting.next(), fitting.next()) {
        (None, _) => Fitting::None,
        (Some(branch), None) => Fitting::One(branch),
        (Some(_), Some(_)) => Fitting::Many,
    }
}

fn open(plan: &Fields, kind: &'static str, message: &'static str) -> Open {
    let option =
        |branch: &IndexSet<String>| json::array(branch.iter().map(|name| json::string(name)));
    Open {
        kind,
        message,
        options: plan.branches.iter().map(option).collect(),
    }
}

impl Open {
    /// Puts the question on a record. Which fields are required is undecided, so none stand there.
    pub(crate) fn describe(self, record: &mut Record<'static>) {
        record.execution_decision = Decision::AskUser;
        record.reason = given(format!(
            "ask_user: {} ({} options)",
            self.kind,
            self.options.len()
        ));
        record.gate = Presence::Given(Gate {
            branch_options: Presence::Given(self.options.into_iter().map(Into::into).collect()),
            diag: Presence::Given(GateDiag {
                reason: given(self.kind),
                ..GateDiag::default()
            }),
            ..gate(self.kind, self.message)
        });
    }
}
