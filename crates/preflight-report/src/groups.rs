//! Groups of rows, and what is counted in each.

use std::{cmp::Reverse, collections::HashSet};

use polars::prelude::{DataFrame, GroupsIndicator, StringChunked};

use crate::{
    ReportError,
    facts::EXAMPLES,
    frame::{booleans, integers, texts},
};

/// A group by its keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Group {
    /// The values of the key columns.
    pub(crate) keys: Vec<Option<String>>,
    pub(crate) now: Tally,
    pub(crate) before: Tally,
    /// Digests of the latest records in the period, where the rows have them.
    pub(crate) records: Vec<String>,
}

/// What a group counts in one period.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) rows: u64,
    pub(crate) episodes: u64,
    pub(crate) users: u64,
    /// Microseconds since 1970; 0 where there is no row.
    pub(crate) first: i64,
    pub(crate) last: i64,
}

/// The rows of each group, by number.
pub(crate) fn groups(frame: &DataFrame, keys: &[&str]) -> Result<Vec<Vec<usize>>, ReportError> {
    if frame.height() == 0 {
        return Ok(Vec::new());
    }
    let grouped = frame.group_by_stable(keys.iter().copied())?;
    let rows = grouped.get_groups().iter().map(|group| match group {
        GroupsIndicator::Idx((_, rows)) => rows.iter().map(|row| *row as usize).collect(),
        GroupsIndicator::Slice([first, length]) => {
            (first as usize..(first + length) as usize).collect()
        }
    });
    Ok(rows.collect())
}

/// Counts rows, episodes and users of each group, in the period (`is_current`) and before it.
pub(crate) fn count(frame: &DataFrame, keys: &[&str]) -> Result<Vec<Group>, ReportError> {
    let key_columns = keys.iter().map(|key| texts(frame, key));
    let key_columns: Vec<&StringChunked> = key_columns.collect::<Result<_, _>>()?;
    let (episodes, times) = (integers(frame, "episode")?, integers(frame, "at")?);
    let users = texts(frame, "user_name")?;
    let is_current = booleans(frame, "is_current").ok();
    let digests = texts(frame, "record_digest").ok();
    let latest = |rows: &[usize]| {
        let digest = |row: &usize| digests.and_then(|digests| digests.get(*row));
        let mut records: Vec<_> = rows
            .iter()
            .filter_map(|row| Some((Reverse(times.get(*row)), digest(row)?)))
            .collect();
        records.sort_unstable();
        let records = records.into_iter().map(|(_, digest)| digest.to_owned());
        records.take(EXAMPLES).collect()
    };
    let counted = groups(frame, keys)?.into_iter().map(|rows| {
        let (now, before): (Vec<usize>, Vec<usize>) = rows
            .iter()
            .partition(|row| is_current.is_none_or(|current| current.get(**row) == Some(true)));
        let tally = |rows: &[usize]| {
            let times = || rows.iter().filter_map(|row| times.get(*row));
            let episodes: HashSet<i64> = rows.iter().filter_map(|row| episodes.get(*row)).collect();
            let users: HashSet<&str> = rows.iter().filter_map(|row| users.get(*row)).collect();
            Tally {
                rows: rows.len() as u64,
                episodes: episodes.len() as u64,
                users: users.len() as u64,
                first: times().min().unwrap_or(0),
                last: times().max().unwrap_or(0),
            }
        };
        let first = rows.first().copied().unwrap_or(0);
        let keys = key_columns
            .iter()
            .map(|column| column.get(first).map(str::to_owned));
        Group {
            keys: keys.collect(),
            records: latest(&now),
            now: tally(&now),
            before: tally(&before),
        }
    });
    let mut counted: Vec<Group> = counted.collect();
    counted.sort_by(|a, b| {
        b.now
            .rows
            .cmp(&a.now.rows)
            .then_with(|| a.keys.cmp(&b.keys))
    });
    Ok(counted)
}
