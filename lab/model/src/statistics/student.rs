//! Widens intervals that rest on few process starts.

/// Returns the factor by which a bootstrap over `processes` processes is too narrow. Drawing with replacement gives
/// only √((n−1)/n) of the spread. For few processes, Student's distribution also applies instead of the normal one (T.
/// Hesterberg, "What Teachers Should Know About the Bootstrap", 2015, §4.3).
pub(crate) fn widening(processes: usize) -> f64 {
    let n = processes as f64;
    (n / (n - 1.0)).sqrt() * student(processes - 1) / NORMAL
}

/// Returns the factor by which an interval widens if `left` of `all` process starts remain; `None` if none was lost.
pub(super) fn for_lost_starts(left: usize, all: usize) -> Option<f64> {
    (left < all).then(|| widening(left.max(2)) / widening(all.max(2)))
}

/// Returns the ratio of Student's 97.5 % quantile for `count` degrees of freedom to the normal one.
pub(super) fn of_few(count: usize) -> f64 {
    student(count) / NORMAL
}

pub(super) const NORMAL: f64 = 1.959_964;
pub(super) const NORMAL_99: f64 = 2.575_829;

/// Returns the 97.5 % quantile of Student's distribution with `degrees` degrees of freedom. From five degrees on, the
/// expansion of Abramowitz and Stegun (26.7.5) is exact to three digits.
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
    fn student_quantiles_match_published_tables() {
        for (degrees, quantile) in [(1, 12.706), (4, 2.776), (5, 2.571), (9, 2.262), (29, 2.045)] {
            assert!((student(degrees) - quantile).abs() < 0.005, "{degrees}: {}", student(degrees));
        }
    }

    #[test]
    fn lost_process_starts_widen_intervals() {
        assert_eq!(for_lost_starts(10, 10), None);
        let widenings = [9, 5, 2].map(|left| for_lost_starts(left, 10).unwrap());
        assert!(widenings.is_sorted() && widenings[0] > 1.0 && widenings[2] > 5.0, "{widenings:?}");
        assert_eq!(for_lost_starts(1, 2), Some(1.0), "one remaining start is treated as two");
    }
}
