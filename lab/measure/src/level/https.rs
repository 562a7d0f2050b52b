//! Plans the HTTPS servers of the level `jvm`, which show how much a security provider speeds up a Java server with the
//! JDK's TLS.

use std::time::Duration;

use super::options::{LevelOptions, Pace, excludes, first_reason};
use crate::plan::{HttpsCase, HttpsPlan};
use crate::worker::WorkerName;
use kasoku_libraries::jvm::{ACCP, KASOKU_JCA, PROVIDERS, SUNJCE};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::document::Omission;
use kasoku_model::level::Level;
use kasoku_model::workload::{Https, Operation, Setting, Workload};

/// Supported cipher suites; the first is the default.
const SUITES: [Algorithm; 2] =
    [Algorithm::CipherSuite(CipherSuite::Tls13Aes128Gcm), Algorithm::CipherSuite(CipherSuite::Tls13Aes256Gcm)];
/// Bytes served per connection, enough to make the cost of the handshake small.
const BYTES: usize = 64 << 20;
/// Number of simultaneous connections. While one is in its handshake, the data of the other keeps the server's core
/// busy.
const CONNECTIONS: usize = 2;
/// Security providers that are measured by default. Quick runs leave out the last.
const USUAL: [&str; 3] = [SUNJCE.name, KASOKU_JCA.name, ACCP.name];

/// Makes the plan with `workers`. Returns `None` if no servers are requested, or if none can be measured here.
pub(super) fn plan(options: &LevelOptions, workers: &[WorkerName]) -> Option<HttpsPlan> {
    if not_asked_for(options).is_some() || why_unavailable().is_some() {
        return None;
    }
    let cases = cases(options, workers);
    // Quick runs have the minimum number of rounds for an interval.
    let (processes, rounds) = options.rounds_in(2, options.pace.choose((1, 5), (2, 4)));
    let step = options.slice.unwrap_or(Duration::from_millis(250));
    (!cases.is_empty()).then_some(HttpsPlan { cases, processes, rounds, step, dir: options.files.dir() })
}

/// Returns why requested servers cannot be measured; `None` if nothing is omitted.
pub(super) fn omission(options: &LevelOptions) -> Option<Omission> {
    let why = match not_asked_for(options) {
        None => why_unavailable()?,
        Some(why) if is_explicit(options) => why,
        Some(_) => return None,
    };
    Some(Omission::new(Level::Jvm, why.to_owned()))
}

/// Whether the user explicitly requested servers, by operation or cipher suite.
pub(super) fn is_explicit(options: &LevelOptions) -> bool {
    options.operations.as_ref().is_some_and(|wanted| wanted.contains(&Operation::Serve))
        || options.algorithms.as_ref().is_some_and(|wanted| wanted.iter().any(|one| SUITES.contains(one)))
}

fn why_unavailable() -> Option<&'static str> {
    (!cfg!(target_os = "linux")).then_some("HTTPS servers are measured on Linux")
}

fn not_asked_for(options: &LevelOptions) -> Option<&'static str> {
    let LevelOptions { operations, algorithms, acceleration, sizes, .. } = options;
    first_reason(&[
        (options.end_to_end == Some(false) && !is_explicit(options), "no data end to end was asked for"),
        (excludes(operations, &[Operation::Serve]), "what a server does is serve"),
        (
            excludes(algorithms, &SUITES),
            "an HTTPS server in Java is measured with tls_aes_128_gcm_sha256 and tls_aes_256_gcm_sha384",
        ),
        (excludes(acceleration, &[Acceleration::On]), "HTTPS servers are measured with acceleration on"),
        (options.threads.is_some_and(|threads| threads > 1), "an HTTPS server has one core"),
        // Named sizes are meant for messages, not for served files.
        (sizes.is_some() && !is_explicit(options), "sizes were asked for"),
        (sizes.as_ref().is_some_and(Vec::is_empty), "no size was asked for"),
    ])
}

fn cases(options: &LevelOptions, workers: &[WorkerName]) -> Vec<HttpsCase> {
    let suites: Vec<Algorithm> = match &options.algorithms {
        Some(wanted) => SUITES.into_iter().filter(|suite| wanted.contains(suite)).collect(),
        None => SUITES[..1].to_vec(),
    };
    let newest = workers.iter().filter_map(release).max();
    let is_plain = |worker: &WorkerName| worker.jvm.as_ref().is_some_and(|jvm| jvm.flags.is_empty());
    let is_one = |worker: &WorkerName| {
        is_plain(worker)
            && worker.acceleration == Acceleration::On
            && release(worker) == newest
            && takes_part(options, worker.entry.name)
    };
    let servers: Vec<usize> = (0..workers.len()).filter(|&index| is_one(&workers[index])).collect();
    let mut cases = Vec::new();
    for bytes in options.sizes.clone().unwrap_or_else(|| vec![BYTES]) {
        for &suite in &suites {
            let workload = Workload::new(Operation::Serve, suite, bytes)
                .with_setting(Setting::Https(Https { connections: CONNECTIONS }));
            cases.extend(servers.iter().map(|&worker| HttpsCase { workload, worker }));
        }
    }
    cases
}

/// Whether a library has an HTTPS server to measure: SunJCE, or a security provider that a Java program can add.
fn takes_part(options: &LevelOptions, library: &str) -> bool {
    let is_known = library == SUNJCE.name || PROVIDERS.iter().any(|entry| entry.name == library);
    let most = if options.pace == Pace::Quick { USUAL.len() - 1 } else { USUAL.len() };
    is_known && (options.libraries.is_some() || USUAL[..most].contains(&library))
}

fn release(worker: &WorkerName) -> Option<u32> {
    worker.jvm.as_ref().map(|jvm| jvm.runtime.release)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_libraries::jvm::{BOUNCY_CASTLE, JvmSetting, NSS};

    fn workers(releases: &[u32]) -> Vec<WorkerName> {
        let own = |&release: &u32| {
            let jvm = Some(JvmSetting::imagined(release, (Duration::ZERO, Duration::ZERO)));
            let worker = |entry, state| WorkerName { jvm: jvm.clone(), ..WorkerName::new(entry, state) };
            let mut workers = vec![worker(&SUNJCE, Acceleration::On), worker(&SUNJCE, Acceleration::Off)];
            let flagged = JvmSetting { flags: vec!["-XX:-UseAES".to_owned()], ..jvm.clone().unwrap() };
            workers.push(WorkerName { jvm: Some(flagged), ..WorkerName::new(&SUNJCE, Acceleration::On) });
            let added = [&NSS, &KASOKU_JCA, &ACCP, &BOUNCY_CASTLE];
            workers.extend(added.into_iter().map(|entry| worker(entry, Acceleration::On)));
            workers
        };
        releases.iter().flat_map(own).collect()
    }

    fn served(options: &LevelOptions) -> Vec<String> {
        let workers = workers(&[17, 25]);
        let cases = plan(options, &workers).map_or_else(Vec::new, |plan| plan.cases);
        let name = |case: &HttpsCase| {
            let worker = &workers[case.worker];
            assert_eq!((release(worker), worker.acceleration), (Some(25), Acceleration::On));
            format!("{} {} {}", worker.entry.name, case.workload.algorithm, case.workload.bytes)
        };
        cases.iter().map(name).collect()
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn https_matrix_has_the_default_providers_in_the_newest_jdk() {
        let suite = "tls_aes_128_gcm_sha256";
        let all = ["sunjce", "kasoku-jca", "accp"].map(|library| format!("{library} {suite} {BYTES}"));
        assert_eq!(served(&LevelOptions::default()), all);
        let quick = LevelOptions { pace: Pace::Quick, ..LevelOptions::default() };
        assert_eq!(served(&quick), all[..2]);
        let time = |options: &LevelOptions| plan(options, &workers(&[25])).unwrap().time();
        assert!(time(&quick) <= Duration::from_secs(15) && time(&LevelOptions::default()) <= Duration::from_secs(33));
        let named = LevelOptions {
            libraries: Some(vec!["bouncy-castle".to_owned(), "nss".to_owned()]),
            algorithms: Some(SUITES.to_vec()),
            sizes: Some(vec![1 << 20]),
            ..quick
        };
        // Unlike a run, this test has workers for libraries that are not named.
        let of_bouncy_castle = served(&named).into_iter().filter(|name| name.starts_with("bouncy-castle"));
        assert_eq!(of_bouncy_castle.count(), 2);
        assert!(!served(&named).iter().any(|name| name.starts_with("nss")));
    }

    #[test]
    fn https_omission_explains_explicit_requests_only() {
        let serve = LevelOptions { operations: Some(vec![Operation::Serve]), ..LevelOptions::default() };
        for options in [
            LevelOptions { acceleration: Some(vec![Acceleration::Off]), ..serve.clone() },
            LevelOptions { threads: Some(2), ..serve.clone() },
            LevelOptions { algorithms: Some(vec![Algorithm::Aes128Gcm]), ..serve.clone() },
        ] {
            assert!(plan(&options, &workers(&[25])).is_none() && omission(&options).is_some());
        }
        for options in [
            LevelOptions { sizes: Some(vec![16]), ..LevelOptions::default() },
            LevelOptions { operations: Some(vec![Operation::Seal]), ..LevelOptions::default() },
            LevelOptions { end_to_end: Some(false), ..LevelOptions::default() },
        ] {
            assert!(plan(&options, &workers(&[25])).is_none() && omission(&options).is_none());
        }
    }
}
