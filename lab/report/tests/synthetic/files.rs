//! A synthetic run of the level files with the published figures, which tests can change.

use kasoku_model::acceleration::Acceleration::{self, Off, On};
use kasoku_model::algorithm::Algorithm::{self, Aes128Cbc, Aes256Cbc, Aes256Gcm};
use kasoku_model::document::{Document, Outcome, Sample, Series, Unit};
use kasoku_model::level::Level;
use kasoku_model::library::Role;
use kasoku_model::workload::Operation::{self, Decrypt, Encrypt};
use kasoku_model::workload::files::Cache;
use kasoku_model::workload::{Files, Setting, Workload};

/// Milliseconds of the published table of AES-128: size in MiB, encryption and decryption without acceleration, then
/// with acceleration, for two test runs.
pub(crate) const PUBLISHED: [(usize, [[f64; 4]; 2]); 5] = [
    (50, [[1064.0, 1109.0, 562.0, 658.0], [1061.0, 1155.0, 575.0, 685.0]]),
    (100, [[2011.0, 2113.0, 1189.0, 1247.0], [1996.0, 2216.0, 1275.0, 1420.0]]),
    (200, [[4303.0, 4422.0, 2883.0, 2820.0], [4186.0, 4320.0, 2881.0, 2783.0]]),
    (512, [[10458.0, 11680.0, 6328.0, 7421.0], [10196.0, 11697.0, 5855.0, 7323.0]]),
    (1024, [[26451.0, 24200.0, 17235.0, 16095.0], [26113.0, 24111.0, 16051.0, 16123.0]]),
];
const COLUMNS: [(Operation, Acceleration); 4] = [(Encrypt, Off), (Decrypt, Off), (Encrypt, On), (Decrypt, On)];

pub(crate) fn document() -> Document {
    let mut document = Document { series: Vec::new(), ..super::document() };
    document.run.omissions.clear();
    for (mib, runs) in PUBLISHED {
        for (column, (operation, state)) in COLUMNS.into_iter().enumerate() {
            let times = [runs[0][column], runs[1][column]];
            let mut add = |library: &str, algorithm: Algorithm, storage: &str, factor: f64| {
                let times = times.map(|time| time * factor);
                let workload = Workload::new(operation, algorithm, mib << 20);
                document.series.push(series(library, state, workload, storage, times));
            };
            add("openssl", Aes128Cbc, "file", 1.0);
            add("openssl", Aes256Cbc, "file", 1.1);
            for (storage, factor) in [("file", 0.5), ("memory", 0.4)] {
                add("openssl", Aes256Gcm, storage, factor);
                add("kasoku", Aes256Gcm, storage, factor * 0.7);
            }
        }
        for (storage, time) in [("file", mib as f64 * 2.0), ("memory", mib as f64)] {
            let workload = Workload::new(Encrypt, Aes256Gcm, mib << 20);
            let mut copy = series("limit-copy", On, workload, storage, [time; 2]);
            copy.outcome = Outcome::Unverified;
            document.series.push(copy);
        }
    }
    document
}

/// Creates a series of two test runs with three repetitions each, whose means are `times` in milliseconds.
fn series(library: &str, state: Acceleration, workload: Workload, storage: &str, times: [f64; 2]) -> Series {
    let mut samples = Vec::new();
    for (process, time) in times.into_iter().enumerate() {
        for (repetition, factor) in [0.99, 1.0, 1.01].into_iter().enumerate() {
            let ns = (time * factor * 1e6).round() as u64;
            let (process, round) = (process as u32, (process * 3 + repetition) as u32);
            samples.push(Sample { process, round, iterations: 1, ns, cpu_ns: ns, ..Sample::default() });
        }
    }
    let files = Files { storage: storage.parse().unwrap(), cache: Cache::Warm };
    let workload = workload.with_setting(Setting::Files(files));
    Series {
        code_path: "aesni".to_owned(),
        samples,
        median: Some((times[0] + times[1]) / 2e3),
        outcome: Outcome::Measured,
        role: Role::of(library),
        ..Series::empty(Level::Files, &workload, library, "1.0".to_owned(), state, Unit::Seconds)
    }
}
