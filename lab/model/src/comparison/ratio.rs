//! The interval of a ratio of two medians that were not measured in the same rounds.

use crate::statistics::{Nested, middle};

/// Where the generators of both sides begin: apart, since the sides are independent.
const SEEDS: [u64; 2] = [0x6b61_736f_6b75_0001, 0x6b61_736f_6b75_0002];

/// The 95 % interval of the median of `second` less that of `first` (both logarithms): each side is resampled by itself,
/// processes with replacement, then rounds within each. `None` if a side has fewer than two processes, or too few
/// samples: what a start of the process is worth cannot be told then.
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

/// By how much a bootstrap over `processes` processes comes out too narrow: drawn with replacement they vary by
/// √((n−1)/n) of what they should, and the normal distribution that its quantiles assume is Student's for so few
/// (T. Hesterberg, "What Teachers Should Know About the Bootstrap", 2015, §4.3).
fn widening(processes: usize) -> f64 {
    let n = processes as f64;
    (n / (n - 1.0)).sqrt() * student(processes - 1) / NORMAL
}

/// The 97.5 % quantile of the normal distribution.
const NORMAL: f64 = 1.959_964;

/// The 97.5 % quantile of Student's distribution; from five degrees of freedom on by its expansion (Abramowitz and
/// Stegun, 26.7.5), which is then right to three digits.
fn student(degrees: usize) -> f64 {
    match degrees {
        0 | 1 => 12.706,
        2 => 4.303,
        3 => 3.182,
        4 => 2.776,
        more => {
            let (d, x) = (more as f64, NORMAL);
            let first = (x.powi(3) + x) / 4.0;
            let second = (5.0 * x.powi(5) + 16.0 * x.powi(3) + 3.0 * x) / 96.0;
            let third = (3.0 * x.powi(7) + 19.0 * x.powi(5) + 17.0 * x.powi(3) - 15.0 * x) / 384.0;
            x + first / d + second / d.powi(2) + third / d.powi(3)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_quantiles_are_those_of_the_tables() {
        for (degrees, quantile) in [(1, 12.706), (4, 2.776), (5, 2.571), (9, 2.262), (29, 2.045)] {
            assert!((student(degrees) - quantile).abs() < 0.005, "{degrees}: {}", student(degrees));
        }
    }

    #[test]
    fn one_process_supports_no_interval() {
        let many = Nested::of((0..30).map(|i| (i / 10, 1.0)));
        let one = Nested::of((0..30).map(|_| (0, 1.0)));
        assert_eq!(interval(&many, &many), Some([0.0, 0.0]));
        assert_eq!(interval(&many, &one), None);
        assert_eq!(interval(&Nested::default(), &many), None);
    }
}
