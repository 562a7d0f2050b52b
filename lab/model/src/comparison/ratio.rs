//! The interval of a ratio of two medians that were not measured in the same rounds.

use crate::statistics::{Nested, middle, widening};

/// Where the generators of both sides begin: apart, since the sides are independent.
const SEEDS: [u64; 2] = [0x6b61_736f_6b75_0001, 0x6b61_736f_6b75_0002];

/// The 95 % interval of the median of `second` less that of `first` (both logarithms): each side is resampled by
/// itself, processes with replacement, then rounds within each. `None` if a side has fewer than two processes, or too
/// few samples: what a start of the process is worth cannot be told then.
pub(super) fn interval(first: &Nested, second: &Nested) -> Option<[f64; 2]> {
    let sides = [first, second];
    if sides.iter().any(|side| side.processes() < 2) {
        return None;
    }
    let centres = [first.median()?, second.median()?];
    let mut deviations: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    for side in 0..2 {
        let widening = widening(sides[side].processes());
        let resampled = sides[side].resampled_medians(SEEDS[side]);
        deviations[side].extend(resampled.map(|median| (median - centres[side]) * widening));
    }
    let centre = centres[1] - centres[0];
    let [of_first, of_second] = deviations;
    let mut differences: Vec<f64> =
        of_first.iter().zip(&of_second).map(|(first, second)| centre + second - first).collect();
    middle(&mut differences)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_supports_no_interval() {
        let many = Nested::of((0..30).map(|i| (i / 10, 1.0)));
        let one = Nested::of((0..30).map(|_| (0, 1.0)));
        assert_eq!(interval(&many, &many), Some([0.0, 0.0]));
        assert_eq!(interval(&many, &one), None);
        assert_eq!(interval(&Nested::default(), &many), None);
    }
}
