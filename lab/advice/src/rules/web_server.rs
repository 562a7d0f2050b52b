//! nginx: whose code does its ciphers, which suites, and the limits of the system around it.

use crate::facts::{Aead, Facts};
use crate::figure::FigureComparison;
use crate::lines;
use crate::rule::{Evidence, Rule, RuleFinding, Topic, Value, Weight, rule};
use crate::web_server::{self, FirstLimit};
use crate::words::web_server as words;
use kasoku_model::algorithm::CipherSuite;
use kasoku_model::system_limit as limits;

pub(super) const RULES: &[Rule] = &[
    rule(&words::NGINX_KASOKU_PROVIDER, Topic::WebServer, Weight::Choose, |facts| {
        let comparisons = web_server::providers(facts);
        let best = comparisons.first().filter(|comparison| is_much(comparison))?;
        let found = RuleFinding::new()
            .with("suite", Value::Algorithm(best.first.algorithm))
            .with("saved", Value::Percent((1.0 - 1.0 / best.ratio) * 100.0));
        Some(found.behind_all(comparisons.into_iter().map(Evidence::ServerCpu)))
    })
    .in_headline()
    .with_lines(lines::nginx_provider),
    rule(&words::NGINX_AEADS_ONLY, Topic::WebServer, Weight::Choose, |facts| {
        let comparison = web_server::suites(facts, CipherSuite::Aes128GcmSha256, CipherSuite::Aes128Sha)?;
        let comparison = Some(comparison).filter(is_much)?;
        let found = RuleFinding::new()
            .with("winner", Value::Algorithm(comparison.first.algorithm))
            .with("loser", Value::Algorithm(comparison.second.algorithm))
            .with("times", Value::Times(comparison.ratio));
        Some(found.behind(Evidence::ServerCpu(comparison)))
    })
    .with_lines(lines::nginx_aeads),
    rule(&words::NGINX_AES_GCM_FIRST, Topic::WebServer, Weight::Choose, |facts| {
        let comparison = web_server::suites(facts, CipherSuite::Tls13Aes128Gcm, CipherSuite::Tls13ChaCha20)?;
        let comparison = Some(comparison).filter(|comparison| comparison.is_first_faster())?;
        if facts.aead() == Some(Aead::ChaCha20) {
            return None;
        }
        let found = RuleFinding::new()
            .with("loser", Value::Algorithm(comparison.second.algorithm))
            .with("cost", Value::Percent((comparison.ratio - 1.0) * 100.0));
        Some(found.behind(Evidence::ServerCpu(comparison)))
    })
    .with_lines(lines::quic),
    rule(&words::LIMIT_REACHED, Topic::WebServer, Weight::Act, |facts| {
        limit(facts, |first| first.taken >= first.allows)
    })
    .in_headline()
    .with_lines(lines::limit),
    rule(&words::LIMIT_FIRST, Topic::WebServer, Weight::Know, |facts| {
        let is_systems = |first: &FirstLimit<'_>| first.limit.name != limits::WORKER_CONNECTIONS;
        limit(facts, |first| first.taken < first.allows && is_systems(first))
    })
    .with_lines(lines::limit),
];

/// Less is no reason to change what runs.
const MUCH: f64 = 1.1;

fn is_much(comparison: &FigureComparison) -> bool {
    comparison.is_first_faster() && comparison.ratio >= MUCH
}

fn limit(facts: &Facts<'_>, is_meant: impl Fn(&FirstLimit<'_>) -> bool) -> Option<RuleFinding> {
    let first = web_server::first_limit(facts).filter(is_meant)?;
    let name = match first.limit.name.as_str() {
        limits::OPEN_FILES => words::OPEN_FILES,
        limits::WORKER_CONNECTIONS => words::WORKER_CONNECTIONS,
        limits::PORT_RANGE => Value::Name("net.ipv4.ip_local_port_range".to_owned()),
        limits::BACKLOG => Value::Name("net.core.somaxconn".to_owned()),
        limits::TCP_MEMORY => Value::Name("net.ipv4.tcp_mem".to_owned()),
        _ => return None,
    };
    let found = RuleFinding::new().with("limit", name).with("connections", Value::Name(first.allows.to_string()));
    Some(found.behind(Evidence::Limit { limit: first.limit.clone(), taken: first.taken }))
}
