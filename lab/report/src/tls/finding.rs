//! What a run shows of a web server, in numbers.

use crate::language::Messages;
use crate::selection::sound_figure;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, FLOOR_IF_UNKNOWN, Sample, Series};
use kasoku_model::level::Level;
use kasoku_model::library::{KASOKU, OPENSSL};
use kasoku_model::statistics::{self, Comparison, Nested};
use kasoku_model::workload::Operation;

use super::selection::{ABOVE, CBC, GCM, ServerContender, ServerSelection, ServerSeries};

/// Something a run shows of a web server.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // fields are called what they are
pub enum TlsFinding {
    /// AES-GCM against AES-CBC and HMAC, with OpenSSL's own code: lowest and highest ratio over files above 1 MiB.
    GcmOverCbc {
        /// The lowest and the highest ratio.
        ratios: [f64; 2],
    },
    /// Kasoku's provider against OpenSSL's own code, by suite, where the server was what limited both.
    Provider {
        suite: &'static str,
        /// The lowest and the highest ratio of throughput.
        ratios: [f64; 2],
        /// Per cent of the server's CPU time that is saved, by the rounds of the same cases; `None` if no difference is
        /// shown.
        saved: Option<f64>,
        /// The cases that show a difference, and all cases.
        of: (usize, usize),
    },
    /// The most that a core of the server sent.
    ACore {
        library: String,
        suite: &'static str,
        /// Gbit a second.
        gbit: f64,
        /// The server's CPU, if it was elsewhere.
        cpu: Option<String>,
    },
    /// Some of all figures are not the server's own limit.
    OtherLimits { others: usize, all: usize },
}

/// What `document` shows of a web server; nothing if it did not reach its end.
pub(crate) fn findings(document: &Document, messages: &'static Messages) -> Vec<TlsFinding> {
    let rows = ServerSelection::new(document, messages);
    if rows.all.is_empty() || !document.run.complete {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let shown = |gcm: &ServerSeries<'_>, cbc: &ServerSeries<'_>| {
        compare(&rows, gcm, cbc).filter(|one| one.is_shown).map(|one| one.ratio)
    };
    findings.extend(served_ratios(&rows, shown).map(|ratios| TlsFinding::GcmOverCbc { ratios }));
    findings.extend(providers(&rows));
    findings.extend(best_a_core(&rows).map(|(row, gbit)| TlsFinding::ACore {
        library: row.who(),
        suite: row.series.algorithm.title(),
        gbit,
        cpu: rows.server_machine(),
    }));
    let others = rows.all.iter().filter(|row| !row.is_server_bound()).count();
    if others > 0 {
        findings.push(TlsFinding::OtherLimits { others, all: rows.all.len() });
    }
    findings
}

/// The lowest and the highest ratio of GCM to CBC and HMAC, over files above 1 MiB, with OpenSSL's own code, where the
/// server was the limit of both; `ratio` tells that of two rows.
pub(super) fn served_ratios(
    rows: &ServerSelection<'_>,
    ratio: impl Fn(&ServerSeries<'_>, &ServerSeries<'_>) -> Option<f64>,
) -> Option<[f64; 2]> {
    let of = |row: &ServerSeries<'_>| {
        let cbc = rows.find((CBC, OPENSSL, Acceleration::On), row.series.bytes, row.served.workers)?;
        cbc.is_server_bound().then(|| ratio(row, cbc)).flatten()
    };
    let is_large = |row: &ServerSeries<'_>| row.is_server_bound() && row.series.bytes > ABOVE;
    let is_one = |row: &&ServerSeries<'_>| row.kind() == (GCM, OPENSSL, Acceleration::On) && is_large(row);
    bounds(rows.all.iter().filter(is_one).filter_map(of))
}

/// The most that a core sent, and which row that was.
pub(super) fn best_a_core<'r, 'a>(rows: &'r ServerSelection<'a>) -> Option<(&'r ServerSeries<'a>, f64)> {
    // Where server and clients share their cores it is no core's.
    let own = rows.all.iter().filter(|row| row.is_apart());
    own.map(|row| (row, row.gbit_a_core())).max_by(|one, other| one.1.total_cmp(&other.1))
}

/// AES-128-GCM against AES-128-CBC and HMAC-SHA-1 without a server, of records' size, with OpenSSL.
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

/// How many times as much `first` sends as `second`, by the rounds they share; `None` if they share too few, or the run
/// did not reach its end.
fn compare(rows: &ServerSelection<'_>, first: &ServerSeries<'_>, second: &ServerSeries<'_>) -> Option<Comparison> {
    let floor = floor(rows, first.series.algorithm);
    rows.document.run.complete.then(|| statistics::compare(first.series, second.series, floor)).flatten()
}

/// The smallest relative difference that is claimed. The run's own floor is that of other levels: no server is measured
/// against itself.
fn floor(rows: &ServerSelection<'_>, algorithm: Algorithm) -> f64 {
    rows.document.run.method.floor(algorithm).max(FLOOR_IF_UNKNOWN)
}

fn providers(rows: &ServerSelection<'_>) -> Vec<TlsFinding> {
    let ours = rows.kinds().into_iter().filter(|(_, library, _)| *library == KASOKU);
    ours.filter_map(|kind| provider(rows, kind)).collect()
}

fn provider(rows: &ServerSelection<'_>, (algorithm, library, state): ServerContender<'_>) -> Option<TlsFinding> {
    let ours = rows.all.iter().filter(|row| row.kind() == (algorithm, library, state) && row.is_server_bound());
    let of_row = |row: &ServerSeries<'_>| {
        let theirs = rows.find((algorithm, OPENSSL, state), row.series.bytes, row.served.workers)?;
        let comparison = theirs.is_server_bound().then(|| compare(rows, row, theirs)).flatten()?;
        Some((comparison, log_costs(row, theirs)))
    };
    let pairs: Vec<(Comparison, Nested)> = ours.filter_map(of_row).collect();
    let shown: Vec<&(Comparison, Nested)> = pairs.iter().filter(|(comparison, _)| comparison.is_shown).collect();
    let [low, high] = bounds(shown.iter().map(|(comparison, _)| comparison.ratio))?;
    // The rounds of one case are alike; cases differ by themselves.
    let by_case = shown.iter().zip(0u32..).flat_map(|((_, costs), case)| costs.values().map(move |cost| (case, cost)));
    let costs = Nested::of(by_case);
    let limit = floor(rows, algorithm).ln_1p();
    let is_shown = costs.interval().is_some_and(|[low, high]| low > limit || high < -limit);
    let saved = costs.median().filter(|_| is_shown).map(|cost| -100.0 * cost.exp_m1());
    let of = (shown.len(), pairs.len());
    Some(TlsFinding::Provider { suite: algorithm.title(), ratios: [low, high], saved, of })
}

/// The logarithms of the CPU time that the server took for a byte with `first`, over that with `second`, by round.
fn log_costs(first: &ServerSeries<'_>, second: &ServerSeries<'_>) -> Nested {
    let cost = |series: &Series, sample: &Sample| series.seconds_a_gigabyte(sample, sample.cpu_ns as f64);
    statistics::log_ratios_by(first.series, second.series, cost)
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.filter(|value| value.is_finite()).fold(None, |bounds, value| match bounds {
        None => Some([value, value]),
        Some([low, high]) => Some([value.min(low), value.max(high)]),
    })
}

#[cfg(test)]
mod tests;
