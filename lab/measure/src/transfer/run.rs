//! Runs the transfers: in each start of the processes and in each round, every case transfers data once.

use std::time::{Duration, Instant};

use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::case::{TransferMeasurement, describe};
use super::endpoints::Endpoints;
use crate::plan::{TRANSFER_START, TransferCase, TransferPlan};
use crate::procedure::{Procedure, SampleSlot, carry_out, random};
use crate::record::PlanRecord;
use crate::steal;
use crate::tls::cores;
use kasoku_libraries::{self as libraries, Opening};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::FoundLibrary;
use kasoku_model::level::Level;

/// Number of bytes that each case transfers before any sample counts, and that the receiver compares completely.
/// Meanwhile flow-control windows open, and caches and branch predictors warm up.
const WARM_UP: u64 = 48_000_000;
/// Share of the time that is reserved for work between transfers.
const RESERVE: f64 = 0.05;
/// Minimum duration of a transfer, unless the user requests another one.
const MIN: Duration = Duration::from_millis(40);
const MAX: Duration = Duration::from_secs(2);

/// Measures the cases of `plan`. Fails only if the observer ends the run. Failures of cases are recorded in their
/// series.
pub(crate) fn run(level: Level, plan: &TransferPlan, record: &mut PlanRecord<'_>) -> Result<(), String> {
    let usable = cores::usable();
    // With a core each, the two sides neither migrate nor share a core.
    let cores = match usable.as_slice() {
        [receiver, sender, ..] => Some([*receiver, *sender]),
        _ => None,
    };
    let mut cases = Vec::new();
    for wanted in &plan.cases {
        let Some(mut case) = TransferMeasurement::new(*wanted) else { continue };
        let found = found(wanted);
        let series = case.empty_series(level, found.version.clone(), cores.is_some());
        record.add_library(found);
        case.series = record.begin(series)?;
        cases.push(case);
    }
    let series: Vec<usize> = cases.iter().map(|case| case.series).collect();
    let mut run = Run {
        plan,
        random: random(),
        cores,
        deadline: Instant::now() + plan.budget.mul_f64(1.0 - RESERVE),
        duration: Duration::ZERO,
        start: TRANSFER_START * cases.len() as u32,
    };
    record.expect_steps(u64::from(plan.all_rounds() + plan.processes) * plan.cases.len() as u64);
    carry_out(&mut run, (plan.processes, plan.rounds), cases, record)?;
    for index in series {
        describe(record.series(index));
    }
    Ok(())
}

struct Run<'a> {
    plan: &'a TransferPlan,
    random: Xoshiro256PlusPlus,
    cores: Option<[usize; 2]>,
    deadline: Instant,
    duration: Duration,
    /// Time that it takes to start the processes of all cases.
    start: Duration,
}

impl Procedure for Run<'_> {
    type Case = TransferMeasurement;

    fn start(&mut self, process: u32, cases: &mut Vec<Self::Case>, record: &mut PlanRecord<'_>) -> Result<(), String> {
        cases.iter_mut().for_each(|case| case.endpoints = None);
        let begun = Instant::now();
        cases.shuffle(&mut self.random);
        for case in cases.iter_mut() {
            record.step(&format!("connecting {}", case.title()));
            self.connect(case, record);
        }
        cases.retain(|case| case.endpoints.is_some());
        self.start = begun.elapsed();
        self.duration = self.duration(process, cases);
        if record.measured.slice.is_zero() {
            record.measured.slice = self.duration;
        }
        Ok(())
    }

    fn visit(&mut self, case: &mut Self::Case, slot: SampleSlot, record: &mut PlanRecord<'_>) -> Result<bool, String> {
        record.step(&format!("end to end: round {} of {}", slot.round + 1, self.plan.all_rounds()));
        let bytes = case.bytes(self.duration);
        let Some(endpoints) = &mut case.endpoints else { return Ok(false) };
        let ticks = || steal::ticks_of(&self.cores?);
        let before = ticks();
        match endpoints.transfer(bytes, false) {
            Ok(answers) => {
                let stolen = before.zip(ticks()).map_or(0.0, |(before, after)| after.stolen_since(before));
                // On one core the two sides wait for each other, whatever else runs.
                let stolen = self.cores.map(|_| stolen);
                let sample = case.sample(bytes, &answers, stolen, slot);
                case.rate = bytes as f64 / (sample.ns.max(1) as f64 * 1e-9);
                record.sample(case.series, sample)?;
                Ok(true)
            }
            Err(why) => {
                record.series(case.series).fail(why);
                Ok(false)
            }
        }
    }
}

impl Run<'_> {
    /// Returns the duration of the next transfer, which is its share of the time that is left.
    fn duration(&self, process: u32, cases: &[TransferMeasurement]) -> Duration {
        if let Some(duration) = self.plan.duration {
            return duration;
        }
        let left_after = self.plan.processes - process - 1;
        let left = self.deadline.saturating_duration_since(Instant::now()).saturating_sub(self.start * left_after);
        let transfers = cases.len() as u32 * self.plan.rounds * (left_after + 1);
        (left / transfers.max(1)).clamp(MIN, MAX)
    }

    /// Starts the receiver and the sender of a case, and compares every byte of their first transfer.
    fn connect(&self, case: &mut TransferMeasurement, record: &mut PlanRecord<'_>) {
        let warmed_up = Endpoints::start(&case.wanted, case.transfer, self.cores).and_then(|mut endpoints| {
            let bytes = WARM_UP.next_multiple_of(case.wanted.workload.bytes.max(1) as u64);
            let [_, sender] = endpoints.transfer(bytes, true)?;
            Ok((endpoints, bytes as f64 / (sender.ns.max(1) as f64 * 1e-9)))
        });
        match warmed_up {
            Ok((endpoints, rate)) => {
                if endpoints.segments == Some(1) {
                    let note =
                        "each packet is a call of its own: the system takes no more (no UDP segmentation offload)";
                    record.series(case.series).note = Some(note.to_owned());
                }
                case.endpoints = Some(endpoints);
                case.rate = rate;
            }
            Err(why) => record.series(case.series).fail(why),
        }
    }
}

fn found(case: &TransferCase) -> FoundLibrary {
    let opened = libraries::find(case.library).map(|entry| (entry.open)(&Opening::default()));
    let description = opened.and_then(Result::ok).map(|library| library.description());
    FoundLibrary {
        library: case.library.to_owned(),
        version: description.as_ref().map_or_else(|| "unknown".to_owned(), |it| it.version.clone()),
        acceleration: Some(Acceleration::On),
        cpu_features: description.and_then(|it| it.cpu_features),
        loaded_from: None,
    }
}
