//! The rule for a sweep: pieces by least squares of relative errors, as many as Bayes' criterion bears, and of their
//! breakpoints those that resamples of the measurement have too and that are worth naming.

use std::collections::BTreeMap;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::form::{CostForm, CostLine, blocks, whole};
use super::sums::{Solved, Sums};
use super::{CurvePoint, Found};
use crate::algorithm::Algorithm;
use crate::document::Series;
use crate::statistics::median;

/// At most this many sizes are fitted.
pub(super) const MAX: usize = 160;
/// A piece has at least this many sizes: fewer prove no line.
const MIN: usize = 4;
/// No median is taken for more exact than this: sizes differ by as much for reasons that are no line's.
const EXACTNESS: f64 = 0.005;
/// Resamples of the measurement.
const RESAMPLES: usize = 200;
/// The share of them that must have a breakpoint.
const SUPPORT: f64 = 0.95;
/// Lines that differ by less where a piece begins …
const AT_ITS_BEGINNING: f64 = 1.05;
/// … and by less than this where it ends are one line.
const AT_ITS_END: f64 = 1.10;
/// The units that code works in.
const UNITS: [usize; 6] = [32, 64, 128, 256, 512, 1024];

/// Nanoseconds an operation of each sample that counts, by process.
pub(super) fn by_process(series: &Series) -> BTreeMap<u32, Vec<f64>> {
    let mut groups: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for sample in series.kept() {
        groups.entry(sample.process).or_default().push(sample.ns as f64 / sample.iterations as f64);
    }
    groups
}

/// The pieces of `points`, whose samples are `samples`. `None` if there are none.
pub(super) fn fit(algorithm: Algorithm, points: &[CurvePoint], samples: &[BTreeMap<u32, Vec<f64>>]) -> Option<Found> {
    let sizes: Vec<usize> = points.iter().map(|point| point.bytes).collect();
    let times: Vec<f64> = points.iter().map(|point| point.ns).collect();
    let resampled = resample(&times, samples);
    let mut sigmas = spreads(&times, &resampled);
    let mut fitter = Fitter { algorithm, sizes: &sizes, sigmas: &sigmas };
    let first = fitter.best(&times)?;
    // Where even the best pieces leave more than the samples scatter, the rest is no noise of the measurement but more
    // structure than lines have; then only what stands out from that is a step.
    let left = fitter.misfit(&times, &first);
    if left > 1.0 {
        sigmas.iter_mut().for_each(|sigma| *sigma *= left.sqrt());
        fitter = Fitter { algorithm, sizes: &sizes, sigmas: &sigmas };
    }
    let starts = fitter.best(&times)?;
    // Without breakpoints there is nothing to be supported.
    let asked = if starts.len() > 1 { resampled.as_slice() } else { &[] };
    let found: Vec<Vec<usize>> = asked.iter().filter_map(|times| fitter.best(times)).collect();
    let support = |start: usize| {
        let has = |starts: &&Vec<usize>| starts[1..].iter().any(|other| is_same_place(&sizes, sizes[*other], start));
        found.iter().filter(has).count() as f64 / found.len().max(1) as f64
    };
    // A breakpoint that is gone when one size is left out says that this size is off, and that nothing changes there.
    let left_out = if starts.len() > 1 { 0..sizes.len() } else { 0..0 };
    let without: Vec<Vec<usize>> = left_out.map(|index| fitter.without(&times, index)).collect();
    let rests_on_many =
        |start: usize| without.iter().all(|found| found.iter().any(|bytes| is_same_place(&sizes, *bytes, start)));
    let supported = starts[1..].iter().map(|&start| (start, support(start)));
    let mut breaks: Vec<(usize, f64)> =
        supported.filter(|&(start, support)| support >= SUPPORT && rests_on_many(start)).collect();
    loop {
        let starts: Vec<usize> = std::iter::once(0).chain(breaks.iter().map(|cut| cut.0)).collect();
        let lines = fitter.lines(&times, &starts)?;
        let effect = |index: usize| {
            let (at, end) = (starts[index + 1], starts.get(index + 2).copied().unwrap_or(sizes.len()) - 1);
            let apart = |bytes: usize| (lines[index].at(bytes) / lines[index + 1].at(bytes)).abs().ln().abs();
            (apart(sizes[at]) / AT_ITS_BEGINNING.ln()).max(apart(sizes[end]) / AT_ITS_END.ln())
        };
        let smallest = (0..breaks.len()).map(|index| (index, effect(index))).min_by(|a, b| a.1.total_cmp(&b.1));
        match smallest {
            Some((index, effect)) if effect < 1.0 => drop(breaks.remove(index)),
            _ => {
                let breaks = breaks.into_iter().map(|(start, support)| (start, Some(support))).collect();
                return Some(Found { lines: lines.into_iter().map(Some).collect(), breaks });
            }
        }
    }
}

/// Whether a piece that begins at `bytes` begins where the point `start` is: at it or next to it, or as near as a fifth
/// of the size, since sizes lie close together around powers of two, and a bend is not as sharply placed as a jump.
fn is_same_place(sizes: &[usize], bytes: usize, start: usize) -> bool {
    let neighbours = sizes[start.saturating_sub(1)]..=sizes[(start + 1).min(sizes.len() - 1)];
    neighbours.contains(&bytes) || bytes.abs_diff(sizes[start]) <= sizes[start] / 5
}

/// The medians of resamples: processes with replacement, the same ones for every size, then samples within each.
fn resample(times: &[f64], samples: &[BTreeMap<u32, Vec<f64>>]) -> Vec<Vec<f64>> {
    let mut processes: Vec<u32> = samples.iter().flat_map(|groups| groups.keys().copied()).collect();
    processes.sort_unstable();
    processes.dedup();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0x7374_6570);
    let mut below = |bound: usize| ((u128::from(random.next_u64()) * bound as u128) >> 64) as usize;
    let mut drawn = Vec::new();
    let mut resamples = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let chosen: Vec<u32> = processes.iter().map(|_| processes[below(processes.len())]).collect();
        let medians = times.iter().zip(samples).map(|(&time, groups)| {
            drawn.clear();
            for group in chosen.iter().filter_map(|process| groups.get(process)) {
                drawn.extend(group.iter().map(|_| group[below(group.len())]));
            }
            median(&mut drawn).unwrap_or(time)
        });
        resamples.push(medians.collect());
    }
    resamples
}

/// How far each median scatters over the resamples, relative to it.
fn spreads(times: &[f64], resampled: &[Vec<f64>]) -> Vec<f64> {
    let spread = |(index, &time): (usize, &f64)| {
        let squares = resampled.iter().map(|times| ((times[index] - time) / time).powi(2));
        (squares.sum::<f64>() / resampled.len().max(1) as f64).sqrt().max(EXACTNESS)
    };
    times.iter().enumerate().map(spread).collect()
}

struct Fitter<'a> {
    algorithm: Algorithm,
    sizes: &'a [usize],
    /// The relative scatter of each time.
    sigmas: &'a [f64],
}

/// One way to count sizes, summed over all points.
struct Counted {
    form: CostForm,
    padding: usize,
    sums: Sums,
}

impl Fitter<'_> {
    /// Where the pieces begin that are best by Bayes' criterion; the first is 0. `None` if no piece fits at all.
    fn best(&self, times: &[f64]) -> Option<Vec<usize>> {
        let counted = self.count(times);
        let many = self.sizes.len();
        // The best cost of the points so far, and where the last piece of it begins.
        let mut costs: Vec<Option<(f64, usize)>> = vec![Some((0.0, 0))];
        for end in 1..=many {
            let mut here: Option<(f64, usize)> = None;
            for start in 0..=end.saturating_sub(MIN) {
                let Some((before, _)) = costs.get(start).copied().flatten().filter(|_| end >= start + MIN) else {
                    continue;
                };
                // A breakpoint is a parameter too.
                let before = before + if start > 0 { self.price(1) } else { 0.0 };
                // What costs more already need not be fitted.
                if here.is_some_and(|(other, _)| before >= other) {
                    continue;
                }
                let Some((_, cost)) = self.piece(&counted, start, end) else { continue };
                let cost = before + cost;
                if here.is_none_or(|(other, _)| cost < other) {
                    here = Some((cost, start));
                }
            }
            costs.push(here);
        }
        let mut starts = Vec::new();
        let mut end = many;
        while end > 0 {
            let (_, start) = costs.get(end).copied().flatten()?;
            starts.push(start);
            end = start;
        }
        starts.reverse();
        Some(starts)
    }

    /// The first sizes of all pieces but the first, if the point `left_out` is not there.
    fn without(&self, times: &[f64], left_out: usize) -> Vec<usize> {
        let mut sizes = self.sizes.to_vec();
        let (mut sigmas, mut times) = (self.sigmas.to_vec(), times.to_vec());
        sizes.remove(left_out);
        sigmas.remove(left_out);
        times.remove(left_out);
        let fitter = Fitter { algorithm: self.algorithm, sizes: &sizes, sigmas: &sigmas };
        fitter.best(&times).unwrap_or_default().iter().skip(1).map(|&start| sizes[start]).collect()
    }

    /// The best line of each piece.
    fn lines(&self, times: &[f64], starts: &[usize]) -> Option<Vec<CostLine>> {
        let counted = self.count(times);
        let ends = starts[1..].iter().copied().chain([self.sizes.len()]);
        starts.iter().zip(ends).map(|(&start, end)| Some(self.piece(&counted, start, end)?.0)).collect()
    }

    /// What the pieces leave unexplained, for each point that is not used up by a parameter: 1 if it is as much as the
    /// samples scatter.
    fn misfit(&self, times: &[f64], starts: &[usize]) -> f64 {
        let Some(lines) = self.lines(times, starts) else { return 1.0 };
        let mut squares = 0.0;
        for (index, (&size, &time)) in self.sizes.iter().zip(times).enumerate() {
            let piece = starts.iter().rposition(|start| *start <= index).unwrap_or(0);
            squares += ((lines[piece].at(size) - time) / time / self.sigmas[index]).powi(2);
        }
        let parameters: usize = lines.iter().map(|line| parameters(&line.form) + 1).sum();
        squares / self.sizes.len().saturating_sub(parameters).max(1) as f64
    }

    /// The best line through the points `start..end`, and its cost.
    fn piece(&self, counted: &[Counted], start: usize, end: usize) -> Option<(CostLine, f64)> {
        let mut best: Option<(CostLine, f64)> = None;
        for Counted { form, padding, sums } in counted {
            // More parameters than half the points explain anything, and so does a unit that comes once.
            let span = self.sizes[end - 1] - self.sizes[start];
            if 2 * parameters(form) > end - start + 2 || span < 2 * unit(form) {
                continue;
            }
            let Some((line, left)) = self.line(*form, *padding, sums, start, end) else { continue };
            let cost = left + self.price(parameters(form));
            if best.as_ref().is_none_or(|other| cost < other.1 - 1e-9) {
                best = Some((line, cost));
            }
        }
        best
    }

    fn line(&self, form: CostForm, padding: usize, sums: &Sums, start: usize, end: usize) -> Option<(CostLine, f64)> {
        let has_rest = matches!(form, CostForm::Rest { .. } | CostForm::Filled { .. } | CostForm::Ragged { .. });
        let Solved { constant, of_x, of_z, left } =
            if has_rest { sums.three(start, end) } else { sums.two(start, end) }?;
        let form = match form {
            CostForm::Rest { unit, .. } => CostForm::Rest { unit, more_ns_per_byte: of_z },
            CostForm::Filled { unit, .. } => CostForm::Filled { unit, ns_per_missing_byte: of_z },
            CostForm::Ragged { unit, .. } => CostForm::Ragged { unit, more_ns: of_z },
            other => other,
        };
        // No byte takes less than no time, nor does a rest.
        let is_sensible = match form {
            CostForm::Rest { more_ns_per_byte, .. } => of_x + more_ns_per_byte >= 0.0,
            CostForm::Filled { ns_per_missing_byte: more_ns, .. } | CostForm::Ragged { more_ns, .. } => more_ns >= 0.0,
            CostForm::Bytes | CostForm::Units { .. } => true,
        };
        let line = CostLine { fixed_ns: constant, ns_per_byte: of_x, form, padding };
        let is_positive = || self.sizes[start..end].iter().all(|&size| line.at(size) > 0.0);
        (of_x >= 0.0 && is_sensible && is_positive()).then_some((line, left))
    }

    fn price(&self, parameters: usize) -> f64 {
        parameters as f64 * (self.sizes.len() as f64).ln()
    }

    /// Every way to count, with the sums for `times`.
    fn count(&self, times: &[f64]) -> Vec<Counted> {
        let own = blocks(self.algorithm);
        let padding = own.map_or(0, |(_, padding)| padding);
        let block = own.map(|(block, _)| block).filter(|block| !UNITS.contains(block));
        let mut forms = vec![CostForm::Bytes];
        for unit in block.into_iter().chain(UNITS) {
            let (more_ns_per_byte, ns_per_missing_byte, more_ns) = (0.0, 0.0, 0.0);
            forms.extend([
                CostForm::Units { unit },
                CostForm::Rest { unit, more_ns_per_byte },
                CostForm::Filled { unit, ns_per_missing_byte },
                CostForm::Ragged { unit, more_ns },
            ]);
        }
        let counted = |form: CostForm| {
            let point = |(index, &size): (usize, &usize)| {
                let weight = (self.sigmas[index] * times[index]).powi(-2);
                let (x, z) = features(form, size, padding);
                [weight, x, z, times[index]]
            };
            Counted { form, padding, sums: Sums::of(self.sizes.iter().enumerate().map(point)) }
        };
        forms.into_iter().map(counted).collect()
    }
}

/// What a size counts as: the feature that costs by the byte, and the other one.
fn features(form: CostForm, size: usize, padding: usize) -> (f64, f64) {
    match form {
        CostForm::Bytes => (size as f64, 0.0),
        CostForm::Units { unit } => (whole(size, padding, unit), 0.0),
        CostForm::Rest { unit, .. } => (size as f64, (size % unit) as f64),
        CostForm::Filled { unit, .. } => (size as f64, whole(size, 0, unit) - size as f64),
        CostForm::Ragged { unit, .. } => (size as f64, f64::from(u8::from(!size.is_multiple_of(unit)))),
    }
}

/// The unit of a form, if it has one.
fn unit(form: &CostForm) -> usize {
    match *form {
        CostForm::Bytes => 0,
        CostForm::Units { unit }
        | CostForm::Rest { unit, .. }
        | CostForm::Filled { unit, .. }
        | CostForm::Ragged { unit, .. } => unit,
    }
}

/// What a form has to be told: its figures, and the unit.
fn parameters(form: &CostForm) -> usize {
    match form {
        CostForm::Bytes => 2,
        CostForm::Units { .. } => 3,
        CostForm::Rest { .. } | CostForm::Filled { .. } | CostForm::Ragged { .. } => 4,
    }
}
