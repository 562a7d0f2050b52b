//! The rule for few sizes, as tables of other people have them: the fewest runs of neighbouring sizes such that in each
//! a fixed cost and a cost per byte reach every figure within [`TOLERANCE`].

use super::form::{CostForm, CostLine, blocks, jump, whole};
use super::{CurvePoint, Found};
use crate::algorithm::Algorithm;

/// How far a figure may lie from the line: what a table of `openssl speed` scatters, and what code does that is fast at
/// multiples of its unit.
const TOLERANCE: f64 = 0.15;
/// A jump is named where the lines of both sides differ this many times.
const JUMP: f64 = 1.25;
/// At most this many sizes are looked at.
pub(super) const MAX: usize = 12;

/// The pieces of `points`, which rise in size; `None` of nothing.
pub(super) fn fit(algorithm: Algorithm, points: &[CurvePoint]) -> Option<Found> {
    if points.is_empty() {
        return None;
    }
    let mut starts = fewest(algorithm, points)?;
    loop {
        let lines = lines(algorithm, points, &starts);
        // What does not jump is one piece after all.
        let sizes = lines.windows(2).zip(&starts[1..]).map(|(pair, &start)| {
            let jump = pair[0].zip(pair[1]).and_then(|(before, after)| jump(&before, &after, points[start].bytes));
            // Beside a lone size there is no line to draw on, so no jump to name.
            jump.map_or(0.0, |jump| jump.ln().abs())
        });
        let smallest = sizes.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        match smallest {
            Some((index, size)) if size < JUMP.ln() => drop(starts.remove(index + 1)),
            _ => {
                let breaks = starts[1..].iter().map(|&start| (start, None)).collect();
                return Some(Found { lines, breaks });
            }
        }
    }
}

/// Where the pieces begin: the fewest; of equally many those with the fewest lone sizes, through which any line goes;
/// of these the closest.
fn fewest(algorithm: Algorithm, points: &[CurvePoint]) -> Option<Vec<usize>> {
    #[derive(Clone)]
    struct Way {
        starts: Vec<usize>,
        lone: usize,
        error: f64,
    }
    let mut best: Vec<Option<Way>> = vec![Some(Way { starts: vec![], lone: 0, error: 0.0 })];
    for end in 1..=points.len() {
        let mut here: Option<Way> = None;
        for start in 0..end {
            let Some(before) = best[start].clone() else { continue };
            let fitted = closest(algorithm, &points[start..end]);
            let error = before.error.max(fitted.map_or(0.0, |fitted| fitted.1));
            if error > TOLERANCE {
                continue;
            }
            let way = Way {
                starts: [before.starts.as_slice(), &[start]].concat(),
                lone: before.lone + usize::from(fitted.is_none()),
                error,
            };
            let rank = |way: &Way| (way.starts.len(), way.lone);
            let is_better = here
                .as_ref()
                .is_none_or(|other| rank(&way) < rank(other) || (rank(&way) == rank(other) && way.error < other.error));
            if is_better {
                here = Some(way);
            }
        }
        best.push(here);
    }
    best.pop()?.map(|way| way.starts)
}

fn lines(algorithm: Algorithm, points: &[CurvePoint], starts: &[usize]) -> Vec<Option<CostLine>> {
    let ends = starts[1..].iter().copied().chain([points.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| closest(algorithm, &points[start..end]).map(|fitted| fitted.0))
        .collect()
}

/// The line with the smallest largest relative error, which is given too: a ≥ 0, b > 0. One size has none. Hashes count
/// in blocks, unless the figures do not.
fn closest(algorithm: Algorithm, points: &[CurvePoint]) -> Option<(CostLine, f64)> {
    let by_bytes = closest_of(CostForm::Bytes, 0, points);
    let by_blocks = blocks(algorithm).and_then(|(unit, padding)| closest_of(CostForm::Units { unit }, padding, points));
    by_bytes.into_iter().chain(by_blocks).min_by(|a, b| a.1.total_cmp(&b.1))
}

fn closest_of(form: CostForm, padding: usize, points: &[CurvePoint]) -> Option<(CostLine, f64)> {
    if points.len() < 2 {
        return None;
    }
    let work = |point: &CurvePoint| match form {
        CostForm::Units { unit } => whole(point.bytes, padding, unit),
        _ => point.bytes as f64,
    };
    let points: Vec<(f64, f64)> = points.iter().map(|point| (work(point), point.ns)).collect();
    let line = |fixed_ns, ns_per_byte| CostLine { fixed_ns, ns_per_byte, form, padding };
    let error = |fixed: f64, per_byte: f64| {
        points.iter().map(|(x, t)| (fixed + per_byte * x - t).abs() / t).fold(0.0, f64::max)
    };
    // The best is where three errors are equally large, two of them on one side and one on the other, or two if there
    // is no fixed cost.
    let mut best: Option<(CostLine, f64)> = None;
    let mut offer = |fixed: f64, per_byte: f64| {
        if fixed.is_finite() && per_byte.is_finite() && fixed >= 0.0 && per_byte > 0.0 {
            let error = error(fixed, per_byte);
            if error.is_finite() && best.as_ref().is_none_or(|other| error < other.1) {
                best = Some((line(fixed, per_byte), error));
            }
        }
    };
    for (i, &(x1, t1)) in points.iter().enumerate() {
        for (j, &(x2, t2)) in points.iter().enumerate().skip(i + 1) {
            let slope = (t2 - t1) / (x2 - x1);
            offer(t1 - slope * x1, slope);
            // Equal and opposite errors without a fixed cost: b x1 = (1 + e) t1, b x2 = (1 - e) t2.
            offer(0.0, 2.0 / (x1 / t1 + x2 / t2));
            for &(x3, t3) in points.iter().skip(j + 1) {
                for signs in [[1.0, -1.0, 1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, 1.0]] {
                    if let Some((fixed, per_byte)) = level([(x1, t1), (x2, t2), (x3, t3)], signs) {
                        offer(fixed, per_byte);
                    }
                }
            }
        }
    }
    best
}

/// The line whose relative errors at three points are equal but for their `signs`: a + b x − s e t = t.
fn level(points: [(f64, f64); 3], signs: [f64; 3]) -> Option<(f64, f64)> {
    let row = |index: usize| (points[index].0, signs[index] * points[index].1, points[index].1);
    let ((x1, u1, t1), (x2, u2, t2), (x3, u3, t3)) = (row(0), row(1), row(2));
    // Without a: rows two and three less row one, in b and e.
    let (p, q, r) = (x2 - x1, u2 - u1, t2 - t1);
    let (s, u, v) = (x3 - x1, u3 - u1, t3 - t1);
    let determinant = q * s - p * u;
    if determinant == 0.0 {
        return None;
    }
    let error = (r * s - v * p) / -determinant;
    let per_byte = if p == 0.0 { (v + error * u) / s } else { (r + error * q) / p };
    Some((t1 + error * u1 - per_byte * x1, per_byte))
}
