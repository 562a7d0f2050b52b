//! Tables of a web server.

use crate::language::Messages;
use crate::quantity::{digits, size, times, whole};
use crate::table::{Over, Table, or_dash};
use crate::visible::short;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::Document;
use kasoku_model::library::OPENSSL;

use super::selection::{CBC, GCM, ServerSelection, ServerSeries, who};

/// One row for each series.
pub(super) fn overview(rows: &ServerSelection<'_>) -> Option<Table> {
    let words = &rows.messages.tls;
    let number = |value: Option<f64>| or_dash(value.map(digits));
    let percent = |value: Option<f64>| or_dash(value.map(|value| whole(value * 100.0)));
    let is_shared = rows.all.iter().any(|row| !row.is_apart());
    Over::new(words.overview, &rows.all)
        .words(words.workers, |row| format!("{}{}", row.served.workers, if row.is_apart() { "" } else { " *" }))
        .words(words.size, |row| size(row.series.bytes))
        .words(words.suite, |row| row.series.algorithm.title())
        .words(words.provider, ServerSeries::who)
        .figures(words.gbit, |row| digits(row.gbit()))
        .figures(words.gbit_a_core, |row| digits(row.gbit_a_core()))
        .figures(words.connections, |row| row.details.concurrency.map(|it| whole(it as f64)))
        .figures(words.longest_wait, |row| number(row.details.load.worst_latency_s))
        .figures(words.server_cpu, |row| percent(row.details.load.server_cpu))
        .figures(words.server_cpu_max, |row| percent(row.details.load.server_cpu_max))
        .figures(words.client_cpu, |row| percent(row.details.load.client_cpu))
        .figures(words.seconds_a_gigabyte, |row| number(row.details.load.server_cpu_s_per_gb))
        .figures(words.limit, |row| row.details.bottleneck.map_or("–", words.bottleneck))
        .notes([words.overview_note])
        .notes(rows.server_machine().map(|cpu| (words.served_by)(&cpu)))
        .notes(is_shared.then_some(words.shared_note))
        .notes(rows.in_step().map(|(hosts, seconds)| (words.in_step)(hosts, seconds)))
        .any()
}

/// GCM against CBC and HMAC, by size and workers.
pub(super) fn ratios(rows: &ServerSelection<'_>) -> Option<Table> {
    let words = &rows.messages.tls;
    let kinds: Vec<_> = rows.kinds().into_iter().filter(|(algorithm, ..)| *algorithm == GCM).collect();
    let cbc = |workers, bytes| rows.find((CBC, OPENSSL, Acceleration::On), bytes, workers);
    let of_workers =
        |workers| rows.sizes().into_iter().filter_map(move |bytes| Some((workers, bytes, cbc(workers, bytes)?.rate)));
    let all: Vec<(usize, usize, f64)> = rows.workers().into_iter().flat_map(of_workers).collect();
    Over::new(words.ratio, &all)
        .words(words.workers, |(workers, ..)| workers.to_string())
        .words(words.size, |(_, bytes, _)| size(*bytes))
        .each(&kinds, |table, kind| {
            table.figures(who(*kind), |(workers, bytes, cbc)| {
                or_dash(rows.find(*kind, *bytes, *workers).map(|row| times(row.rate / cbc)))
            })
        })
        .notes([words.ratio_note])
        .any()
        .filter(|_| !kinds.is_empty())
}

/// The limits of the system.
pub(super) fn limits(document: &Document, messages: &'static Messages) -> Option<Table> {
    let words = &messages.tls;
    let limits = &document.run.method.limits;
    let first = limits.iter().filter_map(|limit| limit.connections).min();
    let allows = |connections: u64| {
        if Some(connections) == first {
            format!("{connections} {}", words.binds_first)
        } else {
            connections.to_string()
        }
    };
    Over::new(words.limits, limits)
        .words(words.limit_name, |limit| short(&limit.name, 40))
        .words(words.here, |limit| short(&limit.value, 60))
        .words(words.published, |limit| limit.published.as_deref().map(|text| short(text, 60)))
        .figures(words.allows, |limit| limit.connections.map(allows))
        .notes([words.limits_note])
        .any()
}
