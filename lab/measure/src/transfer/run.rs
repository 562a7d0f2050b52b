//! Runs the transfers: in each start of the processes and in each round, every case transfers data once.

use std::time::{Duration, Instant};

use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::endpoint::EndpointAnswer;
use super::endpoints::Endpoints;
use crate::plan::{TRANSFER_START, TransferCase, TransferPlan};
use crate::procedure::{Procedure, SampleSlot, carry_out, random};
use crate::record::PlanRecord;
use crate::steal;
use crate::tls::cores;
use kasoku_libraries::{self as libraries, Opening, rustls_provider};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::{Experiment, FoundLibrary, Outcome, Sample, Series, Side, Sides, TransferDetails, Unit};
use kasoku_model::level::Level;
use kasoku_model::statistics;
use kasoku_model::workload::Transfer;
use kasoku_model::workload::transfer::Transport;

/// Number of bytes that each case transfers before any sample counts, and that the receiver compares completely.
/// Meanwhile flow-control windows open, and caches and branch predictors warm up.
const WARM_UP: u64 = 48_000_000;
/// Share of the time that is reserved for work between transfers.
const RESERVE: f64 = 0.05;
/// Minimum duration of a transfer, unless the user requests another one.
const MIN: Duration = Duration::from_millis(40);
const MAX: Duration = Duration::from_secs(2);

/// Minimum number of bytes of a transfer that counts.
const MIN_BYTES: u64 = 1 << 20;
/// Maximum share of a transfer's time that the sender or the receiver may wait for its core, or that the hypervisor may
/// take from the cores.
const MAX_LOST_TIME: f64 = 0.05;

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
    /// Time that starting the processes of all cases (transfers) takes.
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
                // If the two sides share cores, they wait for each other, which does not show other load.
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

struct TransferMeasurement {
    wanted: TransferCase,
    transfer: Transfer,
    series: usize,
    endpoints: Option<Endpoints>,
    /// Throughput in bytes per second of the latest transfer; 0 before the first.
    rate: f64,
}

impl TransferMeasurement {
    /// Creates a case without a series. Returns `None` if its workload is no transfer.
    fn new(wanted: TransferCase) -> Option<TransferMeasurement> {
        let transfer = wanted.workload.transfer()?;
        Some(TransferMeasurement { wanted, transfer, series: 0, endpoints: None, rate: 0.0 })
    }

    fn title(&self) -> String {
        let again = if self.wanted.is_control { " once more" } else { "" };
        format!("{} {}{again}", self.wanted.library, self.wanted.workload)
    }

    fn empty_series(&self, level: Level, version: String, are_apart: bool) -> Series {
        let TransferCase { workload, library, .. } = &self.wanted;
        let mut series = Series::empty(level, workload, library, version, Acceleration::On, Unit::BytesPerSecond);
        // A transfer with wrong data fails, so every sample is verified.
        series.outcome = Outcome::Measured;
        series.details.control = self.wanted.is_control;
        series.details.experiment = Experiment::Transfer(TransferDetails {
            through: Some(rustls_provider::versions(self.transfer.transport == Transport::Quic)),
            shares_cores: !are_apart,
            transfer: self.transfer,
            ..TransferDetails::default()
        });
        series
    }

    /// Returns a number of bytes whose transfer takes about `duration`. It is a multiple of a payload or a record.
    fn bytes(&self, duration: Duration) -> u64 {
        let unit = self.wanted.workload.bytes.max(1) as u64;
        let bytes = ((self.rate * duration.as_secs_f64()) as u64).max(MIN_BYTES);
        bytes.div_ceil(unit) * unit
    }

    /// Makes the sample of a transfer of `bytes`. `stolen` is the share of the cores' time that the hypervisor took;
    /// `None` unless sender and receiver have a core each.
    fn sample(
        &self,
        bytes: u64,
        [receiver, sender]: &[EndpointAnswer; 2],
        stolen: Option<f64>,
        SampleSlot { process, round, .. }: SampleSlot,
    ) -> Sample {
        let sides = Sides {
            sender: sender.cpu,
            receiver: receiver.cpu,
            packets: sender.packets,
            calls: sender.calls,
            lost: sender.lost,
            disturbed: stolen.is_some_and(|stolen| is_disturbed([sender.cpu, receiver.cpu], sender.ns, stolen)),
        };
        Sample {
            process,
            round,
            iterations: bytes / self.wanted.workload.bytes.max(1) as u64,
            // Until the receiver confirmed to the sender that all data arrived.
            ns: sender.ns,
            cpu_ns: sender.cpu.cpu_ns.saturating_add(receiver.cpu.cpu_ns),
            sides: Some(sides),
            ..Sample::default()
        }
    }
}

/// Whether other programs or the hypervisor used the core of the sender or of the receiver for too much of `ns`
/// nanoseconds. `stolen` is the hypervisor's share.
fn is_disturbed(sides: [Side; 2], ns: u64, stolen: f64) -> bool {
    let is_long = |side: &Side| side.waited_ns as f64 / ns.max(1) as f64 > MAX_LOST_TIME;
    sides.iter().any(is_long) || stolen > MAX_LOST_TIME
}

fn describe(series: &mut Series) {
    let bytes = series.bytes as f64;
    let seen = |figure: &dyn Fn(&Sample, &Sides) -> f64| {
        let figures = series.kept().filter_map(|sample| Some(figure(sample, sample.sides.as_ref()?)));
        statistics::median(&mut figures.filter(|figure| figure.is_finite()).collect::<Vec<_>>())
    };
    let a_gigabyte = |sample: &Sample, ns: u64| ns as f64 / (sample.iterations as f64 * bytes);
    let all = |figure: &dyn Fn(&Sides) -> u64| -> f64 {
        series.kept().filter_map(|sample| Some(figure(sample.sides.as_ref()?) as f64)).sum()
    };
    let share = |side: fn(&Sides) -> Side| {
        // Over all rounds, because the kernel's share of a single round is too inaccurate.
        let (kernel, cpu) = (all(&|sides| side(sides).kernel_ns), all(&|sides| side(sides).cpu_ns));
        (cpu > 0.0).then(|| kernel / cpu)
    };
    let (packets, calls) = (all(&|sides| sides.packets), all(&|sides| sides.calls));
    let finite = |figure: Option<f64>| figure.filter(|figure| figure.is_finite());
    let has_packets = packets > 0.0;
    let Experiment::Transfer(known) = &series.details.experiment else { return };
    let details = TransferDetails {
        sender_cpu_s_per_gb: finite(seen(&|sample, sides| a_gigabyte(sample, sides.sender.cpu_ns))),
        receiver_cpu_s_per_gb: finite(seen(&|sample, sides| a_gigabyte(sample, sides.receiver.cpu_ns))),
        sender_kernel: share(|sides| sides.sender),
        receiver_kernel: share(|sides| sides.receiver),
        packets_per_s: finite(seen(&|sample, sides| sides.packets as f64 / (sample.ns as f64 * 1e-9)))
            .filter(|_| has_packets),
        packets_per_call: (has_packets && calls > 0.0).then(|| packets / calls),
        packets: has_packets.then_some(packets as u64),
        lost: has_packets.then(|| all(&|sides| sides.lost) as u64),
        ..known.clone()
    };
    series.details.experiment = Experiment::Transfer(details);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfer_is_disturbed_above_five_percent_of_lost_time() {
        let is_disturbed = |waited: [u64; 2], stolen: f64| {
            let sides = waited.map(|waited_ns| Side { waited_ns, ..Side::default() });
            is_disturbed(sides, 1000, stolen)
        };
        assert!(!is_disturbed([50, 50], 0.05));
        assert!(is_disturbed([51, 0], 0.0) && is_disturbed([0, 51], 0.0) && is_disturbed([0, 0], 0.06));
    }
}
