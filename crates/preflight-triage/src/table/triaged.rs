//! The decisions, row by row.

use preflight_audit::{Standings, Status};

use super::Findings;

/// What was decided about each row of a table, as of a time.
#[derive(Debug, Default)]
pub struct Triaged {
    statuses: Vec<Status>,
    /// Index of the assignee in `names`, from 1.
    assignees: Vec<u32>,
    names: Vec<String>,
    is_new: Vec<bool>,
}

impl Triaged {
    /// Looks every row up; `seen` are the sorted ids of the last visit, none on the first one.
    pub fn of(findings: &Findings, standings: &Standings, seen: Option<&[u64]>, now: i64) -> Self {
        let names: Vec<String> = standings
            .assignees()
            .into_iter()
            .map(str::to_owned)
            .collect();
        let mut triaged = Self {
            names,
            ..Self::default()
        };
        if !standings.is_empty() {
            triaged.statuses.reserve_exact(findings.len());
            triaged.assignees.reserve_exact(findings.len());
            for row in 0..findings.len() {
                let standing = standings.get(findings.id(row));
                triaged
                    .statuses
                    .push(standing.map_or(Status::Open, |one| one.status_at(now)));
                let name = standing.and_then(|one| one.assignee.as_deref());
                let at = name.and_then(|name| {
                    triaged
                        .names
                        .binary_search_by(|other| other.as_str().cmp(name))
                        .ok()
                });
                triaged.assignees.push(at.map_or(0, |at| at as u32 + 1));
            }
        }
        if let Some(seen) = seen {
            let is_new = |row| seen.binary_search(&findings.id(row).0).is_err();
            triaged.is_new = (0..findings.len()).map(is_new).collect();
        }
        triaged
    }

    /// What was decided about a row.
    pub fn status(&self, row: usize) -> Status {
        self.statuses.get(row).copied().unwrap_or_default()
    }

    /// Who works on it.
    pub fn assignee(&self, row: usize) -> Option<&str> {
        let at = self.assignee_index(row).checked_sub(1)?;
        self.names.get(at as usize).map(String::as_str)
    }

    /// The index of who works on it, from 1 and in the order of names; 0 for nobody.
    pub(super) fn assignee_index(&self, row: usize) -> u32 {
        self.assignees.get(row).copied().unwrap_or_default()
    }

    /// Whether the last visit did not see it; on the first visit nothing is new.
    pub fn is_new(&self, row: usize) -> bool {
        self.is_new.get(row).copied().unwrap_or_default()
    }

    /// All who work on something, by name.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}
