//! A synthetic run with end-to-end transfers.

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Experiment, Series, Side, Sides, TransferDetails};
use kasoku_model::level::Level;
use kasoku_model::workload::transfer::{Protection, Transport};
use kasoku_model::workload::{Operation, Setting, Transfer, Workload};

use super::one;

/// Library and protection. For each of [`TASKS`]: bytes per nanosecond, and CPU nanoseconds per byte of sender and
/// receiver.
type Figures = (&'static str, Protection, [[f64; 3]; 3]);

/// Transports and their sizes in bytes.
const TASKS: [(Transport, usize); 3] = [(Transport::Quic, 1452), (Transport::Quic, 8952), (Transport::Tls, 16_384)];

const ALL: [Figures; 4] = [
    ("ring", Protection::Provider, [[0.6, 0.9, 0.8], [1.2, 0.4, 0.4], [1.3, 0.35, 0.33]]),
    ("kasoku", Protection::OnePass, [[0.8, 0.6, 0.5], [1.8, 0.22, 0.22], [1.8, 0.25, 0.21]]),
    ("aws-lc", Protection::Provider, [[0.7, 0.8, 0.7], [1.5, 0.3, 0.3], [1.7, 0.25, 0.25]]),
    ("kasoku", Protection::Provider, [[0.78, 0.62, 0.52], [1.7, 0.23, 0.23], [1.8, 0.25, 0.21]]),
];

pub(crate) fn document() -> Document {
    super::of("kasoku run packets --end-to-end", series())
}

/// Library that is measured twice, and the ratio of its second cost to its first.
const CONTROL: (&str, f64) = ("aws-lc", 1.02);

/// Returns the series of a run on transfers. The kernel takes half of the CPU time.
pub(crate) fn series() -> Vec<Series> {
    let once = ALL.map(|figures| (figures, None));
    let again = ALL.into_iter().filter(|figures| figures.0 == CONTROL.0).map(|figures| (figures, Some(CONTROL.1)));
    let mut all = Vec::new();
    for ((library, protection, figures), control) in once.into_iter().chain(again) {
        for ((transport, bytes), [rate, sender, receiver]) in TASKS.into_iter().zip(figures) {
            if transport == Transport::Tls && library == "kasoku" && protection == Protection::OnePass {
                continue;
            }
            let workload = Workload::new(Operation::Transfer, Algorithm::Aes128Gcm, bytes);
            let workload = workload.with_setting(Setting::Transfer(Transfer { transport, protection }));
            let mut series = one(library, Acceleration::On, workload, rate * 1e9);
            series.level = Level::Packets;
            series.cycles_per_byte = None;
            for sample in &mut series.samples {
                let moved = sample.iterations as f64 * bytes as f64;
                // Time and CPU time of a sample vary together, as under changing load.
                let drift = sample.ns as f64 / (moved / rate);
                let side = |cost: f64| {
                    let cpu_ns = (moved * cost * drift * control.unwrap_or(1.0)) as u64;
                    Side { cpu_ns, kernel_ns: cpu_ns / 2, waited_ns: 0 }
                };
                let packets = if transport == Transport::Quic { sample.iterations } else { 0 };
                let sides = Sides {
                    sender: side(sender),
                    receiver: side(receiver),
                    packets,
                    calls: packets / 10,
                    lost: 0,
                    disturbed: sample.round == 3,
                };
                sample.cpu_ns = sides.sender.cpu_ns + sides.receiver.cpu_ns;
                sample.sides = Some(sides);
            }
            let is_quic = transport == Transport::Quic;
            series.details.control = control.is_some();
            series.details.experiment = Experiment::Transfer(TransferDetails {
                through: Some("quinn 0.11.12 rustls 0.23.46".to_owned()),
                sender_cpu_s_per_gb: Some(sender),
                receiver_cpu_s_per_gb: Some(receiver),
                sender_kernel: Some(0.5),
                receiver_kernel: Some(0.5),
                packets_per_s: is_quic.then_some(rate * 1e9 / bytes as f64),
                packets_per_call: is_quic.then_some(9.9),
                packets: is_quic.then_some(100_000),
                lost: is_quic.then_some(0),
                transfer: Transfer { transport, protection },
                ..TransferDetails::default()
            });
            all.push(series);
        }
    }
    all
}
