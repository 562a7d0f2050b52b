//! Steps: what an operation costs by itself, what each byte costs, and at which sizes that changes.
//!
//! A [`Curve`] is one workload over its sizes. Where many sizes were swept and their samples are there, `fit` finds the
//! pieces; where there are only a few figures, `table` holds them against what a fixed cost and a cost per byte can
//! make (docs/METHOD.md, "Steps").

mod explanation;
mod fit;
mod form;
mod sums;
pub mod sweep;
mod table;

use std::collections::BTreeMap;

use crate::acceleration::Acceleration;
use crate::document::{Document, Machine, Series, Unit};
use crate::level::Level;
use crate::library::Role;
use crate::statistics::Nested;
use crate::workload::{Operation, Workload};

pub use explanation::Explanation;
pub use form::{CostForm, CostLine};

/// Fewer sizes than this show nothing: a line goes through two, and bends at the third.
const MIN_SIZES: usize = 4;
/// From this many sizes on they are a sweep.
const SWEEP: usize = 13;
/// Fewer samples than this say nothing of a size in a sweep.
const MIN_SAMPLES: usize = 3;

/// One workload on one library in one state over its sizes.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The level.
    pub level: Level,
    /// The workload, with 0 bytes.
    pub workload: Workload,
    /// The library.
    pub library: String,
    /// Its version.
    pub library_version: String,
    /// The state.
    pub acceleration: Acceleration,
    /// How many threads worked at once.
    pub threads: u64,
    /// What was measured, by size.
    pub points: Vec<CurvePoint>,
    /// Between the steps: as many as there are steps, and one.
    pub pieces: Vec<Piece>,
    /// Where one piece ends and another begins.
    pub steps: Vec<Step>,
    /// How they were found.
    pub rule: DetectionMethod,
    /// Why there is no step where the same code has one on other machines.
    pub absence: Option<Explanation>,
}

/// What was measured at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoint {
    /// The size.
    pub bytes: usize,
    /// Nanoseconds an operation.
    pub ns: f64,
    /// What really ran.
    pub code_path: String,
}

/// Sizes over which one line holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The smallest of these sizes that was measured.
    pub first: usize,
    /// The largest.
    pub last: usize,
    /// What an operation of a size costs; absent where the only size of a piece says nothing of it.
    pub line: Option<CostLine>,
    /// Cycles a byte of a long text, where the core clock is known.
    pub cycles_per_byte: Option<f64>,
    /// The code paths seen in it.
    pub code_paths: Vec<String>,
}

/// Where one piece ends and the next begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The last size before it that was measured.
    pub before: usize,
    /// The first size after it that was measured. What is between was not.
    pub at: usize,
    /// How many times as fast an operation of `at` bytes is as it would be if the line before went on: below 1 is
    /// slower. Absent if one side has no line.
    pub jump: Option<f64>,
    /// The share of resamples that have it too; absent where there are no samples.
    pub support: Option<f64>,
    /// Why, where that is known.
    pub cause: Option<Explanation>,
}

/// How pieces were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetectionMethod {
    /// By a fit to the samples of many sizes.
    Sweep,
    /// From few figures: jumps that a fixed cost and a cost per byte cannot make.
    Table,
}

impl Step {
    /// How far it is from no jump at all, in either direction.
    pub fn size(&self) -> f64 {
        self.jump.map_or(0.0, |jump| jump.ln().abs())
    }

    /// Whether the sizes on both sides are neighbours in a sweep, so that its place is known.
    pub fn is_placed(&self) -> bool {
        self.at - self.before <= sweep::APART.max(self.at / 16)
    }
}

/// Every workload of `document` that was measured at enough sizes to say something of steps, those with the largest
/// steps first; of `wanted` only.
pub fn steps(document: &Document, wanted: impl Fn(&Series) -> bool) -> Vec<Curve> {
    let mut groups: BTreeMap<Key<'_>, BTreeMap<usize, &Series>> = BTreeMap::new();
    let considered = document.series.iter().filter(|series| is_considered(series) && wanted(series));
    for series in considered {
        groups.entry(Key::of(series)).or_default().entry(series.bytes).or_insert(series);
    }
    let groups: Vec<_> = groups.into_iter().filter(|(_, sizes)| sizes.len() >= MIN_SIZES).collect();
    let mut curves: Vec<Curve> = groups.iter().filter_map(|(key, sizes)| curve(document, key, sizes)).collect();
    let largest = |curve: &Curve| curve.steps.iter().map(Step::size).fold(0.0, f64::max);
    curves.sort_by(|a, b| a.steps.is_empty().cmp(&b.steps.is_empty()).then(largest(b).total_cmp(&largest(a))));
    curves
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    level: Level,
    workload: Workload,
    library: &'a str,
    version: &'a str,
    acceleration: Acceleration,
    threads: u64,
    aad: Option<usize>,
}

impl<'a> Key<'a> {
    fn of(series: &'a Series) -> Self {
        Key {
            level: series.level,
            workload: Workload { bytes: 0, ..series.workload() },
            library: &series.library,
            version: &series.library_version,
            acceleration: series.acceleration,
            threads: series.details.threads,
            aad: series.aad(),
        }
    }
}

/// Whether a series says what bytes cost: throughput, of a library, that was verified or that somebody else printed.
fn is_considered(series: &Series) -> bool {
    // What a transfer takes is mostly the kernel's.
    let is_transfer = series.operation == Operation::Transfer;
    let is_library = !is_transfer && series.role == Role::Library;
    let is_bulk = series.unit == Unit::BytesPerSecond && series.algorithm.kind().is_bulk() && series.bytes > 0;
    let is_sound = !series.has_failed() && (series.is_verified() || series.is_quoted());
    is_library && is_bulk && is_sound && !series.details.control && nanoseconds(series).is_some()
}

/// Nanoseconds an operation.
fn nanoseconds(series: &Series) -> Option<f64> {
    let figure = if series.samples.is_empty() { series.median? } else { Nested::figures(series).median()? };
    let ns = series.bytes as f64 * 1e9 / figure;
    (ns.is_finite() && ns > 0.0).then_some(ns)
}

fn curve(document: &Document, key: &Key<'_>, sizes: &BTreeMap<usize, &Series>) -> Option<Curve> {
    let sampled = |series: &&Series| series.kept().take(MIN_SAMPLES).count() == MIN_SAMPLES;
    let swept: Vec<&Series> = thinned(sizes.values().copied().filter(|series| sampled(series)).collect(), fit::MAX);
    let is_sweep = swept.len() >= SWEEP;
    let used = if is_sweep { swept } else { thinned(sizes.values().copied().collect(), table::MAX) };
    let point = |series: &&Series| {
        Some(CurvePoint { bytes: series.bytes, ns: nanoseconds(series)?, code_path: series.code_path.clone() })
    };
    let points: Vec<CurvePoint> = used.iter().filter_map(point).collect();
    let found = if is_sweep {
        fit::fit(
            key.workload.algorithm,
            &points,
            &used.iter().map(|series| fit::by_process(series)).collect::<Vec<_>>(),
        )
    } else {
        table::fit(key.workload.algorithm, &points)
    }?;
    let hz = document.run.method.core_hz.filter(|hz| hz.is_finite() && *hz > 0.0);
    let mut curve = Curve {
        level: key.level,
        workload: key.workload,
        library: key.library.to_owned(),
        library_version: key.version.to_owned(),
        acceleration: key.acceleration,
        threads: key.threads,
        pieces: pieces(&points, &found, hz),
        steps: Vec::new(),
        points,
        rule: if is_sweep { DetectionMethod::Sweep } else { DetectionMethod::Table },
        absence: None,
    };
    let steps: Vec<Step> = found.breaks.iter().enumerate().map(|(index, cut)| step(&curve, index, cut)).collect();
    curve.steps = steps;
    explain(&mut curve, &document.machine);
    Some(curve)
}

/// What a rule found: where pieces begin, and their lines.
#[derive(Clone, Debug, Default)]
struct Found {
    /// The lines, one more than breaks; absent where a piece has one size only.
    lines: Vec<Option<CostLine>>,
    /// The first point of every piece but the first, with the share of resamples that have it.
    breaks: Vec<(usize, Option<f64>)>,
}

fn pieces(points: &[CurvePoint], found: &Found, hz: Option<f64>) -> Vec<Piece> {
    let starts = std::iter::once(0).chain(found.breaks.iter().map(|cut| cut.0));
    let ends = found.breaks.iter().map(|cut| cut.0).chain([points.len()]);
    let piece = |((start, end), line): ((usize, usize), &Option<CostLine>)| {
        let inside = points.get(start..end)?;
        let mut code_paths: Vec<String> = Vec::new();
        for point in inside {
            if !point.code_path.is_empty() && !code_paths.contains(&point.code_path) {
                code_paths.push(point.code_path.clone());
            }
        }
        Some(Piece {
            first: inside.first()?.bytes,
            last: inside.last()?.bytes,
            line: *line,
            cycles_per_byte: line.zip(hz).map(|(line, hz)| line.per_byte() * hz * 1e-9),
            code_paths,
        })
    };
    starts.zip(ends).zip(&found.lines).filter_map(piece).collect()
}

fn step(curve: &Curve, index: usize, (at, support): &(usize, Option<f64>)) -> Step {
    let lines = curve.pieces.get(index).and_then(|p| p.line).zip(curve.pieces.get(index + 1).and_then(|p| p.line));
    let bytes = |place: usize| curve.points.get(place).map_or(0, |point| point.bytes);
    Step {
        before: bytes(at.saturating_sub(1)),
        at: bytes(*at),
        jump: lines.and_then(|(before, after)| form::jump(&before, &after, bytes(*at))),
        support: *support,
        cause: None,
    }
}

fn explain(curve: &mut Curve, machine: &Machine) {
    let causes: Vec<_> = curve.steps.iter().map(|step| explanation::of(curve, step, machine)).collect();
    for (step, cause) in curve.steps.iter_mut().zip(causes) {
        step.cause = cause;
    }
    curve.absence = explanation::of_absence(curve, machine);
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
