//! Tables of the level files.

use std::collections::BTreeSet;

use crate::prelude::*;
use crate::selection::USUAL_FILES;
use kasoku_model::workload::files::Storage;

use super::selection::{COLUMNS, FileContender, FileSelection, IN_MEMORY, OPERATIONS};

pub(super) fn time_headings() -> [Text; 4] {
    [say!("files-encrypt-off"), say!("files-decrypt-off"), say!("files-encrypt-on"), say!("files-decrypt-on")]
}

fn milliseconds(seconds: f64) -> String {
    digits(seconds * 1e3)
}

fn signed(percent: f64, decimals: usize) -> String {
    format!("{percent:.decimals$}").replace('-', "−")
}

/// Returns a table of all test runs with their means, laid out like the published tables.
pub(super) fn test_runs(line: &FileContender<'_>) -> Table {
    let mut runs: Vec<(Text, usize, Option<u32>)> = Vec::new();
    let mut number = 0;
    for bytes in line.sizes() {
        let of_size = line.test_runs(bytes);
        for run in &of_size {
            number += 1;
            runs.push((number.to_string().into(), bytes, Some(*run)));
        }
        if of_size.len() > 1 {
            runs.push((say!("files-mean"), bytes, None));
        }
    }
    let improvements = [say!("files-encrypt-improvement"), say!("files-decrypt-improvement")];
    let title = say!("files-table", algorithm = line.one.algorithm.title(), library = &line.name);
    TableBuilder::new(title, &runs)
        .words(say!("files-test-run"), |(name, ..)| name.clone())
        .words(say!("files-size"), |(_, bytes, _)| size(*bytes))
        .each(time_headings().into_iter().zip(COLUMNS), |table, (heading, column)| {
            table.figures(heading, |(_, bytes, run)| or_dash(line.mean(*bytes, column, *run).map(milliseconds)))
        })
        .each(improvements.into_iter().zip(OPERATIONS), |table, (heading, operation)| {
            table.figures(heading, |(_, bytes, run)| {
                let improvement = line.improvement(*bytes, operation, *run).filter(|percent| percent.is_finite());
                improvement.map(|percent| signed(percent, 2))
            })
        })
        .notes([say!("files-table-note")])
        .table()
}

/// Returns a table of medians, savings and times in memory, with a row for each contender and size. `None` in a row
/// stands for a plain copy.
pub(super) fn overview(files: &FileSelection<'_>) -> Option<Table> {
    let has_memory = files.all.iter().any(|line| line.files.storage == Storage::Memory);
    let has_off = files.all.iter().any(|line| !line.compared_sizes().is_empty());
    let on_disk = || files.all.iter().filter(|line| line.files.storage == Storage::File);
    let sizes: BTreeSet<usize> = on_disk().flat_map(|line| line.sizes()).collect();
    let rows_of_size = |bytes: usize| {
        let copy = files.copy(USUAL_FILES, bytes).map(|_| (bytes, None));
        let of_size = on_disk().filter(move |line| line.sizes().contains(&bytes));
        copy.into_iter().chain(of_size.map(move |line| (bytes, Some(line))))
    };
    let rows: Vec<(usize, Option<&FileContender<'_>>)> = sizes.into_iter().flat_map(rows_of_size).collect();
    let time = |(bytes, line): &(usize, Option<&FileContender<'_>>), operation| match (line, operation) {
        (Some(line), _) => or_dash(line.figure(*bytes, (operation, Acceleration::On)).map(milliseconds)),
        (None, Operation::Encrypt) => or_dash(files.copy(USUAL_FILES, *bytes).map(milliseconds)),
        (None, _) => Text::EMPTY,
    };
    let saved = |line: &FileContender<'_>, bytes, operation| {
        let (off, on) = line.figures(bytes, operation)?;
        Some(format!("{} %", signed((off - on) / off * 100.0, 0)))
    };
    let in_memory = |(bytes, line): &(usize, Option<&FileContender<'_>>)| match line {
        Some(line) if line.files != USUAL_FILES => None,
        Some(line) => files.beside(line, IN_MEMORY)?.figure(*bytes, (Operation::Encrypt, Acceleration::On)),
        None => files.copy(IN_MEMORY, *bytes),
    };
    TableBuilder::new(say!("files-overview"), &rows)
        .words(say!("files-size"), |(bytes, _)| size(*bytes))
        .words(say!("files-library"), |(_, line)| line.map_or_else(|| say!("files-copy"), |line| line.name.clone()))
        .words(say!("files-algorithm"), |(_, line)| line.map(|line| line.one.algorithm.title()))
        .each(
            [say!("files-encrypt"), say!("files-decrypt")].into_iter().zip(OPERATIONS),
            |table, (heading, operation)| table.figures(heading, |row| time(row, operation)),
        )
        .when(has_off, |table| {
            let headings = [say!("files-encrypt-saves"), say!("files-decrypt-saves")];
            table.each(headings.into_iter().zip(OPERATIONS), |table, (heading, operation)| {
                table.figures(heading, |(bytes, line)| saved((*line)?, *bytes, operation))
            })
        })
        .when(has_memory, |table| {
            table.figures(say!("files-encrypt-in-memory"), |row| in_memory(row).map(milliseconds))
        })
        .notes([say!("files-overview-note")])
        .any()
}
