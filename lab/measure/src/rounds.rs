//! Measuring in slices: every workload visits its workers in turn, in shuffled order, round after round.

use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use super::cross_check::cross_check;
use super::observer::Observer;
use super::plan::{Plan, Slices};
use super::preparation::{Prepared, prepare};
use super::visit::Visit;
use super::worker::Worker;
use super::worker_process::WorkerError;
use kasoku_model::algorithm::{Algorithm, Suite};
use kasoku_model::document::{FoundLibrary, Omission, Sample, Series};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// What a plan gave.
#[derive(Debug, Default)]
pub struct Measured {
    /// The series, their statistics not yet computed.
    pub series: Vec<Series>,
    /// What was left out.
    pub omissions: Vec<Omission>,
    /// The libraries that were there.
    pub libraries: Vec<FoundLibrary>,
    /// How long a slice was aimed to be.
    pub slice: Duration,
}

/// What is timed in slices by workers, which have ended when it is done.
///
/// # Errors
/// Only what the observer ends it with; everything that goes wrong with a worker stands in its series.
pub(super) fn run(
    plan: &Plan,
    slices: &Slices,
    mut workers: Vec<Worker>,
    observer: &mut dyn Observer,
) -> Result<Measured, String> {
    if plan.items.is_empty() && slices.cross_checks.is_empty() {
        return Ok(Measured::default());
    }
    let libraries = workers.iter().map(found).collect();
    let Prepared { mut lines, mut series, omissions } = prepare(plan, &mut workers, observer)?;
    for (index, one) in series.iter().enumerate() {
        observer.begins(index, one)?;
    }
    let visits = lines.iter().map(Vec::len).sum();
    let slice = plan.slice(visits);
    for visit in lines.iter_mut().flatten() {
        match score(visit, &workers[visit.worker]) {
            Some(score) => visit.fill_score(score, plan.rounds),
            None => visit.fill(slice, plan.rounds),
        }
    }
    let mut repeats = Repeats { left: Duration::ZERO, slice, additions_hz: 0.0 };
    let mut random = random();
    for process in 0..plan.processes {
        if process > 0 {
            workers.iter_mut().for_each(Worker::renew);
        }
        // An equal share for each process: a noisy beginning leaves the end its own.
        repeats.left = plan.repeats(visits) / plan.processes;
        for round in process * plan.rounds..(process + 1) * plan.rounds {
            let what = format!("round {} of {}", round + 1, plan.processes * plan.rounds);
            let total = lines.len() as u64;
            let due = |visit: &Visit| (round - process * plan.rounds).is_multiple_of(visit.every);
            let moment = Moment { process, round };
            shuffle(&mut lines, &mut random);
            for (done, line) in lines.iter_mut().enumerate() {
                observer.progress(&what, u64::from(round) * total + done as u64, u64::from(plan.all_rounds()) * total);
                shuffle(line, &mut random);
                let samples = visit_all(line, &due, moment, &mut workers, &mut series, &mut repeats);
                observer.sampled(&samples)?;
            }
        }
        for item in slices.cross_checks.iter().filter(|_| process < slices.cross_checked_processes) {
            cross_check(plan, item, process, &mut workers, &mut series, observer)?;
        }
    }
    Ok(Measured { series, omissions, libraries, slice })
}

/// A slice that came out this much slower than the fastest of its series is taken again…
const WORTH_REPEATING: f64 = 1.01;
/// … at most so often in one visit…
const MAX_REPEATS: usize = 4;
/// … as is one beside which the core did less than this part of the additions it can do in a second: its other hardware
/// thread was busy. If that does not help, the slice is dropped…
const MIN_ADDITIONS: f64 = 0.95;
/// … unless more than this part of the series' samples were dropped already: where it is never quiet, that is how it is.
const MAX_DROPPED: f64 = 2.0 / 3.0;

/// What is known of disturbances, and the time that is left for taking slices again.
struct Repeats {
    left: Duration,
    slice: Duration,
    /// The most independent additions a second that were seen.
    additions_hz: f64,
}

impl Repeats {
    /// Whether the core's other hardware thread was busy beside the slice.
    fn had_company(&mut self, additions_hz: Option<f64>) -> bool {
        let Some(additions_hz) = additions_hz else { return false };
        self.additions_hz = self.additions_hz.max(additions_hz);
        additions_hz < MIN_ADDITIONS * self.additions_hz
    }
}

/// One slice; taken again where something disturbed it. The fastest counts.
fn visit_once(
    visit: &mut Visit,
    worker: &mut Worker,
    one: &Series,
    repeats: &mut Repeats,
) -> Result<Sample, WorkerError> {
    let mut ask = |repeats: &mut Repeats| {
        let answer = worker.ask(&visit.request)?;
        let had_company = repeats.had_company(answer.additions_hz);
        let sample = visit.sample(answer)?;
        Ok((sample.dropped || had_company, sample))
    };
    let cost = repeats.slice.max(Duration::from_nanos(visit.slice_ns() as u64));
    let (mut is_disturbed, mut best) = ask(repeats)?;
    for _ in 0..MAX_REPEATS {
        let is_slow = |fastest: f64| best.ns as f64 / best.iterations as f64 > WORTH_REPEATING * fastest;
        if !(is_disturbed || visit.fastest.is_some_and(is_slow)) || repeats.left < cost {
            break;
        }
        repeats.left -= cost;
        let (is_disturbed_again, again) = ask(repeats)?;
        if (is_disturbed, best.ns * again.iterations) > (is_disturbed_again, again.ns * best.iterations) {
            (is_disturbed, best) = (is_disturbed_again, again);
        }
    }
    let dropped = one.samples.iter().filter(|sample| sample.dropped).count() as f64;
    let may_be_dropped = dropped + 1.0 <= MAX_DROPPED * (one.samples.len() as f64 + 1.0);
    best.dropped = best.dropped || (is_disturbed && may_be_dropped);
    visit.note_fastest(&best);
    Ok(best)
}

#[derive(Clone, Copy)]
struct Moment {
    process: u32,
    round: u32,
}

/// One workload visits its workers. A visit that fails is not made again.
fn visit_all(
    line: &mut Vec<Visit>,
    due: &dyn Fn(&Visit) -> bool,
    moment: Moment,
    workers: &mut [Worker],
    series: &mut [Series],
    repeats: &mut Repeats,
) -> Vec<(usize, Sample)> {
    let mut samples = Vec::with_capacity(line.len());
    line.retain_mut(|visit| {
        if !due(visit) {
            return true;
        }
        let one = &mut series[visit.series];
        match visit_once(visit, &mut workers[visit.worker], one, repeats) {
            Ok(sample) => {
                let sample = Sample { process: moment.process, round: moment.round, ..sample };
                one.samples.push(sample);
                samples.push((visit.series, sample));
                true
            }
            Err(error) => {
                one.fail(&error);
                false
            }
        }
    });
    samples
}

/// How long the suite's score is measured that `visit` is about, if it is.
fn score(visit: &Visit, worker: &Worker) -> Option<Duration> {
    let is_score = visit.request.algorithm == Some(Algorithm::Suite(Suite::CryptoAes));
    worker.name.jvm.as_ref().filter(|_| is_score).map(|jvm| jvm.score)
}

pub(super) fn found(worker: &Worker) -> FoundLibrary {
    FoundLibrary {
        library: worker.name.entry.name.to_owned(),
        version: worker.version.clone(),
        acceleration: Some(worker.name.acceleration),
        cpu_features: worker.cpu_features.clone(),
        loaded_from: worker.loaded_from.clone(),
    }
}

/// Random numbers that are others in every run.
pub(super) fn random() -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(std::hash::RandomState::new().build_hasher().finish())
}

pub(super) fn shuffle<T>(values: &mut [T], random: &mut Xoshiro256PlusPlus) {
    for last in (1..values.len()).rev() {
        let other = ((u128::from(random.next_u64()) * (last as u128 + 1)) >> 64) as usize;
        values.swap(last, other);
    }
}
