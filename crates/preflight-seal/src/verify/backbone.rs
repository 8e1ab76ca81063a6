//! Which stretches are the log's one chain, and which of those stand where they belong.

use std::collections::HashMap;

use super::piece::Stretch;
use crate::Hash;

/// Stretches that are chained to each other, end to start.
struct Run {
    members: Vec<usize>,
    first: u64,
    last: u64,
    count: u64,
}

/// The longest chain that can be made of stretches: their positions, by number. Those that are chained
/// to each other stay together, no number occurs twice, and the more records it has the better.
pub(super) fn backbone(stretches: &[Stretch]) -> Vec<usize> {
    let mut runs = runs(stretches);
    runs.sort_by_key(|run| (run.last, run.first));
    // The best choice among the first runs: how many records, and the last run that is in it.
    let mut best: Vec<(u64, Option<usize>)> = vec![(0, None)];
    for (index, run) in runs.iter().enumerate() {
        let before = runs[..index].partition_point(|other| other.last < run.first);
        let with = best[before].0 + run.count;
        // The earlier one of two that are as good: a copy stands behind what it is a copy of.
        best.push(match with > best[index].0 {
            true => (with, Some(index)),
            false => (best[index].0, None),
        });
    }
    let mut chain = Vec::new();
    let mut left = runs.len();
    while left > 0 {
        match best[left].1 {
            Some(index) => {
                chain.push(index);
                left = runs[..index].partition_point(|other| other.last < runs[index].first);
            }
            None => left -= 1,
        }
    }
    let runs = chain.into_iter().rev().map(|index| &runs[index].members);
    runs.flatten().copied().collect()
}

fn runs(stretches: &[Stretch]) -> Vec<Run> {
    // Where a chain branches, the longer stretch goes on; of equal ones the first.
    let mut followers: HashMap<(u64, Hash), usize> = HashMap::new();
    for (at, stretch) in stretches.iter().enumerate() {
        if stretch.foreign || stretch.first.seq == 0 {
            continue;
        }
        let place = (stretch.first.seq - 1, stretch.prev);
        let best = followers.entry(place).or_insert(at);
        if stretch.count() > stretches[*best].count() {
            *best = at;
        }
    }
    let follower = |at: usize| {
        let end = (stretches[at].last.seq, stretches[at].link);
        followers.get(&end).copied()
    };
    let mut taken = vec![false; stretches.len()];
    let mut starts: Vec<usize> = (0..stretches.len()).collect();
    starts.sort_by_key(|at| (stretches[*at].first.seq, *at));
    let mut runs = Vec::new();
    for start in starts {
        if taken[start] || stretches[start].foreign {
            continue;
        }
        let mut members = Vec::new();
        let mut at = Some(start);
        while let Some(member) = at.filter(|member| !taken[*member]) {
            taken[member] = true;
            members.push(member);
            at = follower(member);
        }
        let last = members.last().map_or(start, |last| *last);
        let (first, last) = (stretches[start].first.seq, stretches[last].last.seq);
        runs.push(Run {
            members,
            first,
            last,
            count: last - first + 1,
        });
    }
    runs
}

/// The stretches that have to be moved, and as few records as can be, for all to stand in order.
pub(super) fn out_of_place(chain: &[Stretch]) -> Vec<usize> {
    let in_order = chain
        .array_windows()
        .all(|[one, other]| one.first.place < other.first.place);
    if in_order {
        return Vec::new();
    }
    // The heaviest series that rises, by the records in it.
    let mut weights: Vec<(u64, Option<usize>)> = Vec::with_capacity(chain.len());
    for (at, stretch) in chain.iter().enumerate() {
        let before = (0..at).filter(|before| chain[*before].first.place < stretch.first.place);
        let best = before.max_by_key(|before| weights[*before].0);
        let weight = best.map_or(0, |best| weights[best].0) + stretch.count();
        weights.push((weight, best));
    }
    let mut stays = vec![false; chain.len()];
    let mut at = (0..chain.len()).max_by_key(|at| weights[*at].0);
    while let Some(kept) = at {
        stays[kept] = true;
        at = weights[kept].1;
    }
    (0..chain.len()).filter(|at| !stays[*at]).collect()
}
