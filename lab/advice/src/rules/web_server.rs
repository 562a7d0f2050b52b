//! Rules about nginx: provider, cipher suites, and limits of the operating system.

use std::collections::HashMap;

use crate::facts::{Aead, Facts};
use crate::figure::FigureComparison;
use crate::lines;
use crate::rule::{Evidence, RuleFinding, Value, rules};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::document::{Limit, Series};
use kasoku_model::level::Level;
use kasoku_model::library::{KASOKU, OPENSSL};
use kasoku_model::statistics;
use kasoku_model::system_limit as limits;
use kasoku_model::workload::Workload;

rules! {
    "nginx-kasoku-provider": WebServer, Choose, headline; if provider; paste |_| lines::NGINX_PROVIDER;
    when "With Kasoku’s provider nginx is shown to take at least 10 % less CPU time for the same files than with \
          OpenSSL’s own code.";

    "nginx-aeads-only": WebServer, Choose; if cbc; paste |_| lines::NGINX_AEADS;
    when "nginx is shown to take at least 1.1 times the CPU time with AES-CBC and HMAC as with AES-GCM, by OpenSSL’s \
          own code.";

    "nginx-aes-gcm-first": WebServer, Choose; if chacha20; paste |_| lines::QUIC;
    when "nginx is shown to take more CPU time with ChaCha20-Poly1305 than with AES-GCM under TLS 1.3, by OpenSSL’s \
          own code.";

    "limit-reached": WebServer, Act, headline; if |facts| limit(facts, |first| first.taken >= first.allows);
        paste lines::limit;
    when "A web server was measured with as many connections at once as a limit of the system allows.";

    "limit-first": WebServer, Know; if |facts| limit(facts, is_ahead); paste lines::limit;
    when "A limit of the system allows fewer connections at once than nginx itself (8,192 a worker here), and the \
          measurement took fewer still.";
}

/// File size in bytes at which one figure stands for a suite: large enough to amortise the handshake, and measured for
/// all suites by default.
const YARDSTICK: usize = 16 << 20;
/// Suites with AES-GCM, in the order in which current clients prefer them.
const GCM: [CipherSuite; 3] = [CipherSuite::Tls13Aes128Gcm, CipherSuite::Tls13Aes256Gcm, CipherSuite::Aes128GcmSha256];

fn provider(facts: &Facts<'_>) -> Option<RuleFinding> {
    let compared = |suite| by_cpu_time(facts, (suite, KASOKU), (suite, OPENSSL));
    let comparisons: Vec<FigureComparison> = GCM.into_iter().filter_map(compared).collect();
    let best = comparisons.first().filter(|comparison| comparison.is_first_much_faster())?;
    let (suite, saved) = (Value::Algorithm(best.first.algorithm), Value::Percent(best.saved()));
    let found = RuleFinding::of(comparisons.into_iter().map(Evidence::ServerCpu));
    Some(found.with("suite", suite).with("saved", saved))
}

fn cbc(facts: &Facts<'_>) -> Option<RuleFinding> {
    let comparison = by_cpu_time(facts, (CipherSuite::Aes128GcmSha256, OPENSSL), (CipherSuite::Aes128Sha, OPENSSL))?;
    comparison.is_first_much_faster().then(|| RuleFinding::comparing(comparison, Evidence::ServerCpu))
}

fn chacha20(facts: &Facts<'_>) -> Option<RuleFinding> {
    let [gcm, chacha20] = [CipherSuite::Tls13Aes128Gcm, CipherSuite::Tls13ChaCha20];
    let comparison = by_cpu_time(facts, (gcm, OPENSSL), (chacha20, OPENSSL))?;
    let cost = Value::Percent((comparison.ratio - 1.0) * 100.0);
    let is_meant = comparison.is_first_faster() && facts.aead() != Some(Aead::ChaCha20);
    is_meant.then(|| RuleFinding::comparing(comparison, Evidence::ServerCpu).with("cost", cost))
}

/// Compares the throughput per CPU time of the server, with two suites and libraries and for equal files. Takes the
/// file size nearest to 16 MiB that both have, and the fewest workers.
fn by_cpu_time(facts: &Facts<'_>, first: (CipherSuite, &str), second: (CipherSuite, &str)) -> Option<FigureComparison> {
    let accelerated_series = |(suite, library): (CipherSuite, &str)| {
        let library = library.to_owned();
        served(facts).filter(move |series| {
            (series.algorithm, series.acceleration) == (Algorithm::CipherSuite(suite), Acceleration::On)
                && series.library == library
        })
    };
    let task = |series: &Series| Workload { algorithm: Algorithm::CipherSuite(first.0), ..series.workload() };
    let mut others: HashMap<Workload, &Series> = HashMap::new();
    accelerated_series(second).for_each(|other| _ = others.entry(task(other)).or_insert(other));
    let pairs = accelerated_series(first).filter_map(|one| Some((one, *others.get(&task(one))?)));
    let place = |(series, _): &(&Series, &Series)| {
        (series.bytes.abs_diff(YARDSTICK), series.server().map(|server| server.served.workers))
    };
    let (one, other) = pairs.min_by_key(place)?;
    facts.compare(&of_cpu_time(one)?, &of_cpu_time(other)?)
}

/// Replaces the time of each sample by the server's CPU time; returns `None` if the CPU time was not measured.
fn of_cpu_time(series: &Series) -> Option<Series> {
    let mut series = series.clone();
    series.samples.retain(|sample| !sample.dropped);
    for sample in &mut series.samples {
        sample.ns = Some(sample.cpu_ns).filter(|ns| *ns > 0)?;
    }
    statistics::summarize(&mut series);
    Some(series)
}

fn served<'a>(facts: &Facts<'a>) -> impl Iterator<Item = &'a Series> {
    let document = facts.document;
    document.series.iter().filter(move |one| document.run.complete && one.level == Level::Tls && one.server().is_some())
}

/// The limit of the system that allows the fewest concurrent connections.
pub(crate) struct FirstLimit<'a> {
    pub(crate) limit: &'a Limit,
    /// Number of connections that the limit allows.
    allows: u64,
    /// Number of connections at the highest throughput.
    taken: u64,
}

/// Returns the limit that is reached first; `None` if no web server was measured or no limit is known.
pub(crate) fn first_limit<'a>(facts: &Facts<'a>) -> Option<FirstLimit<'a>> {
    let (limit, allows) = limits::first_to_bind(&facts.document.run.method.limits)?;
    let workers = |series: &Series| series.server().map(|server| server.served.workers);
    // The run has the limits for its smallest number of workers.
    let fewest = served(facts).filter_map(workers).min()?;
    let of_fewest = served(facts).filter(|series| workers(series) == Some(fewest));
    let taken = of_fewest.filter_map(|series| series.server()?.concurrency).max()? as u64;
    Some(FirstLimit { limit, allows, taken })
}

/// Whether the limit is of the operating system, not of nginx, and was not reached.
fn is_ahead(first: &FirstLimit<'_>) -> bool {
    first.taken < first.allows && first.limit.name != limits::WORKER_CONNECTIONS
}

fn limit(facts: &Facts<'_>, is_meant: fn(&FirstLimit<'_>) -> bool) -> Option<RuleFinding> {
    let first = first_limit(facts).filter(is_meant)?;
    let name = match first.limit.name.as_str() {
        limits::OPEN_FILES => Value::Words("advice-word-open-files"),
        limits::WORKER_CONNECTIONS => Value::Words("advice-word-worker-connections"),
        name @ (limits::PORT_RANGE | limits::BACKLOG | limits::TCP_MEMORY) => Value::Name(name.to_owned()),
        _ => return None,
    };
    let found = RuleFinding::of([Evidence::Limit { limit: first.limit.clone(), taken: first.taken }]);
    Some(found.with("limit", name).with("connections", Value::Name(first.allows.to_string())))
}
