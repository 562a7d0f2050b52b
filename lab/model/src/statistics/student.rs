//! What few starts of a process are worth.

/// By how much a bootstrap over `processes` processes comes out too narrow: drawn with replacement they vary by
/// √((n−1)/n) of what they should, and the normal distribution that its quantiles assume is Student's for so few
/// (T. Hesterberg, "What Teachers Should Know About the Bootstrap", 2015, §4.3).
pub(crate) fn widening(processes: usize) -> f64 {
    let n = processes as f64;
    (n / (n - 1.0)).sqrt() * student(processes - 1) / NORMAL
}

/// By how much an interval over the `left` of `all` starts must be wider, the others being lost to disturbance: as much
/// as the bootstrap of so few is narrower. `None` if none was lost.
pub(super) fn for_lost_starts(left: usize, all: usize) -> Option<f64> {
    (left < all).then(|| widening(left.max(2)) / widening(all.max(2)))
}

/// How much further Student's distribution reaches than the normal one, where its width is known from `count` values.
pub(super) fn of_few(count: usize) -> f64 {
    student(count) / NORMAL
}

/// The 97.5 % quantile of the normal distribution.
pub(super) const NORMAL: f64 = 1.959_964;
/// The 99.5 % quantile of it.
pub(super) const NORMAL_99: f64 = 2.575_829;

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
    fn starts_that_are_lost_make_an_interval_wider() {
        assert_eq!(for_lost_starts(10, 10), None);
        let widenings = [9, 5, 2].map(|left| for_lost_starts(left, 10).unwrap());
        assert!(widenings.is_sorted() && widenings[0] > 1.0 && widenings[2] > 5.0, "{widenings:?}");
        assert_eq!(for_lost_starts(1, 2), Some(1.0), "two starts tell no more of each other");
    }
}
