//! A synthetic run of the level tls, with OpenSSL's own code and Kasoku's provider.

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::document::{Document, Experiment, Outcome, Sample, Series, ServerDetails, Unit};
use kasoku_model::level::Level;
use kasoku_model::statistics::summarize;
use kasoku_model::workload::served::Bottleneck;
use kasoku_model::workload::{Operation, Served, Setting, Workload};

pub(crate) const GCM: CipherSuite = CipherSuite::Aes128GcmSha256;
pub(crate) const CBC: CipherSuite = CipherSuite::Aes128Sha;
/// Nanoseconds for a file in each round; disturbances lengthen some rounds for all providers alike.
pub(crate) const SLOW: [u64; 5] = [1_000_000, 1_300_000, 1_010_000, 1_200_000, 1_005_000];

pub(crate) fn fast(by: f64) -> [u64; 5] {
    SLOW.map(|ns| (ns as f64 / by) as u64)
}

pub(crate) fn document() -> Document {
    let mut all = Vec::new();
    for (library, suite, by) in [("openssl", GCM, 1.0), ("kasoku", GCM, 1.25), ("openssl", CBC, 0.5)] {
        all.extend([1, 2].map(|mib| series(library, suite, mib << 20, &fast(by))));
    }
    let mut unbound = series("kasoku", CBC, 1 << 20, &SLOW);
    details_of(&mut unbound).bottleneck = Some(Bottleneck::Neither);
    all.push(unbound);
    of(all)
}

/// Returns a run with two versions of OpenSSL under nginx: files, and handshakes with 1 and 16 connections.
pub(crate) fn openssls() -> Document {
    let mut all = Vec::new();
    for (version, by) in [("3.0.19", 1.0), ("3.5.5", 1.5)] {
        let files = |library, suite, by| series(library, suite, 2 << 20, &fast(by));
        let of_openssl = [files("openssl", GCM, by), files("openssl", CBC, by / 2.0)];
        all.extend(of_openssl.into_iter().chain([1, 16].map(|connections| handshake(connections, 1.1 * by))));
        all.iter_mut().rev().take(4).for_each(|one| version.clone_into(&mut one.library_version));
        let kasoku = Series { library_version: format!("0.1.0 with OpenSSL {version}"), ..files("kasoku", GCM, 1.8) };
        all.push(kasoku);
    }
    of(all)
}

/// Creates a series of handshakes, `by` times as fast as in [`SLOW`], for which the client is the limit.
fn handshake(connections: usize, by: f64) -> Series {
    let mut one = series("openssl", CipherSuite::Tls13Aes128Gcm, 0, &fast(by));
    (one.operation, one.unit) = (Operation::Handshake, Unit::OperationsPerSecond);
    let details = details_of(&mut one);
    details.served.connections = Some(connections);
    (details.concurrency, details.bottleneck) = (Some(connections), Some(Bottleneck::ClientCpu));
    details.load.server_cpu_s_per_handshake = Some(0.9e-3 / by);
    details.load.client_cpu_s_per_handshake = Some(0.7e-3);
    summarize(&mut one);
    one
}

pub(crate) fn of(series: Vec<Series>) -> Document {
    super::of("kasoku run tls", series)
}

/// Creates a series of one worker; `ns` has the nanoseconds for a file in each round.
pub(crate) fn series(library: &str, suite: CipherSuite, bytes: usize, ns: &[u64]) -> Series {
    let sample = |(round, ns): (u32, &u64)| Sample {
        round,
        iterations: 100,
        ns: ns * 100,
        cpu_ns: ns * 90,
        ..Sample::default()
    };
    let served = Served { workers: 1, ..Served::default() };
    let workload = Workload::new(Operation::Serve, Algorithm::CipherSuite(suite), bytes);
    let workload = workload.with_setting(Setting::Served(served));
    let (version, unit) = ("3".to_owned(), Unit::BytesPerSecond);
    let mut one = Series::empty(Level::Tls, &workload, library, version, Acceleration::On, unit);
    one.samples = (0..).zip(ns).map(sample).collect();
    one.outcome = Outcome::Measured;
    one.code_path = "unknown".to_owned();
    let details = details_of(&mut one);
    (details.bottleneck, details.server_cores) = (Some(Bottleneck::ServerCpu), Some(1));
    summarize(&mut one);
    one
}

pub(crate) fn details_of(series: &mut Series) -> &mut ServerDetails {
    match &mut series.details.experiment {
        Experiment::Server(details) => details,
        other => panic!("{other:?} are no details of a server"),
    }
}
