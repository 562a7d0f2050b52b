//! What a run shows of a web server: what files cost its CPU, and which limit of the system is the first to bind.

use std::collections::HashMap;

use super::facts::Facts;
use super::figure::FigureComparison;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::document::{Limit, Series};
use kasoku_model::level::Level;
use kasoku_model::statistics;
use kasoku_model::system_limit as limits;
use kasoku_model::workload::Workload;

/// The size of files whose figure represents a suite, where it was measured: large enough that the handshake counts
/// for little, and the one at which all suites are measured by default.
const YARDSTICK: usize = 16 << 20;
/// The suites with AES-GCM; first what clients of today agree on.
const GCM: [CipherSuite; 3] = [CipherSuite::Tls13Aes128Gcm, CipherSuite::Tls13Aes256Gcm, CipherSuite::Aes128GcmSha256];
/// Providers: OpenSSL's own code, and Kasoku's.
const OPENSSL: &str = "openssl";
const KASOKU: &str = "kasoku";

/// The limit of the system that binds first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstLimit<'a> {
    /// The limit.
    pub limit: &'a Limit,
    /// How many connections at once it allows.
    pub allows: u64,
    /// How many the highest throughput took, at most.
    pub taken: u64,
}

/// Kasoku's provider against OpenSSL's own code, with each suite of AES-GCM that both have served: bytes that a second
/// of the server's CPU sends.
pub fn providers(facts: &Facts<'_>) -> Vec<FigureComparison> {
    GCM.into_iter().filter_map(|suite| comparison(facts, (suite, KASOKU), (suite, OPENSSL))).collect()
}

/// Two suites in the same way, both by OpenSSL's own code.
pub fn suites(facts: &Facts<'_>, first: CipherSuite, second: CipherSuite) -> Option<FigureComparison> {
    comparison(facts, (first, OPENSSL), (second, OPENSSL))
}

/// The limit that is the first to bind; `None` if no web server was measured under the limits of this system.
pub fn first_limit<'a>(facts: &Facts<'a>) -> Option<FirstLimit<'a>> {
    let (limit, allows) = limits::first_to_bind(&facts.document().run.method.limits)?;
    let workers = |series: &Series| series.server().map(|server| server.served.workers);
    // The limits are those for the fewest workers.
    let fewest = served(facts).filter_map(workers).min()?;
    let of_fewest = served(facts).filter(|series| workers(series) == Some(fewest));
    let taken = of_fewest.filter_map(|series| series.server()?.concurrency).max()? as u64;
    Some(FirstLimit { limit, allows, taken })
}

/// Two ways to serve the same files, at the size nearest to 16 MiB that both have, by as few workers as both have.
fn comparison(facts: &Facts<'_>, first: (CipherSuite, &str), second: (CipherSuite, &str)) -> Option<FigureComparison> {
    let of = |(suite, library): (CipherSuite, &str)| {
        let library = library.to_owned();
        served(facts).filter(move |series| {
            (series.algorithm, series.acceleration) == (Algorithm::CipherSuite(suite), Acceleration::On)
                && series.library == library
        })
    };
    let task = |series: &Series| Workload { algorithm: Algorithm::CipherSuite(first.0), ..series.workload() };
    let mut others: HashMap<Workload, &Series> = HashMap::new();
    of(second).for_each(|other| _ = others.entry(task(other)).or_insert(other));
    let pairs = of(first).filter_map(|one| Some((one, *others.get(&task(one))?)));
    let place = |(series, _): &(&Series, &Series)| {
        (series.bytes.abs_diff(YARDSTICK), series.server().map(|server| server.served.workers))
    };
    let (one, other) = pairs.min_by_key(place)?;
    facts.hold(&by_cpu(one)?, &by_cpu(other)?)
}

/// A series as one of its server's CPU time: what a second of that sends. `None` if that time was not measured.
fn by_cpu(series: &Series) -> Option<Series> {
    let mut series = series.clone();
    series.samples.retain(|sample| !sample.dropped);
    for sample in &mut series.samples {
        sample.ns = Some(sample.cpu_ns).filter(|ns| *ns > 0)?;
    }
    statistics::summarize(&mut series);
    Some(series)
}

fn served<'a>(facts: &Facts<'a>) -> impl Iterator<Item = &'a Series> {
    let document = facts.document();
    document.series.iter().filter(move |one| document.run.complete && one.level == Level::Tls && one.server().is_some())
}
