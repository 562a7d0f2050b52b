//! Medians, and each round's ratio to that round's aws-lc: its median and, in brackets, its quartiles.

use crate::Outcome;
use crate::cryptography::Cryptography;

pub(crate) struct Table {
    rows: Vec<(Cryptography, Vec<Sample>)>,
}

struct Sample {
    /// CPU seconds per gigabyte.
    sender: f64,
    receiver: f64,
    /// The kernel's part of both.
    kernel: f64,
    gigabytes_per_second: f64,
    packets_per_second: f64,
    lost: u64,
}

impl Table {
    pub(crate) fn new(contestants: &[Cryptography]) -> Self {
        Self { rows: contestants.iter().map(|&it| (it, Vec::new())).collect() }
    }

    pub(crate) fn add(&mut self, cryptography: Cryptography, bytes: u64, sender: Outcome, receiver: Outcome) {
        let gigabytes = bytes as f64 / 1e9;
        let sample = Sample {
            sender: sender.cpu_seconds / gigabytes,
            receiver: receiver.cpu_seconds / gigabytes,
            kernel: (sender.kernel * sender.cpu_seconds + receiver.kernel * receiver.cpu_seconds)
                / (sender.cpu_seconds + receiver.cpu_seconds),
            gigabytes_per_second: gigabytes / receiver.seconds,
            packets_per_second: sender.packets as f64 / sender.seconds,
            lost: sender.lost,
        };
        if let Some((_, samples)) = self.rows.iter_mut().find(|(it, _)| *it == cryptography) {
            samples.push(sample);
        }
    }

    pub(crate) fn print(&self) {
        println!(
            "{:<16} {:>8} {:>8} {:>8} {:>22} {:>7} {:>8} {:>8} {:>6}",
            "CPU s/GB", "sender", "receiver", "both", "both against aws-lc", "kernel", "goodput", "packets", "lost"
        );
        for (cryptography, samples) in &self.rows {
            let of = |figure: fn(&Sample) -> f64| median(samples.iter().map(figure).collect());
            let both = |sample: &Sample| sample.sender + sample.receiver;
            let ratios: Vec<f64> =
                samples.iter().zip(&self.rows[0].1).map(|(it, base)| 100.0 * (both(it) / both(base) - 1.0)).collect();
            let [low, middle, high] = quartiles(ratios);
            println!(
                "{:<16} {:>8.3} {:>8.3} {:>8.3} {:>22} {:>5.0} % {:>3.2} GB/s {:>5.0} k/s {:>6}",
                cryptography.name(),
                of(|it| it.sender),
                of(|it| it.receiver),
                of(|it| it.sender + it.receiver),
                format!("{middle:+.1} % ({low:+.1}..{high:+.1})"),
                of(|it| 100.0 * it.kernel),
                of(|it| it.gigabytes_per_second),
                of(|it| it.packets_per_second) / 1e3,
                samples.iter().map(|it| it.lost).sum::<u64>(),
            );
        }
        println!();
    }
}

fn median(figures: Vec<f64>) -> f64 {
    quartiles(figures)[1]
}

/// Between two figures in proportion.
fn quartiles(mut figures: Vec<f64>) -> [f64; 3] {
    figures.sort_by(f64::total_cmp);
    [0.25, 0.5, 0.75].map(|part| {
        let place = part * (figures.len() as f64 - 1.0);
        let (below, above) = (figures[place.floor() as usize], figures[place.ceil() as usize]);
        below + (above - below) * place.fract()
    })
}
