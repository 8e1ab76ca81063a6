//! What is said of several runs.

/// The least, the middle and the greatest of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) min: f64,
    pub(super) median: f64,
    pub(super) max: f64,
}

impl Spread {
    /// Of no numbers there is none.
    pub(super) fn of(numbers: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = numbers.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let upper = sorted.len() / 2;
        let lower = (sorted.len() - 1) / 2;
        Some(Self {
            min,
            median: f64::midpoint(sorted[lower], sorted[upper]),
            max,
        })
    }
}

/// How many times as much `theirs` are as `ours`, compared round by round: what slowed a whole
/// round down drops out.
pub(super) fn ratios(
    theirs: impl IntoIterator<Item = f64>,
    ours: impl IntoIterator<Item = f64>,
) -> Option<Spread> {
    let pairs = theirs.into_iter().zip(ours);
    Spread::of(pairs.map(|(theirs, ours)| theirs / ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_between_the_two_in_the_middle() {
        let spread = |min, median, max| Some(Spread { min, median, max });
        assert_eq!(Spread::of([3.0, 1.0, 2.0]), spread(1.0, 2.0, 3.0));
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]), spread(1.0, 2.5, 4.0));
        assert_eq!(Spread::of([7.0]), spread(7.0, 7.0, 7.0));
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn ratios_are_taken_in_each_round() {
        // Twice as much in every round, although the rounds differ by a factor of ten.
        let ratios = ratios([2.0, 20.0, 4.0], [1.0, 10.0, 2.0]);
        assert_eq!(ratios, Spread::of([2.0]));
    }
}
