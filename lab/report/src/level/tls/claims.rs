//! Claims of the level tls.

use std::collections::BTreeSet;

use crate::claim::range;
use crate::prelude::*;
use crate::selection::server_cpu_seconds;
use kasoku_model::document::{FLOOR_IF_UNKNOWN, Sample};
use kasoku_model::library::{KASOKU, OPENSSL};
use kasoku_model::statistics::{self, Comparison, Nested};

use super::selection::{ABOVE, CBC, GCM, ServerContender, ServerSelection, ServerSeries};

pub(super) fn claims(servers: &ServerSelection<'_>) -> Vec<Claim> {
    let shown = |gcm: &ServerSeries<'_>, cbc: &ServerSeries<'_>| {
        compare(servers.document, gcm, cbc).filter(|one| one.is_shown).map(|one| one.ratio)
    };
    let gcm_over_cbc = served_ratios(servers, shown)
        .map(|ratios| Claim::new("tls-gcm-over-cbc", Subject::default()).with("times", range(ratios)));
    let ours = servers.contenders().into_iter().filter(|one| one.library == KASOKU);
    // Each provider is compared with the OpenSSL under it, so that one claim is about all versions.
    let ours: BTreeSet<_> = ours.map(|one| (one.algorithm, one.state)).collect();
    let ours = ours.into_iter().flat_map(|(algorithm, state)| provider(servers, algorithm, state));
    let of_a_core = best_of_a_core(servers).map(|(row, gbit)| {
        let library = Text::list(Separator::Comma, [Some(servers.who(row.contender())), servers.server_machine()]);
        let subject = Subject::new(row.series.algorithm, library, row.series.bytes);
        Claim::new("tls-a-core", subject).with("gbit", digits(gbit))
    });
    let others = servers.all.iter().filter(|row| !row.is_server_bound()).count();
    let other_limits = Claim::new("tls-other-limits", Subject::default());
    let other_limits = other_limits.with("others", others).with("all", servers.all.len());
    let versions = openssl_versions(servers).into_iter().chain(handshakes(servers));
    gcm_over_cbc
        .into_iter()
        .chain(ours)
        .chain(versions)
        .chain(of_a_core)
        .chain((others > 0).then_some(other_limits))
        .collect()
}

/// Returns the lowest and the highest `ratio` of GCM to CBC with HMAC, both with OpenSSL's own code. Considers files
/// above 1 MiB for which the server's CPU was the limit with both suites.
pub(super) fn served_ratios(
    servers: &ServerSelection<'_>,
    ratio: impl Fn(&ServerSeries<'_>, &ServerSeries<'_>) -> Option<f64>,
) -> Option<[f64; 2]> {
    let ratio_to_cbc = |row: &ServerSeries<'_>| {
        let cbc = ServerContender { algorithm: CBC, ..row.contender() };
        let cbc = servers.find(cbc, row.series.bytes, row.workers())?;
        cbc.is_server_bound().then(|| ratio(row, cbc)).flatten()
    };
    let is_large = |row: &ServerSeries<'_>| row.is_server_bound() && row.series.bytes > ABOVE;
    let is_gcm = |one: ServerContender<'_>| (one.algorithm, one.library, one.state) == (GCM, OPENSSL, Acceleration::On);
    let is_meant = |row: &&ServerSeries<'_>| is_gcm(row.contender()) && is_large(row);
    bounds(servers.all.iter().filter(is_meant).filter_map(ratio_to_cbc))
}

/// Returns the series with the highest throughput per core, and its throughput per core in Gbit/s.
pub(super) fn best_of_a_core<'r, 'a>(servers: &'r ServerSelection<'a>) -> Option<(&'r ServerSeries<'a>, f64)> {
    // If server and clients share cores, the throughput per core is unknown.
    let own = servers.all.iter().filter(|row| row.is_apart());
    own.map(|row| (row, row.gbit_a_core())).max_by(|one, other| one.1.total_cmp(&other.1))
}

/// Returns the ratio of AES-128-GCM to AES-128-CBC with HMAC-SHA-1 in OpenSSL alone, without a server. The messages
/// have the size of a TLS record.
pub(super) fn raw_ratio(document: &Document) -> Option<f64> {
    const RECORD: usize = 16_384;
    let rate = |algorithm: Algorithm| {
        let is_one = |series: &&Series| {
            series.level == Level::Primitives
                && (series.algorithm, series.operation, series.bytes) == (algorithm, Operation::Seal, RECORD)
                && (series.library.as_str(), series.acceleration) == (OPENSSL, Acceleration::On)
                && series.is_verified()
                && series.details.threads == 1
                && !series.details.control
        };
        document.series.iter().find(is_one).and_then(sound_figure)
    };
    let ratio = rate(Algorithm::Aes128Gcm)? / rate(Algorithm::Aes128CbcHmacSha1)?;
    ratio.is_finite().then_some(ratio)
}

/// Returns the ratio of throughputs within the rounds that both series have; `None` if these rounds are too few.
fn compare(document: &Document, first: &ServerSeries<'_>, second: &ServerSeries<'_>) -> Option<Comparison> {
    statistics::compare(first.series, second.series, floor(document, first.series.algorithm))
}

/// Returns the smallest relative difference that may be claimed. No server is measured against itself, so the run's
/// noise floor comes from other levels.
fn floor(document: &Document, algorithm: Algorithm) -> f64 {
    document.run.method.floor(algorithm).max(FLOOR_IF_UNKNOWN)
}

/// Compares Kasoku's OpenSSL provider with OpenSSL's own code of the same version.
fn provider(servers: &ServerSelection<'_>, algorithm: Algorithm, state: Acceleration) -> Vec<Claim> {
    let is_ours = |one: &ServerContender<'_>| (one.algorithm, one.library, one.state) == (algorithm, KASOKU, state);
    let theirs = |one| ServerContender { library: OPENSSL, ..one };
    let subject = Subject { algorithm: Some(algorithm), ..Subject::default() };
    compare_servers(servers, is_ours, theirs, ["tls-provider", "tls-provider-cost"], &subject)
}

/// Compares each newer version of OpenSSL with the oldest version, suite by suite.
fn openssl_versions(servers: &ServerSelection<'_>) -> Vec<Claim> {
    let newer = |one: ServerContender<'_>, oldest: &str| one.library == OPENSSL && one.openssl != oldest;
    let [oldest, ..] = servers.openssls()[..] else { return Vec::new() };
    let newer = servers.contenders().into_iter().filter(|one| newer(*one, oldest));
    let claims = newer.flat_map(|contender| {
        let [library, next] = [contender.openssl, oldest].map(|version| Text::name(version, 32));
        let subject = Subject { algorithm: Some(contender.algorithm), library, next, ..Subject::default() };
        let is_first = |one: &ServerContender<'_>| *one == contender;
        let older = |one| ServerContender { openssl: oldest, ..one };
        compare_servers(servers, is_first, older, ["tls-openssl", "tls-openssl-cost"], &subject)
    });
    claims.collect()
}

/// Compares servers over all files for which the server's CPU was the limit of both. Compares throughput and CPU time in
/// the rounds that both have. The first kind of claim is about throughput, the second about CPU time.
fn compare_servers<'a>(
    servers: &ServerSelection<'a>,
    is_first: impl Fn(&ServerContender<'a>) -> bool,
    second: impl Fn(ServerContender<'a>) -> ServerContender<'a>,
    [throughput, cpu]: [&'static str; 2],
    subject: &Subject,
) -> Vec<Claim> {
    let first = servers.all.iter().filter(|row| is_first(&row.contender()) && row.is_server_bound());
    let against_second = |row: &ServerSeries<'a>| {
        let other = servers.find(second(row.contender()), row.series.bytes, row.workers())?;
        let comparison = other.is_server_bound().then(|| compare(servers.document, row, other)).flatten()?;
        Some((comparison, statistics::log_ratios_by(row.series, other.series, server_cpu_seconds)))
    };
    let pairs: Vec<(Comparison, Nested)> = first.filter_map(against_second).collect();
    let shown: Vec<&(Comparison, Nested)> = pairs.iter().filter(|(comparison, _)| comparison.is_shown).collect();
    let Some(ratios) = bounds(shown.iter().map(|(comparison, _)| comparison.ratio)) else { return Vec::new() };
    let floor = subject.algorithm.map_or(FLOOR_IF_UNKNOWN, |algorithm| floor(servers.document, algorithm));
    let cost = cost(shown.iter().map(|(_, costs)| costs), floor);
    let throughput = Claim::new(throughput, subject.clone())
        .with("times", range(ratios))
        .with("others", pairs.len() - shown.len())
        .with("all", pairs.len());
    let cost = cost.map(|cost| Claim::new(cpu, subject.clone()).with("cpu", cost.words()));
    [throughput].into_iter().chain(cost).collect()
}

/// Compares the CPU time of handshakes: each newer version of OpenSSL with the oldest version, and each provider with
/// the OpenSSL under it. The client may limit the rate of handshakes, so rates are not compared.
fn handshakes(servers: &ServerSelection<'_>) -> Vec<Claim> {
    let [oldest, ..] = servers.openssls()[..] else { return Vec::new() };
    let contenders: BTreeSet<ServerContender<'_>> = servers.handshakes.iter().map(ServerSeries::contender).collect();
    let claim = |contender: ServerContender<'_>| {
        let other = match contender.library {
            OPENSSL => ServerContender { openssl: oldest, ..contender },
            _ => ServerContender { library: OPENSSL, ..contender },
        };
        let is_of = |row: &&ServerSeries<'_>, who: ServerContender<'_>| row.contender() == who && who != other;
        let rows = servers.handshakes.iter().filter(|row| is_of(row, contender));
        let costs: Vec<Nested> = rows
            .filter_map(|row| {
                let is_other =
                    |one: &&ServerSeries<'_>| one.contender() == other && one.details.served == row.details.served;
                let other = servers.handshakes.iter().find(is_other)?;
                Some(statistics::log_ratios_by(row.series, other.series, |_, sample| handshake_cpu_seconds(sample)))
            })
            .collect();
        let cost = cost(costs.iter(), floor(servers.document, contender.algorithm))?;
        let (library, next) = (servers.who(contender), servers.who(other));
        let subject = Subject { algorithm: Some(contender.algorithm), library, next, ..Subject::default() };
        Some(Claim::new("tls-handshake-cost", subject).with("cpu", cost.words()))
    };
    contenders.into_iter().filter_map(claim).collect()
}

/// Returns the server's CPU seconds for a handshake.
fn handshake_cpu_seconds(sample: &Sample) -> Option<f64> {
    let seconds = sample.cpu_ns as f64 * 1e-9 / sample.iterations as f64;
    (seconds.is_finite() && seconds > 0.0).then_some(seconds)
}

/// Returns the difference in CPU time over all cases, if it is shown. Groups the ratios by case, because rounds of a
/// case resemble each other.
fn cost<'c>(cases: impl Iterator<Item = &'c Nested>, floor: f64) -> Option<Effect> {
    let by_case = cases.zip(0u32..).flat_map(|(costs, case)| costs.values().map(move |cost| (case, cost)));
    Effect::from_log_ratios(&Nested::of(by_case), floor).filter(|cost| cost.is_shown)
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.filter(|value| value.is_finite()).fold(None, |bounds, value| match bounds {
        None => Some([value, value]),
        Some([low, high]) => Some([value.min(low), value.max(high)]),
    })
}
