//! Finds steps: message sizes at which an operation's fixed cost or cost per byte changes.
//!
//! A [`Curve`] holds the costs of one workload over its sizes, divided into the pieces that `fit` finds
//! (docs/METHOD.md, "Steps").

mod explanation;
mod fit;
pub mod sweep;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::document::{Document, Series, Unit};
use crate::library::Role;
use crate::workload::{Operation, Workload};

pub use explanation::Explanation;
pub use fit::{CostLine, Rest};

/// Minimum number of sizes of a curve. With fewer, a fit is always exact: a line fits any two sizes, and two lines any
/// three.
const MIN_SIZES: usize = 4;
/// Minimum number of sizes with which a curve counts as a [`DetectionMethod::Sweep`]. Only sizes whose figures have a
/// confidence interval are counted.
const SWEEP: usize = 13;

/// Costs of one workload on one library in one acceleration state, over its message sizes.
#[derive(Clone, Debug)]
pub struct Curve<'a> {
    /// One of the curve's series, which shows the level, library, acceleration state and threads.
    pub series: &'a Series,
    pub workload: Workload,
    pub points: Vec<CurvePoint>,
    /// Pieces between the steps. There is one piece more than there are steps.
    pub pieces: Vec<Piece>,
    pub steps: Vec<Step>,
    pub rule: DetectionMethod,
    /// Reason why the curve lacks a step that the same code has on other machines.
    pub absence: Option<Explanation>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    pub bytes: usize,
    pub ns: f64,
    pub code_path: String,
    /// Relative standard error of `ns`.
    #[serde(skip)]
    error: f64,
}

/// Range of message sizes whose costs one line describes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Piece {
    pub first_bytes: usize,
    pub last_bytes: usize,
    #[serde(flatten)]
    pub line: CostLine,
    /// Cycles per byte of a long message; `None` if the core clock is unknown.
    pub cycles_per_byte: Option<f64>,
    pub code_paths: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// Last measured size before the step.
    pub before_bytes: usize,
    /// First measured size after the step.
    pub at_bytes: usize,
    /// Speed of an operation at `at_bytes` relative to the line of the previous piece, extended to that size. Below 1
    /// the step makes the operation slower.
    pub jump: f64,
    pub cause: Option<Explanation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DetectionMethod {
    /// Detects steps from many sizes whose figures have confidence intervals.
    Sweep,
    /// Detects steps from few sizes, or from figures without confidence intervals. Finds only jumps that a fixed cost
    /// and a cost per byte cannot explain.
    Table,
}

impl Step {
    /// Returns the size of the jump, regardless of its direction, as a logarithm.
    pub fn size(&self) -> f64 {
        self.jump.ln().abs()
    }

    /// Whether the measured sizes on both sides of the step are close enough to locate it.
    pub fn is_placed(&self) -> bool {
        self.at_bytes - self.before_bytes <= sweep::APART.max(self.at_bytes / 16)
    }
}

/// Returns the curves of `wanted` series that have enough sizes to show steps. Curves with the largest steps come
/// first.
pub fn steps(document: &Document, wanted: impl Fn(&Series) -> bool) -> Vec<Curve<'_>> {
    let mut groups: BTreeMap<_, BTreeMap<usize, &Series>> = BTreeMap::new();
    for series in document.series.iter().filter(|series| is_considered(series) && wanted(series)) {
        groups.entry(key(series)).or_default().entry(series.bytes).or_insert(series);
    }
    let groups = groups.into_values().filter(|sizes| sizes.len() >= MIN_SIZES);
    let mut curves: Vec<Curve<'_>> = groups.filter_map(|sizes| curve(document, sizes)).collect();
    let largest = |curve: &Curve<'_>| curve.steps.iter().map(Step::size).fold(0.0, f64::max);
    curves.sort_by(|a, b| largest(b).total_cmp(&largest(a)));
    curves
}

fn key(series: &Series) -> impl Ord + '_ {
    let workload = Workload { bytes: 0, ..series.workload() };
    let who = (&series.library, &series.library_version, series.acceleration);
    (series.level, workload, who, series.details.threads, series.aad())
}

/// Whether a series holds the verified or quoted throughput of a library.
fn is_considered(series: &Series) -> bool {
    // The cost of a transfer is mostly the kernel's.
    let is_transfer = series.operation == Operation::Transfer;
    let is_library = !is_transfer && series.role == Role::Library;
    let is_bulk = series.unit == Unit::BytesPerSecond && series.algorithm.kind().is_bulk() && series.bytes > 0;
    let is_sound = !series.has_failed() && (series.is_verified() || series.is_quoted());
    is_library && is_bulk && is_sound && !series.details.control && point(series).is_some()
}

fn point(series: &Series) -> Option<CurvePoint> {
    let ns = series.bytes as f64 * 1e9 / series.median?;
    let error = fit::error(series)?;
    let is_sound = ns.is_finite() && ns > 0.0;
    is_sound.then(|| CurvePoint { bytes: series.bytes, ns, code_path: series.code_path.clone(), error })
}

fn curve<'a>(document: &Document, sizes: BTreeMap<usize, &'a Series>) -> Option<Curve<'a>> {
    let with_interval: Vec<&Series> = sizes.values().copied().filter(|series| series.ci95.is_some()).collect();
    let (rule, used) = match with_interval.len() >= SWEEP {
        true => (DetectionMethod::Sweep, thinned(with_interval, fit::MAX_SWEPT)),
        false => (DetectionMethod::Table, thinned(sizes.into_values().collect(), fit::MAX_IN_TABLE)),
    };
    let series = *used.first()?;
    let points: Vec<CurvePoint> = used.into_iter().filter_map(point).collect();
    let found = fit::fit(series.algorithm, &points, rule)?;
    let hz = document.run.method.core_hz.filter(|hz| hz.is_finite() && *hz > 0.0);
    let ends = found.iter().skip(1).map(|(start, _)| *start).chain([points.len()]);
    let pieces: Vec<Piece> =
        found.iter().zip(ends).map(|(&(start, line), end)| piece(&points[start..end], line, hz)).collect();
    let step = |pair: &[Piece]| {
        let at_bytes = pair[1].first_bytes;
        let jump = pair[0].line.at(at_bytes) / pair[1].line.at(at_bytes);
        Step { before_bytes: pair[0].last_bytes, at_bytes, jump, cause: None }
    };
    let steps = pieces.windows(2).map(step).collect();
    let workload = Workload { bytes: 0, ..series.workload() };
    let mut curve = Curve { series, workload, points, pieces, steps, rule, absence: None };
    explanation::explain(&mut curve, &document.machine);
    Some(curve)
}

fn piece(points: &[CurvePoint], line: CostLine, hz: Option<f64>) -> Piece {
    let mut code_paths: Vec<String> = Vec::new();
    for point in points {
        if !point.code_path.is_empty() && !code_paths.contains(&point.code_path) {
            code_paths.push(point.code_path.clone());
        }
    }
    let bytes = |point: Option<&CurvePoint>| point.map_or(0, |point| point.bytes);
    let cycles_per_byte = hz.map(|hz| line.ns_per_byte * hz * 1e-9);
    Piece { first_bytes: bytes(points.first()), last_bytes: bytes(points.last()), line, cycles_per_byte, code_paths }
}

/// Returns at most `most` evenly spaced items of `all`, including the first and the last.
fn thinned<T: Copy>(all: Vec<T>, most: usize) -> Vec<T> {
    if all.len() <= most {
        return all;
    }
    (0..most).filter_map(|index| all.get(index * (all.len() - 1) / (most - 1)).copied()).collect()
}

#[cfg(test)]
mod tests;
