//! A synthetic run of the level packets, with the results of the published measurement on a CPU with wide registers.

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Details, Document, Experiment, Omission, Outcome, Series};
use kasoku_model::level::Level;
use kasoku_model::library::Role;
use kasoku_model::workload::{Operation, Packets, Workload};

use super::{HOSTILE, fail, one};

/// Packet sizes of the default run, in bytes.
pub(crate) const SIZES: [usize; 6] = [1200, 1350, 1440, 1500, 9000, 16_384];

/// Cost of a packet with a library: fixed costs in nanoseconds, and the throughput in bytes per nanosecond.
struct Speed {
    library: &'static str,
    /// Cost of the cipher alone, without set-up, AAD and tag; `None` if the library's API has no such call.
    cipher: Option<(f64, f64)>,
    aead: (f64, f64),
    /// Nanoseconds that header protection adds; `None` if the library has none.
    header: Option<f64>,
    /// Batch sizes in packets, each with the nanoseconds that a batch saves for each packet.
    batches: &'static [(usize, f64)],
}

const SPEEDS: [Speed; 6] = [
    Speed {
        library: "kasoku",
        cipher: Some((4.0, 19.0)),
        aead: (17.0, 12.9),
        header: Some(1.9),
        batches: &[(16, 9.0), (64, 10.5)],
    },
    Speed { library: "openssl", cipher: Some((16.0, 9.4)), aead: (128.0, 9.3), header: Some(66.0), batches: &[] },
    Speed { library: "aws-lc", cipher: None, aead: (62.0, 11.6), header: Some(31.0), batches: &[] },
    Speed { library: "ring", cipher: None, aead: (71.0, 6.1), header: Some(24.0), batches: &[] },
    Speed { library: "graviola", cipher: None, aead: (55.0, 8.8), header: None, batches: &[] },
    Speed { library: "ipsec-mb", cipher: Some((31.0, 13.2)), aead: (66.0, 12.6), header: Some(28.0), batches: &[] },
];

/// The CPU's upper bounds in bytes per nanosecond.
const LIMITS: [(&str, f64); 3] = [("limit-aes", 19.8), ("limit-mixed", 13.4), ("limit-clmul", 21.3)];

pub(crate) fn document() -> Document {
    let mut document = super::of("kasoku run packets", series());
    document.run.omissions = vec![Omission {
        level: Level::Packets,
        library: "graviola".to_owned(),
        algorithm: Some("aes-128-gcm".to_owned()),
        why: "graviola has no cipher to protect headers with".to_owned(),
        ..Omission::default()
    }];
    document
}

pub(crate) fn series() -> Vec<Series> {
    let mut all = Vec::new();
    for (algorithm, slower) in [(Algorithm::Aes128Gcm, 1.0), (Algorithm::Aes256Gcm, 1.17)] {
        for speed in &SPEEDS {
            for bytes in SIZES {
                all.extend(of_size(speed, algorithm, slower, bytes));
            }
            let sealed = Workload::new(Operation::Seal, algorithm, 16_384);
            let mut record = packet(speed.library, Acceleration::On, sealed, rate(speed.aead, slower, 16_384));
            *packets_of(&mut record) = Packets::RECORD;
            all.push(record);
        }
    }
    for (state, speed) in [(Acceleration::NoVaes, 5.2), (Acceleration::Off, 0.21)] {
        all.push(packet("kasoku", state, Workload::new(Operation::Protect, Algorithm::Aes128Gcm, 1440), speed * 1e9));
    }
    for (library, speed) in LIMITS {
        let sealed = Workload::new(Operation::Seal, Algorithm::Aes128Gcm, 16_384);
        let mut limit = packet(library, Acceleration::On, sealed, speed * 1e9);
        packets_of(&mut limit).setup = false;
        limit.outcome = Outcome::Unverified;
        limit.note = Some("bare instructions; nothing is encrypted".to_owned());
        all.push(limit);
    }
    all
}

/// Returns [`document`] with hostile text in every name of a packet series, and with invalid figures.
pub(crate) fn hostile() -> Document {
    let mut document = super::hostile();
    document.series = series();
    let mut more = Vec::new();
    for (index, series) in document.series.iter().enumerate().filter(|(_, series)| series.bytes == 1440) {
        let mut series = series.clone();
        series.library = if index % 7 == 0 { format!("limit-mixed{HOSTILE}") } else { HOSTILE.to_owned() };
        series.role = Role::of(&series.library);
        series.library_version = HOSTILE.to_owned();
        series.code_path = HOSTILE.to_owned();
        series.note = Some(HOSTILE.to_owned());
        match index % 5 {
            0 => series.median = Some(f64::NAN),
            1 => (series.median, series.ci95) = (Some(f64::MAX), Some([f64::MIN, f64::INFINITY])),
            2 => series.bytes = usize::MAX,
            3 => packets_of(&mut series).batch = usize::MAX,
            _ => packets_of(&mut series).setup = false,
        }
        series.cycles_per_byte = Some(f64::NEG_INFINITY);
        more.push(series);
    }
    document.series.extend(more);
    let mut failed = document.series[0].clone();
    failed.library_version = HOSTILE.to_owned();
    fail(&mut failed, HOSTILE);
    document.series.push(failed);
    document
}

pub(crate) fn is_of(library: &str, operation: Operation, setup: bool, batch: usize) -> impl Fn(&Series) -> bool {
    let library = library.to_owned();
    move |series| {
        series.library == library
            && series.operation == operation
            && series.algorithm == Algorithm::Aes128Gcm
            && series.acceleration == Acceleration::On
            && series.workload().packets() == Some(Packets { setup, ..Packets::batch(batch) })
    }
}

pub(crate) fn speed_up(document: &mut Document, is_meant: impl Fn(&Series) -> bool, factor: f64) {
    for series in document.series.iter_mut().filter(|series| is_meant(series)) {
        for sample in &mut series.samples {
            sample.ns = (sample.ns as f64 / factor).round() as u64;
        }
        series.median = series.median.map(|median| median * factor);
        series.ci95 = series.ci95.map(|interval| interval.map(|end| end * factor));
    }
}

fn of_size(speed: &Speed, algorithm: Algorithm, slower: f64, bytes: usize) -> Vec<Series> {
    let on =
        |operation, rate| packet(speed.library, Acceleration::On, Workload::new(operation, algorithm, bytes), rate);
    let mut all = Vec::new();
    if let Some(cipher) = speed.cipher {
        let mut alone = on(Operation::Seal, rate(cipher, slower, bytes));
        packets_of(&mut alone).setup = false;
        all.push(alone);
    }
    all.push(on(Operation::Seal, rate(speed.aead, slower, bytes)));
    let Some(header) = speed.header else { return all };
    let (fixed, long) = speed.aead;
    for (batch, saved) in [(1, 0.0)].iter().chain(speed.batches) {
        let rate = rate((fixed + header - saved, long), slower, bytes);
        for (operation, rate) in [(Operation::Protect, rate), (Operation::Unprotect, rate * 0.98)] {
            let mut protected = on(operation, rate);
            packets_of(&mut protected).batch = *batch;
            all.push(protected);
        }
    }
    all
}

/// Payload bytes per second.
fn rate((fixed, long): (f64, f64), slower: f64, bytes: usize) -> f64 {
    bytes as f64 * 1e9 / (fixed + slower * bytes as f64 / long)
}

fn packet(library: &str, state: Acceleration, workload: Workload, rate: f64) -> Series {
    let details = Details { experiment: Experiment::Packets(Packets::SINGLE), ..Details::default() };
    Series { level: Level::Packets, details, ..one(library, state, workload, rate) }
}

pub(crate) fn packets_of(series: &mut Series) -> &mut Packets {
    match &mut series.details.experiment {
        Experiment::Packets(packets) => packets,
        other => panic!("{other:?} are no details of packets"),
    }
}
