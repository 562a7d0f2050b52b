//! Fits straight pieces to a curve of costs by least squares of relative errors. Bayes' criterion decides how many
//! pieces there are.

use serde::Serialize;

use super::{CurvePoint, DetectionMethod};
use crate::algorithm::{Algorithm, AlgorithmKind};
use crate::document::Series;

/// Maximum number of sizes of a sweep that the fit uses.
pub(super) const MAX_SWEPT: usize = 160;
/// Maximum number of sizes of a table that the fit uses.
pub(super) const MAX_IN_TABLE: usize = 12;
/// Lower bound for the relative error of a median. Costs at different sizes vary by this much for reasons that no line
/// describes.
const EXACTNESS: f64 = 0.005;
/// Assumed relative error of a figure from a published table. Such figures scatter, and are better at sizes that are
/// multiples of the number of bytes that the code processes together.
const PRINTED: f64 = 0.10;
/// Candidates for the number of bytes that code processes together, called a unit.
const UNITS: [usize; 6] = [32, 64, 128, 256, 512, 1024];

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CostLine {
    /// Fixed nanoseconds per operation: the value of the line at 0 bytes. It may be negative for a piece that begins at
    /// a large size.
    pub fixed_ns: f64,
    pub ns_per_byte: f64,
    /// Unit: number of bytes that the code processes together; 1 if each byte costs the same.
    pub unit_bytes: usize,
    /// Rule for the cost of the bytes after the last whole unit.
    pub rest: Rest,
    /// Nanoseconds for each byte that the rule in `rest` counts; 0 for [`Rest::Whole`].
    pub rest_ns: f64,
    /// Bytes of hash padding that are added to the message before its units are counted.
    #[serde(skip)]
    padding: usize,
}

/// Rule for the cost of the bytes after the last whole unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rest {
    Whole,
    /// Each byte after the last whole unit costs extra.
    PerByte,
    /// Each byte that is missing to the next whole unit costs extra.
    PerMissingByte,
}

impl CostLine {
    pub fn at(&self, bytes: usize) -> f64 {
        let (x, z) = self.counted(bytes);
        self.fixed_ns + self.ns_per_byte * x + self.rest_ns * z
    }

    /// Returns the numbers by which `ns_per_byte` and `rest_ns` are multiplied for `bytes` bytes.
    fn counted(&self, bytes: usize) -> (f64, f64) {
        let unit = self.unit_bytes;
        let whole = bytes.saturating_add(self.padding).div_ceil(unit) as f64 * unit as f64;
        match self.rest {
            Rest::Whole => (whole, 0.0),
            Rest::PerByte => (bytes as f64, (bytes % unit) as f64),
            Rest::PerMissingByte => (bytes as f64, whole - bytes as f64),
        }
    }
}

/// Returns the relative standard error of a series' figure; `None` if its interval is not finite.
pub(super) fn error(series: &Series) -> Option<f64> {
    let Some([low, high]) = series.ci95 else { return Some(PRINTED) };
    let error = (high - low).abs() / 2.0 / 1.96 / series.median?;
    error.is_finite().then_some(error.max(EXACTNESS))
}

/// Divides `points` into pieces. Returns the first index of each piece and its line; `None` if no line fits.
pub(super) fn fit(
    algorithm: Algorithm,
    points: &[CurvePoint],
    rule: DetectionMethod,
) -> Option<Vec<(usize, CostLine)>> {
    let mut fitter = Fitter::new(algorithm, points.to_vec(), rule);
    let mut starts = fitter.best()?;
    if rule == DetectionMethod::Sweep {
        // If the residuals exceed the measurement errors, the curve is not piecewise linear. Then scale the errors up,
        // so that only larger jumps count as steps.
        let pieces = fitter.pieces(&starts)?;
        let left: f64 = pieces.iter().map(|piece| piece.left).sum();
        let used: usize = pieces.iter().map(|piece| piece.parameters + 1).sum();
        let scale = (left / points.len().saturating_sub(used).max(1) as f64).sqrt().max(1.0);
        fitter.points.iter_mut().for_each(|point| point.error *= scale);
        fitter = Fitter::new(algorithm, fitter.points, rule);
        starts = fitter.best()?;
        starts = fitter.without_lone(algorithm, starts);
    }
    // Merge the pieces that differ least until all differ enough.
    loop {
        let lines: Vec<CostLine> = fitter.pieces(&starts)?.into_iter().map(|piece| piece.line).collect();
        let differences = (1..starts.len()).map(|index| (index, fitter.difference(&lines, &starts, index)));
        match differences.min_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((index, difference)) if difference < 1.0 => drop(starts.remove(index)),
            _ => return Some(starts.into_iter().zip(lines).collect()),
        }
    }
}

struct Fitter {
    points: Vec<CurvePoint>,
    rule: DetectionMethod,
    sums: Vec<Sums>,
}

/// Sums from which a line with the unit, padding and [`Rest`] of `form` is fitted by least squares to any range of
/// points.
struct Sums {
    /// Template of the fitted lines: they have its unit, padding and [`Rest`]. Its own costs are 0.
    form: CostLine,
    /// Number of parameters of a fitted line.
    parameters: usize,
    /// Entry `n` has the weighted sums of 1, x, xx, z, xz, zz, t, xt, zt and tt over the first `n` points. A point has
    /// the cost t in nanoseconds; `ns_per_byte` is multiplied by x, and `rest_ns` by z.
    running: Vec<[f64; 10]>,
}

/// A line fitted to some points, with its weighted sum of squared errors.
struct FittedLine {
    line: CostLine,
    left: f64,
    parameters: usize,
}

impl Fitter {
    fn new(algorithm: Algorithm, points: Vec<CurvePoint>, rule: DetectionMethod) -> Self {
        let form = |unit_bytes, padding, rest, parameters| {
            let form = CostLine { fixed_ns: 0.0, ns_per_byte: 0.0, unit_bytes, rest, rest_ns: 0.0, padding };
            let (mut sum, mut running) = ([0.0; 10], vec![[0.0; 10]]);
            for point in &points {
                let ((x, z), t) = (form.counted(point.bytes), point.ns);
                let products = [1.0, x, x * x, z, x * z, z * z, t, x * t, z * t, t * t];
                let weight = (point.error * t).powi(-2);
                sum.iter_mut().zip(products).for_each(|(sum, product)| *sum += weight * product);
                running.push(sum);
            }
            Sums { form, parameters, running }
        };
        let own = block_and_padding(algorithm);
        let mut sums = vec![form(1, 0, Rest::Whole, 2)];
        sums.extend(own.map(|(block, padding)| form(block, padding, Rest::Whole, 2)));
        for unit in UNITS.into_iter().filter(|_| rule == DetectionMethod::Sweep) {
            let padding = own.map_or(0, |(_, padding)| padding);
            sums.push(form(unit, padding, Rest::Whole, 3));
            sums.extend([Rest::PerByte, Rest::PerMissingByte].map(|rest| form(unit, 0, rest, 4)));
        }
        Fitter { points, rule, sums }
    }

    /// Returns the first index of each piece in the best division; `None` if no line fits.
    fn best(&self) -> Option<Vec<usize>> {
        let least = if self.rule == DetectionMethod::Sweep { 4 } else { 2 };
        // Lowest cost of the points so far, and first index of the last piece.
        let mut costs: Vec<Option<(f64, usize)>> = vec![Some((0.0, 0))];
        for end in 1..=self.points.len() {
            let with_last = |start: usize| {
                let (before, _) = costs[start]?;
                // Each boundary counts as a parameter.
                let boundary = if start > 0 { self.price(1) } else { 0.0 };
                Some((before + boundary + self.cost(&self.piece(start, end)?), start))
            };
            let all = (0..(end + 1).saturating_sub(least)).filter_map(with_last);
            let cheapest = all.min_by(|a, b| a.0.total_cmp(&b.0));
            costs.push(cheapest);
        }
        let mut starts = Vec::new();
        let mut end = self.points.len();
        while end > 0 {
            (_, end) = costs[end]?;
            starts.push(end);
        }
        starts.reverse();
        Some(starts)
    }

    /// Returns the cost that Bayes' criterion charges for this many parameters.
    fn price(&self, parameters: usize) -> f64 {
        parameters as f64 * (self.points.len() as f64).ln()
    }

    fn cost(&self, fitted: &FittedLine) -> f64 {
        fitted.left + self.price(fitted.parameters)
    }

    fn piece(&self, start: usize, end: usize) -> Option<FittedLine> {
        let span = self.points[end - 1].bytes - self.points[start].bytes;
        let forms = self.sums.iter().filter(|sums| sums.form.unit_bytes == 1 || span >= 2 * sums.form.unit_bytes);
        let lines = forms.filter_map(|sums| self.line(sums, start, end));
        lines.min_by(|a, b| self.cost(a).total_cmp(&self.cost(b)))
    }

    fn line(&self, sums: &Sums, start: usize, end: usize) -> Option<FittedLine> {
        let [w, x, xx, z, xz, zz, t, xt, zt, tt]: [f64; 10] =
            std::array::from_fn(|index| sums.running[end][index] - sums.running[start][index]);
        // Sums of squares around the means.
        let (cxx, cxz, czz) = (xx - x * x / w, xz - x * z / w, zz - z * z / w);
        let (cxt, czt) = (xt - x * t / w, zt - z * t / w);
        let has_rest = sums.form.rest != Rest::Whole;
        let (determinant, largest) = if has_rest { (cxx * czz - cxz * cxz, cxx * czz) } else { (cxx, xx) };
        // Below these limits, the values are rounding errors.
        if !(cxx > 1e-9 * xx && determinant > 1e-9 * largest) {
            return None;
        }
        let [mut ns_per_byte, rest_ns] = match has_rest {
            true => [(cxt * czz - czt * cxz) / determinant, (czt * cxx - cxt * cxz) / determinant],
            false => [cxt / cxx, 0.0],
        };
        let mut fixed_ns = (t - ns_per_byte * x - rest_ns * z) / w;
        if self.rule == DetectionMethod::Table && fixed_ns < 0.0 {
            (fixed_ns, ns_per_byte) = (0.0, xt / xx);
        }
        let left = (tt - fixed_ns * t - ns_per_byte * xt - rest_ns * zt).max(0.0);
        let line = CostLine { fixed_ns, ns_per_byte, rest_ns, ..sums.form };
        // No byte may have negative cost.
        let least = if line.rest == Rest::PerByte { -ns_per_byte } else { 0.0 };
        let is_sensible = left.is_finite() && ns_per_byte > 0.0 && rest_ns >= least;
        let is_positive = || self.points[start..end].iter().all(|point| line.at(point.bytes) > 0.0);
        (is_sensible && is_positive()).then_some(FittedLine { line, left, parameters: sums.parameters })
    }

    fn pieces(&self, starts: &[usize]) -> Option<Vec<FittedLine>> {
        let ends = starts[1..].iter().copied().chain([self.points.len()]);
        starts.iter().zip(ends).map(|(&start, end)| self.piece(start, end)).collect()
    }

    /// Removes a boundary between two pieces if it vanishes once a single size is left out. Such a boundary comes from
    /// an outlier and is no step.
    fn without_lone(&self, algorithm: Algorithm, starts: Vec<usize>) -> Vec<usize> {
        if starts.len() == 1 {
            return starts;
        }
        let bytes = |index: usize| self.points[index.min(self.points.len() - 1)].bytes;
        let without = |index: usize| {
            let mut points = self.points.clone();
            points.remove(index);
            let fitter = Fitter::new(algorithm, points, self.rule);
            let starts = fitter.best().unwrap_or_default();
            starts.into_iter().map(|start| fitter.points[start].bytes).collect::<Vec<_>>()
        };
        let found: Vec<Vec<usize>> = (0..self.points.len()).map(without).collect();
        // Accept neighbouring sizes, and sizes within 20 %: sizes are dense around powers of two, and bends are located
        // less exactly than jumps.
        let is_near = |start: usize, other: usize| {
            let neighbours = bytes(start.saturating_sub(1))..=bytes(start + 1);
            neighbours.contains(&other) || other.abs_diff(bytes(start)) <= bytes(start) / 5
        };
        let stays = |start: &usize| *start == 0 || found.iter().all(|all| all.iter().any(|one| is_near(*start, *one)));
        starts.into_iter().filter(stays).collect()
    }

    /// Returns how much a piece differs from the line of the piece before it. At 1, the difference just suffices for a
    /// step.
    fn difference(&self, lines: &[CostLine], starts: &[usize], index: usize) -> f64 {
        let end = starts.get(index + 1).copied().unwrap_or(self.points.len()) - 1;
        let apart = |point: usize| {
            let bytes = self.points[point].bytes;
            (lines[index - 1].at(bytes) / lines[index].at(bytes)).ln().abs()
        };
        match self.rule {
            DetectionMethod::Sweep => (apart(starts[index]) / 1.05f64.ln()).max(apart(end) / 1.10f64.ln()),
            DetectionMethod::Table => apart(starts[index]) / 1.25f64.ln(),
        }
    }
}

/// Returns the block size of a hash and the minimum bytes that its padding adds.
fn block_and_padding(algorithm: Algorithm) -> Option<(usize, usize)> {
    if algorithm.kind() != AlgorithmKind::Hash {
        return None;
    }
    Some(match algorithm.name().trim_start_matches("hmac-") {
        "sha-1" | "sha-224" | "sha-256" | "md5" | "md4" | "ripemd-160" | "sm3" => (64, 9),
        "sha-384" | "sha-512" | "sha-512-256" => (128, 17),
        "blake2s-256" => (64, 0),
        "blake2b-512" => (128, 0),
        "sha3-224" => (144, 1),
        "sha3-256" | "shake-256" => (136, 1),
        "sha3-384" => (104, 1),
        "sha3-512" => (72, 1),
        "shake-128" => (168, 1),
        "whirlpool" => (64, 33),
        _ => return None,
    })
}
