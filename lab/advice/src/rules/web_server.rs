//! Rules about nginx: provider, version of OpenSSL, cipher suites, and limits of the operating system.

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
use kasoku_model::workload::{Operation, Workload};

rules! {
    "nginx-kasoku-provider": WebServer, Choose, headline; if provider; paste |_| lines::NGINX_PROVIDER;
    when "With Kasoku’s provider nginx is shown to take at least 10 % less CPU time for the same files than with \
          OpenSSL’s own code.";

    "nginx-openssl-for-files": WebServer, Choose; if library_for_files; paste |_| lines::NGINX_OPENSSL;
    when "With another version of OpenSSL than the system’s nginx is shown to take at least 10 % less CPU time for the \
          same files and the same suite of TLS 1.3, which is more than any other suite of TLS 1.3 saves.";

    "nginx-openssl-for-handshakes": WebServer, Choose; if library_for_handshakes; paste |_| lines::NGINX_OPENSSL;
    when "With another version of OpenSSL than the system’s nginx is shown to take at least 10 % less CPU time for a \
          handshake.";

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

/// Suites of TLS 1.3, between which a server chooses without a change of the handshake.
const TLS13: [CipherSuite; 3] = [CipherSuite::Tls13Aes128Gcm, CipherSuite::Tls13Aes256Gcm, CipherSuite::Tls13ChaCha20];

/// What a web server runs with.
#[derive(Clone, Copy)]
struct Server<'a> {
    operation: Operation,
    suite: CipherSuite,
    library: &'a str,
    /// Version of the OpenSSL that nginx runs with.
    openssl: &'a str,
}

/// Returns OpenSSL's own code for files, in the version that nginx runs with by itself.
fn own_code<'a>(facts: &Facts<'a>, suite: CipherSuite) -> Option<Server<'a>> {
    let openssl = *openssls(facts).first()?;
    Some(Server { operation: Operation::Serve, suite, library: OPENSSL, openssl })
}

/// Returns the versions of OpenSSL under nginx. The system's comes first, as in every plan.
fn openssls<'a>(facts: &Facts<'a>) -> Vec<&'a str> {
    let mut versions = Vec::new();
    for version in served(facts).map(Series::server_openssl) {
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    versions
}

fn provider(facts: &Facts<'_>) -> Option<RuleFinding> {
    let compared = |suite| {
        let own = own_code(facts, suite)?;
        by_cpu_time(facts, Server { library: KASOKU, ..own }, own)
    };
    let comparisons: Vec<FigureComparison> = GCM.into_iter().filter_map(compared).collect();
    let best = comparisons.first().filter(|comparison| comparison.is_first_much_faster())?;
    let (suite, saved) = (Value::Algorithm(best.first.algorithm), Value::Percent(best.saved()));
    let found = RuleFinding::of(comparisons.into_iter().map(Evidence::ServerCpu));
    Some(found.with("suite", suite).with("saved", saved))
}

fn library_for_files(facts: &Facts<'_>) -> Option<RuleFinding> {
    let of_suite = |suite| {
        let own = own_code(facts, suite)?;
        let by_library = best_version(facts, own)?;
        let others = TLS13.into_iter().filter(|other| *other != suite);
        let by_suite = others.filter_map(|other| by_cpu_time(facts, Server { suite: other, ..own }, own));
        // Without another suite, nothing is known about what the cipher decides.
        let by_suite = by_suite.max_by(|one, other| one.ratio.total_cmp(&other.ratio))?;
        (by_library.ratio > by_suite.ratio).then_some((by_library, by_suite))
    };
    let (by_library, by_suite) = TLS13.into_iter().find_map(of_suite)?;
    let suite = Value::Algorithm(by_library.first.algorithm);
    let cipher = if by_suite.is_first_faster() { by_suite.saved() } else { 0.0 };
    let found = better_version(by_library).with("suite", suite).with("cipher", Value::Percent(cipher));
    Some(found.behind([Evidence::ServerCpu(by_suite)]))
}

fn library_for_handshakes(facts: &Facts<'_>) -> Option<RuleFinding> {
    let of_suite = |suite| best_version(facts, Server { operation: Operation::Handshake, ..own_code(facts, suite)? });
    TLS13.into_iter().find_map(of_suite).map(better_version)
}

/// Compares the version of OpenSSL that saves the most CPU time with that of `own`, if the saving is shown and is worth
/// a change.
fn best_version(facts: &Facts<'_>, own: Server<'_>) -> Option<FigureComparison> {
    let others = openssls(facts).into_iter().filter(|version| *version != own.openssl);
    let compared = others.filter_map(|openssl| by_cpu_time(facts, Server { openssl, ..own }, own));
    compared.filter(FigureComparison::is_first_much_faster).max_by(|one, other| one.ratio.total_cmp(&other.ratio))
}

/// Creates a finding with the variables `winner` and `loser`, two versions of OpenSSL, and `saved`.
fn better_version(comparison: FigureComparison) -> RuleFinding {
    let [winner, loser] =
        [&comparison.first, &comparison.second].map(|one| Value::Library("OpenSSL".to_owned(), one.version.clone()));
    let saved = Value::Percent(comparison.saved());
    let found = RuleFinding::of([Evidence::ServerCpu(comparison)]);
    found.with("winner", winner).with("loser", loser).with("saved", saved)
}

fn cbc(facts: &Facts<'_>) -> Option<RuleFinding> {
    let [gcm, cbc] = [CipherSuite::Aes128GcmSha256, CipherSuite::Aes128Sha].map(|suite| own_code(facts, suite));
    let comparison = by_cpu_time(facts, gcm?, cbc?)?;
    comparison.is_first_much_faster().then(|| RuleFinding::comparing(comparison, Evidence::ServerCpu))
}

fn chacha20(facts: &Facts<'_>) -> Option<RuleFinding> {
    let [gcm, chacha20] = [CipherSuite::Tls13Aes128Gcm, CipherSuite::Tls13ChaCha20].map(|one| own_code(facts, one));
    let comparison = by_cpu_time(facts, gcm?, chacha20?)?;
    let cost = Value::Percent((comparison.ratio - 1.0) * 100.0);
    let is_meant = comparison.is_first_faster() && facts.aead() != Some(Aead::ChaCha20);
    is_meant.then(|| RuleFinding::comparing(comparison, Evidence::ServerCpu).with("cost", cost))
}

/// Compares the throughput per CPU time of two servers for equal files, or handshakes per CPU time. Takes the file size
/// nearest to 16 MiB that both have, and the fewest workers.
fn by_cpu_time(facts: &Facts<'_>, first: Server<'_>, second: Server<'_>) -> Option<FigureComparison> {
    let accelerated_series = |server: Server<'_>| {
        let (library, openssl) = (server.library.to_owned(), server.openssl.to_owned());
        let task = (server.operation, Algorithm::CipherSuite(server.suite), Acceleration::On);
        served(facts).filter(move |series| {
            (series.operation, series.algorithm, series.acceleration) == task
                && series.library == library
                && series.server_openssl() == openssl
        })
    };
    let task = |series: &Series| Workload { algorithm: Algorithm::CipherSuite(first.suite), ..series.workload() };
    let mut others: HashMap<Workload, &Series> = HashMap::new();
    accelerated_series(second).for_each(|other| _ = others.entry(task(other)).or_insert(other));
    let pairs = accelerated_series(first).filter_map(|one| Some((one, *others.get(&task(one))?)));
    let place = |(series, _): &(&Series, &Series)| {
        (series.bytes.abs_diff(YARDSTICK), series.server().map(|server| server.served))
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
