//! Findings that somebody decided to set aside: counted and listed, never silently gone.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::{RulePack, Standings, Status, is_like};

/// A decision to set findings aside. What is given must all fit; `*` stands for any text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Suppression {
    /// Code or name of a rule.
    pub rule: Option<String>,
    /// Tool of the record.
    pub tool: Option<String>,
    /// Chain of the record.
    pub action_key: Option<String>,
    /// Field of the finding.
    pub field: Option<String>,
    /// Id of one finding.
    pub finding: Option<String>,
    /// Why.
    pub reason: String,
    /// Who decided.
    pub who: String,
    /// Until when, as it is written.
    pub expires: Option<String>,
    /// The same in microseconds since 1970.
    #[serde(skip)]
    pub expires_at: Option<i64>,
    /// Line in the file that it stands on, from 1.
    pub line: usize,
}

/// The decisions of a file, the first that fits being the one that counts.
#[derive(Debug, Clone, Default)]
pub struct Suppressions {
    file: String,
    entries: Vec<Suppression>,
}

/// What became of a decision in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SuppressionUse {
    /// The file.
    pub file: String,
    /// The decision.
    #[serde(flatten)]
    pub entry: Suppression,
    /// How many findings it sets aside; those that it would if it had not expired, else.
    pub findings: u64,
    /// Whether it no longer holds.
    pub expired: bool,
    /// Whether the rules ran that it may be about.
    pub tried: bool,
}

impl SuppressionUse {
    /// What to tell of a decision that has expired or is of no use.
    pub fn warning(&self) -> Option<String> {
        let Self { file, entry, .. } = self;
        let place = format!("{file}:{}", entry.line);
        let said = format!("{} ({})", entry.reason, entry.who);
        match (self.expired, self.findings, self.tried) {
            (_, 0, false) | (false, 1.., _) => None,
            (_, 0, true) => Some(format!("{place}: sets nothing aside: {said}")),
            (true, findings, _) => {
                let expires = entry.expires.as_deref().unwrap_or_default();
                let s = if findings == 1 { "" } else { "s" };
                Some(format!(
                    "{place}: expired ({expires}), and would set {findings} finding{s} aside: {said}"
                ))
            }
        }
    }
}

/// The parts of a finding that a decision may name.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'f> {
    pub(crate) id: &'f str,
    pub(crate) code: &'f str,
    pub(crate) name: &'f str,
    pub(crate) tool: Option<&'f str>,
    pub(crate) action_key: Option<&'f str>,
    pub(crate) field: Option<&'f str>,
}

impl Suppression {
    fn fits(&self, subject: Subject<'_>) -> bool {
        let any = |wanted: &Option<String>, found: Option<&str>| match wanted {
            None => true,
            Some(pattern) => found.is_some_and(|found| is_like(pattern, found)),
        };
        let is_rule =
            |rule: &String| rule.eq_ignore_ascii_case(subject.code) || rule == subject.name;
        self.rule.as_ref().is_none_or(is_rule)
            && self.finding.as_ref().is_none_or(|id| id == subject.id)
            && any(&self.tool, subject.tool)
            && any(&self.action_key, subject.action_key)
            && any(&self.field, subject.field)
    }

    fn is_expired(&self, now: i64) -> bool {
        self.expires_at.is_some_and(|expires| expires < now)
    }

    /// Reason and who, in one line.
    pub(crate) fn said(&self) -> String {
        let until = self
            .expires
            .as_ref()
            .map(|until| format!(", until {until}"));
        format!(
            "{} ({}{})",
            self.reason,
            self.who,
            until.unwrap_or_default()
        )
    }
}

impl Suppressions {
    pub(crate) fn new(file: String, entries: Vec<Suppression>) -> Self {
        Self { file, entries }
    }

    /// The decisions, in the order of the file.
    pub fn entries(&self) -> &[Suppression] {
        &self.entries
    }

    /// Checks that the rules that are named exist.
    ///
    /// # Errors
    ///
    /// One does not: its place and the nearest name.
    pub fn check(&self, pack: &RulePack) -> Result<(), String> {
        let unknown = |entry: &&Suppression| {
            entry
                .rule
                .as_ref()
                .is_some_and(|rule| pack.rule(rule).is_none())
        };
        let Some(entry) = self.entries.iter().find(unknown) else {
            return Ok(());
        };
        let rule = entry.rule.as_deref().unwrap_or_default();
        let names = pack.rules().flat_map(|rule| [&*rule.code, &*rule.name]);
        let near = crate::nearest_name(rule, names);
        let near = near.map(|near| format!("; did you mean {near}?"));
        Err(format!(
            "{}:{}: no rule is called {rule:?}{}",
            self.file,
            entry.line,
            near.unwrap_or_default()
        ))
    }
}

/// Applies decisions to findings and keeps count.
pub(crate) struct Triage {
    suppressions: Suppressions,
    standings: Standings,
    now: i64,
    used: Vec<u64>,
}

impl Triage {
    pub(crate) fn new(suppressions: Suppressions, standings: Standings) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            used: vec![0; suppressions.entries.len()],
            now: now.map_or(0, |now| now.as_micros() as i64),
            suppressions,
            standings,
        }
    }

    /// The status of a finding, and who works on it.
    pub(crate) fn standing(&self, id: &str) -> (Status, Option<String>) {
        let standing = id.parse().ok().and_then(|id| self.standings.get(id));
        match standing {
            Some(standing) => (standing.status_at(self.now), standing.assignee.clone()),
            None => (Status::Open, None),
        }
    }

    /// The decision that sets a finding aside.
    pub(crate) fn judge(&mut self, subject: Subject<'_>) -> Option<&Suppression> {
        let mut held = None;
        for (at, entry) in self.suppressions.entries.iter().enumerate() {
            if entry.fits(subject) {
                let expired = entry.is_expired(self.now);
                if expired || held.is_none() {
                    self.used[at] += 1;
                }
                if !expired && held.is_none() {
                    held = Some(entry);
                }
            }
        }
        held
    }

    /// What became of the decisions, in a run of the rules of `pack`.
    pub(crate) fn uses(self, pack: &RulePack) -> Vec<SuppressionUse> {
        let Suppressions { file, entries } = self.suppressions;
        let uses = entries.into_iter().zip(self.used);
        uses.map(|(entry, findings)| SuppressionUse {
            file: file.clone(),
            tried: match entry.rule.as_ref().and_then(|rule| pack.rule(rule)) {
                Some(rule) => pack.runs(&rule.code),
                None => pack.is_whole(),
            },
            expired: entry.is_expired(self.now),
            entry,
            findings,
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(line: usize) -> Suppression {
        Suppression {
            rule: None,
            tool: None,
            action_key: None,
            field: None,
            finding: None,
            reason: "a reason".to_owned(),
            who: "somebody".to_owned(),
            expires: None,
            expires_at: None,
            line,
        }
    }

    const SUBJECT: Subject<'_> = Subject {
        id: "88e4",
        code: "CU001",
        name: "condition_unmet",
        tool: Some("deploy.rollout"),
        action_key: None,
        field: Some("chk_hours"),
    };

    #[test]
    fn all_that_is_given_must_fit() {
        let some = |text: &str| Some(text.to_owned());
        let fits = |change: &dyn Fn(&mut Suppression)| {
            let mut entry = entry(1);
            change(&mut entry);
            entry.fits(SUBJECT)
        };
        assert!(fits(&|e| e.rule = some("cu001")));
        assert!(fits(
            &|e| (e.rule, e.tool) = (some("condition_unmet"), some("deploy.*"))
        ));
        assert!(!fits(
            &|e| (e.rule, e.tool) = (some("condition_unmet"), some("shop.*"))
        ));
        assert!(
            !fits(&|e| e.action_key = some("*")),
            "no key is not any key"
        );
        assert!(!fits(&|e| e.finding = some("88e")), "an id is whole");
    }

    #[test]
    fn the_first_that_holds_counts_and_expired_ones_are_told() {
        let mut expired = entry(1);
        expired.expires_at = Some(0);
        let entries = vec![expired, entry(2), entry(3)];
        let mut triage = Triage::new(
            Suppressions::new("f".to_owned(), entries),
            Standings::default(),
        );
        assert_eq!(triage.judge(SUBJECT).map(|entry| entry.line), Some(2));
        let uses = triage.uses(&RulePack::default());
        let uses = uses.iter().map(|used| (used.findings, used.expired));
        assert_eq!(
            uses.collect::<Vec<_>>(),
            [(1, true), (1, false), (0, false)]
        );
    }
}
