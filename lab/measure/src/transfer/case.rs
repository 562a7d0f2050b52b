//! Measures one transfer case: holds its series and samples, and computes details from them.

use std::time::Duration;

use super::endpoint::EndpointAnswer;
use super::endpoints::Endpoints;
use crate::plan::TransferCase;
use crate::procedure::SampleSlot;
use kasoku_libraries::rustls_provider;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::{Experiment, Outcome, Sample, Series, Side, Sides, TransferDetails, Unit};
use kasoku_model::level::Level;
use kasoku_model::statistics;
use kasoku_model::workload::Transfer;
use kasoku_model::workload::transfer::Transport;

/// Minimum number of bytes of a transfer that counts.
const MIN_BYTES: u64 = 1 << 20;
/// Maximum share of a transfer's time that a side may wait for its core, or that the hypervisor may take from the
/// cores.
const MAX_LOST_TIME: f64 = 0.05;

pub(super) struct TransferMeasurement {
    pub(super) wanted: TransferCase,
    pub(super) transfer: Transfer,
    pub(super) series: usize,
    pub(super) endpoints: Option<Endpoints>,
    /// Throughput in bytes per second of the latest transfer; 0 before the first.
    pub(super) rate: f64,
}

impl TransferMeasurement {
    /// Creates a case without a series. Returns `None` if its workload is no transfer.
    pub(super) fn new(wanted: TransferCase) -> Option<TransferMeasurement> {
        let transfer = wanted.workload.transfer()?;
        Some(TransferMeasurement { wanted, transfer, series: 0, endpoints: None, rate: 0.0 })
    }

    pub(super) fn title(&self) -> String {
        let again = if self.wanted.is_control { " once more" } else { "" };
        format!("{} {}{again}", self.wanted.library, self.wanted.workload)
    }

    pub(super) fn empty_series(&self, level: Level, version: String, are_apart: bool) -> Series {
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
    pub(super) fn bytes(&self, duration: Duration) -> u64 {
        let unit = self.wanted.workload.bytes.max(1) as u64;
        let bytes = ((self.rate * duration.as_secs_f64()) as u64).max(MIN_BYTES);
        bytes.div_ceil(unit) * unit
    }

    /// Makes the sample of a transfer of `bytes`. `stolen` is the share of the cores' time that the hypervisor took;
    /// `None` unless each side has a core.
    pub(super) fn sample(
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
            // Time until the receiver confirmed to the sender that it has everything.
            ns: sender.ns,
            cpu_ns: sender.cpu.cpu_ns.saturating_add(receiver.cpu.cpu_ns),
            sides: Some(sides),
            ..Sample::default()
        }
    }
}

/// Whether other programs or the hypervisor used a side's core for too much of `ns` nanoseconds. `stolen` is the
/// hypervisor's share.
fn is_disturbed(sides: [Side; 2], ns: u64, stolen: f64) -> bool {
    let is_long = |side: &Side| side.waited_ns as f64 / ns.max(1) as f64 > MAX_LOST_TIME;
    sides.iter().any(is_long) || stolen > MAX_LOST_TIME
}

pub(super) fn describe(series: &mut Series) {
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
        // Over all rounds, since it is too rough in a single one.
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
