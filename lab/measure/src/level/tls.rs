//! Plans the level `tls`: the highest throughput of an nginx server over TLS by cipher suite, file size and number of
//! workers, and the CPU time of handshakes by number of connections. It compares OpenSSL's own provider with Kasoku's,
//! and builds of OpenSSL with each other.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::options::{LevelOptions, Pace, allows, excludes, first_reason};
use super::reproduction::seconds;
use crate::plan::{Experiment, Offer, Plan, Slices, TlsCase, TlsPlan};
use crate::worker::WorkerName;
use kasoku_libraries::nginx::{Nginx, OpensslBuild};
use kasoku_libraries::{Switch, Unavailable, kasoku, openssl, openssl_provider, openssl_switch};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::document::{Omission, Reason};
use kasoku_model::level::Level;
use kasoku_model::workload::served::LatencyOf;
use kasoku_model::workload::{Operation, Served, Setting, Workload};

const MIB: usize = 1 << 20;
const SIZES: [usize; 3] = [MIB, 16 * MIB, 256 * MIB];
const QUICK_SIZES: [usize; 2] = [MIB, 16 * MIB];
/// File size in bytes at which a default run measures all cipher suites.
const ALL_SUITES_AT: usize = 16 * MIB;
/// Cipher suites that are measured at every file size and number of nginx workers.
const GCM_AND_CBC: [CipherSuite; 2] = [CipherSuite::Aes128GcmSha256, CipherSuite::Aes128Sha];
/// Cipher suites that are measured at every file size with one nginx worker.
const EVERYWHERE: [CipherSuite; 3] =
    [CipherSuite::Aes128GcmSha256, CipherSuite::Aes128Sha, CipherSuite::Tls13Aes128Gcm];
/// Numbers of simultaneous connections at which handshakes are measured.
const HANDSHAKES_AT: [usize; 3] = [1, 4, 16];
const QUICK_HANDSHAKES_AT: [usize; 2] = [1, 16];
/// Cipher suite of handshakes unless the user names others. A suite of TLS 1.3 hardly affects the handshake.
const HANDSHAKE_SUITE: CipherSuite = CipherSuite::Tls13Aes128Gcm;
const LIBRARIES: [&str; 2] = [openssl::ENTRY.name, kasoku::ENTRY.name];
/// Default maximum latency, which is that of the published measurement.
pub const MAX_LATENCY: Duration = Duration::from_secs(2);
/// Maximum number of nginx workers, and of connections, that a user can request.
pub const MAX_WORKERS: usize = 1024;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TlsOptions {
    /// Numbers of nginx workers to measure; `None` for 1, 2, 4….
    #[serde(skip)]
    pub workers: Option<Vec<usize>>,
    /// Largest of the default worker numbers 1, 2, 4…; `None` means 2. The number of cores limits it too.
    pub max_workers: Option<usize>,
    /// Maximum latency that any client may observe.
    #[serde(skip)]
    pub max_latency: Option<Duration>,
    /// Whether the maximum applies to the latency of a connection or of a request.
    #[serde(skip)]
    pub latency_of: LatencyOf,
    #[serde(deserialize_with = "seconds")]
    pub duration: Option<Duration>,
    /// Number of simultaneous connections; `None` searches for the best number.
    #[serde(skip)]
    pub concurrency: Option<usize>,
    /// Path of Kasoku's OpenSSL provider; `None` if it is beside this program.
    #[serde(skip)]
    pub module: Option<PathBuf>,
    /// nginx, worker numbers and provider that another host reports for its servers; `None` if this process starts the
    /// servers.
    #[serde(skip)]
    pub elsewhere: Option<Offer>,
}

/// Returns no workers, since the run starts the servers itself, and an omission for everything that the servers need
/// but this host lacks.
pub fn candidates(options: &LevelOptions) -> (Vec<WorkerName>, Vec<Omission>) {
    let missing = |library: &str, Unavailable { why, install }: Unavailable| Omission {
        library: library.to_owned(),
        reason: install.is_some().then_some(Reason::NotInstalled),
        install,
        ..Omission::new(Level::Tls, why)
    };
    let left_out = |library: &str, reason: Reason, why: &str| Omission {
        reason: Some(reason),
        ..missing(library, Unavailable::new(why))
    };
    if let Some(why) = not_for_tls(options) {
        return (Vec::new(), vec![left_out("", Reason::NotAsked, why)]);
    }
    if let Err(unavailable) = server(options) {
        return (Vec::new(), vec![missing("", unavailable)]);
    }
    let refused = builds(options).1.into_iter();
    let mut omissions: Vec<Omission> = refused.map(|why| missing(openssl::ENTRY.name, Unavailable::new(why))).collect();
    if options.wants_library(kasoku::ENTRY.name) {
        omissions.extend(module(options).err().map(|unavailable| missing(kasoku::ENTRY.name, unavailable)));
        let others = states(options).into_iter().filter(|state| *state != Acceleration::On);
        omissions.extend(others.map(|state| Omission {
            acceleration: Some(state),
            ..left_out(kasoku::ENTRY.name, Reason::NoSwitch, "Kasoku's provider is measured with acceleration on")
        }));
    }
    (Vec::new(), omissions)
}

/// Makes the plan. It is empty if the server is missing.
pub fn plan(options: &LevelOptions, workers: Vec<WorkerName>) -> Plan {
    let nginx = server(options).ok().filter(|_| not_for_tls(options).is_none());
    let experiment = nginx.map_or_else(
        || Experiment::Slices(Slices::default()),
        |nginx| {
            let (module, builds) = (module(options).ok(), builds(options).0);
            Experiment::Tls(TlsPlan {
                nginx,
                cases: cases(options, module.is_some(), builds.len()),
                builds,
                module: module.flatten(),
                dir: options.files.dir(),
                max_latency: options.tls.max_latency.unwrap_or(MAX_LATENCY),
                duration: options.tls.duration,
                concurrency: options.tls.concurrency,
                is_elsewhere: options.tls.elsewhere.is_some(),
                before: options.before.clone(),
            })
        },
    );
    let builds = if let Experiment::Tls(tls) = &experiment { tls.builds.len() as u32 } else { 0 };
    Plan {
        level: Level::Tls,
        workers,
        items: Vec::new(),
        processes: 1,
        // The minimum number of rounds for an interval.
        rounds: options.rounds.unwrap_or(5),
        // Each further build of OpenSSL measures everything again, in the same rounds.
        budget: options.pace.choose(Duration::from_secs(27), Duration::from_secs(54)) * (1 + builds),
        experiment,
    }
}

fn server(options: &LevelOptions) -> Result<Nginx, Unavailable> {
    if let Some(offer) = &options.tls.elsewhere {
        Ok(offer.nginx.clone())
    } else if cfg!(target_os = "linux") {
        Nginx::find()
    } else {
        Err(Unavailable::new("the level tls needs Linux"))
    }
}

/// Returns the builds of OpenSSL that the user named, and why nginx does not run with the others.
fn builds(options: &LevelOptions) -> (Vec<OpensslBuild>, Vec<String>) {
    let (mut builds, mut refused) = (Vec::new(), Vec::new());
    // Paths are of this host.
    let Some(nginx) = server(options).ok().filter(|_| options.tls.elsewhere.is_none()) else {
        return (builds, refused);
    };
    for path in &options.libcrypto {
        match nginx.openssl_build(path) {
            Ok(build) => builds.push(build),
            Err(why) => refused.push(format!("--libcrypto {}: {why}", path.display())),
        }
    }
    (builds, refused)
}

/// Returns the path of Kasoku's OpenSSL provider; `None` if the provider is on another host.
fn module(options: &LevelOptions) -> Result<Option<PathBuf>, Unavailable> {
    match &options.tls.elsewhere {
        None => openssl_provider::find(options.tls.module.as_deref()).map(Some),
        Some(Offer { has_ours: true, .. }) => Ok(None),
        Some(_) => Err(Unavailable::new("the servers are without Kasoku's provider")),
    }
}

fn not_for_tls(options: &LevelOptions) -> Option<&'static str> {
    first_reason(&[
        (
            excludes(&options.algorithms, Algorithm::CIPHER_SUITES),
            "a web server is measured with cipher suites, such as aes128-gcm-sha256",
        ),
        (
            excludes(&options.operations, &[Operation::Serve, Operation::Handshake]),
            "the operations of a web server are serve and handshake",
        ),
        (options.sizes.as_ref().is_some_and(Vec::is_empty), "no size of 1M or more was asked for"),
        (excludes(&options.libraries, &LIBRARIES), "a web server is measured with the libraries openssl and kasoku"),
    ])
}

/// Returns the requested acceleration states that OpenSSL can be switched to; by default only `on`.
fn states(options: &LevelOptions) -> Vec<Acceleration> {
    let wanted = options.acceleration.clone().unwrap_or_else(|| vec![Acceleration::On]);
    wanted.into_iter().filter(|state| matches!(openssl_switch(*state), Switch::Environment(_))).collect()
}

/// Returns the cases for the system's OpenSSL and this number of further `builds`.
fn cases(options: &LevelOptions, has_module: bool, builds: usize) -> Vec<TlsCase> {
    let mut cases = Vec::new();
    for workload in handshakes(options).into_iter().chain(files(options)) {
        let is_gcm = CipherSuite::of(workload.algorithm).is_some_and(CipherSuite::is_gcm);
        for library in LIBRARIES.into_iter().filter(|library| options.wants_library(library)) {
            let is_ours = library == kasoku::ENTRY.name;
            for acceleration in states(options) {
                if !is_ours || (has_module && is_gcm && acceleration == Acceleration::On) {
                    let of_build = |build| TlsCase { workload, library, acceleration, build };
                    cases.extend([None].into_iter().chain((0..builds).map(Some)).map(of_build));
                }
            }
        }
    }
    cases
}

fn files(options: &LevelOptions) -> Vec<Workload> {
    if !allows(&options.operations, &Operation::Serve) {
        return Vec::new();
    }
    let mut workloads = Vec::new();
    for bytes in options.sizes_or(&QUICK_SIZES, &SIZES) {
        for workers in workers(options) {
            let served = Served { workers, latency_of: options.tls.latency_of, connections: None };
            let suites = suites(options, bytes, workers).into_iter();
            workloads.extend(suites.map(|suite| workload(Operation::Serve, suite, bytes, served)));
        }
    }
    workloads
}

/// Returns the handshakes to measure: those that the user named, or those of the default matrix.
fn handshakes(options: &LevelOptions) -> Vec<Workload> {
    let is_matrix = options.sizes.is_none() && options.algorithms.is_none();
    let is_wanted = options.operations.as_ref().map_or(is_matrix, |wanted| wanted.contains(&Operation::Handshake));
    if !is_wanted {
        return Vec::new();
    }
    let suites = match &options.algorithms {
        Some(named) => named.iter().filter_map(|algorithm| CipherSuite::of(*algorithm)).collect(),
        None => vec![HANDSHAKE_SUITE],
    };
    let mut workers = workers(options);
    if options.tls.workers.is_none() {
        workers.truncate(1);
    }
    let default = options.pace.choose(&QUICK_HANDSHAKES_AT[..], &HANDSHAKES_AT[..]);
    let named = options.tls.concurrency.as_ref().map(std::slice::from_ref);
    let mut workloads = Vec::new();
    for &connections in named.unwrap_or(default) {
        for &workers in &workers {
            let served = Served { workers, latency_of: options.tls.latency_of, connections: Some(connections) };
            workloads.extend(suites.iter().map(|suite| workload(Operation::Handshake, *suite, 0, served)));
        }
    }
    workloads
}

fn workload(operation: Operation, suite: CipherSuite, bytes: usize, served: Served) -> Workload {
    Workload::new(operation, Algorithm::CipherSuite(suite), bytes).with_setting(Setting::Served(served))
}

fn workers(options: &LevelOptions) -> Vec<usize> {
    if let Some(workers) = &options.tls.workers {
        return workers.iter().copied().collect::<BTreeSet<usize>>().into_iter().collect();
    }
    if let Some(offer) = &options.tls.elsewhere {
        return offer.workers.clone();
    }
    let most = options.pace.choose(1, options.cores.min(options.tls.max_workers.unwrap_or(2)));
    std::iter::successors(Some(1), |workers| Some(workers * 2)).take_while(|workers| *workers <= most.max(1)).collect()
}

fn suites(options: &LevelOptions, bytes: usize, workers: usize) -> Vec<CipherSuite> {
    if let Some(wanted) = &options.algorithms {
        return wanted.iter().filter_map(|algorithm| CipherSuite::of(*algorithm)).collect();
    }
    let is_matrix = options.sizes.is_none() && options.tls.workers.is_none();
    match options.pace {
        _ if is_matrix && workers > 1 => GCM_AND_CBC.to_vec(),
        Pace::Quick if is_matrix && bytes != ALL_SUITES_AT => GCM_AND_CBC.to_vec(),
        Pace::Default if is_matrix && bytes != ALL_SUITES_AT => EVERYWHERE.to_vec(),
        _ => Algorithm::CIPHER_SUITES.iter().filter_map(|algorithm| CipherSuite::of(*algorithm)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::reproduction::as_published;

    fn count(options: &LevelOptions, has_module: bool) -> usize {
        cases(options, has_module, 0).len()
    }

    #[test]
    fn tls_matrix_measures_openssl_on_all_suites_and_kasoku_on_gcm_only() {
        let options = LevelOptions { cores: 4, ..LevelOptions::default() };
        // With one worker, five suites at one size and three at two others. With two workers, the published suites.
        // With Kasoku's provider, the GCM suites again.
        // Handshakes with one worker at three numbers of connections.
        assert_eq!(count(&options, false), (5 + 3 + 3) + 3 * 2 + 3);
        assert_eq!(count(&options, true), (8 + 5 + 5) + 3 * 3 + 2 * 3);
        let quick = LevelOptions { pace: Pace::Quick, ..options.clone() };
        assert_eq!(count(&quick, true), 3 + 8 + 2 * 2);
        let ours = LevelOptions { libraries: Some(vec!["kasoku".to_owned()]), ..quick };
        assert_eq!((count(&ours, true), count(&ours, false)), (1 + 3 + 2, 0));
    }

    #[test]
    fn tls_plan_repeats_every_case_with_every_build_of_openssl() {
        let options = LevelOptions { cores: 4, ..LevelOptions::default() };
        let all = cases(&options, true, 2);
        assert_eq!(all.len(), 3 * count(&options, true));
        for case in cases(&options, true, 0) {
            let builds = all.iter().filter(|one| TlsCase { build: None, ..**one } == case).map(|one| one.build);
            assert_eq!(builds.collect::<Vec<_>>(), [None, Some(0), Some(1)]);
        }
    }

    #[test]
    fn tls_handshakes_are_measured_by_default_or_when_named() {
        let connections = |options: &LevelOptions| -> Vec<(usize, usize)> {
            let served = |workload: Workload| workload.served().unwrap();
            let all = handshakes(options).into_iter().map(served);
            all.map(|served| (served.workers, served.connections.unwrap())).collect()
        };
        let options = LevelOptions { cores: 4, ..LevelOptions::default() };
        assert_eq!(connections(&options), [(1, 1), (1, 4), (1, 16)]);
        let sized = LevelOptions { sizes: Some(vec![MIB]), ..options.clone() };
        assert_eq!(connections(&sized), []);
        let named = LevelOptions {
            operations: Some(vec![Operation::Handshake]),
            tls: TlsOptions { workers: Some(vec![1, 2]), concurrency: Some(8), ..TlsOptions::default() },
            ..sized
        };
        assert_eq!(connections(&named), [(1, 8), (2, 8)]);
        assert_eq!((files(&named).len(), count(&named, true)), (0, 4));
    }

    #[test]
    fn tls_as_published_has_the_published_sizes_suites_and_workers() {
        let options = as_published(Level::Tls, LevelOptions { cores: 4, ..LevelOptions::default() });
        let all = cases(&options, false, 0);
        assert_eq!(all.len(), 7 * 3 * 2);
        assert_eq!(all.last().unwrap().workload.bytes, 4 << 30);
        assert_eq!(workers(&options), [1, 2, 4]);
        assert_eq!(workers(&LevelOptions { cores: 28, ..options }), [1, 2, 4, 8, 16]);
    }

    #[test]
    fn tls_plan_measures_named_suites_at_every_named_worker_count() {
        let options = LevelOptions {
            sizes: Some(vec![MIB]),
            algorithms: Some(vec![Algorithm::Aes128Gcm, Algorithm::CipherSuite(CipherSuite::Tls13ChaCha20)]),
            tls: TlsOptions { workers: Some(vec![3, 1, 3]), ..TlsOptions::default() },
            cores: 1,
            ..LevelOptions::default()
        };
        assert_eq!(count(&options, true), 2);
    }

    #[test]
    fn tls_candidates_explain_unsupported_requests() {
        for options in [
            LevelOptions { algorithms: Some(vec![Algorithm::Sha256]), ..LevelOptions::default() },
            LevelOptions { operations: Some(vec![Operation::Hash]), ..LevelOptions::default() },
            LevelOptions { sizes: Some(Vec::new()), ..LevelOptions::default() },
            LevelOptions { libraries: Some(vec!["ring".to_owned()]), ..LevelOptions::default() },
        ] {
            let (workers, omissions) = candidates(&options);
            assert!(workers.is_empty() && omissions.len() == 1);
            assert!(plan(&options, Vec::new()).is_empty());
        }
    }
}
