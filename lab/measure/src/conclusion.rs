//! Computes the conclusions of a finished run: statistics, noise floor, core clock and dropped slices.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::plan::Plan;
use super::record::is_same_series;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::document::{Method, Remark, Series};
use kasoku_model::statistics::{self, Nested};
use kasoku_model::workload::Operation;

/// Computes the statistics of all series, and the noise floor, core clock and remarks of the run.
pub fn conclude(plan: &Plan, series: &mut [Series]) -> Conclusion {
    let mut conclusion = Conclusion::default();
    let (mut all, mut dropped, mut outliers, mut clocks) = (0u64, 0u64, 0u64, BTreeMap::<u32, Vec<f64>>::new());
    for one in series.iter_mut() {
        if one.has_failed() {
            continue;
        }
        statistics::summarize(one);
        if one.median.is_none() {
            let why = if one.samples.is_empty() { "was never timed" } else { "never had a core to itself" };
            one.fail(why);
        }
        all += one.samples.len() as u64;
        dropped += one.samples.iter().filter(|sample| sample.dropped).count() as u64;
        let figures: Vec<f64> = one.kept().map(|sample| one.figure(sample)).collect();
        outliers += statistics::outliers(&figures).iter().filter(|is| **is).count() as u64;
        for sample in &one.samples {
            clocks.entry(sample.round).or_default().extend(sample.core_hz);
        }
    }
    conclusion.core_hz = statistics::median(&mut clocks.values().flatten().copied().collect::<Vec<_>>());
    if let Some((control, _)) = plan.control() {
        let control_ratios = control_ratios(series);
        let all: Vec<Nested> = control_ratios.values().flatten().cloned().collect();
        conclusion.noise_floor = statistics::noise_floor(&all);
        conclusion.noise_floors = control_ratios
            .into_iter()
            .filter_map(|(algorithm, own)| Some((algorithm.name().to_owned(), statistics::own_floor(&own, &all)?)))
            .collect();
        conclusion.noise_floor_library = Some(plan.workers[control].entry.name.to_owned());
    }
    conclusion.remarks.extend(kept_disturbed_slices(series));
    let share = |part: u64| 100.0 * part as f64 / all.max(1) as f64;
    if share(dropped) >= 1.0 {
        conclusion.remarks.push(Remark::DroppedSlices { percent: share(dropped) });
    }
    if share(outliers) >= 2.0 {
        conclusion.remarks.push(Remark::Outliers { percent: share(outliers) });
    }
    conclusion.remarks.extend(restarts(series));
    conclusion.remarks.extend(interrupted_suites(series));
    let by_round: Vec<f64> = clocks.values_mut().filter_map(|values| statistics::median(values)).collect();
    let third = by_round.len() / 3;
    if let (Some(first), Some(last)) = (
        statistics::median(&mut by_round[..third].to_vec()),
        statistics::median(&mut by_round[by_round.len() - third..].to_vec()),
    ) && last < 0.97 * first
    {
        conclusion.remarks.push(Remark::SlowerClock { from: first / 1e9, to: last / 1e9 });
    }
    conclusion
}

fn kept_disturbed_slices(series: &[Series]) -> Option<Remark> {
    let of_series = |one: &Series| one.samples.iter().filter(|sample| sample.disturbed).count();
    let counts: Vec<usize> = series.iter().map(of_series).filter(|count| *count > 0).collect();
    (!counts.is_empty()).then(|| Remark::KeptSlices { slices: counts.iter().sum(), series: counts.len() })
}

fn restarts(series: &[Series]) -> Option<Remark> {
    let restarted = series.iter().filter(|one| !one.has_failed() && one.details.restarts > 0);
    let libraries: BTreeSet<&str> = restarted.map(|one| one.library.as_str()).collect();
    let libraries = libraries.into_iter().collect::<Vec<_>>().join(", ");
    (!libraries.is_empty()).then_some(Remark::Restarts { libraries })
}

/// Minimum share of its cores' time that a benchmark suite must get. With a smaller share, other programs lowered the
/// score, and a remark in the report says so.
const MIN_CPU_SHARE_OF_A_SUITE: f64 = 0.95;

/// Returns a remark if the benchmark suites got too small a share of their cores' time.
fn interrupted_suites(series: &[Series]) -> Option<Remark> {
    let of_suites = series.iter().filter(|one| one.algorithm.kind() == AlgorithmKind::Suite);
    let samples = of_suites.flat_map(|one| one.samples.iter().map(move |sample| (one.details.threads, sample)));
    // Benchmarks with their own clock report no CPU time.
    let mut shares: Vec<f64> = samples
        .filter(|(_, sample)| sample.cpu_ns > 0 && sample.ns > 0)
        .map(|(threads, sample)| sample.cpu_ns as f64 / (sample.ns as f64 * threads as f64))
        .collect();
    let share = statistics::median(&mut shares).filter(|share| *share < MIN_CPU_SHARE_OF_A_SUITE)?;
    Some(Remark::InterruptedSuites { percent: 100.0 * share })
}

#[derive(Debug, Default)]
pub struct Conclusion {
    pub core_hz: Option<f64>,
    /// Smallest relative difference that this run can distinguish from noise.
    pub noise_floor: Option<f64>,
    pub noise_floors: BTreeMap<String, f64>,
    pub noise_floor_library: Option<String>,
    pub remarks: Vec<Remark>,
}

impl Conclusion {
    /// Describes in `method` how `plan` was measured. If levels differ, `method` keeps the smaller counts and the
    /// larger noise floors, so that the run claims no more than its weakest level.
    pub fn add_to(&self, method: &mut Method, plan: &Plan, slice: Duration) {
        let slice_ms = slice.as_secs_f64() * 1e3;
        let is_first = method.rounds == 0;
        method.processes = if is_first { plan.processes } else { method.processes.min(plan.processes) };
        method.rounds = if is_first { plan.all_rounds() } else { method.rounds.min(plan.all_rounds()) };
        method.slice_ms = if is_first { slice_ms } else { method.slice_ms.min(slice_ms) };
        method.core_hz = method.core_hz.or(self.core_hz);
        method.noise_floor = method.noise_floor.into_iter().chain(self.noise_floor).reduce(f64::max);
        for (algorithm, &floor) in &self.noise_floors {
            let known = method.noise_floors.entry(algorithm.clone()).or_insert(floor);
            *known = known.max(floor);
        }
        if method.noise_floor_library.is_none() {
            method.noise_floor_library.clone_from(&self.noise_floor_library);
        }
    }
}

/// Returns the log ratios of each A/A control to the series that it repeats, by algorithm.
fn control_ratios(series: &[Series]) -> BTreeMap<Algorithm, Vec<Nested>> {
    let mut control_ratios: BTreeMap<Algorithm, Vec<Nested>> = BTreeMap::new();
    // End-to-end transfers have a noise floor of their own, which does not apply to a cipher alone.
    for control in series.iter().filter(|one| one.details.control && one.operation != Operation::Transfer) {
        let is_original = |one: &&Series| !one.details.control && is_same_series(one, control);
        if let Some(original) = series.iter().find(is_original) {
            control_ratios.entry(control.algorithm).or_default().push(statistics::log_ratios(control, original));
        }
    }
    control_ratios
}
