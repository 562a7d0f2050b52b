//! Measures workloads in slices: each round times every workload on all its workers, one after the other.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::plan::{AROUND_A_SLICE, Item, Plan, Slices};
use super::preparation::{new_series, prepare};
use super::procedure::{Procedure, SampleSlot, carry_out, random};
use super::protocol::{TimedWorkload, WorkerRequest};
use super::record::{PlanRecord, is_same_series};
use super::scheduled_sample::{ContentionProbe, ScheduledSample};
use super::worker::{Worker, WorkerError};
use kasoku_model::algorithm::{Algorithm, Suite};
use kasoku_model::document::{Experiment, Sample, Series};
use kasoku_model::statistics::{MIN_FOR_AN_INTERVAL, rough_half_width, spared};

pub(super) fn run(
    plan: &Plan,
    slices: &Slices,
    mut workers: Vec<Worker>,
    record: &mut PlanRecord<'_>,
) -> Result<(), String> {
    if plan.items.is_empty() && slices.own_clock.is_none() {
        return Ok(());
    }
    record.measured.libraries = workers.iter().map(|worker| worker.library.clone()).collect();
    let mut rows = prepare(plan, &mut workers, record)?;
    let visits = rows.iter().map(Vec::len).sum();
    let slice = plan.slice(visits);
    record.measured.slice = slice;
    for visit in rows.iter_mut().flatten() {
        match score_duration(visit, &workers[visit.worker]) {
            Some(score) => visit.occupy_threads(score, plan.rounds),
            None => visit.fill(slice, plan.rounds),
        }
    }
    let rows: Vec<WorkloadRow> = rows.into_iter().map(|visits| WorkloadRow { visits, is_due: true }).collect();
    let retries = RetryBudget { slice, has_further_rounds: slices.further_rounds > 0, ..RetryBudget::default() };
    // Each process start has an equal share, so that noisy early starts leave time for later ones.
    let share = plan.retry_time(visits) / plan.processes;
    let total = rows.len() as u64 * u64::from(plan.all_rounds());
    let mut slicing = Slicing { plan, slices, workers, retries, share, random: random(), done: 0, total };
    carry_out(&mut slicing, (plan.processes, plan.rounds + slices.further_rounds), rows, record)
}

/// Scheduled samples of one workload, one for each worker that measures it. All are taken in the same rounds, so that
/// the workers can be compared.
struct WorkloadRow {
    visits: Vec<ScheduledSample>,
    is_due: bool,
}

fn cost(visit: &ScheduledSample, slice: Duration) -> Duration {
    slice.max(Duration::from_nanos(visit.slice_ns() as u64)) + AROUND_A_SLICE
}

struct Slicing<'a> {
    plan: &'a Plan,
    slices: &'a Slices,
    workers: Vec<Worker>,
    retries: RetryBudget,
    /// Time in each start of the workers for retries and further rounds.
    share: Duration,
    random: Xoshiro256PlusPlus,
    done: u64,
    total: u64,
}

impl Procedure for Slicing<'_> {
    type Case = WorkloadRow;

    fn start(&mut self, process: u32, _: &mut Vec<WorkloadRow>, _: &mut PlanRecord<'_>) -> Result<(), String> {
        if process > 0 {
            self.workers.iter_mut().for_each(Worker::renew);
        }
        self.retries.left = self.share;
        let reserved = if self.retries.has_further_rounds { FURTHER } else { 0.0 };
        self.retries.reserved = self.share.mul_f64(reserved);
        Ok(())
    }

    /// Selects the rows of the next round, and returns whether any row takes part. All rows take part in the planned
    /// rounds. While time is left, the rows with the greatest need take part in further rounds.
    fn has_round(&mut self, round_in_start: u32, rows: &mut Vec<WorkloadRow>, record: &mut PlanRecord<'_>) -> bool {
        if round_in_start < self.plan.rounds {
            rows.iter_mut().for_each(|row| row.is_due = true);
            return true;
        }
        self.retries.reserved = Duration::ZERO;
        // Sort the shuffled rows so that the choice depends only on the samples: of equal needs, the plan's first wins.
        rows.sort_by_key(|row| row.visits.iter().map(|visit| visit.series).min());
        let need = |WorkloadRow { visits, .. }: &WorkloadRow| {
            let series: Vec<&Series> = visits.iter().map(|visit| &record.measured.series[visit.series]).collect();
            (Need::from_series(&series), visits.iter().map(|visit| cost(visit, self.retries.slice)).sum())
        };
        let chosen = choose(&rows.iter().map(need).collect::<Vec<_>>(), self.retries.left);
        rows.iter_mut().zip(&chosen).for_each(|(row, is_chosen)| row.is_due = *is_chosen);
        chosen.contains(&true)
    }

    fn visit(&mut self, row: &mut WorkloadRow, slot: SampleSlot, record: &mut PlanRecord<'_>) -> Result<bool, String> {
        if !row.is_due {
            return Ok(true);
        }
        let SampleSlot { process, round_in_start, .. } = slot;
        let is_further = round_in_start >= self.plan.rounds;
        let round = process * self.plan.rounds + (round_in_start + 1).min(self.plan.rounds);
        record.observer.progress(&format!("round {round} of {}", self.plan.all_rounds()), self.done, self.total);
        self.done += u64::from(!is_further);
        row.visits.shuffle(&mut self.random);
        let (begun, left) = (Instant::now(), self.retries.left);
        let Slicing { workers, retries, .. } = self;
        let mut samples = Vec::with_capacity(row.visits.len());
        // Further rounds measure even series that skip some of the plan's rounds. A failed series is not repeated.
        row.visits.retain_mut(|visit| {
            if !is_further && !round_in_start.is_multiple_of(visit.every) {
                return true;
            }
            let (series, worker) = (record.series(visit.series), &mut workers[visit.worker]);
            let mut taken = time_slice(visit, worker, retries);
            if taken.as_ref().is_ok_and(|taken| visit.refill(&taken.sample, retries.slice)) {
                taken = time_slice(visit, worker, retries);
            }
            match taken {
                Ok(TimedSlice { sample, additions, .. }) => {
                    visit.note_fastest(&sample);
                    visit.additions.push(additions);
                    let sample = Sample { process, round: slot.round, ..sample };
                    series.samples.push(sample);
                    if let Some(death) = worker.take_death() {
                        series.restarted(death);
                    }
                    samples.push((visit.series, sample));
                    true
                }
                Err(error) => {
                    series.fail(&error);
                    false
                }
            }
        });
        if is_further {
            self.retries.left = left.saturating_sub(begun.elapsed());
        }
        record.observer.sampled(&samples)?;
        Ok(true)
    }

    fn end(&mut self, process: u32, rows: &[WorkloadRow], record: &mut PlanRecord<'_>) -> Result<(), String> {
        if let Some(item) = self.slices.own_clock.as_ref().filter(|_| process < self.slices.own_clock_processes) {
            self.measure_own_clocks(item, process, record)?;
        }
        if process + 1 == self.plan.processes { self.settle(rows, record) } else { Ok(()) }
    }
}

impl Slicing<'_> {
    /// Takes one sample from each worker of `item`. These workers run a benchmark with its own clock (SPECjvm2008). The
    /// first sample of a worker begins its series.
    fn measure_own_clocks(&mut self, item: &Item, process: u32, record: &mut PlanRecord<'_>) -> Result<(), String> {
        for &index in &item.workers {
            let worker = &mut self.workers[index];
            let what = format!("measuring with the own clock of {}", worker.name.entry.name);
            record.observer.progress(&what, u64::from(process), u64::from(self.slices.own_clock_processes));
            let mut template = new_series(self.plan.level, item, worker);
            if let Experiment::Memory(details) = &mut template.details.experiment {
                details.has_own_clock = true;
            }
            let known = record.measured.series.iter().position(|one| is_same_series(one, &template));
            if known.is_some_and(|known| record.series(known).has_failed()) {
                continue;
            }
            let seconds = worker.name.jvm.as_ref().map_or(0.0, |jvm| jvm.score.as_secs_f64());
            let answer = worker.ask(&WorkerRequest::OwnClock(item.workload, seconds));
            let number = match (known, &answer) {
                (Some(known), _) => known,
                (None, Err(WorkerError::Unsupported(_))) => continue,
                (None, _) => record.begin(template)?,
            };
            let series = record.series(number);
            match answer {
                Ok(TimedWorkload { nanoseconds: ns, iterations, note: own, .. }) => {
                    let note = "measured by its own clock: its output cannot be verified, so it is never ranked";
                    series.note = Some(own.map_or(note.to_owned(), |own| format!("{note}; {own}")));
                    if let Some(death) = worker.take_death() {
                        series.restarted(death);
                    }
                    let round = (process + 1) * self.plan.rounds - 1;
                    record.sample(number, Sample { process, round, iterations, ns, ..Sample::default() })?;
                }
                Err(error) => series.fail(&error),
            }
        }
        Ok(())
    }

    /// Decides which samples count, after all samples have been taken. Samples that no other program disturbed always
    /// count. If these are too few for an interval, the least disturbed of the others count too.
    fn settle(&self, rows: &[WorkloadRow], record: &mut PlanRecord<'_>) -> Result<(), String> {
        let all = &mut record.measured.series;
        let mut settled: Vec<(usize, Sample)> = Vec::new();
        let mut changed = Vec::new();
        for row in rows {
            let before: Vec<Vec<Sample>> = row.visits.iter().map(|visit| all[visit.series].samples.clone()).collect();
            for visit in &row.visits {
                // Judge samples again: the fastest probe may have come after them.
                for (sample, additions) in all[visit.series].samples.iter_mut().zip(&visit.additions) {
                    sample.dropped |= self.retries.is_contended(*additions);
                }
            }
            let spared = spared(&row.visits.iter().map(|visit| &all[visit.series]).collect::<Vec<_>>());
            for ((visit, places), before) in row.visits.iter().zip(spared).zip(before) {
                let samples = &mut all[visit.series].samples;
                for place in places {
                    samples[place] = Sample { dropped: false, disturbed: true, ..samples[place] };
                }
                if *samples != before {
                    changed.push(visit.series);
                    settled.extend(samples.iter().map(|sample| (visit.series, *sample)));
                }
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        record.observer.forgotten(&changed)?;
        record.observer.sampled(&settled)
    }
}

/// A slice is retried if its time exceeds the fastest time of its series by this factor.
const RETRY_RATIO: f64 = 1.01;
const MAX_RETRIES: usize = 4;
/// A slice (timed piece of work) is retried if a probe beside it made less than this share of the additions that the
/// core makes at most, since then the core's other hardware thread was busy. If retries do not help, the slice is
/// dropped.
const MIN_ADDITIONS: f64 = 0.95;
/// Share of the retry budget that is kept for further rounds, which follow the planned rounds and measure again the
/// workloads with the widest intervals.
const FURTHER: f64 = 0.5;

/// Time that is left for retries of slices (timed pieces of work), and the disturbances by other programs seen so far.
#[derive(Default)]
struct RetryBudget {
    left: Duration,
    /// Part of `left` that retries must not use, since it is kept for the further rounds after the planned ones.
    reserved: Duration,
    slice: Duration,
    /// Whether further rounds can repeat slices that stayed disturbed.
    has_further_rounds: bool,
    /// Whether the last slice stayed disturbed despite retries. A disturbance of several seconds outlasts the next
    /// retry too.
    is_in_burst: bool,
    /// Highest result of a contention probe so far.
    most: ContentionProbe,
}

impl RetryBudget {
    fn max_retries(&self) -> usize {
        if self.is_in_burst && self.has_further_rounds { 0 } else { MAX_RETRIES }
    }

    /// Updates the highest probe. Returns whether the core's other hardware thread was busy during the slice.
    fn was_contended(&mut self, additions: Option<ContentionProbe>) -> bool {
        self.most = additions.map_or(self.most, |additions| self.most.max(additions));
        self.is_contended(additions)
    }

    /// Whether a probe shows that the core's other hardware thread was busy. Few additions per second may also come
    /// from a lower clock, such as under a power limit. Then the additions per cycle stay the same.
    fn is_contended(&self, additions: Option<ContentionProbe>) -> bool {
        additions.is_some_and(|few| {
            let is_full = |part: f64, whole: f64| part >= MIN_ADDITIONS * whole;
            let clock_explains_it =
                few.per_cycle.is_some_and(|part| is_full(part, self.most.per_cycle.unwrap_or(part)));
            !is_full(few.per_second, self.most.per_second) && !clock_explains_it
        })
    }
}

struct TimedSlice {
    is_disturbed: bool,
    additions: Option<ContentionProbe>,
    sample: Sample,
}

impl TimedSlice {
    /// Whether `other` is the better attempt: only `self` was disturbed by other programs, or `other` is faster and
    /// both or neither were disturbed.
    fn is_worse_than(&self, other: &TimedSlice) -> bool {
        let [own, others] = [&self.sample, &other.sample];
        let product = |ns: u64, iterations: u64| u128::from(ns) * u128::from(iterations);
        let (own_ns, others_ns) = (product(own.ns, others.iterations), product(others.ns, own.iterations));
        (self.is_disturbed, own_ns) > (other.is_disturbed, others_ns)
    }
}

/// Times a slice (piece of work), and repeats it while it is slow or disturbed by other programs and `retries` has time
/// left. Returns the best attempt.
fn time_slice(
    visit: &ScheduledSample,
    worker: &mut Worker,
    retries: &mut RetryBudget,
) -> Result<TimedSlice, WorkerError> {
    let mut ask = |retries: &mut RetryBudget| -> Result<TimedSlice, WorkerError> {
        let timed = worker.time(visit.slice.clone())?;
        let additions = ContentionProbe::from_timed(&timed);
        let was_contended = retries.was_contended(additions);
        let sample = visit.sample(timed)?;
        Ok(TimedSlice { is_disturbed: sample.dropped || was_contended, additions, sample })
    };
    let cost = cost(visit, retries.slice);
    let mut best = ask(retries)?;
    for _ in 0..retries.max_retries() {
        let is_slow = |fastest: f64| best.sample.ns as f64 / best.sample.iterations as f64 > RETRY_RATIO * fastest;
        if !(best.is_disturbed || visit.fastest.is_some_and(is_slow)) || retries.left < retries.reserved + cost {
            break;
        }
        let begun = Instant::now();
        let again = ask(retries)?;
        retries.left = retries.left.saturating_sub(begun.elapsed());
        if best.is_worse_than(&again) {
            best = again;
        }
    }
    retries.is_in_burst = best.is_disturbed;
    best.sample.dropped = best.is_disturbed;
    Ok(best)
}

/// Returns how long the score of a benchmark suite is measured; `None` if the sample is of another workload.
fn score_duration(visit: &ScheduledSample, worker: &Worker) -> Option<Duration> {
    let is_score = visit.slice.workload.algorithm == Algorithm::Suite(Suite::CryptoAes);
    worker.name.jvm.as_ref().filter(|_| is_score).map(|jvm| jvm.score)
}

/// Relative half width of an interval below which a workload needs no further rounds.
const NARROW: f64 = 0.002;
/// A further round measures one in this many workloads, so that those that remain uncertain get several rounds.
const CHOSEN_OF: usize = 4;

/// A workload's need for further rounds, which follow the planned ones. Workloads with too few undisturbed rounds
/// (without activity of other programs) come first, then those with the widest intervals.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Need {
    /// Number of rounds that the workload still lacks for a confidence interval of the ratios between its series (the
    /// samples of one library in one acceleration state). Only undisturbed rounds count: those in which no other
    /// program slowed any of the series.
    missing: usize,
    /// Largest half width of the approximate intervals of the workload's series, relative to the figure.
    width: f64,
}

impl Need {
    fn from_series(row: &[&Series]) -> Need {
        let mut quiet: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        for sample in row.iter().flat_map(|series| series.kept()) {
            *quiet.entry((sample.process, sample.round)).or_default() += 1;
        }
        let shared = quiet.values().filter(|&&series| series == row.len()).count();
        let width = |series: &&Series| {
            rough_half_width(&mut series.kept().map(|sample| series.figure(sample)).collect::<Vec<_>>()).unwrap_or(0.0)
        };
        let width = row.iter().map(width).fold(0.0, f64::max);
        Need { missing: if row.is_empty() { 0 } else { MIN_FOR_AN_INTERVAL.saturating_sub(shared) }, width }
    }

    fn is_met(self) -> bool {
        self.missing == 0 && self.width <= NARROW
    }
}

/// Returns which workloads take part in the next further round, given the need and the cost of each. Together they must
/// fit in the time `left`.
fn choose(needs: &[(Need, Duration)], left: Duration) -> Vec<bool> {
    let mut order: Vec<usize> = (0..needs.len()).filter(|&place| !needs[place].0.is_met()).collect();
    let by_need = |a: &usize, b: &usize| needs[*b].0.partial_cmp(&needs[*a].0).unwrap_or(std::cmp::Ordering::Equal);
    order.sort_by(by_need);
    order.truncate(needs.len().div_ceil(CHOSEN_OF));
    let mut chosen = vec![false; needs.len()];
    let mut spent = Duration::ZERO;
    for place in order {
        if spent + needs[place].1 <= left {
            spent += needs[place].1;
            chosen[place] = true;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::acceleration::Acceleration;
    use kasoku_model::document::Unit;
    use kasoku_model::level::Level;
    use kasoku_model::workload::{Operation, Workload};

    fn probe(additions_hz: f64, core_hz: Option<f64>) -> Option<ContentionProbe> {
        ContentionProbe::from_timed(&TimedWorkload {
            additions_hz: Some(additions_hz),
            core_hz,
            ..TimedWorkload::default()
        })
    }

    #[test]
    fn contention_is_detected_at_any_core_clock() {
        let mut retries = RetryBudget::default();
        assert!(!retries.was_contended(probe(20e9, Some(5e9))));
        // A busy sibling thread leaves fewer additions at an unchanged clock.
        assert!(retries.was_contended(probe(15e9, Some(5e9))));
        // A lower clock, with as many additions per cycle.
        assert!(!retries.was_contended(probe(16e9, Some(4e9))));
        assert!(retries.was_contended(probe(12e9, Some(4e9))));
        // A higher clock: as many additions per second as before are few per cycle.
        assert!(!retries.was_contended(probe(24e9, Some(6e9))));
        assert!(retries.was_contended(probe(20e9, Some(6e9))));
        // Without a known clock, only additions per second can be compared.
        assert!(retries.was_contended(probe(20e9, None)));
        assert!(!retries.was_contended(None));
    }

    #[test]
    fn undisturbed_slices_are_preferred_before_faster_ones() {
        let taken = |is_disturbed, ns, iterations| {
            let sample = Sample { ns, iterations, ..Sample::default() };
            TimedSlice { is_disturbed, additions: None, sample }
        };
        assert!(taken(true, 10, 10).is_worse_than(&taken(false, 20, 10)));
        assert!(taken(false, 21, 10).is_worse_than(&taken(false, 20, 10)));
        assert!(!taken(false, 20, 10).is_worse_than(&taken(false, 20, 10)));
        // The cross products exceed 64 bits with many threads.
        assert!(taken(false, 1 << 41, 1 << 40).is_worse_than(&taken(false, 1 << 40, 1 << 40)));
    }

    fn need(missing: usize, width: f64) -> (Need, Duration) {
        (Need { missing, width }, Duration::from_millis(2))
    }

    #[test]
    fn further_rounds_go_to_the_most_uncertain_workloads() {
        let needs = [need(0, 0.001), need(0, 0.5), need(2, 0.0), need(0, 0.1), need(0, 0.003)];
        let all = Duration::from_secs(1);
        assert_eq!(choose(&needs, all), [false, true, true, false, false], "the two most uncertain of five");
        assert_eq!(
            choose(&needs, Duration::from_millis(3)),
            [false, false, true, false, false],
            "only as many as there is time for"
        );
        assert_eq!(choose(&needs[..1], all), [false]);
        assert_eq!(choose(&[], all), [false; 0]);
    }

    #[test]
    fn workload_needs_as_many_further_rounds_as_its_least_certain_series() {
        let workload = Workload::new(Operation::Hash, Algorithm::Sha256, 64);
        let series = |times: &[u64]| {
            let sample = |(round, &ns): (usize, &u64)| Sample {
                round: round as u32,
                iterations: 1,
                ns,
                dropped: ns > 1_500,
                ..Sample::default()
            };
            let unit = Unit::BytesPerSecond;
            let empty = Series::empty(Level::Primitives, &workload, "a", "1".into(), Acceleration::On, unit);
            Series { samples: times.iter().enumerate().map(sample).collect(), ..empty }
        };
        let (steady, wide) = (series(&[1_000; 5]), series(&[1_000, 1_100, 1_200, 1_300, 1_400]));
        assert!(Need::from_series(&[&steady]).is_met() && Need::from_series(&[]).is_met());
        let wide = Need::from_series(&[&steady, &wide]);
        let disturbed = Need::from_series(&[&steady, &series(&[1_000, 1_700, 1_700, 1_700, 1_000])]);
        assert_eq!((wide.missing, disturbed.missing), (0, 3));
        assert!(!wide.is_met() && wide < disturbed, "{wide:?}, {disturbed:?}");
        let apart = [
            series(&[1_000, 1_000, 1_000, 1_000, 1_000, 1_700, 1_700]),
            series(&[1_700, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000]),
        ];
        assert_eq!(
            Need::from_series(&[&apart[0], &apart[1]]).missing,
            1,
            "each series has five quiet samples, but they share only four rounds"
        );
    }
}
