//! The primitives on a terminal: what people know from `openssl speed`, with acceleration on and off. Of the libraries one is
//! shown in full (that with most algorithms both on and off) and the fastest for each algorithm.

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Kind;
use kasoku_model::document::{Document, Series, Unit};

use super::{KINDS, Line, has_code_path, lines, marks};
use crate::language::{Messages, Words};
use crate::quantity::{Scale, size, times};
use crate::selection::{Contender, Selection, Task, Worth, yardstick};
use crate::series::code_path;
use crate::table::{Cell, Holds, Table};
use crate::visible::short;

/// As many sizes as fit.
const SIZES: usize = 7;

/// What the summary on the terminal shows.
pub(crate) fn summary(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let selection = Selection::new(document, messages);
    let Some(primary) = selection.primary() else { return Vec::new() };
    let bulk = [Kind::Cipher, Kind::Aead, Kind::Hash].into_iter();
    let mut tables: Vec<Table> = bulk.filter_map(|kind| throughput(&selection, primary, kind)).collect();
    tables.push(public_key(&selection, primary));
    if document.run.complete {
        tables.extend(gains(&selection, primary));
        tables.push(fastest(&selection, primary));
    }
    tables
}

fn throughput(selection: &Selection<'_>, primary: &Contender, kind: Kind) -> Option<Table> {
    let Messages { words, tables, .. } = selection.messages;
    let all = selection.sizes(kind);
    let sizes = choose(&all, selection.yardstick(kind)?);
    let lines: Vec<Line<'_>> = lines(selection, kind, &sizes).into_iter().filter(|line| line.who == primary).collect();
    // Where the states do not differ, one line says it.
    let is_same = |task: Task| {
        let gains: Vec<_> =
            selection.sizes_of(task).iter().map(|bytes| selection.worth(primary, task, *bytes)).collect();
        !gains.is_empty() && gains.iter().all(|gain| gain.is_some_and(|gain| !gain.is_shown))
    };
    let scale = Scale::of_table(Unit::BytesPerSecond);
    let has_path = has_code_path(selection, &lines);
    let mut headings: Vec<String> = [tables.algorithm, tables.state].map(str::to_owned).into();
    headings.extend(has_path.then(|| tables.path.to_owned()));
    let named = headings.len();
    headings.extend(sizes.iter().map(|bytes| size(*bytes)));
    let mut before = None;
    let row = |line: &Line<'_>| {
        let title = if before.replace(line.task) == Some(line.task) { String::new() } else { line.task.title(words) };
        let state = if is_same(line.task) { "on, off".to_owned() } else { line.state.to_string() };
        let mut row = vec![title, state];
        row.extend(has_path.then(|| short(&code_path(&line.cells), 11)));
        row.extend(line.cells.iter().map(|series| text(selection, *series, scale)));
        row
    };
    let is_shown = |line: &&Line<'_>| line.state != Acceleration::Off || !is_same(line.task);
    let rows: Vec<Vec<String>> = lines.iter().filter(is_shown).map(row).collect();
    let mut notes = marks(selection, &lines);
    if rows.iter().any(|row| row.iter().any(|cell| cell == "on, off")) {
        notes.push(tables.on_off_mark.to_owned());
    }
    if sizes.len() < all.len() {
        notes.push((tables.sizes_shown)(sizes.len(), all.len()));
    }
    let title = (tables.of_library)((words.kind)(kind), &selection.full_label(primary), scale.name);
    Some(Table::of_text(title, headings, named, rows, notes))
}

fn public_key(selection: &Selection<'_>, primary: &Contender) -> Table {
    let Messages { words, tables, .. } = selection.messages;
    let scale = Scale::of_table(Unit::OperationsPerSecond);
    let kinds = KINDS.into_iter().filter(|kind| !kind.is_bulk());
    let tasks: Vec<Task> = kinds.flat_map(|kind| selection.tasks(kind)).collect();
    // Only those that have any; and no more than fit, in the order tables keep.
    let has_any = |who: &&Contender, task: Task| {
        let is_at = |bytes| selection.series(who, Acceleration::On, task, bytes).is_some();
        selection.sizes_of(task).into_iter().any(is_at)
    };
    let columns: Vec<&Contender> =
        selection.peers(primary).filter(|who| tasks.iter().any(|task| has_any(who, *task))).take(6).collect();
    let mut headings = vec![tables.algorithm.to_owned()];
    headings.extend(columns.iter().map(|who| short(&selection.label(who), 12)));
    let mut rows = Vec::new();
    for task in tasks {
        for bytes in selection.sizes_of(task) {
            let cell = |who: &&Contender| text(selection, selection.series(who, Acceleration::On, task, bytes), scale);
            let cells: Vec<String> = columns.iter().map(cell).collect();
            if cells.iter().any(|cell| !cell.is_empty()) {
                rows.push(std::iter::once(task.title(words)).chain(cells).collect());
            }
        }
    }
    let title = (tables.public_keys)(scale.name);
    Table::of_text(title, headings, 1, rows, Vec::new())
}

/// What acceleration is worth: `on` over `off` at each size; the interval and the distance to the slowest where one
/// figure stands for the algorithm.
fn gains(selection: &Selection<'_>, primary: &Contender) -> Option<Table> {
    let Messages { words, tables, .. } = selection.messages;
    let bulk = [Kind::Cipher, Kind::Aead, Kind::Hash];
    let tasks: Vec<Task> = bulk.iter().flat_map(|kind| selection.tasks(*kind)).collect();
    let mut all: Vec<usize> = bulk.iter().flat_map(|kind| selection.sizes(*kind)).collect();
    all.sort_unstable();
    all.dedup();
    let at = yardstick(&all)?;
    let sizes = choose(&all, at);
    let mut headings = vec![tables.algorithm.to_owned()];
    headings.extend(sizes.iter().map(|bytes| size(*bytes)));
    // Figures that others printed have no intervals, and are not held against each other.
    let is_measured = !selection.is_quoted();
    if is_measured {
        headings.extend([tables.interval_heading, tables.slowest].map(str::to_owned));
    }
    let mut rows = Vec::new();
    let mut is_any_equal = false;
    for task in tasks {
        let gains: Vec<Option<Worth>> = sizes.iter().map(|bytes| selection.worth(primary, task, *bytes)).collect();
        if gains.iter().all(Option::is_none) {
            continue;
        }
        is_any_equal |= gains.iter().flatten().any(|gain| !gain.is_shown);
        let mut row = vec![task.title(words)];
        row.extend(gains.iter().map(|gain| gain.map(|gain| ratio(gain, words)).unwrap_or_default()));
        if is_measured {
            let gain = selection.gain(primary, task, at).filter(|gain| gain.is_shown);
            row.push(gain.map(|gain| interval(gain.ci95)).unwrap_or_default());
            let lead = against_slowest(selection, primary, task, at);
            row.push(lead.map(|ratio| (words.times)(&times(ratio))).unwrap_or_default());
        }
        rows.push(row);
    }
    let mut notes = Vec::new();
    if is_any_equal {
        notes.push(tables.equal_mark.to_owned());
    }
    notes.push(if is_measured { (tables.gains_note)(&size(at)) } else { selection.messages.origin.ratios.to_owned() });
    let title = (tables.gains)(&selection.full_label(primary));
    Some(Table::of_text(title, headings, 1, rows, notes))
}

/// How many times as fast a task is as the slowest of its kind; `None` for the slowest itself and where no difference
/// is shown.
pub(crate) fn against_slowest(selection: &Selection<'_>, who: &Contender, task: Task, bytes: usize) -> Option<f64> {
    let series = |task| selection.ranked(who, Acceleration::On, task, bytes);
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
pub(crate) fn fastest(selection: &Selection<'_>, primary: &Contender) -> Table {
    let Messages { words, tables, .. } = selection.messages;
    let scale = Scale::of_table(Unit::BytesPerSecond);
    let mut rows = Vec::new();
    let mut sizes = Vec::new();
    for kind in [Kind::Cipher, Kind::Aead, Kind::Hash] {
        let Some(bytes) = selection.yardstick(kind) else { continue };
        for task in selection.tasks(kind) {
            let ranking = selection.ranking(primary, task, bytes);
            let [(best, series), others @ ..] = ranking.as_slice() else { continue };
            if others.is_empty() {
                continue;
            }
            sizes.push(bytes);
            let standing = |(who, other): &(&Contender, &Series)| {
                let label = short(&selection.label(who), 12);
                Some(match selection.compare(Some(other), Some(series))? {
                    lag if lag.is_shown => format!("{label} {}", (words.times)(&format!("{:.2}", lag.ratio))),
                    _ => format!("{label} ="),
                })
            };
            let standings: Vec<String> = others.iter().filter_map(standing).take(3).collect();
            let mut row = vec![task.title(words), short(&selection.label(best), 14), short(&series.code_path, 11)];
            row.push(text(selection, Some(series), scale));
            row.push(standings.join(words.comma));
            rows.push(row);
        }
    }
    sizes.dedup();
    let at: Vec<String> = sizes.iter().map(|bytes| size(*bytes)).collect();
    let headings = [tables.algorithm, tables.library, tables.path, scale.name, tables.next].map(str::to_owned).into();
    let notes = vec![tables.equal_mark.to_owned()];
    let title = (tables.fastest)(&at);
    let mut table = Table::of_text(title, headings, 3, rows, notes);
    if let Some(last) = table.columns.last_mut() {
        last.holds = Holds::Words;
    }
    table
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
pub(crate) fn interval([low, high]: [f64; 2]) -> String {
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
