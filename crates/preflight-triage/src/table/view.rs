//! Which rows are shown, in which order.

use std::collections::HashMap;

use super::{Column, Dictionary, Findings, Triaged};
use crate::query::{Matcher, Query};

/// Rows between two looks at whether somebody still wants the answer.
const STRIDE: usize = 16 << 10;

/// By what rows are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    /// The column.
    pub column: Column,
    /// Whether the highest comes first.
    pub descending: bool,
}

impl Default for Sort {
    /// The latest first.
    fn default() -> Self {
        Self {
            column: Column::Time,
            descending: true,
        }
    }
}

/// What is to be shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ViewSpec {
    /// The filter.
    pub query: Query,
    /// The order.
    pub sort: Sort,
    /// What rows are grouped by.
    pub group: Option<Column>,
}

/// The rows that are shown.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// Positions in the table, in the order shown.
    pub rows: Vec<u32>,
    /// Stretches of them, the largest first; none where rows are not grouped.
    pub groups: Vec<Group>,
    /// By what.
    pub group: Option<Column>,
}

/// A stretch of rows that have something in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Position of the first in [`View::rows`].
    pub start: u32,
    /// How many there are.
    pub len: u32,
}

/// Nobody wants the answer any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

impl View {
    /// Filters, sorts and groups; `cancelled` is asked now and then.
    ///
    /// # Errors
    ///
    /// It was cancelled.
    pub fn of(
        spec: &ViewSpec,
        findings: &Findings,
        triaged: &Triaged,
        now: i64,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, Cancelled> {
        let matcher = spec.query.matcher(findings, triaged, now);
        let rows = filtered(&matcher, findings.len(), cancelled)?;
        let rows = sorted(rows, spec.sort, findings, triaged, cancelled)?;
        let Some(group) = spec.group else {
            return Ok(Self {
                rows,
                ..Self::default()
            });
        };
        let keys = keys(group, findings, triaged);
        let (rows, groups) = grouped(rows, &keys, cancelled)?;
        Ok(Self {
            rows,
            groups,
            group: Some(group),
        })
    }
}

fn filtered(
    matcher: &Matcher<'_>,
    rows: usize,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<u32>, Cancelled> {
    let mut kept = Vec::new();
    for start in (0..rows).step_by(STRIDE) {
        if cancelled() {
            return Err(Cancelled);
        }
        let stretch = start..rows.min(start + STRIDE);
        kept.extend(
            stretch
                .filter(|row| matcher.matches(*row))
                .map(|row| row as u32),
        );
    }
    Ok(kept)
}

/// Of equal rows, the latest comes first.
fn sorted(
    mut rows: Vec<u32>,
    sort: Sort,
    findings: &Findings,
    triaged: &Triaged,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<u32>, Cancelled> {
    if sort.column == Column::Time {
        if sort.descending {
            rows.reverse();
        }
        return Ok(rows);
    }
    let keys = keys(sort.column, findings, triaged);
    if cancelled() {
        return Err(Cancelled);
    }
    // A key and a row in one number sort fast, and without a second look at the table.
    let flip = if sort.descending { u32::MAX } else { 0 };
    let mut packed: Vec<u64> = rows
        .iter()
        .map(|row| u64::from(keys.of(*row as usize) ^ flip) << 32 | u64::from(!*row))
        .collect();
    packed.sort_unstable();
    if cancelled() {
        return Err(Cancelled);
    }
    for (row, packed) in rows.iter_mut().zip(packed) {
        *row = !(packed as u32);
    }
    Ok(rows)
}

fn grouped(
    rows: Vec<u32>,
    keys: &Keys<'_>,
    cancelled: &dyn Fn() -> bool,
) -> Result<(Vec<u32>, Vec<Group>), Cancelled> {
    let mut sizes: HashMap<u32, u32> = HashMap::new();
    for row in &rows {
        *sizes.entry(keys.of(*row as usize)).or_default() += 1;
    }
    if cancelled() {
        return Err(Cancelled);
    }
    let mut order: Vec<(u32, u32)> = sizes.into_iter().collect();
    order.sort_unstable_by_key(|(key, size)| (std::cmp::Reverse(*size), *key));
    let mut groups = Vec::with_capacity(order.len());
    let mut next: HashMap<u32, u32> = HashMap::with_capacity(order.len());
    let mut start = 0;
    for (key, len) in order {
        groups.push(Group { start, len });
        next.insert(key, start);
        start += len;
    }
    let mut placed = vec![0; rows.len()];
    for row in rows {
        if let Some(place) = next.get_mut(&keys.of(row as usize)) {
            placed[*place as usize] = row;
            *place += 1;
        }
    }
    Ok((placed, groups))
}

/// A number for each row: equal where the column is, and in the column's order.
enum Keys<'t> {
    /// By index of a dictionary.
    Ranked(&'t Dictionary, Vec<u32>),
    Direct(Vec<u32>),
    Status(&'t Triaged),
    Assignee(&'t Triaged),
}

impl Keys<'_> {
    fn of(&self, row: usize) -> u32 {
        match self {
            Self::Ranked(column, ranks) => ranks[column.index(row) as usize],
            Self::Direct(keys) => keys[row],
            Self::Status(triaged) => triaged.status(row) as u32,
            Self::Assignee(triaged) => triaged.assignee_index(row),
        }
    }
}

fn keys<'t>(column: Column, findings: &'t Findings, triaged: &'t Triaged) -> Keys<'t> {
    let of_rule = |of: fn(&super::RuleFacts) -> String| {
        let texts: Vec<String> = findings.rules().iter().map(of).collect();
        Keys::Ranked(&findings.code, ranks(texts.iter().map(String::as_str)))
    };
    let of_text = |column: &'t Dictionary| Keys::Ranked(column, ranks(column.texts()));
    match column {
        Column::Severity => {
            let severities = findings.rules().iter().map(|rule| rule.severity as u32);
            Keys::Ranked(&findings.code, severities.collect())
        }
        Column::Status => Keys::Status(triaged),
        Column::Assignee => Keys::Assignee(triaged),
        Column::Code => of_rule(|rule| rule.code.clone()),
        Column::Cause => of_rule(|rule| rule.name.clone()),
        Column::Class => of_rule(|rule| rule.class.clone()),
        Column::Tool => of_text(&findings.tool),
        Column::Provider => {
            let mut ranks = ranks(findings.providers().iter().map(String::as_str));
            ranks.truncate(findings.providers().len());
            Keys::Ranked(&findings.tool, ranks)
        }
        Column::Field => of_text(&findings.field),
        Column::ActionKey => of_text(&findings.action_key),
        Column::Detail => of_text(&findings.detail),
        Column::Time => times(findings),
        Column::Place => places(findings),
    }
}

/// The rank of each text, equal for equal ones, and of NULL, which comes first.
fn ranks<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<u32> {
    let texts: Vec<&str> = texts.collect();
    let mut order: Vec<u32> = (0..texts.len() as u32).collect();
    order.sort_unstable_by_key(|at| texts[*at as usize]);
    let mut ranks = vec![0; texts.len() + 1];
    let mut rank = 0;
    for (position, at) in order.iter().enumerate() {
        let is_new = position == 0 || texts[order[position - 1] as usize] != texts[*at as usize];
        rank += u32::from(is_new);
        ranks[*at as usize] = rank;
    }
    ranks
}

/// Rows come by time, so that the position is the rank.
fn times(findings: &Findings) -> Keys<'static> {
    let mut rank = 0;
    let ranks = (0..findings.len()).map(|row| {
        let is_new = row > 0 && findings.time_or_first(row) != findings.time_or_first(row - 1);
        rank += u32::from(is_new);
        rank
    });
    Keys::Direct(ranks.collect())
}

fn places(findings: &Findings) -> Keys<'static> {
    let sources = ranks(findings.source.texts());
    let place = |row: &u32| {
        let row = *row as usize;
        (
            sources[findings.source.index(row) as usize],
            findings.line(row),
        )
    };
    let mut order: Vec<u32> = (0..findings.len() as u32).collect();
    order.sort_unstable_by_key(place);
    let mut ranks = vec![0; findings.len()];
    for (rank, row) in order.into_iter().enumerate() {
        ranks[row as usize] = rank as u32;
    }
    Keys::Direct(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_equal_ranks_and_null_is_first() {
        assert_eq!(ranks(["b", "a", "b", ""].into_iter()), [3, 2, 3, 1, 0]);
        assert_eq!(ranks(std::iter::empty()), [0]);
    }
}
