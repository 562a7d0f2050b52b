//! Measuring in slices: every workload visits its workers in turn, round after round.

use std::time::Duration;

use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::cross_check::cross_check;
use super::plan::{Plan, Slices};
use super::preparation::{Prepared, prepare};
use super::procedure::{Moment, Procedure, carry_out, random};
use super::protocol::{Request, Timed};
use super::record::{Record, found};
use super::visit::Visit;
use super::worker::Worker;
use super::worker_process::WorkerError;
use kasoku_model::algorithm::{Algorithm, Suite};
use kasoku_model::document::{Sample, Series};

/// Measures in slices by workers, which have ended when it is done.
///
/// # Errors
/// Only what the observer ends it with; everything that goes wrong with a worker stands in its series.
pub(super) fn run(
    plan: &Plan,
    slices: &Slices,
    mut workers: Vec<Worker>,
    record: &mut Record<'_>,
) -> Result<(), String> {
    if plan.items.is_empty() && slices.cross_checks.is_empty() {
        return Ok(());
    }
    record.measured.libraries = workers.iter().map(found).collect();
    let Prepared { mut lines, series, omissions } = prepare(plan, &mut workers, record.observer)?;
    record.measured.omissions = omissions;
    for one in series {
        record.begin(one)?;
    }
    let visits = lines.iter().map(Vec::len).sum();
    let slice = plan.slice(visits);
    record.measured.slice = slice;
    for visit in lines.iter_mut().flatten() {
        match score(visit, &workers[visit.worker]) {
            Some(score) => visit.fill_score(score, plan.rounds),
            None => visit.fill(slice, plan.rounds),
        }
    }
    let repeats = Repeats { left: Duration::ZERO, slice, additions_hz: 0.0 };
    // An equal share for each process: a noisy beginning leaves the end its own.
    let share = plan.repeats(visits) / plan.processes;
    let total = lines.len() as u64 * u64::from(plan.all_rounds());
    let mut slicing = Slicing { plan, slices, workers, repeats, share, random: random(), done: 0, total };
    carry_out(&mut slicing, lines, record)
}

struct Slicing<'a> {
    plan: &'a Plan,
    slices: &'a Slices,
    workers: Vec<Worker>,
    repeats: Repeats,
    /// The time of each start for taking slices again.
    share: Duration,
    random: Xoshiro256PlusPlus,
    /// Turns that are over, and all of them, for whoever watches.
    done: u64,
    total: u64,
}

impl Procedure for Slicing<'_> {
    /// A workload's visits to its workers.
    type Case = Vec<Visit>;

    fn extent(&self) -> (u32, u32) {
        (self.plan.processes, self.plan.rounds)
    }

    fn start(&mut self, process: u32, _lines: &mut Vec<Vec<Visit>>, _record: &mut Record<'_>) -> Result<(), String> {
        if process > 0 {
            self.workers.iter_mut().for_each(Worker::renew);
        }
        self.repeats.left = self.share;
        Ok(())
    }

    fn visit(&mut self, line: &mut Vec<Visit>, moment: Moment, record: &mut Record<'_>) -> Result<bool, String> {
        record.progress(&format!("round {} of {}", moment.round + 1, self.plan.all_rounds()), self.done, self.total);
        self.done += 1;
        line.shuffle(&mut self.random);
        let samples = visit_all(line, moment, &mut self.workers, &mut record.measured.series, &mut self.repeats);
        record.observer.sampled(&samples)?;
        Ok(true)
    }

    fn end(&mut self, process: u32, _lines: &mut Vec<Vec<Visit>>, record: &mut Record<'_>) -> Result<(), String> {
        for item in self.slices.cross_checks.iter().filter(|_| process < self.slices.cross_checked_processes) {
            let Record { measured, observer } = record;
            cross_check(self.plan, item, process, &mut self.workers, &mut measured.series, &mut **observer)?;
        }
        Ok(())
    }
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
        let timed: Timed = worker.ask(&Request::Slice(visit.slice))?;
        let had_company = repeats.had_company(timed.additions_hz);
        let sample = visit.sample(timed)?;
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

/// One workload visits its workers. A visit that fails is not made again.
fn visit_all(
    line: &mut Vec<Visit>,
    moment: Moment,
    workers: &mut [Worker],
    series: &mut [Series],
    repeats: &mut Repeats,
) -> Vec<(usize, Sample)> {
    let mut samples = Vec::with_capacity(line.len());
    line.retain_mut(|visit| {
        if !moment.of_start.is_multiple_of(visit.every) {
            return true;
        }
        let one = &mut series[visit.series];
        match visit_once(visit, &mut workers[visit.worker], one, repeats) {
            Ok(sample) => {
                let sample = Sample { process: moment.process, round: moment.round, ..sample };
                one.samples.push(sample);
                if let Some(death) = workers[visit.worker].take_death() {
                    one.restarted(death);
                }
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
    let is_score = visit.slice.workload.algorithm == Algorithm::Suite(Suite::CryptoAes);
    worker.name.jvm.as_ref().filter(|_| is_score).map(|jvm| jvm.score)
}
