//! Every finding against another run of the rules.

use std::{collections::BTreeMap, fmt};

use serde::Serialize;

use crate::{CaseFinding, findings::keyed, replay::Replay};

/// A finding, and what another run says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FindingResult {
    /// The outcome.
    pub outcome: FindingOutcome,
    /// The finding as the case has it; of the other run where the case does not have it.
    #[serde(flatten)]
    pub finding: CaseFinding,
}

/// What another run says of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingOutcome {
    /// The same.
    Reproduced,
    /// The same rule, record and field, in other words or with another severity or version.
    Differs,
    /// The records alone do not lead to it.
    NotReproduced,
    /// The records alone lead to it, and the case does not have it.
    New,
    /// The rules could not be run again.
    NotChecked,
    /// The rule looks at whole logs, and a case has some of their records.
    NeedsLog,
}

impl FindingOutcome {
    /// Whether it speaks against nothing.
    pub fn is_fine(self) -> bool {
        matches!(self, Self::Reproduced | Self::NeedsLog)
    }
}

impl fmt::Display for FindingOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Reproduced => "reproduced",
            Self::Differs => "differs",
            Self::NotReproduced => "not reproduced",
            Self::New => "new",
            Self::NotChecked => "not checked",
            Self::NeedsLog => "needs the log",
        })
    }
}

/// Findings of which nothing can be said.
pub(super) fn not_checked(expected: Vec<CaseFinding>) -> Vec<FindingResult> {
    let results = expected.into_iter().map(|finding| FindingResult {
        outcome: FindingOutcome::NotChecked,
        finding,
    });
    results.collect()
}

pub(super) fn compare(
    expected: Vec<CaseFinding>,
    replay: &Replay,
    with_ids: bool,
    of_seals: &[String],
) -> Vec<FindingResult> {
    let mut found: BTreeMap<_, _> = keyed(&replay.findings).into_iter().collect();
    let mut results: Vec<FindingResult> = keyed(&expected)
        .into_iter()
        .map(|(key, finding)| FindingResult {
            outcome: match found.remove(&key) {
                None if of_seals.contains(&finding.code) => FindingOutcome::NeedsLog,
                None => FindingOutcome::NotReproduced,
                Some(again) if finding.says_the_same(again, with_ids) => FindingOutcome::Reproduced,
                Some(_) => FindingOutcome::Differs,
            },
            finding: finding.clone(),
        })
        .collect();
    results.extend(found.into_values().map(|finding| FindingResult {
        outcome: FindingOutcome::New,
        finding: finding.clone(),
    }));
    results
}
