//! What a run shows of a web server, in numbers.

use crate::acceleration::Acceleration;
use crate::algorithm::Algorithm;
use crate::document::Document;
use crate::report::selection::sound_figure;
use crate::workload::Operation;

use super::selection::{ABOVE, CBC, GCM, Row, Rows};

/// Something a run shows of a web server.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// AES-GCM against AES-CBC and HMAC, with OpenSSL's own code: lowest and highest ratio over files above 1 MiB.
    GcmOverCbc {
        /// The lowest and the highest ratio.
        ratios: [f64; 2],
    },
    /// Kasoku's provider against OpenSSL's own code, by suite, where the server was what limited both.
    Provider {
        /// The suite.
        suite: &'static str,
        /// The lowest and the highest ratio of throughput.
        ratios: [f64; 2],
        /// Per cent of the server's CPU time that is saved, on the whole.
        saved: f64,
    },
    /// The most that a core of the server sent.
    ACore {
        /// The stack.
        stack: String,
        /// The suite.
        suite: &'static str,
        /// Gbit a second.
        gbit: f64,
    },
    /// So many of so many figures are not the server's own limit.
    OtherLimits {
        /// So many.
        others: usize,
        /// Of so many.
        all: usize,
    },
}

/// What `document` shows of a web server.
pub(crate) fn findings(document: &Document) -> Vec<Finding> {
    let rows = Rows::new(document);
    if rows.all.is_empty() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    findings.extend(served_ratios(&rows).map(|(low, high)| Finding::GcmOverCbc { ratios: [low, high] }));
    findings.extend(providers(&rows));
    findings.extend(best_a_core(&rows).map(|(row, gbit)| Finding::ACore {
        stack: row.who(),
        suite: row.series.algorithm.title(),
        gbit,
    }));
    let others = rows.all.iter().filter(|row| !row.is_server_bound()).count();
    if others > 0 {
        findings.push(Finding::OtherLimits { others, all: rows.all.len() });
    }
    findings
}

/// The lowest and the highest ratio of GCM to CBC and HMAC, over files above 1 MiB, with OpenSSL's own code, where the server
/// was the limit of both.
pub(super) fn served_ratios(rows: &Rows<'_>) -> Option<(f64, f64)> {
    let of = |row: &Row<'_>| {
        let cbc = rows.find((CBC, "openssl", Acceleration::On), row.series.bytes, row.served.workers)?;
        cbc.is_server_bound().then_some(row.rate / cbc.rate)
    };
    let is_large = |row: &Row<'_>| row.is_server_bound() && row.series.bytes > ABOVE;
    let is_one = |row: &&Row<'_>| row.kind() == (GCM, "openssl", Acceleration::On) && is_large(row);
    bounds(rows.all.iter().filter(is_one).filter_map(of))
}

/// The most that a core sent, and which row that was.
pub(super) fn best_a_core<'r, 'a>(rows: &'r Rows<'a>) -> Option<(&'r Row<'a>, f64)> {
    // Where server and clients share their cores it is no core's.
    let own = rows.all.iter().filter(|row| row.is_apart());
    own.map(|row| (row, row.gbit_a_core())).max_by(|one, other| one.1.total_cmp(&other.1))
}

/// AES-128-GCM against AES-128-CBC and HMAC-SHA-1 without a server, of records' size, with OpenSSL.
pub(super) fn raw_ratio(document: &Document) -> Option<f64> {
    const RECORD: usize = 16_384;
    let rate = |algorithm: Algorithm| {
        let is_one = |series: &&crate::document::Series| {
            series.level == crate::report::selection::PRIMITIVES
                && (series.algorithm, series.operation, series.bytes) == (algorithm, Operation::Seal, RECORD)
                && (series.stack.as_str(), series.acceleration) == ("openssl", Acceleration::On)
                && series.verified
                && series.threads() == 1
                && !series.is_twin()
        };
        document.series.iter().find(is_one).and_then(sound_figure)
    };
    Some(rate(Algorithm::Aes128Gcm)? / rate(Algorithm::Aes128CbcHmacSha1)?)
}

fn providers(rows: &Rows<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (algorithm, stack, state) in rows.kinds().into_iter().filter(|(_, stack, _)| *stack == "kasoku") {
        let ours = rows.all.iter().filter(|row| row.kind() == (algorithm, stack, state));
        let pairs: Vec<(&Row<'_>, &Row<'_>)> = ours
            .filter_map(|row| {
                Some((row, rows.find((algorithm, "openssl", state), row.series.bytes, row.served.workers)?))
            })
            .collect();
        let is_server_bound =
            |(ours, theirs): &&(&Row<'_>, &Row<'_>)| ours.is_server_bound() && theirs.is_server_bound();
        let ratios = bounds(pairs.iter().filter(is_server_bound).map(|(ours, theirs)| ours.rate / theirs.rate));
        let cost = |row: &Row<'_>| row.number("server_cpu_s_per_gb");
        let costs = pairs.iter().filter_map(|(ours, theirs)| Some((cost(ours)?, cost(theirs)?)));
        let (ours, theirs) = costs.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        if let Some((low, high)) = ratios
            && theirs > 0.0
        {
            let saved = 100.0 * (1.0 - ours / theirs);
            findings.push(Finding::Provider { suite: algorithm.title(), ratios: [low, high], saved });
        }
    }
    findings
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| value.is_finite()).fold(None, |bounds, value| match bounds {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}
