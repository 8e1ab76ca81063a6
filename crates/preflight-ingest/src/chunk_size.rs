//! How many bytes of entries one batch holds.

use std::fs;

use crate::Input;

/// Large enough for useful row groups, small enough that two threads' worth of them, parsed and as
/// columns, stays far below the memory bound.
const LARGEST: u64 = 12 * 1024 * 1024;
/// Below this, starting a batch costs more than a second thread gains.
const SMALLEST: u64 = 1024 * 1024;
/// Chunks end with a whole entry: without it, what each leaves over would make one chunk more.
const SLACK: u64 = 64 * 1024;

/// A size that gives each thread as many chunks as the others, so that none waits for the last one.
pub(crate) fn for_inputs(inputs: &[Input], threads: usize) -> usize {
    even(inputs.iter().map(size).sum(), threads as u64)
}

/// Bytes of a file, compressed ones where it is: a chunk size that is off costs time alone.
fn size(input: &Input) -> u64 {
    let Input::File(path) = input else { return 0 };
    let metadata = fs::metadata(path).ok();
    let regular = metadata.filter(fs::Metadata::is_file);
    regular.map_or(0, |metadata| metadata.len())
}

fn even(total: u64, threads: u64) -> usize {
    if total == 0 {
        return LARGEST as usize;
    }
    let rounds = total.div_ceil((LARGEST - SLACK) * threads);
    let share = total.div_ceil(rounds * threads) + SLACK;
    share.clamp(SMALLEST, LARGEST) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_thread_gets_as_many_chunks() {
        let chunks = |total: u64, threads| total.div_ceil(even(total, threads) as u64 - SLACK);
        assert_eq!(chunks(285_000_000, 2), 24);
        assert_eq!(chunks(13_000_000, 2), 2);
        assert_eq!(even(100, 2), SMALLEST as usize);
        assert_eq!(even(0, 2), LARGEST as usize);
    }

    proptest! {
        #[test]
        fn sizes_stay_in_bounds(total in 0..u64::MAX / 2, threads in 1..1024_u64) {
            let size = even(total, threads) as u64;
            prop_assert!((SMALLEST..=LARGEST).contains(&size));
        }
    }
}
