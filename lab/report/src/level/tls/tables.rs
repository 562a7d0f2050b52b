//! Tables of the level tls.

use crate::prelude::*;
use crate::quantity::times;
use crate::text::name_in_documents;
use kasoku_model::library::OPENSSL;

use super::selection::{CBC, GCM, ServerContender, ServerSelection, ServerSeries};

pub(super) fn overview(servers: &ServerSelection<'_>) -> Option<Table> {
    let number = |value: Option<f64>| or_dash(value.map(digits));
    let in_step = |(hosts, seconds): (usize, f64)| say!("tls-in-step", hosts = hosts, ms = digits(1e3 * seconds));
    TableBuilder::new(say!("tls-overview"), &servers.all)
        .words(say!("tls-workers"), workers)
        .words(say!("tls-size"), |row| size(row.series.bytes))
        .words(say!("tls-suite"), |row| row.series.algorithm.title())
        .words(say!("tls-provider"), |row| servers.who(row.contender()))
        .figures(say!("tls-gbit"), |row| digits(row.gbit()))
        .figures(say!("tls-gbit-a-core"), |row| digits(row.gbit_a_core()))
        .figures(say!("tls-connections"), |row| row.details.concurrency.map(|it| fixed(it as f64, 0)))
        .figures(say!("tls-longest-wait"), |row| number(row.details.load.worst_latency_s))
        .figures(say!("tls-server-cpu"), |row| percent(row.details.load.server_cpu))
        .figures(say!("tls-server-cpu-max"), |row| percent(row.details.load.server_cpu_max))
        .figures(say!("tls-client-cpu"), |row| percent(row.details.load.client_cpu))
        .figures(say!("tls-seconds-a-gigabyte"), |row| number(row.details.load.server_cpu_s_per_gb))
        .figures(say!("tls-limit"), |row| or_dash(bottleneck(row)))
        .notes([say!("tls-overview-note")])
        .notes(servers.server_machine().map(|cpu| say!("tls-served-by", cpu = cpu)))
        .notes(servers.all.iter().any(|row| !row.is_apart()).then(|| say!("tls-shared-note")))
        .notes(servers.in_step().map(in_step))
        .any()
}

/// Returns a table of handshakes by number of connections.
pub(super) fn handshakes(servers: &ServerSelection<'_>) -> Option<Table> {
    let microseconds = |seconds: Option<f64>| or_dash(seconds.map(|seconds| digits(seconds * 1e6)));
    TableBuilder::new(say!("tls-handshakes"), &servers.handshakes)
        .words(say!("tls-workers"), workers)
        .figures(say!("tls-connections"), |row| row.details.concurrency.map(|it| fixed(it as f64, 0)))
        .words(say!("tls-provider"), |row| servers.who(row.contender()))
        .figures(say!("tls-handshakes-a-second"), |row| digits(row.rate))
        .figures(say!("tls-handshake-server"), |row| microseconds(row.details.load.server_cpu_s_per_handshake))
        .figures(say!("tls-handshake-client"), |row| microseconds(row.details.load.client_cpu_s_per_handshake))
        .figures(say!("tls-server-cpu"), |row| percent(row.details.load.server_cpu))
        .figures(say!("tls-client-cpu"), |row| percent(row.details.load.client_cpu))
        .figures(say!("tls-limit"), |row| or_dash(bottleneck(row)))
        .words(say!("tls-suite"), |row| row.series.algorithm.title())
        .notes([say!("tls-handshakes-note")])
        .notes(servers.handshakes.iter().any(|row| !row.is_apart()).then(|| say!("tls-shared-note")))
        .any()
}

fn workers(row: &ServerSeries<'_>) -> String {
    format!("{}{}", row.workers(), if row.is_apart() { "" } else { " *" })
}

/// Formats a share of the cores in per cent.
fn percent(share: Option<f64>) -> Text {
    or_dash(share.map(|share| fixed(share * 100.0, 0)))
}

fn bottleneck(row: &ServerSeries<'_>) -> Option<Text> {
    row.details.bottleneck.map(|what| say!("tls-bottleneck", what = name_in_documents(what)))
}

pub(super) fn ratios(servers: &ServerSelection<'_>) -> Option<Table> {
    let contenders: Vec<_> = servers.contenders().into_iter().filter(|one| one.algorithm == GCM).collect();
    let cbc = |one: ServerContender<'_>, workers, bytes| {
        let cbc = ServerContender { algorithm: CBC, library: OPENSSL, state: Acceleration::On, ..one };
        servers.find(cbc, bytes, workers)
    };
    let of_workers = |workers| servers.sizes().into_iter().map(move |bytes| (workers, bytes));
    let has_cbc =
        |(workers, bytes): &(usize, usize)| contenders.iter().any(|one| cbc(*one, *workers, *bytes).is_some());
    let all: Vec<(usize, usize)> = servers.workers().into_iter().flat_map(of_workers).filter(has_cbc).collect();
    TableBuilder::new(say!("tls-ratio"), &all)
        .words(say!("tls-workers"), |(workers, _)| workers.to_string())
        .words(say!("tls-size"), |(_, bytes)| size(*bytes))
        .each(&contenders, |table, contender| {
            table.figures(servers.who(*contender), |(workers, bytes)| {
                let gcm = servers.find(*contender, *bytes, *workers);
                or_dash(gcm.zip(cbc(*contender, *workers, *bytes)).map(|(gcm, cbc)| times(gcm.rate / cbc.rate)))
            })
        })
        .notes([say!("tls-ratio-note")])
        .any()
        .filter(|_| !contenders.is_empty())
}

/// Returns a table of the system's limits, which highlights the limit that the load reaches first.
pub(super) fn limits(document: &Document) -> Option<Table> {
    let limits = &document.run.method.limits;
    let first = limits.iter().filter_map(|limit| limit.connections).min();
    let allows = |connections: u64| {
        let mark = (Some(connections) == first).then(|| say!("tls-binds-first"));
        Text::list(Separator::Space, [Some(connections.to_string().into()), mark])
    };
    TableBuilder::new(say!("tls-limits"), limits)
        .words(say!("tls-limit-name"), |limit| Text::name(&limit.name, 40))
        .words(say!("tls-here"), |limit| Text::name(&limit.value, 60))
        .words(say!("tls-published"), |limit| limit.published.as_deref().map(|text| Text::name(text, 60)))
        .figures(say!("tls-allows"), |limit| limit.connections.map(allows))
        .notes([say!("tls-limits-note")])
        .any()
}
