//! How whole files are measured: size after size, and for each size round after round, every library's encryption and then
//! the decryption of what it just made, in shuffled order.
//!
//! Each start of the workers is a test run. Nothing is taken again and nothing is dropped: waiting for a device belongs to
//! the work on a file.

mod cache;
pub mod estimate;
mod pair;
mod place;
mod places;
pub(super) mod serving;
mod turns;

use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;

use super::observer::Observer;
use super::plan::{FilesPlan, Plan};
use super::rounds::{Measured, found, random, shuffle};
use super::worker::Worker;
use kasoku_model::document::{Omission, Sample};
use pair::{CodePaths, Pair, Timed};
use places::Places;
use turns::{is_due, turns};

pub use place::{Place, room_for};
pub(crate) use place::{Text, free_memory, free_on, write_text};

/// Of a size's time so much may go by before its last pair is ready; those that are not by then are left out.
const MAX_PREPARATION: f64 = 0.5;
/// Bytes of the file on which it is observed what runs.
const OBSERVED: usize = 2 << 20;

/// Carries out `plan`, which is about files.
///
/// # Errors
/// Only what the observer ends it with; everything that goes wrong otherwise stands in the series or the omissions.
pub fn run(
    plan: &Plan,
    files: &FilesPlan,
    workers: Vec<Worker>,
    observer: &mut dyn Observer,
) -> Result<Measured, String> {
    let mut measured = Measured { libraries: workers.iter().map(found).collect(), ..Measured::default() };
    let (places, missing) = Places::open(plan, files);
    measured.omissions.extend(missing);
    let sizes = pair::by_size(plan, &workers);
    let (count, all) = (sizes.len(), sizes.keys().sum::<usize>() as f64);
    let mut run =
        Run { plan, files, workers, places, measured, observer, random: random(), code_paths: CodePaths::new() };
    let start = Instant::now();
    let mut passed = 0.0;
    for (index, (bytes, pairs)) in sizes.into_iter().enumerate() {
        passed += bytes as f64;
        let deadline = files.repetitions.is_none().then(|| start + plan.budget.mul_f64(passed / all));
        run.size(bytes, pairs, Step { index, of: count }, deadline)?;
    }
    Ok(run.measured)
}

/// Which size it is, for whoever watches.
#[derive(Clone, Copy)]
struct Step {
    index: usize,
    of: usize,
}

struct Run<'a> {
    plan: &'a Plan,
    files: &'a FilesPlan,
    workers: Vec<Worker>,
    places: Places,
    measured: Measured,
    observer: &'a mut dyn Observer,
    random: Xoshiro256PlusPlus,
    code_paths: CodePaths,
}

impl Run<'_> {
    /// Everything at one size.
    fn size(&mut self, bytes: usize, pairs: Vec<Pair>, step: Step, deadline: Option<Instant>) -> Result<(), String> {
        let (pairs, _) = self.places.make_texts(OBSERVED, pairs);
        for pair in &pairs {
            self.observer.progress(&format!("observing {}", pair.title()), 0, 1);
            pair.observe(&mut self.workers, &self.places, &mut self.code_paths);
        }
        let (mut pairs, omissions) = self.places.make_texts(bytes, pairs);
        self.measured.omissions.extend(omissions);
        self.prepare(&mut pairs, deadline)?;
        for process in 0..self.plan.processes {
            if process > 0 {
                self.workers.iter_mut().for_each(Worker::renew);
                self.places.warm();
            }
            self.test_run(process, bytes, &mut pairs, step, deadline)?;
        }
        self.places.clear();
        Ok(())
    }

    /// Encrypts and decrypts once with each pair, and lets somebody else look at all of what came out.
    fn prepare(&mut self, pairs: &mut Vec<Pair>, deadline: Option<Instant>) -> Result<(), String> {
        let start = Instant::now();
        let last = deadline.map(|deadline| start + deadline.saturating_duration_since(start).mul_f64(MAX_PREPARATION));
        let total = pairs.len() as u64;
        for (done, pair) in pairs.iter_mut().enumerate() {
            self.observer.progress(&format!("verifying {}", pair.title()), done as u64, total);
            if last.is_some_and(|last| Instant::now() >= last) {
                self.measured
                    .omissions
                    .push(pair.omission("there was no time left for it; fewer --sizes or --libraries leave more"));
                pair.give_up();
                continue;
            }
            pair.prepare(&mut self.workers, &self.places, &self.code_paths);
            for series in pair.take_series(&self.files.before) {
                let index = self.measured.series.len();
                self.observer.begins(index, &series)?;
                pair.begun(series.operation, index);
                self.measured.series.push(series);
            }
        }
        pairs.retain(|pair| !pair.is_given_up());
        Ok(())
    }

    /// One start of the workers: rounds, in which each pair takes part as often as its time allows.
    fn test_run(
        &mut self,
        process: u32,
        bytes: usize,
        pairs: &mut Vec<Pair>,
        step: Step,
        deadline: Option<Instant>,
    ) -> Result<(), String> {
        let rounds = self.files.repetitions.unwrap_or(self.plan.rounds);
        let share = deadline.map(|deadline| {
            deadline.saturating_duration_since(Instant::now()) / (self.plan.processes - process).max(1)
        });
        let end = share.map(|share| Instant::now() + share);
        let counts: Vec<u32> = match share {
            None => pairs.iter().map(|_| rounds).collect(),
            Some(share) => turns(&pairs.iter().map(|pair| pair.cost).collect::<Vec<Duration>>(), share, rounds),
        };
        pairs.iter_mut().zip(counts).for_each(|(pair, count)| pair.turns = count);
        let total = u64::from(self.plan.processes * rounds) * step.of as u64;
        for round in 0..rounds {
            let done =
                u64::from(process * rounds + round) + u64::from(self.plan.processes * rounds) * step.index as u64;
            let what = format!(
                "round {} of {rounds}, test run {} of {}, files of {}",
                round + 1,
                process + 1,
                self.plan.processes,
                size_name(bytes)
            );
            self.observer.progress(&what, done, total);
            shuffle(pairs, &mut self.random);
            let number = process * rounds + round;
            for pair in pairs.iter_mut().filter(|pair| is_due(round, rounds, pair.turns)) {
                // What took longer than it did at first must not eat the time of all; once is the least.
                let is_late = end.is_some_and(|end| Instant::now() >= end);
                if pair.has(&self.measured.series, process, (!is_late).then_some(number)) {
                    continue;
                }
                let timed = pair.visit(&mut self.workers, &self.places);
                self.keep(pair, timed, process, number)?;
            }
            pairs.retain(|pair| !pair.is_given_up());
        }
        Ok(())
    }

    /// Keeps what a visit gave: samples, or why there will be no more.
    fn keep(&mut self, pair: &mut Pair, timed: Timed, process: u32, round: u32) -> Result<(), String> {
        let mut samples = Vec::new();
        for (index, result) in timed {
            let series = &mut self.measured.series[index];
            match result {
                Ok(sample) => {
                    let sample = Sample { process, round, ..sample };
                    series.samples.push(sample);
                    samples.push((index, sample));
                }
                Err(error) => {
                    series.fail(&error);
                    pair.stop(series.operation);
                }
            }
        }
        self.observer.sampled(&samples)
    }
}

/// A size as people write it: `50 MiB`.
pub fn size_name(bytes: usize) -> String {
    match bytes {
        _ if bytes >= 1 << 30 && bytes.is_multiple_of(1 << 30) => format!("{} GiB", bytes >> 30),
        _ if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} bytes"),
    }
}

/// That nothing of `storage` is measured, and why.
fn omission_of_place(why: String) -> Omission {
    Omission { level: "files".to_owned(), why, ..Omission::default() }
}
