//! Weighted least squares over any range of points in constant time, from sums that run along.

/// Sums over the points so far of all products of weight, constant, two features and the value: of 1, x, z, xx, xz, zz,
/// t, xt, zt and tt.
type Sum = [f64; 10];

/// The points, summed.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    running: Vec<Sum>,
}

/// What least squares give: the constant, what `x` and `z` cost, and the weighted squares that are left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solved {
    pub(super) constant: f64,
    pub(super) of_x: f64,
    pub(super) of_z: f64,
    pub(super) left: f64,
}

impl Sums {
    /// Of points (weight, x, z, value).
    pub(super) fn of(points: impl Iterator<Item = [f64; 4]>) -> Sums {
        let mut sum = Sum::default();
        let mut running = vec![sum];
        for [w, x, z, t] in points {
            let products = [w, w * x, w * z, w * x * x, w * x * z, w * z * z, w * t, w * x * t, w * z * t, w * t * t];
            sum.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
            running.push(sum);
        }
        Sums { running }
    }

    /// A constant and `x`.
    pub(super) fn two(&self, from: usize, to: usize) -> Option<Solved> {
        let [one, sum_x, _, sum_xx, _, _, sum_t, sum_xt, _, sum_tt] = self.between(from, to)?;
        let xx = sum_xx - sum_x * sum_x / one;
        if !is_well(xx, sum_xx) {
            return None;
        }
        let of_x = (sum_xt - sum_x * sum_t / one) / xx;
        let constant = (sum_t - of_x * sum_x) / one;
        let left = sum_tt - constant * sum_t - of_x * sum_xt;
        solved(constant, of_x, 0.0, left)
    }

    /// A constant, `x` and `z`.
    pub(super) fn three(&self, from: usize, to: usize) -> Option<Solved> {
        let [one, sum_x, sum_z, sum_xx, sum_xz, sum_zz, sum_t, sum_xt, sum_zt, sum_tt] = self.between(from, to)?;
        let (xx, zz) = (sum_xx - sum_x * sum_x / one, sum_zz - sum_z * sum_z / one);
        let xz = sum_xz - sum_x * sum_z / one;
        let (xt, zt) = (sum_xt - sum_x * sum_t / one, sum_zt - sum_z * sum_t / one);
        let determinant = xx * zz - xz * xz;
        if !is_well(xx, sum_xx) || !is_well(zz, sum_zz) || !is_well(determinant, xx * zz) {
            return None;
        }
        let (of_x, of_z) = ((xt * zz - zt * xz) / determinant, (zt * xx - xt * xz) / determinant);
        let constant = (sum_t - of_x * sum_x - of_z * sum_z) / one;
        let left = sum_tt - constant * sum_t - of_x * sum_xt - of_z * sum_zt;
        solved(constant, of_x, of_z, left)
    }

    fn between(&self, from: usize, to: usize) -> Option<Sum> {
        let (a, b) = (self.running.get(from)?, self.running.get(to)?);
        let sum: Sum = std::array::from_fn(|i| b[i] - a[i]);
        (sum[0] > 0.0).then_some(sum)
    }
}

/// Whether a sum of squares around the mean is more than what rounding leaves of it.
fn is_well(around: f64, whole: f64) -> bool {
    around > 1e-9 * whole
}

fn solved(constant: f64, of_x: f64, of_z: f64, left: f64) -> Option<Solved> {
    let is_finite = [constant, of_x, of_z, left].iter().all(|value| value.is_finite());
    is_finite.then_some(Solved { constant, of_x, of_z, left: left.max(0.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_is_found_in_any_range() {
        let point = |i: u32| {
            let (x, z) = (f64::from(i) * 16.0, f64::from(i % 3));
            [1.0 + f64::from(i % 2), x, z, 5.0 + 0.25 * x - 2.0 * z]
        };
        let sums = Sums::of((0..40).map(point));
        for (from, to) in [(0, 40), (7, 20), (30, 40)] {
            let solved = sums.three(from, to).unwrap();
            assert!((solved.constant - 5.0).abs() < 1e-6, "{solved:?}");
            assert!((solved.of_x - 0.25).abs() < 1e-8 && (solved.of_z + 2.0).abs() < 1e-6 && solved.left < 1e-6);
            assert!(sums.two(from, to).unwrap().left > 1.0);
        }
        assert!(sums.two(3, 4).is_none(), "one point has no slope");
        assert!(sums.two(3, 400).is_none());
    }
}
