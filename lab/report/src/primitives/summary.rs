//! The primitives on a terminal: what people know from `openssl speed`, with acceleration on and off. Of the libraries
//! one is shown in full (that with most algorithms both on and off) and the fastest for each algorithm.

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::AlgorithmKind;
use kasoku_model::document::{Document, Series, Unit};

use super::{KINDS, Line, has_code_path, lines, marks};
use crate::language::{Messages, Words};
use crate::quantity::{Scale, size, times};
use crate::selection::{ContenderIndex, Selection, SeriesKey, Task, Worth, yardstick};
use crate::series::code_path;
use crate::table::{Cell, Over, Table};
use crate::visible::short;

/// As many sizes as fit.
const SIZES: usize = 7;

/// What the summary on the terminal shows.
pub(crate) fn summary(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let selection = Selection::new(document, messages);
    let Some(primary) = selection.primary() else { return Vec::new() };
    let bulk = [AlgorithmKind::Cipher, AlgorithmKind::Aead, AlgorithmKind::Hash].into_iter();
    let mut tables: Vec<Table> = bulk.filter_map(|kind| throughput(&selection, primary, kind)).collect();
    tables.push(public_key(&selection, primary));
    if document.run.complete {
        tables.extend(gains(&selection, primary));
        tables.push(fastest(&selection, primary));
    }
    tables
}

fn throughput(selection: &Selection<'_>, primary: ContenderIndex, kind: AlgorithmKind) -> Option<Table> {
    let Messages { words, tables, .. } = selection.messages;
    let all = selection.sizes(kind);
    let sizes = choose(&all, selection.yardstick(kind)?);
    let lines: Vec<Line<'_>> =
        lines(selection, kind, &sizes).into_iter().filter(|line| line.key.who == primary).collect();
    // Where the states do not differ, one line says it.
    let is_same = |task: Task| {
        let gains: Vec<_> = selection
            .sizes_of(task)
            .iter()
            .map(|bytes| selection.worth(SeriesKey::new(primary, Acceleration::On, task, *bytes)))
            .collect();
        !gains.is_empty() && gains.iter().all(|gain| gain.is_some_and(|gain| !gain.is_shown))
    };
    let scale = Scale::of_table(Unit::BytesPerSecond);
    let is_shown = |line: &Line<'_>| line.key.state != Acceleration::Off || !is_same(line.key.task);
    let shown: Vec<Line<'_>> = lines.iter().filter(|line| is_shown(line)).cloned().collect();
    let begins =
        |line: &Line<'_>| shown.iter().find(|one| one.key.task == line.key.task).is_some_and(|one| one.key == line.key);
    let is_any_same = shown.iter().any(|line| is_same(line.key.task));
    let is_cut = sizes.len() < all.len();
    let title = (tables.of_library)((words.kind)(kind), &selection.full_label(primary), scale.name);
    let table = Over::new(title, &shown)
        .words(tables.algorithm, |line| begins(line).then(|| line.key.task.title(words)))
        .words(
            tables.state,
            |line| if is_same(line.key.task) { "on, off".to_owned() } else { line.key.state.to_string() },
        )
        .when(has_code_path(selection, &lines), |table| {
            table.words(tables.path, |line| short(&code_path(&line.cells), 11))
        })
        .each(sizes.iter().enumerate(), |table, (index, bytes)| {
            table.figures(size(*bytes), |line| text(selection, line.cells[index], scale))
        })
        .notes(marks(selection, &lines))
        .notes(is_any_same.then_some(tables.on_off_mark))
        .notes(is_cut.then(|| (tables.sizes_shown)(sizes.len(), all.len())));
    Some(table.table())
}

fn public_key(selection: &Selection<'_>, primary: ContenderIndex) -> Table {
    let Messages { words, tables, .. } = selection.messages;
    let scale = Scale::of_table(Unit::OperationsPerSecond);
    let kinds = KINDS.into_iter().filter(|kind| !kind.is_bulk());
    let tasks = kinds.flat_map(|kind| selection.tasks(kind));
    let rows: Vec<(Task, usize)> =
        tasks.flat_map(|task| selection.sizes_of(task).into_iter().map(move |bytes| (task, bytes))).collect();
    let series = |who: ContenderIndex, (task, bytes): &(Task, usize)| {
        selection.series(SeriesKey::new(who, Acceleration::On, *task, *bytes))
    };
    // Only those that have any; and no more than fit, in the order tables keep.
    let has_any = |who: &ContenderIndex| rows.iter().any(|row| series(*who, row).is_some());
    let columns: Vec<ContenderIndex> = selection.peers(primary).filter(has_any).take(6).collect();
    let is_empty = |row: &(Task, usize)| columns.iter().all(|who| text(selection, series(*who, row), scale).is_empty());
    let rows: Vec<(Task, usize)> = rows.iter().filter(|row| !is_empty(row)).copied().collect();
    Over::new((tables.public_keys)(scale.name), &rows)
        .words(tables.algorithm, |(task, _)| task.title(words))
        .each(columns, |table, who| {
            table.figures(short(&selection.label(who), 12), |row| text(selection, series(who, row), scale))
        })
        .table()
}

/// What acceleration is worth: `on` over `off` at each size; the interval and the distance to the slowest where one
/// figure stands for the algorithm.
fn gains(selection: &Selection<'_>, primary: ContenderIndex) -> Option<Table> {
    let Messages { words, tables, .. } = selection.messages;
    let bulk = [AlgorithmKind::Cipher, AlgorithmKind::Aead, AlgorithmKind::Hash];
    let mut all: Vec<usize> = bulk.iter().flat_map(|kind| selection.sizes(*kind)).collect();
    all.sort_unstable();
    all.dedup();
    let at = yardstick(&all)?;
    let sizes = choose(&all, at);
    let worth = |task| {
        sizes
            .iter()
            .map(|bytes| selection.worth(SeriesKey::new(primary, Acceleration::On, task, *bytes)))
            .collect::<Vec<_>>()
    };
    let tasks = bulk.iter().flat_map(|kind| selection.tasks(*kind)).map(|task| (task, worth(task)));
    let rows: Vec<(Task, Vec<Option<Worth>>)> = tasks.filter(|(_, worth)| worth.iter().any(Option::is_some)).collect();
    let is_any_equal = rows.iter().flat_map(|(_, worth)| worth.iter().flatten()).any(|worth| !worth.is_shown);
    // Figures that others printed have no intervals, and are not held against each other.
    let is_measured = !selection.is_quoted();
    let table = Over::new((tables.gains)(&selection.full_label(primary)), &rows)
        .words(tables.algorithm, |(task, _)| task.title(words))
        .each(sizes.iter().enumerate(), |table, (index, bytes)| {
            table.figures(size(*bytes), |(_, worth)| worth[index].map(|worth| ratio(worth, words)))
        })
        .when(is_measured, |table| {
            let shown = |task: Task| {
                selection.gain(SeriesKey::new(primary, Acceleration::On, task, at)).filter(|gain| gain.is_shown)
            };
            let lead = |task: Task| against_slowest(selection, primary, task, at);
            table
                .figures(tables.interval_heading, |(task, _)| shown(*task).map(|gain| interval(gain.ci95)))
                .figures(tables.slowest, |(task, _)| lead(*task).map(|ratio| (words.times)(&times(ratio))))
        })
        .notes(is_any_equal.then_some(tables.equal_mark))
        .notes([if is_measured {
            (tables.gains_note)(&size(at))
        } else {
            selection.messages.origin.ratios.to_owned()
        }]);
    Some(table.table())
}

/// How many times as fast a task is as the slowest of its kind; `None` for the slowest itself and where no difference
/// is shown.
pub(super) fn against_slowest(selection: &Selection<'_>, who: ContenderIndex, task: Task, bytes: usize) -> Option<f64> {
    let series = |task| selection.ranked(SeriesKey::new(who, Acceleration::On, task, bytes));
    let slowest = selection
        .tasks(task.kind())
        .into_iter()
        .filter_map(series)
        .min_by(|a, b| a.median.unwrap_or(0.0).total_cmp(&b.median.unwrap_or(0.0)))?;
    selection
        .compare(series(task), Some(slowest))
        .filter(|lead| lead.is_shown && lead.ratio > 1.0)
        .map(|lead| lead.ratio)
}

/// The fastest libraries for each algorithm.
pub(crate) fn fastest(selection: &Selection<'_>, primary: ContenderIndex) -> Table {
    let Messages { words, tables, .. } = selection.messages;
    let scale = Scale::of_table(Unit::BytesPerSecond);
    let (mut rows, mut sizes) = (Vec::new(), Vec::new());
    for kind in [AlgorithmKind::Cipher, AlgorithmKind::Aead, AlgorithmKind::Hash] {
        let Some(bytes) = selection.yardstick(kind) else { continue };
        for task in selection.tasks(kind) {
            let mut others = selection.ranking(primary, task, bytes);
            if others.len() > 1 {
                let (best, series) = others.remove(0);
                rows.push((task, best, series, others));
                sizes.push(size(bytes));
            }
        }
    }
    sizes.dedup();
    let standing = |best: &Series, (who, other): &(ContenderIndex, &Series)| {
        let label = short(&selection.label(*who), 12);
        Some(match selection.compare(Some(other), Some(best))? {
            lag if lag.is_shown => format!("{label} {}", (words.times)(&format!("{:.2}", lag.ratio))),
            _ => format!("{label} ="),
        })
    };
    Over::new((tables.fastest)(&sizes), &rows)
        .words(tables.algorithm, |(task, ..)| task.title(words))
        .words(tables.library, |(_, best, ..)| short(&selection.label(*best), 14))
        .words(tables.path, |(_, _, series, _)| short(&series.code_path, 11))
        .figures(scale.name, |(_, _, series, _)| text(selection, Some(series), scale))
        .words(tables.next, |(_, _, series, others)| {
            let all = others.iter().filter_map(|other| standing(series, other));
            all.take(3).collect::<Vec<_>>().join(words.comma)
        })
        .notes([tables.equal_mark])
        .table()
}

/// A figure without its interval.
fn text(selection: &Selection<'_>, series: Option<&Series>, scale: Scale) -> String {
    Cell::of_series(selection.document, series, scale, &selection.messages.words).text()
}

/// A ratio in a table: `6.4×`, or `=` where no difference is shown.
fn ratio(worth: Worth, words: &Words) -> String {
    if worth.is_shown { (words.times)(&times(worth.ratio)) } else { "=".to_owned() }
}

/// The 95 % interval of a ratio.
pub(super) fn interval([low, high]: [f64; 2]) -> String {
    if low >= 10.0 { format!("{low:.1}–{high:.1}") } else { format!("{low:.2}–{high:.2}") }
}

/// At most [`SIZES`] of `all`, evenly, with the first, the last and `wanted` among them.
fn choose(all: &[usize], wanted: usize) -> Vec<usize> {
    if all.len() <= SIZES {
        return all.to_vec();
    }
    let last = all.len() - 1;
    let mut chosen: Vec<usize> = (0..SIZES).filter_map(|step| all.get(step * last / (SIZES - 1)).copied()).collect();
    if !chosen.contains(&wanted) {
        // The ends stay: only what lies between may give way.
        let inner = 1..chosen.len() - 1;
        if let Some(nearest) = inner.min_by_key(|index| chosen[*index].abs_diff(wanted)) {
            chosen[nearest] = wanted;
            chosen.sort_unstable();
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_keeps_its_ends_and_the_size_that_counts() {
        let all: Vec<usize> = (1..=40).map(|n| n * 16).collect();
        let chosen = choose(&all, 592);
        assert_eq!((chosen.len(), chosen[0], chosen[6]), (7, 16, 640));
        assert!(chosen.contains(&592) && chosen.is_sorted());
        assert_eq!(choose(&[16, 64], 64), [16, 64]);
    }
}
