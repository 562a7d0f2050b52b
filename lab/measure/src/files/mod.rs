//! Measures whole files, one size after the other. Each round measures, in shuffled order, every library's encryption
//! followed by the decryption of its output.
//!
//! If the time is limited, every combination is measured at the first size before any at the second. A test run is one
//! start of the workers with its rounds. No sample is retried or dropped: waiting for a device is part of the work on a
//! file.

mod pair;
mod scratch;
pub(super) mod serving;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::plan::{FilesPlan, Item, Plan};
use super::procedure::{Procedure, SampleSlot, carry_out};
use super::record::PlanRecord;
use super::worker::Worker;
use kasoku_model::document::{Omission, Reason};
use kasoku_model::level::Level;
use kasoku_model::workload::Workload;
use pair::{CodePaths, FilePair};
use scratch::{ScratchSet, room_for};

pub use scratch::ScratchFiles;
#[cfg(target_os = "linux")]
pub(crate) use scratch::{random_text, write_text};

/// Minimum share of the time that the first file size gets. The first size may take more, since every combination of
/// library, algorithm and storage is measured at least once.
const FIRST_SIZE: f64 = 0.7;
/// Size in bytes of the file that is used for observing code paths.
const OBSERVED: usize = 2 << 20;
/// Size in bytes of the file from which the duration of a plan is estimated.
const SMALL: usize = 8 << 20;

pub(super) fn run(
    plan: &Plan,
    files: &FilesPlan,
    workers: Vec<Worker>,
    record: &mut PlanRecord<'_>,
) -> Result<(), String> {
    record.measured.libraries = workers.iter().map(|worker| worker.library.clone()).collect();
    let (scratch_set, missing) = ScratchSet::open(plan, files);
    record.measured.omissions.extend(missing);
    let sizes = pair::by_size(plan, &workers);
    let mut bytes_left = sizes.keys().sum::<usize>() as f64;
    let (count, code_paths) = (sizes.len(), CodePaths::new());
    let (bytes, index, deadline, ready, start_end) = (0, 0, None, None, None);
    let mut run =
        Run { plan, files, workers, scratch_set, code_paths, count, bytes, index, deadline, ready, start_end };
    let end = files.repetitions.is_none().then(|| Instant::now() + plan.budget);
    for (index, (bytes, pairs)) in sizes.into_iter().enumerate() {
        let share = if index == 0 && count > 1 { FIRST_SIZE } else { bytes as f64 / bytes_left };
        bytes_left -= bytes as f64;
        (run.bytes, run.index) = (bytes, index);
        run.deadline = end.map(|end| Instant::now() + until(end).mul_f64(share));
        run.ready = if index == 0 { end } else { run.deadline };
        run.size(pairs, record)?;
    }
    Ok(())
}

fn until(end: Instant) -> Duration {
    end.saturating_duration_since(Instant::now())
}

struct Run<'a> {
    plan: &'a Plan,
    files: &'a FilesPlan,
    workers: Vec<Worker>,
    scratch_set: ScratchSet,
    code_paths: CodePaths,
    /// Number of file sizes.
    count: usize,
    /// Current file size, and its index.
    bytes: usize,
    index: usize,
    /// Deadline for measuring the current file size.
    deadline: Option<Instant>,
    /// Deadline for preparing the combinations of this size. Combinations that are not prepared by then are left out.
    ready: Option<Instant>,
    /// Deadline for the rounds of the current start of the workers.
    start_end: Option<Instant>,
}

impl Procedure for Run<'_> {
    type Case = FilePair;

    /// Begins a test run, in which each pair (encryption and decryption) takes part as often as its time allows.
    fn start(&mut self, process: u32, pairs: &mut Vec<FilePair>, _record: &mut PlanRecord<'_>) -> Result<(), String> {
        if process > 0 {
            self.workers.iter_mut().for_each(Worker::renew);
            self.scratch_set.warm();
        }
        let (processes, rounds) = (self.plan.processes, self.plan.rounds);
        let share = self.deadline.map(|deadline| until(deadline) / (processes - process).max(1));
        self.start_end = share.map(|share| Instant::now() + share);
        let counts: Vec<u32> = match share {
            None => pairs.iter().map(|_| rounds).collect(),
            Some(share) => turns(&pairs.iter().map(|pair| pair.cost).collect::<Vec<Duration>>(), share, rounds),
        };
        pairs.iter_mut().zip(counts).for_each(|(pair, count)| pair.turns = count);
        Ok(())
    }

    fn visit(&mut self, pair: &mut FilePair, slot: SampleSlot, record: &mut PlanRecord<'_>) -> Result<bool, String> {
        let SampleSlot { process, round, round_in_start } = slot;
        let (processes, rounds) = (self.plan.processes, self.plan.rounds);
        let what = format!(
            "round {} of {rounds}, test run {} of {processes}, files of {}",
            round_in_start + 1,
            process + 1,
            size_name(self.bytes)
        );
        let of_size = u64::from(processes * rounds);
        record.observer.progress(&what, u64::from(round) + of_size * self.index as u64, of_size * self.count as u64);
        // A pair that became slower must not use up the time of the others, but is measured at least once.
        let is_late = self.start_end.is_some_and(|end| Instant::now() >= end);
        if is_due(round_in_start, rounds, pair.turns)
            && !pair.has(&record.measured.series, process, (!is_late).then_some(round))
        {
            pair.visit(&mut self.workers, &self.scratch_set, slot, record)?;
        }
        Ok(!pair.is_given_up)
    }
}

impl Run<'_> {
    fn size(&mut self, pairs: Vec<FilePair>, record: &mut PlanRecord<'_>) -> Result<(), String> {
        let (pairs, _) = self.scratch_set.make_texts(OBSERVED, pairs);
        for pair in &pairs {
            record.observer.progress(&format!("observing {}", pair.title(&self.workers)), 0, 1);
            pair.observe(&mut self.workers, &self.scratch_set, &mut self.code_paths);
        }
        let (mut pairs, omissions) = self.scratch_set.make_texts(self.bytes, pairs);
        record.measured.omissions.extend(omissions);
        self.prepare(&mut pairs, record)?;
        carry_out(self, (self.plan.processes, self.plan.rounds), pairs, record)?;
        self.scratch_set.clear();
        Ok(())
    }

    fn prepare(&mut self, pairs: &mut Vec<FilePair>, record: &mut PlanRecord<'_>) -> Result<(), String> {
        let total = pairs.len();
        let (mut turn, mut late) = (Duration::ZERO, Vec::new());
        for (done, pair) in pairs.iter_mut().enumerate() {
            record.observer.progress(&format!("verifying {}", pair.title(&self.workers)), done as u64, total as u64);
            // Leave enough time for the pairs that are ready: each needs a turn in every start.
            if self.ready.is_some_and(|ready| until(ready) <= turn * self.plan.processes) {
                late.push(pair.library(&self.workers));
                pair.is_given_up = true;
                continue;
            }
            pair.prepare(&mut self.workers, &self.scratch_set, &self.code_paths);
            turn += pair.cost;
            pair.begin(&self.files.before, record)?;
        }
        pairs.retain(|pair| !pair.is_given_up);
        if !late.is_empty() {
            record.omit(no_time_omission(self.bytes, &late, total));
        }
        Ok(())
    }
}

/// Estimated cost of a plan with a fixed number of repetitions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub time: Duration,
    /// Total bytes of plaintext to encrypt or decrypt.
    pub bytes: u64,
    /// Free bytes that the files need on their storage.
    pub room: u64,
}

/// Estimates the cost of `plan` by measuring a small file.
pub fn estimate(plan: &Plan, files: &FilesPlan, repetitions: u32, workers: &mut [Worker]) -> Estimate {
    let items: Vec<Item> =
        plan.items.iter().map(|item| Item { workload: small(item.workload), ..item.clone() }).collect();
    let (scratch_set, _) = ScratchSet::open(plan, files);
    let (mut pairs, _) = scratch_set.make_texts(SMALL, pair::of_items(plan.level, &items, workers));
    let mut rates: BTreeMap<(usize, Workload, usize), f64> = BTreeMap::new();
    for pair in &mut pairs {
        let start = Instant::now();
        let _ = pair.try_once(workers, &scratch_set);
        rates.insert(pair.identity(), start.elapsed().as_secs_f64() / SMALL as f64);
    }
    scratch_set.clear();
    let times = f64::from(plan.processes) * f64::from(repetitions);
    let (mut seconds, mut bytes, mut largest) = (0.0, 0u64, 0);
    for (size, pairs) in pair::by_size(plan, workers) {
        for pair in pairs {
            let (worker, workload, threads) = pair.identity();
            let rate = rates.get(&(worker, small(workload), threads)).copied().unwrap_or(0.0);
            // One more conversion for the verification.
            seconds += rate * size as f64 * (times + 1.0);
            bytes = bytes.saturating_add((2.0 * times * size as f64) as u64);
        }
        largest = largest.max(size);
    }
    Estimate { time: Duration::from_secs_f64(seconds), bytes, room: room_for(largest) }
}

fn small(workload: Workload) -> Workload {
    Workload { bytes: SMALL, ..workload }
}

/// Formats a size as people write it: `50 MiB`.
pub fn size_name(bytes: usize) -> String {
    match bytes {
        _ if bytes >= 1 << 30 && bytes.is_multiple_of(1 << 30) => format!("{} GiB", bytes >> 30),
        _ if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} bytes"),
    }
}

fn no_time_omission(bytes: usize, late: &[&str], all: usize) -> Omission {
    let libraries: BTreeSet<&str> = late.iter().copied().collect();
    let libraries = libraries.into_iter().collect::<Vec<_>>().join(", ");
    let why = format!(
        "files of {}: no time was left for {} of {all} combinations (of {libraries}); fewer --sizes, --libraries or \
         --algorithms leave more",
        size_name(bytes),
        late.len()
    );
    Omission { reason: Some(Reason::NoTime), ..Omission::new(Level::Files, why) }
}

/// Returns in how many rounds each pair takes part, given the `costs` of one round. Each pair takes part at least once
/// and at most `most` times. The pairs share `time` so that all pairs below `most` get about the same time.
fn turns(costs: &[Duration], time: Duration, most: u32) -> Vec<u32> {
    let of_share = |share: f64, cost: &Duration| {
        let cost = cost.as_secs_f64().max(1e-6);
        ((share / cost) as u32).clamp(1, most.max(1))
    };
    let total =
        |share: f64| -> f64 { costs.iter().map(|cost| f64::from(of_share(share, cost)) * cost.as_secs_f64()).sum() };
    let (mut low, mut high) = (0.0, time.as_secs_f64());
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if total(middle) <= time.as_secs_f64() { low = middle } else { high = middle }
    }
    costs.iter().map(|cost| of_share(low, cost)).collect()
}

/// Whether a pair that takes part in `turns` of `rounds` rounds takes part in `round`. Its rounds are evenly spread,
/// and round 0 is the first of them.
fn is_due(round: u32, rounds: u32, turns: u32) -> bool {
    let until = |round: u32| (u64::from(round) * u64::from(turns)).div_ceil(u64::from(rounds.max(1)));
    until(round + 1) > until(round)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_schedule_fills_the_time_and_includes_every_library_and_file() {
        let ms = Duration::from_millis;
        let costs = [ms(10), ms(100), ms(1000), ms(4000)];
        let turns = turns(&costs, Duration::from_secs(20), 10);
        assert_eq!(turns[0], 10);
        assert!(turns.iter().all(|&turns| turns >= 1));
        let total: f64 = costs.iter().zip(&turns).map(|(cost, &turns)| cost.as_secs_f64() * f64::from(turns)).sum();
        assert!(total <= 20.0 && total > 14.0, "{turns:?}");
        assert_eq!(super::turns(&costs, ms(1), 10), [1, 1, 1, 1]);
    }

    #[test]
    fn file_samples_are_evenly_spread_over_the_rounds() {
        for (rounds, turns) in [(10, 10), (10, 3), (10, 1), (7, 5), (1, 1), (200, 100)] {
            let due = (0..rounds).filter(|&round| is_due(round, rounds, turns)).count();
            assert_eq!(due as u32, turns);
            assert!(is_due(0, rounds, turns));
        }
    }
}
