//! Tables of encrypted files.

use crate::language::Messages;
use crate::quantity::{digits, size};
use crate::table::Table;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::workload::Operation;
use kasoku_model::workload::files::{Cache, Storage};

use super::selection::{COLUMNS, Line, Lines, USUAL};

/// Milliseconds as a table shows them; `–` where there is no figure that may be relied on.
fn milliseconds(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| "–".to_owned(), |seconds| digits(seconds * 1e3))
}

/// Per cent as the published tables show them.
fn improvement(percent: Option<f64>) -> String {
    percent.filter(|value| value.is_finite()).map(|value| format!("{value:.2}").replace('-', "−")).unwrap_or_default()
}

/// The headings of the published tables.
pub(super) fn headings(messages: &Messages) -> Vec<String> {
    let words = &messages.files;
    [
        words.test_run,
        words.size,
        words.encrypt_off,
        words.decrypt_off,
        words.encrypt_on,
        words.decrypt_on,
        words.encrypt_improvement,
        words.decrypt_improvement,
    ]
    .map(str::to_owned)
    .into()
}

/// Every test run of a line and the means: the published tables made again.
pub(super) fn test_runs(line: &Line<'_>, messages: &'static Messages) -> Table {
    let words = &messages.files;
    let (mut rows, mut number) = (Vec::new(), 0);
    for bytes in line.sizes() {
        let runs = line.test_runs(bytes);
        for &run in &runs {
            number += 1;
            let mut row = vec![number.to_string(), size(bytes)];
            row.extend(COLUMNS.iter().map(|&(operation, state)| milliseconds(line.mean(bytes, operation, state, run))));
            let operations = [Operation::Encrypt, Operation::Decrypt];
            row.extend(operations.map(|operation| improvement(line.improvement(bytes, operation, run))));
            rows.push(row);
        }
        if runs.len() > 1 {
            let mut row = vec![words.mean.to_owned(), size(bytes)];
            row.extend(
                COLUMNS.iter().map(|&(operation, state)| milliseconds(line.mean_of_runs(bytes, operation, state))),
            );
            let operations = [Operation::Encrypt, Operation::Decrypt];
            row.extend(operations.map(|operation| improvement(line.mean_improvement(bytes, operation))));
            rows.push(row);
        }
    }
    let title = (words.table)(line.algorithm.title(), &line.who(messages.files.threads));
    Table::of_text(title, headings(messages), 2, rows, vec![words.table_note.to_owned()])
}

/// One row for each line at each size: medians, what acceleration saves, and what is left of it in memory.
pub(super) fn overview(lines: &Lines<'_>, messages: &'static Messages) -> Option<Table> {
    let words = &messages.files;
    let has_memory = lines.all.iter().any(|line| line.files.storage == Storage::Memory);
    let has_off = lines.all.iter().any(|line| !line.compared_sizes().is_empty());
    let mut rows = Vec::new();
    let of_usual = || lines.all.iter().filter(|line| line.files.storage == Storage::File);
    let sizes: std::collections::BTreeSet<usize> = of_usual().flat_map(Line::sizes).collect();
    for bytes in sizes {
        if let Some(copy) = lines.copy(USUAL, bytes) {
            let in_memory = lines.copy(super::selection::in_memory(), bytes);
            let mut row = vec![size(bytes), words.copy.to_owned(), String::new(), milliseconds(Some(copy))];
            row.push(String::new());
            row.extend(has_off.then(|| [String::new(), String::new()]).into_iter().flatten());
            row.extend(has_memory.then(|| in_memory.map(|seconds| digits(seconds * 1e3)).unwrap_or_default()));
            rows.push(row);
        }
        for line in of_usual().filter(|line| line.sizes().contains(&bytes)) {
            let figure = |operation, state| line.figure(bytes, operation, state);
            let mut who = line.who(words.threads);
            if line.files.cache == Cache::Cold {
                who = format!("{who}, {}", words.cold);
            }
            let mut row = vec![size(bytes), who, line.algorithm.title().to_owned()];
            let operations = [Operation::Encrypt, Operation::Decrypt];
            row.extend(operations.map(|operation| milliseconds(figure(operation, Acceleration::On))));
            if has_off {
                row.extend(operations.map(|operation| {
                    let saved = figure(operation, Acceleration::Off)
                        .zip(figure(operation, Acceleration::On))
                        .map(|(off, on)| (off - on) / off * 100.0);
                    saved.map(|saved| format!("{saved:.0} %").replace('-', "−")).unwrap_or_default()
                }));
            }
            if has_memory {
                let beside = lines.beside(line, super::selection::in_memory());
                let time = beside.and_then(|line| line.figure(bytes, Operation::Encrypt, Acceleration::On));
                row.push(time.filter(|_| line.files == USUAL).map(|time| digits(time * 1e3)).unwrap_or_default());
            }
            rows.push(row);
        }
    }
    if rows.is_empty() {
        return None;
    }
    let mut headings: Vec<String> =
        [words.size, words.library, words.algorithm, words.encrypt, words.decrypt].map(str::to_owned).into();
    headings
        .extend(has_off.then(|| [words.encrypt_saves, words.decrypt_saves].map(str::to_owned)).into_iter().flatten());
    headings.extend(has_memory.then(|| words.encrypt_in_memory.to_owned()));
    Some(Table::of_text(words.overview.to_owned(), headings, 3, rows, vec![words.overview_note.to_owned()]))
}
