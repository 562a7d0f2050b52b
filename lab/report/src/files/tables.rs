//! Tables of encrypted files.

use std::collections::BTreeSet;

use crate::language::Messages;
use crate::quantity::{digits, size};
use crate::table::{Over, Table, or_dash};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::workload::Operation;
use kasoku_model::workload::files::{Cache, Storage};

use super::selection::{COLUMNS, FileContender, FileSelection, IN_MEMORY, USUAL};

const OPERATIONS: [Operation; 2] = [Operation::Encrypt, Operation::Decrypt];

/// Milliseconds as a table shows them.
fn milliseconds(seconds: f64) -> String {
    digits(seconds * 1e3)
}

/// Per cent as the published tables show them.
fn improvement(percent: f64) -> Option<String> {
    percent.is_finite().then(|| format!("{percent:.2}").replace('-', "−"))
}

/// Every test run of a line and the means: the published tables made again.
pub(super) fn test_runs(line: &FileContender<'_>, messages: &'static Messages) -> Table {
    let words = &messages.files;
    let mut runs: Vec<(String, usize, Option<u32>)> = Vec::new();
    let mut number = 0;
    for bytes in line.sizes() {
        let of_size = line.test_runs(bytes);
        for run in &of_size {
            number += 1;
            runs.push((number.to_string(), bytes, Some(*run)));
        }
        if of_size.len() > 1 {
            runs.push((words.mean.to_owned(), bytes, None));
        }
    }
    let times = [words.encrypt_off, words.decrypt_off, words.encrypt_on, words.decrypt_on];
    let improvements = [words.encrypt_improvement, words.decrypt_improvement];
    Over::new((words.table)(line.algorithm.title(), &line.who(words.threads)), &runs)
        .words(words.test_run, |(name, ..)| name.as_str())
        .words(words.size, |(_, bytes, _)| size(*bytes))
        .each(times.into_iter().zip(COLUMNS), |table, (heading, (operation, state))| {
            table.figures(heading, |(_, bytes, run)| {
                or_dash(line.mean(*bytes, operation, state, *run).map(milliseconds))
            })
        })
        .each(improvements.into_iter().zip(OPERATIONS), |table, (heading, operation)| {
            table.figures(heading, |(_, bytes, run)| line.improvement(*bytes, operation, *run).and_then(improvement))
        })
        .notes([words.table_note])
        .table()
}

/// One row for each line at each size: medians, what acceleration saves, and what is left of it in memory. The row of a
/// copy, which encrypts nothing, has no line.
pub(super) fn overview(lines: &FileSelection<'_>, messages: &'static Messages) -> Option<Table> {
    let words = &messages.files;
    let has_memory = lines.all.iter().any(|line| line.files.storage == Storage::Memory);
    let has_off = lines.all.iter().any(|line| !line.compared_sizes().is_empty());
    let of_usual: Vec<&FileContender<'_>> =
        lines.all.iter().filter(|line| line.files.storage == Storage::File).collect();
    let sizes: BTreeSet<usize> = of_usual.iter().flat_map(|line| line.sizes()).collect();
    let rows: Vec<(usize, Option<&FileContender<'_>>)> = sizes
        .into_iter()
        .flat_map(|bytes| {
            let copy = lines.copy(USUAL, bytes).map(|_| (bytes, None));
            let of_size = of_usual.iter().filter(move |line| line.sizes().contains(&bytes));
            copy.into_iter().chain(of_size.map(move |line| (bytes, Some(*line))))
        })
        .collect();
    let who = |line: &FileContender<'_>| match (line.who(words.threads), line.files.cache) {
        (who, Cache::Warm) => who,
        (who, Cache::Cold) => format!("{who}, {}", words.cold),
    };
    let time = |(bytes, line): &(usize, Option<&FileContender<'_>>), operation| match (line, operation) {
        (Some(line), _) => or_dash(line.figure(*bytes, operation, Acceleration::On).map(milliseconds)),
        (None, Operation::Encrypt) => or_dash(lines.copy(USUAL, *bytes).map(milliseconds)),
        (None, _) => String::new(),
    };
    let saved = |line: &FileContender<'_>, bytes, operation| {
        let [off, on] = [Acceleration::Off, Acceleration::On].map(|state| line.figure(bytes, operation, state));
        off.zip(on).map(|(off, on)| format!("{:.0} %", (off - on) / off * 100.0).replace('-', "−"))
    };
    let in_memory = |(bytes, line): &(usize, Option<&FileContender<'_>>)| match line {
        Some(line) if line.files != USUAL => None,
        Some(line) => lines.beside(line, IN_MEMORY)?.figure(*bytes, Operation::Encrypt, Acceleration::On),
        None => lines.copy(IN_MEMORY, *bytes),
    };
    Over::new(words.overview, &rows)
        .words(words.size, |(bytes, _)| size(*bytes))
        .words(words.library, |(_, line)| line.map_or_else(|| words.copy.to_owned(), who))
        .words(words.algorithm, |(_, line)| line.map(|line| line.algorithm.title()))
        .each([words.encrypt, words.decrypt].into_iter().zip(OPERATIONS), |table, (heading, operation)| {
            table.figures(heading, |row| time(row, operation))
        })
        .when(has_off, |table| {
            let headings = [words.encrypt_saves, words.decrypt_saves];
            table.each(headings.into_iter().zip(OPERATIONS), |table, (heading, operation)| {
                table.figures(heading, |(bytes, line)| saved((*line)?, *bytes, operation))
            })
        })
        .when(has_memory, |table| table.figures(words.encrypt_in_memory, |row| in_memory(row).map(milliseconds)))
        .notes([words.overview_note])
        .any()
}
