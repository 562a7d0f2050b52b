//! Weighted least squares over any range of points in constant time, from sums that run along.

/// Sums over the points so far of all products of weight, constant, two features and the value.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    one: f64,
    x: f64,
    z: f64,
    xx: f64,
    xz: f64,
    zz: f64,
    t: f64,
    xt: f64,
    zt: f64,
    tt: f64,
}

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
        let mut running = vec![Sum::default()];
        let mut sum = Sum::default();
        for [w, x, z, t] in points {
            sum.one += w;
            sum.x += w * x;
            sum.z += w * z;
            sum.xx += w * x * x;
            sum.xz += w * x * z;
            sum.zz += w * z * z;
            sum.t += w * t;
            sum.xt += w * x * t;
            sum.zt += w * z * t;
            sum.tt += w * t * t;
            running.push(sum);
        }
        Sums { running }
    }

    /// A constant and `x`.
    pub(super) fn two(&self, from: usize, to: usize) -> Option<Solved> {
        let sum = self.between(from, to)?;
        let xx = sum.xx - sum.x * sum.x / sum.one;
        if !is_well(xx, sum.xx) {
            return None;
        }
        let of_x = (sum.xt - sum.x * sum.t / sum.one) / xx;
        let constant = (sum.t - of_x * sum.x) / sum.one;
        let left = sum.tt - constant * sum.t - of_x * sum.xt;
        solved(constant, of_x, 0.0, left)
    }

    /// A constant, `x` and `z`.
    pub(super) fn three(&self, from: usize, to: usize) -> Option<Solved> {
        let sum = self.between(from, to)?;
        let (xx, zz) = (sum.xx - sum.x * sum.x / sum.one, sum.zz - sum.z * sum.z / sum.one);
        let xz = sum.xz - sum.x * sum.z / sum.one;
        let (xt, zt) = (sum.xt - sum.x * sum.t / sum.one, sum.zt - sum.z * sum.t / sum.one);
        let determinant = xx * zz - xz * xz;
        if !is_well(xx, sum.xx) || !is_well(zz, sum.zz) || !is_well(determinant, xx * zz) {
            return None;
        }
        let (of_x, of_z) = ((xt * zz - zt * xz) / determinant, (zt * xx - xt * xz) / determinant);
        let constant = (sum.t - of_x * sum.x - of_z * sum.z) / sum.one;
        let left = sum.tt - constant * sum.t - of_x * sum.xt - of_z * sum.zt;
        solved(constant, of_x, of_z, left)
    }

    fn between(&self, from: usize, to: usize) -> Option<Sum> {
        let (a, b) = (self.running.get(from)?, self.running.get(to)?);
        let sum = Sum {
            one: b.one - a.one,
            x: b.x - a.x,
            z: b.z - a.z,
            xx: b.xx - a.xx,
            xz: b.xz - a.xz,
            zz: b.zz - a.zz,
            t: b.t - a.t,
            xt: b.xt - a.xt,
            zt: b.zt - a.zt,
            tt: b.tt - a.tt,
        };
        (sum.one > 0.0).then_some(sum)
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
