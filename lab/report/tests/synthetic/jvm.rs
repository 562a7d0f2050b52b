//! A synthetic run of the level jvm with two JDKs, other providers, a flag, the score of crypto.aes and HTTPS servers.

use kasoku_model::acceleration::Acceleration::{self, Off, On};
use kasoku_model::algorithm::{Algorithm, CipherSuite, Suite};
use kasoku_model::document::{Document, Experiment, Outcome, Sample, Series, Unit};
use kasoku_model::level::Level;
use kasoku_model::statistics::summarize;
use kasoku_model::workload::{Https, Operation, Setting, Workload};

const NEW: (&str, &str) = ("sunjce", "25.0.3+9-LTS");
const OLD: (&str, &str) = ("sunjce", "17.0.15+6-Debian-1deb12u1");
const KASOKU: (&str, &str) = ("kasoku-jca", "0.1.0 (JDK 25.0.3+9-LTS)");

/// Creates a run in which Kasoku's server takes `seconds` for a file, and Java's own provider one second.
pub(crate) fn document(seconds: f64) -> Document {
    const GCM: Algorithm = Algorithm::Aes128Gcm;
    const WHOLE: Algorithm = Algorithm::Suite(Suite::CryptoAes);
    const AES: Algorithm = Algorithm::Suite(Suite::CryptoAesAes);
    let series = vec![
        series(NEW, On, GCM, 1_000, ""),
        series(NEW, Off, GCM, 200_000, "-XX:-UseAES"),
        series(NEW, On, GCM, 40_000, "-XX:-UseGHASHIntrinsics"),
        series(OLD, On, GCM, 3_000, ""),
        series(OLD, Off, GCM, 200_000, "-XX:-UseAES"),
        series(("nss", "3.87.1 (JDK 25.0.3+9-LTS)"), On, GCM, 8_000, ""),
        series(KASOKU, On, GCM, 500, ""),
        series(("bouncy-castle", "1.87 (JDK 25.0.3+9-LTS)"), On, GCM, 300_000, ""),
        series(NEW, On, WHOLE, 2_000_000_000, ""),
        series(NEW, Off, WHOLE, 2_200_000_000, "-XX:-UseAES"),
        series(NEW, On, AES, 20_000_000, ""),
        series(NEW, Off, AES, 200_000_000, "-XX:-UseAES"),
        server(NEW, 1.0, None),
        server(KASOKU, seconds, Some(0.93)),
    ];
    super::of("kasoku run jvm", series)
}

/// Creates a series whose operation takes `ns` nanoseconds, slightly more with each start of the virtual machine.
pub(crate) fn series(
    (library, version): (&str, &str),
    state: Acceleration,
    algorithm: Algorithm,
    ns: u64,
    flags: &str,
) -> Series {
    let is_suite = !algorithm.parts().is_empty();
    let (operation, bytes) = if is_suite { (Operation::Roundtrip, 0) } else { (Operation::Seal, 16_384) };
    let (threads, rounds) = if is_suite { (2, 1) } else { (1, 6) };
    let sample = |index: u32| {
        let ns = ns + u64::from(index / rounds) * (ns / 1000);
        Sample { process: index / rounds, round: index, iterations: threads, ns, cpu_ns: ns, ..Sample::default() }
    };
    let unit = if is_suite { Unit::OperationsPerMinute } else { Unit::BytesPerSecond };
    let workload = Workload::new(operation, algorithm, bytes);
    let mut one = Series::empty(Level::Jvm, &workload, library, version.to_owned(), state, unit);
    one.samples = (0..3 * rounds).map(sample).collect();
    one.outcome = Outcome::Measured;
    one.details.threads = threads;
    one.details.flags = Some(flags.to_owned());
    summarize(&mut one);
    one
}

fn server((library, version): (&str, &str), seconds: f64, provider_share: Option<f64>) -> Series {
    const FILE: usize = 64 << 20;
    let suite = Algorithm::CipherSuite(CipherSuite::Tls13Aes128Gcm);
    let workload = Workload::new(Operation::Serve, suite, FILE).with_setting(Setting::Https(Https { connections: 2 }));
    let mut one = Series::empty(Level::Jvm, &workload, library, version.to_owned(), On, Unit::BytesPerSecond);
    let sample = |round: u32| {
        let ns = (4.0 * FILE as f64 * seconds) as u64 + u64::from(round) * 1000;
        Sample { process: round / 3, round, iterations: 4, ns, cpu_ns: ns, ..Sample::default() }
    };
    one.samples = (0..6).map(sample).collect();
    one.outcome = Outcome::Measured;
    if let Experiment::Https(details) = &mut one.details.experiment {
        details.load.provider_share = provider_share;
    }
    summarize(&mut one);
    one
}
