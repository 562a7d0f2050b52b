//! Tables of a web server.

use crate::language::Messages;
use crate::quantity::{digits, size, times};
use crate::table::Table;
use crate::visible::short;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::Document;

use super::selection::{CBC, GCM, Row, Rows, who};

fn cell(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), digits)
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{:.0}", value * 100.0))
}

/// One row for each series.
pub(super) fn overview(rows: &Rows<'_>, messages: &'static Messages) -> Option<Table> {
    let words = &messages.tls;
    if rows.all.is_empty() {
        return None;
    }
    let line = |row: &Row<'_>| {
        let limit = (words.bottleneck)(row.text("bottleneck").unwrap_or_default());
        let workers = format!("{}{}", row.served.workers, if row.is_apart() { "" } else { " *" });
        vec![
            workers,
            size(row.series.bytes),
            row.series.algorithm.title().to_owned(),
            row.who(),
            digits(row.gbit()),
            digits(row.gbit_a_core()),
            row.number("concurrency").map_or_else(String::new, |value| format!("{value:.0}")),
            cell(row.number("worst_latency_s")),
            percent(row.number("server_cpu")),
            percent(row.number("server_cpu_max")),
            percent(row.number("client_cpu")),
            cell(row.number("server_cpu_s_per_gb")),
            limit,
        ]
    };
    let headings = [
        words.workers,
        words.size,
        words.suite,
        words.provider,
        words.gbit,
        words.gbit_a_core,
        words.connections,
        words.longest_wait,
        words.server_cpu,
        words.server_cpu_max,
        words.client_cpu,
        words.seconds_a_gigabyte,
        words.limit,
    ];
    let mut notes = vec![words.overview_note.to_owned()];
    notes.extend(rows.server_machine().map(|cpu| (words.served_by)(&cpu)));
    if rows.all.iter().any(|row| !row.is_apart()) {
        notes.push(words.shared_note.to_owned());
    }
    notes.extend(rows.in_step().map(|(hosts, seconds)| (words.in_step)(hosts, seconds)));
    let title = words.overview.to_owned();
    Some(Table::of_text(title, headings.map(str::to_owned).into(), 4, rows.all.iter().map(line).collect(), notes))
}

/// GCM against CBC and HMAC, by size and workers.
pub(super) fn ratios(rows: &Rows<'_>, messages: &'static Messages) -> Option<Table> {
    let words = &messages.tls;
    let kinds: Vec<_> = rows.kinds().into_iter().filter(|(algorithm, ..)| *algorithm == GCM).collect();
    let mut lines = Vec::new();
    for workers in rows.workers() {
        for bytes in rows.sizes() {
            let Some(cbc) = rows.find((CBC, "openssl", Acceleration::On), bytes, workers) else { continue };
            let ratio = |row: &Row<'_>| times(row.rate / cbc.rate);
            let cells = kinds.iter().map(|kind| rows.find(*kind, bytes, workers).map_or_else(|| "–".to_owned(), ratio));
            lines.push([workers.to_string(), size(bytes)].into_iter().chain(cells).collect());
        }
    }
    if lines.is_empty() || kinds.is_empty() {
        return None;
    }
    let headings = [words.workers.to_owned(), words.size.to_owned()].into_iter().chain(kinds.into_iter().map(who));
    let notes = vec![words.ratio_note.to_owned()];
    Some(Table::of_text(words.ratio.to_owned(), headings.collect(), 2, lines, notes))
}

/// The limits of the system.
pub(super) fn limits(document: &Document, messages: &'static Messages) -> Option<Table> {
    let words = &messages.tls;
    let limits = &document.run.method.limits;
    if limits.is_empty() {
        return None;
    }
    let first = limits.iter().filter_map(|limit| limit.connections).min();
    let rows = limits.iter().map(|limit| {
        let is_first = limit.connections.is_some() && limit.connections == first;
        let allows = limit.connections.map_or_else(String::new, |connections| connections.to_string());
        let allows = if is_first { format!("{allows} {}", words.binds_first) } else { allows };
        vec![
            short(&limit.name, 40),
            short(&limit.value, 60),
            limit.published.as_deref().map_or_else(String::new, |text| short(text, 60)),
            allows,
        ]
    });
    let headings = [words.limit_name, words.here, words.published, words.allows].map(str::to_owned).into();
    Some(Table::of_text(words.limits.to_owned(), headings, 3, rows.collect(), vec![words.limits_note.to_owned()]))
}
