//! Claims of the level tls.

use crate::claim::range;
use crate::prelude::*;
use crate::selection::server_cpu_seconds;
use kasoku_model::document::FLOOR_IF_UNKNOWN;
use kasoku_model::library::{KASOKU, OPENSSL};
use kasoku_model::statistics::{self, Comparison, Nested};

use super::selection::{ABOVE, CBC, GCM, ServerContender, ServerSelection, ServerSeries, who};

pub(super) fn claims(servers: &ServerSelection<'_>) -> Vec<Claim> {
    let shown = |gcm: &ServerSeries<'_>, cbc: &ServerSeries<'_>| {
        compare(servers.document, gcm, cbc).filter(|one| one.is_shown).map(|one| one.ratio)
    };
    let gcm_over_cbc = served_ratios(servers, shown)
        .map(|ratios| Claim::new("tls-gcm-over-cbc", Subject::default()).with("times", range(ratios)));
    let ours = servers.contenders().into_iter().filter(|(_, library, _)| *library == KASOKU);
    let ours = ours.flat_map(|contender| provider(servers, contender));
    let of_a_core = best_of_a_core(servers).map(|(row, gbit)| {
        let library = Text::list(Separator::Comma, [Some(who(row.contender())), servers.server_machine()]);
        let subject = Subject::new(row.series.algorithm, library, row.series.bytes);
        Claim::new("tls-a-core", subject).with("gbit", digits(gbit))
    });
    let others = servers.all.iter().filter(|row| !row.is_server_bound()).count();
    let other_limits = Claim::new("tls-other-limits", Subject::default());
    let other_limits = other_limits.with("others", others).with("all", servers.all.len());
    gcm_over_cbc.into_iter().chain(ours).chain(of_a_core).chain((others > 0).then_some(other_limits)).collect()
}

/// Returns the lowest and the highest `ratio` of GCM to CBC with HMAC, both with OpenSSL's own code. Considers files
/// above 1 MiB for which the server's CPU was the limit with both suites.
pub(super) fn served_ratios(
    servers: &ServerSelection<'_>,
    ratio: impl Fn(&ServerSeries<'_>, &ServerSeries<'_>) -> Option<f64>,
) -> Option<[f64; 2]> {
    let ratio_to_cbc = |row: &ServerSeries<'_>| {
        let cbc = servers.find((CBC, OPENSSL, Acceleration::On), row.series.bytes, row.workers())?;
        cbc.is_server_bound().then(|| ratio(row, cbc)).flatten()
    };
    let is_large = |row: &ServerSeries<'_>| row.is_server_bound() && row.series.bytes > ABOVE;
    let is_meant = |row: &&ServerSeries<'_>| row.contender() == (GCM, OPENSSL, Acceleration::On) && is_large(row);
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

/// Compares Kasoku's OpenSSL provider with OpenSSL's own code, over all files for which the server's CPU was the limit
/// with both providers. Compares throughput and CPU time in the rounds that both providers have.
fn provider(servers: &ServerSelection<'_>, contender: ServerContender<'_>) -> Vec<Claim> {
    let (algorithm, _, state) = contender;
    let ours = servers.all.iter().filter(|row| row.contender() == contender && row.is_server_bound());
    let against_openssl = |row: &ServerSeries<'_>| {
        let theirs = servers.find((algorithm, OPENSSL, state), row.series.bytes, row.workers())?;
        let comparison = theirs.is_server_bound().then(|| compare(servers.document, row, theirs)).flatten()?;
        Some((comparison, statistics::log_ratios_by(row.series, theirs.series, server_cpu_seconds)))
    };
    let pairs: Vec<(Comparison, Nested)> = ours.filter_map(against_openssl).collect();
    let shown: Vec<&(Comparison, Nested)> = pairs.iter().filter(|(comparison, _)| comparison.is_shown).collect();
    let Some(ratios) = bounds(shown.iter().map(|(comparison, _)| comparison.ratio)) else { return Vec::new() };
    // Group the ratios by case, because rounds of a case resemble each other.
    let by_case = shown.iter().zip(0u32..).flat_map(|((_, costs), case)| costs.values().map(move |cost| (case, cost)));
    let cost = Effect::from_log_ratios(&Nested::of(by_case), floor(servers.document, algorithm));
    let subject = Subject { algorithm: Some(algorithm), ..Subject::default() };
    let throughput = Claim::new("tls-provider", subject.clone())
        .with("times", range(ratios))
        .with("others", pairs.len() - shown.len())
        .with("all", pairs.len());
    let cost = cost.filter(|cost| cost.is_shown);
    let cost = cost.map(|cost| Claim::new("tls-provider-cost", subject).with("cpu", cost.words()));
    [throughput].into_iter().chain(cost).collect()
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.filter(|value| value.is_finite()).fold(None, |bounds, value| match bounds {
        None => Some([value, value]),
        Some([low, high]) => Some([value.min(low), value.max(high)]),
    })
}
