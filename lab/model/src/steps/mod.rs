//! Steps: what an operation costs by itself, what each byte costs, and at which sizes that changes.
//!
//! A [`Curve`] is one workload over its sizes, in the pieces that `fit` finds (docs/METHOD.md, "Steps").

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

/// Fewer sizes than this show nothing: a line goes through two, and bends at the third.
const MIN_SIZES: usize = 4;
/// From this many sizes with intervals on they are a sweep.
const SWEEP: usize = 13;

/// One workload on one library in one state over its sizes.
#[derive(Clone, Debug)]
pub struct Curve<'a> {
    /// One of its series: it tells the level, the library, the state and the threads.
    pub series: &'a Series,
    /// The workload, with 0 bytes.
    pub workload: Workload,
    /// What was measured, by size.
    pub points: Vec<CurvePoint>,
    /// Between the steps: one more than there are steps.
    pub pieces: Vec<Piece>,
    /// Where one piece ends and another begins.
    pub steps: Vec<Step>,
    /// How they were found.
    pub rule: DetectionMethod,
    /// Why there is no step where the same code has one on other machines.
    pub absence: Option<Explanation>,
}

/// What was measured at one size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The size.
    pub bytes: usize,
    /// Nanoseconds an operation.
    pub ns: f64,
    /// What really ran.
    pub code_path: String,
    /// The standard error of `ns`, relative to it.
    #[serde(skip)]
    error: f64,
}

/// Sizes over which one line holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Piece {
    /// The smallest of these sizes that was measured.
    pub first_bytes: usize,
    /// The largest.
    pub last_bytes: usize,
    /// What an operation of a size costs.
    #[serde(flatten)]
    pub line: CostLine,
    /// Cycles a byte of a long text, where the core clock is known.
    pub cycles_per_byte: Option<f64>,
    /// The code paths seen in it.
    pub code_paths: Vec<String>,
}

/// Where one piece ends and the next begins.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The last size before it that was measured.
    pub before_bytes: usize,
    /// The first size after it that was measured. What is between was not.
    pub at_bytes: usize,
    /// How many times as fast an operation of `at_bytes` is as it would be if the line before went on: below 1 is
    /// slower.
    pub jump: f64,
    /// Why, where that is known; in JSON by its name.
    pub cause: Option<Explanation>,
}

/// How pieces were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DetectionMethod {
    /// From many sizes, whose intervals tell how exact they are.
    Sweep,
    /// From few figures: only jumps that a fixed cost and a cost per byte cannot make.
    Table,
}

impl Step {
    /// How far it is from no jump at all, in either direction.
    pub fn size(&self) -> f64 {
        self.jump.ln().abs()
    }

    /// Whether the sizes on both sides are neighbours in a sweep, so that its place is known.
    pub fn is_placed(&self) -> bool {
        self.at_bytes - self.before_bytes <= sweep::APART.max(self.at_bytes / 16)
    }
}

/// Returns every workload of `document` that was measured at enough sizes to say something of steps, those with the
/// largest steps first; of `wanted` series only.
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

/// What the series of one curve have in common.
fn key(series: &Series) -> impl Ord + '_ {
    let workload = Workload { bytes: 0, ..series.workload() };
    let who = (&series.library, &series.library_version, series.acceleration);
    (series.level, workload, who, series.details.threads, series.aad())
}

/// Whether a series says what bytes cost: throughput, of a library, that was verified or that somebody else printed.
fn is_considered(series: &Series) -> bool {
    // What a transfer takes is mostly the kernel's.
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

/// At most `most` of `all`, evenly, with the first and the last.
fn thinned<T: Copy>(all: Vec<T>, most: usize) -> Vec<T> {
    if all.len() <= most {
        return all;
    }
    (0..most).filter_map(|index| all.get(index * (all.len() - 1) / (most - 1)).copied()).collect()
}

#[cfg(test)]
mod tests;
