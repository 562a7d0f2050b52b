//! Tests of the advice on web servers: CPU time for files, and system limits.

use super::page::{ENGLISH, page_of, plain};
use super::{Made, measured, rules_of};
use kasoku_advice::{Evidence, advice};
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::document::{Document, Experiment, Limit, Outcome, ServerDetails, Unit};
use kasoku_model::level::Level;
use kasoku_model::workload::Operation;

pub(super) fn server(kasoku: f64, openssl: f64, cbc: f64, chacha20: f64) -> Document {
    let document = measured(&["aes"])
        .served(CipherSuite::Tls13Aes128Gcm, "kasoku", kasoku)
        .served(CipherSuite::Tls13Aes128Gcm, "openssl", openssl)
        .served(CipherSuite::Aes128GcmSha256, "openssl", openssl)
        .served(CipherSuite::Aes128Sha, "openssl", cbc)
        .served(CipherSuite::Tls13ChaCha20, "openssl", chacha20);
    document.limits("net.core.somaxconn", 4096, 64)
}

/// Returns the CPU seconds of two versions of OpenSSL for the same files, and those of the older one with ChaCha20.
pub(super) fn versions(older: f64, newer: f64, chacha20: f64) -> Document {
    let document = measured(&["aes"]).served(CipherSuite::Tls13Aes128Gcm, "openssl", older).served(
        CipherSuite::Tls13ChaCha20,
        "openssl",
        chacha20,
    );
    document.served(CipherSuite::Tls13Aes128Gcm, "openssl", newer).on_openssl("3.5.5")
}

/// Returns the CPU milliseconds of two versions of OpenSSL for a handshake.
pub(super) fn handshakes(older: f64, newer: f64) -> Document {
    let mut document = measured(&["aes"]);
    for (version, ms) in [("3.0.19", older), ("3.5.5", newer)] {
        document = document.served(CipherSuite::Tls13Aes128Gcm, "openssl", 1.0).on_openssl(version);
        let Some(series) = document.series.last_mut() else { continue };
        (series.operation, series.bytes, series.unit) = (Operation::Handshake, 0, Unit::OperationsPerSecond);
        for sample in &mut series.samples {
            let varied = ms * 1e6 * (1.0 + f64::from(sample.round % 5) * 1e-3);
            sample.cpu_ns = (sample.iterations as f64 * varied) as u64;
        }
        if let Experiment::Server(details) = &mut series.details.experiment {
            details.served.connections = Some(16);
        }
    }
    document
}

pub(super) trait Served: Sized {
    fn served(self, suite: CipherSuite, library: &str, seconds: f64) -> Self;
    /// Changes the version of OpenSSL of the last series.
    fn on_openssl(self, version: &str) -> Self;
    fn limits(self, name: &str, allows: u64, taken: usize) -> Self;
}

impl Served for Document {
    fn served(self, suite: CipherSuite, library: &str, seconds: f64) -> Document {
        let value = 1e9 / seconds / 2.0;
        let mut document = self.series(Algorithm::CipherSuite(suite), value, |series| {
            series.level = Level::Tls;
            series.bytes = 16 << 20;
            library.clone_into(&mut series.library);
            series.library_version =
                if library == "kasoku" { "0.1.0 with OpenSSL 3.0.19" } else { "3.0.19" }.to_owned();
            let served = kasoku_model::workload::Served { workers: 1, ..Default::default() };
            let details = ServerDetails { concurrency: Some(16), served, ..ServerDetails::default() };
            series.details.experiment = Experiment::Server(details);
        });
        let samples = &mut document.series.last_mut().unwrap().samples;
        samples.iter_mut().for_each(|sample| sample.cpu_ns = sample.ns / 2);
        document
    }

    fn on_openssl(mut self, version: &str) -> Document {
        version.clone_into(&mut self.series.last_mut().unwrap().library_version);
        self
    }

    fn limits(mut self, name: &str, allows: u64, taken: usize) -> Document {
        let limit = |name: &str, connections: u64| Limit {
            name: name.to_owned(),
            value: connections.to_string(),
            published: None,
            connections: Some(connections),
        };
        self.run.method.limits = vec![limit("worker_connections", 8176), limit(name, allows)];
        for series in &mut self.series {
            if let Experiment::Server(details) = &mut series.details.experiment {
                details.concurrency = Some(taken);
            };
        }
        self
    }
}

/// The module must not stay in its build folder, because a service must not depend on that folder.
#[test]
fn provider_advice_installs_the_module_before_configuring_it() {
    let all = advice(&server(0.48, 0.63, 1.16, 0.67));
    let one = all.iter().find(|one| one.rule.id == "nginx-kasoku-provider").unwrap();
    let first: Vec<&str> = one.lines[0].1.lines().collect();
    assert!(first[0].starts_with("openssl-provider/install.sh /usr/local/lib/ossl-modules"), "{first:?}");
    assert!(first[2].contains("--module /usr/local/lib/ossl-modules/kasoku.so"), "{first:?}");
}

#[test]
fn provider_advice_compares_cpu_time_not_throughput() {
    let document = server(0.48, 0.63, 1.16, 0.67);
    let provider = |document: &Document| {
        let all = advice(document);
        let one = all.into_iter().find(|one| one.rule.id == "nginx-kasoku-provider")?;
        one.found.evidence.into_iter().find_map(|evidence| match evidence {
            Evidence::ServerCpu(comparison) => Some(comparison),
            _ => None,
        })
    };
    let comparison = provider(&document).unwrap();
    assert!((comparison.ratio - 0.63 / 0.48).abs() < 0.01 && comparison.ci95.is_some(), "{comparison:?}");
    assert!((1e9 / comparison.second.value - 0.63).abs() < 0.01, "{comparison:?}");
    // A faster network shortens the wall time, but not the CPU time per file, which the ratio is about.
    let mut faster = document.clone();
    faster.series[0].samples.iter_mut().for_each(|sample| sample.ns /= 2);
    assert!((provider(&faster).unwrap().ratio - 0.63 / 0.48).abs() < 0.01);
    // Samples without CPU time: no advice.
    let mut unknown = document.clone();
    unknown.series[0].samples[3].cpu_ns = 0;
    assert_eq!(provider(&unknown), None);
    let mut unverified = document.clone();
    unverified.series[0].outcome = Outcome::Unverified;
    assert_eq!(provider(&unverified), None);
    let mut incomplete = document;
    incomplete.run.complete = false;
    assert!(rules_of(&incomplete).is_empty());
}

#[test]
fn provider_advice_compares_equal_server_tasks_only() {
    let other = |change: fn(&mut kasoku_model::document::Series)| {
        let mut document = server(0.48, 0.63, 1.16, 0.67);
        document.series.truncate(2);
        change(&mut document.series[1]);
        rules_of(&document).contains("nginx-kasoku-provider")
    };
    assert!(other(|_| {}));
    assert!(!other(|series| series.bytes = 1 << 20));
    assert!(!other(|series| {
        let Experiment::Server(details) = &mut series.details.experiment else { return };
        details.served.workers = 2;
    }));
    assert!(!other(|series| series.acceleration = kasoku_model::acceleration::Acceleration::Off));
    assert!(!other(|series| series.level = Level::Packets));
}

#[test]
fn library_advice_requires_that_no_other_suite_saves_more() {
    let rules = |document: &Document| rules_of(document).contains("nginx-openssl-for-files");
    assert!(rules(&versions(0.6, 0.4, 0.5)));
    assert!(!rules(&versions(0.6, 0.4, 0.3)), "ChaCha20 saves more");
    let mut without_other_suite = versions(0.6, 0.4, 0.5);
    without_other_suite.series.remove(1);
    assert!(!rules(&without_other_suite), "nothing is known about the cipher");
    // The system's OpenSSL is the faster one.
    assert!(!rules(&versions(0.4, 0.6, 0.5)));
}

#[test]
fn server_advice_compares_series_of_the_same_openssl_only() {
    let mut document = server(0.48, 0.63, 1.16, 0.67);
    for series in document.series.iter_mut().filter(|series| series.library == "kasoku") {
        series.library_version = "0.1.0 with OpenSSL 3.5.5".to_owned();
    }
    assert!(!rules_of(&document).contains("nginx-kasoku-provider"));
}

#[test]
fn handshake_advice_quotes_microseconds_of_cpu_time() {
    let advice = plain(&page_of(&[&handshakes(0.2, 0.1)], ENGLISH));
    assert!(advice.contains("OpenSSL 3.5.5 takes 50 % less CPU time for a handshake than OpenSSL 3.0.19"), "{advice}");
    assert!(advice.contains("openssl 3.0.19 200 µs, openssl 3.5.5 100 µs"), "{advice}");
    assert!(advice.contains("; TLS_AES_128_GCM_SHA256 handshake)"), "a handshake has no size: {advice}");
}

#[test]
fn advice_on_each_system_limit_has_its_own_configuration_lines() {
    for (name, says) in [
        ("nofile", "LimitNOFILE"),
        ("net.ipv4.ip_local_port_range", "ip_local_port_range = "),
        ("net.core.somaxconn", "somaxconn = 65535"),
        ("net.ipv4.tcp_mem", "net.ipv4.tcp_mem="),
    ] {
        let first = server(0.48, 0.63, 1.16, 0.67).limits(name, 480, 16);
        let advice = advice(&first);
        let one = advice.iter().find(|one| one.rule.id == "limit-first").unwrap();
        assert!(one.lines.iter().any(|(_, text)| text.contains(says)), "{name}");
        assert!(rules_of(&first.limits(name, 480, 480)).contains("limit-reached"));
    }
    // nginx's own limit is mentioned only if it was reached, and an unknown limit never.
    let own = server(0.48, 0.63, 1.16, 0.67).limits("net.core.somaxconn", 9000, 64);
    assert!(rules_of(&own).iter().all(|id| !id.starts_with("limit")));
    assert!(rules_of(&own.limits("net.core.somaxconn", 9000, 8176)).contains("limit-reached"));
    let hostile = server(0.48, 0.63, 1.16, 0.67).limits("evil\u{1b}[31m", 1, 64);
    assert!(rules_of(&hostile).iter().all(|id| !id.starts_with("limit")));
}
