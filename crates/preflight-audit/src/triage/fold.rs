//! Where each finding stands after all decisions.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    str::FromStr,
};

use super::{Action, Decision, FindingId};

/// Where a finding stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Status {
    /// Nobody has looked at it.
    #[default]
    Open,
    /// Somebody has.
    Acknowledged,
    /// It rests for a while.
    Snoozed,
    /// It is no fault.
    FalsePositive,
    /// It is dealt with.
    Done,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Open,
        Self::Acknowledged,
        Self::Snoozed,
        Self::FalsePositive,
        Self::Done,
    ];

    /// The name in filters, tables and SQL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Acknowledged => "acknowledged",
            Self::Snoozed => "snoozed",
            Self::FalsePositive => "false_positive",
            Self::Done => "done",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Status {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|status| status.as_str() == text);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join(", ");
            format!("{text:?} is no status: {names} are")
        })
    }
}

/// All that was decided about a finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Standing {
    status: Status,
    snoozed_until: Option<i64>,
    /// Who works on it.
    pub assignee: Option<String>,
    /// Why it is a false positive.
    pub reason: Option<String>,
    /// The latest remark.
    pub note: Option<String>,
    /// Who decided last.
    pub who: Option<String>,
    /// When, in microseconds since 1970.
    pub at: Option<i64>,
}

impl Standing {
    /// The status at a time, in microseconds since 1970: a snooze ends by itself.
    pub fn status_at(&self, now: i64) -> Status {
        match self.snoozed_until(now) {
            Some(_) => Status::Snoozed,
            None => self.status,
        }
    }

    /// Until when it rests, if it does at a time; both in microseconds since 1970.
    pub fn snoozed_until(&self, now: i64) -> Option<i64> {
        self.snoozed_until.filter(|until| *until > now)
    }

    fn apply(&mut self, decision: &Decision) {
        let settle = |standing: &mut Self, status| {
            standing.status = status;
            standing.snoozed_until = None;
        };
        match &decision.action {
            Action::Acknowledge => settle(self, Status::Acknowledged),
            Action::FalsePositive => settle(self, Status::FalsePositive),
            Action::Done => settle(self, Status::Done),
            Action::Reopen => settle(self, Status::Open),
            Action::Snooze => {
                // What was closed is open again when it wakes.
                if matches!(self.status, Status::FalsePositive | Status::Done) {
                    self.status = Status::Open;
                }
                self.snoozed_until = decision.until_micros();
            }
            Action::Assign => self.assignee = decision.assignee.clone(),
            Action::Note => {}
            Action::Undo | Action::Other(_) => return,
        }
        if matches!(decision.action, Action::FalsePositive) {
            self.reason = decision.reason.clone();
        }
        if decision.note.is_some() {
            self.note = decision.note.clone();
        }
        self.who = Some(decision.who.clone());
        self.at = Some(decision.at_micros());
    }
}

/// Where each finding stands that something was decided about.
///
/// A decision on a million findings takes one standing, and eight bytes and a few for each finding.
#[derive(Debug, Clone, Default)]
pub struct Standings {
    of: HashMap<FindingId, u32>,
    all: Vec<Standing>,
}

impl Standings {
    /// Applies decisions in their order, without those that were undone. An undo can be undone.
    pub fn of(decisions: &[Decision]) -> Self {
        let mut standings = Self {
            of: HashMap::new(),
            all: vec![Standing::default()],
        };
        let undone = undone(decisions);
        for decision in decisions {
            if !undone.contains(decision.id.as_str()) {
                standings.apply(decision);
            }
        }
        standings
    }

    fn apply(&mut self, decision: &Decision) {
        let mut after: HashMap<u32, u32> = HashMap::new();
        for id in decision.findings.iter().filter_map(|id| id.parse().ok()) {
            let standing = self.of.entry(id).or_default();
            let all = &mut self.all;
            *standing = *after.entry(*standing).or_insert_with(|| {
                let mut next = all[*standing as usize].clone();
                next.apply(decision);
                all.push(next);
                all.len() as u32 - 1
            });
        }
    }

    /// Where a finding stands; none where nothing was decided.
    pub fn get(&self, id: FindingId) -> Option<&Standing> {
        self.all.get(*self.of.get(&id)? as usize)
    }

    /// The status of a finding at a time, in microseconds since 1970.
    pub fn status_at(&self, id: FindingId, now: i64) -> Status {
        self.get(id)
            .map_or(Status::Open, |standing| standing.status_at(now))
    }

    /// How many findings something was decided about.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// Whether nothing was decided.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// When the next snooze ends after a time; both in microseconds since 1970.
    pub fn next_wake(&self, now: i64) -> Option<i64> {
        let ends = self.all.iter().filter_map(|one| one.snoozed_until(now));
        ends.min()
    }

    /// Who findings are assigned to, by name.
    pub fn assignees(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .all
            .iter()
            .filter_map(|one| one.assignee.as_deref())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Ids of the decisions that were taken back. An undo comes after what it undoes, so the last lines
/// are judged first.
pub(super) fn undone(decisions: &[Decision]) -> HashSet<&str> {
    let mut undone = HashSet::new();
    for decision in decisions.iter().rev() {
        let is_undo = decision.action == Action::Undo && !undone.contains(decision.id.as_str());
        if let Some(id) = decision.undoes.as_deref().filter(|_| is_undo) {
            undone.insert(id);
        }
    }
    undone
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: FindingId = FindingId(1);

    fn decision(id: &str, action: &str) -> Decision {
        let at = "2026-07-01T09:00:00Z".to_owned();
        let mut decision = Decision::new(at, "kim".to_owned(), action.into(), &[ONE]);
        decision.id = id.to_owned();
        decision
    }

    fn undo(id: &str, of: &str) -> Decision {
        let mut undo = decision(id, "undo");
        undo.findings.clear();
        undo.undoes = Some(of.to_owned());
        undo
    }

    fn status(decisions: &[Decision], now: i64) -> Status {
        Standings::of(decisions).status_at(ONE, now)
    }

    #[test]
    fn the_latest_decision_counts() {
        assert_eq!(status(&[], 0), Status::Open);
        let mut all = vec![decision("1", "acknowledge"), decision("2", "done")];
        assert_eq!(status(&all, 0), Status::Done);
        all.push(decision("3", "reopen"));
        assert_eq!(status(&all, 0), Status::Open);
        all.push(decision("4", "escalate"));
        assert_eq!(status(&all, 0), Status::Open);
    }

    #[test]
    fn a_snooze_ends_by_itself() {
        let mut snooze = decision("2", "snooze");
        snooze.until = Some("1970-01-01T00:00:01Z".to_owned());
        let all = [decision("1", "acknowledge"), snooze.clone()];
        assert_eq!(status(&all, 999_999), Status::Snoozed);
        assert_eq!(status(&all, 1_000_000), Status::Acknowledged);
        assert_eq!(Standings::of(&all).next_wake(0), Some(1_000_000));
        assert_eq!(Standings::of(&all).next_wake(1_000_000), None);

        let all = [decision("1", "done"), snooze];
        assert_eq!(status(&all, 1_000_000), Status::Open);
    }

    #[test]
    fn an_undo_takes_back_and_can_be_taken_back() {
        let mut all = vec![decision("1", "acknowledge"), decision("2", "done")];
        all.push(undo("3", "2"));
        assert_eq!(status(&all, 0), Status::Acknowledged);
        all.push(undo("4", "3"));
        assert_eq!(status(&all, 0), Status::Done);
        all.push(undo("5", "1"));
        assert_eq!(status(&all, 0), Status::Done);
    }

    #[test]
    fn one_decision_on_many_takes_one_standing() {
        let mut bulk = decision("1", "acknowledge");
        bulk.findings = (0..1000).map(|id| FindingId(id).to_string()).collect();
        let mut note = decision("2", "note");
        note.note = Some("see the ticket".to_owned());
        let standings = Standings::of(&[bulk, note]);
        assert_eq!((standings.len(), standings.all.len()), (1000, 3));
        let one = standings.get(ONE).expect("decided");
        assert_eq!(one.note.as_deref(), Some("see the ticket"));
        assert_eq!(one.status_at(0), Status::Acknowledged);
    }
}
