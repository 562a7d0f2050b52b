//! Summary of the primitives for the terminal: the primary library with acceleration on and off, and the fastest
//! library for each algorithm.

use super::{KINDS, Line, column, has_code_path, lines};
use crate::prelude::*;
use crate::selection::{Worth, by_speed, code_path, kind_title, times, yardstick};

/// Kinds of algorithms whose figure is a throughput.
const BULK: [AlgorithmKind; 3] = [AlgorithmKind::Cipher, AlgorithmKind::Aead, AlgorithmKind::Hash];
/// Maximum number of sizes that fit the width of a terminal.
const SIZES: usize = 7;

pub(crate) fn summary(document: &Document) -> Vec<Table> {
    let selection = Selection::new(document);
    let Some(primary) = selection.primary() else { return Vec::new() };
    let mut tables: Vec<Table> = BULK.into_iter().filter_map(|kind| throughput(&selection, primary, kind)).collect();
    tables.push(public_key(&selection, primary));
    if document.run.complete {
        tables.extend(gains(&selection, primary));
        tables.push(fastest(&selection, primary));
    }
    tables
}

fn throughput(selection: &Selection<'_>, primary: ContenderIndex, kind: AlgorithmKind) -> Option<Table> {
    let all = selection.sizes(kind);
    let sizes = choose(&all, selection.yardstick(kind)?);
    let lines: Vec<Line<'_>> =
        lines(selection, kind, &sizes).into_iter().filter(|line| line.key.who == primary).collect();
    // If the states do not differ, show only one line.
    let primary_key = |task| SeriesKey::new(primary, Acceleration::On, task, 0);
    let is_same = |task| is_equal(&worths(selection, primary_key(task), &selection.sizes_of(task)));
    let scale = Scale::of_table(Unit::BytesPerSecond);
    let is_shown = |line: &Line<'_>| line.key.state != Acceleration::Off || !is_same(line.key.task);
    let shown: Vec<Line<'_>> = lines.iter().filter(|line| is_shown(line)).cloned().collect();
    let begins =
        |line: &Line<'_>| shown.iter().find(|one| one.key.task == line.key.task).is_some_and(|one| one.key == line.key);
    let library = selection.full_label(primary);
    let title = say!("tables-of-library", kind = kind_title(kind), library = library, unit = scale.name);
    let table = TableBuilder::new(title, &shown)
        .words(say!("tables-algorithm"), |line| begins(line).then(|| line.key.task.title()))
        .words(say!("tables-state"), |line| {
            if is_same(line.key.task) { "on, off".to_owned() } else { line.key.state.to_string() }
        })
        .when(has_code_path(selection, &lines), |table| {
            table.words(say!("tables-path"), |line| short(&code_path(&line.cells), 11))
        })
        .each(sizes.iter().enumerate(), |table, (index, bytes)| {
            table.figures(size(*bytes), |line| figure(selection, line.cells[index], scale))
        })
        .notes(shown.iter().any(|line| is_same(line.key.task)).then(|| say!("tables-on-off-mark")))
        .notes((sizes.len() < all.len()).then(|| say!("tables-sizes-shown", shown = sizes.len(), all = all.len())));
    Some(table.table().with_marks())
}

fn public_key(selection: &Selection<'_>, primary: ContenderIndex) -> Table {
    let scale = Scale::of_table(Unit::OperationsPerSecond);
    let kinds = KINDS.into_iter().filter(|kind| !kind.is_bulk());
    let tasks = kinds.flat_map(|kind| selection.tasks(kind));
    let rows: Vec<(Task, usize)> =
        tasks.flat_map(|task| selection.sizes_of(task).into_iter().map(move |bytes| (task, bytes))).collect();
    let series = |who: ContenderIndex, (task, bytes): &(Task, usize)| {
        selection.series(SeriesKey::new(who, Acceleration::On, *task, *bytes))
    };
    // Only libraries with figures, as many as fit, in the order of tables.
    let has_any = |who: &ContenderIndex| rows.iter().any(|row| series(*who, row).is_some());
    let columns: Vec<ContenderIndex> = selection.peers(primary).filter(has_any).take(6).collect();
    let is_empty =
        |row: &(Task, usize)| columns.iter().all(|who| figure(selection, series(*who, row), scale).is_empty());
    let rows: Vec<(Task, usize)> = rows.iter().filter(|row| !is_empty(row)).copied().collect();
    TableBuilder::new(say!("tables-public-keys", unit = scale.name), &rows)
        .words(say!("tables-algorithm"), |(task, _)| task.title())
        .each(columns, |table, who| {
            table.figures(selection.label(who).cut(12), |row| figure(selection, series(who, row), scale))
        })
        .table()
}

/// Returns a table of the gains from acceleration at each size. Adds the interval and the lead over the slowest
/// algorithm at the representative size.
fn gains(selection: &Selection<'_>, primary: ContenderIndex) -> Option<Table> {
    let mut all: Vec<usize> = BULK.iter().flat_map(|kind| selection.sizes(*kind)).collect();
    all.sort_unstable();
    all.dedup();
    let at = yardstick(&all)?;
    let sizes = choose(&all, at);
    let worth = |task| worths(selection, SeriesKey::new(primary, Acceleration::On, task, 0), &sizes);
    let tasks = BULK.iter().flat_map(|kind| selection.tasks(*kind)).map(|task| (task, worth(task)));
    let rows: Vec<(Task, Vec<Option<Worth>>)> = tasks.filter(|(_, worth)| worth.iter().any(Option::is_some)).collect();
    let is_any_equal = rows.iter().flat_map(|(_, worth)| worth.iter().flatten()).any(|worth| !worth.is_shown);
    // Published figures have no intervals and are not compared.
    let is_measured = !selection.is_quoted();
    let table = TableBuilder::new(say!("tables-gains", library = selection.full_label(primary)), &rows)
        .words(say!("tables-algorithm"), |(task, _)| task.title())
        .each(sizes.iter().enumerate(), |table, (index, bytes)| {
            table.figures(size(*bytes), |(_, worth)| worth[index].map(|worth| Cell::ratio(worth.ratio, worth.is_shown)))
        })
        .when(is_measured, |table| {
            let shown = |task: Task| {
                selection.gain(SeriesKey::new(primary, Acceleration::On, task, at)).filter(|gain| gain.is_shown)
            };
            let lead = |task: Task| against_slowest(selection, primary, task, at);
            table
                .figures(say!("tables-interval-heading"), |(task, _)| shown(*task).map(|gain| interval(gain.ci95)))
                .figures(say!("tables-slowest"), |(task, _)| lead(*task).map(times))
        })
        .notes(is_any_equal.then(|| say!("tables-equal-mark")))
        .notes([if is_measured { say!("tables-gains-note", size = size(at)) } else { say!("origin-ratios") }]);
    Some(table.table())
}

/// Returns the lead of a task over the slowest task of its kind. `None` for the slowest itself, and if no difference is
/// proven.
fn against_slowest(selection: &Selection<'_>, who: ContenderIndex, task: Task, bytes: usize) -> Option<f64> {
    let series = |task| selection.ranked(SeriesKey::new(who, Acceleration::On, task, bytes));
    let slowest =
        selection.tasks(task.kind()).into_iter().filter_map(series).min_by(|one, other| by_speed(other, one))?;
    selection
        .compare(series(task), Some(slowest))
        .filter(|lead| lead.is_shown && lead.ratio > 1.0)
        .map(|lead| lead.ratio)
}

pub(crate) fn fastest(selection: &Selection<'_>, primary: ContenderIndex) -> Table {
    let scale = Scale::of_table(Unit::BytesPerSecond);
    let (mut rows, mut sizes) = (Vec::new(), Vec::new());
    for kind in BULK {
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
    let behind = |best: &Series, (who, other): &(ContenderIndex, &Series)| {
        let label = selection.label(*who).cut(12);
        let by = match selection.compare(Some(other), Some(best))? {
            lag if lag.is_shown => say!("words-times", ratio = fixed(lag.ratio, 2)),
            _ => "=".into(),
        };
        Some(Text::list(Separator::Space, [label, by]))
    };
    let sizes = sizes.into_iter().map(Text::from);
    let sizes = sizes.reduce(|first, second| say!("list-or", first = first, second = second));
    TableBuilder::new(say!("tables-fastest", sizes = sizes), &rows)
        .words(say!("tables-algorithm"), |(task, ..)| task.title())
        .words(say!("tables-library"), |(_, best, ..)| selection.label(*best).cut(14))
        .words(say!("tables-path"), |(_, _, series, _)| short(&series.code_path, 11))
        .figures(scale.name, |(_, _, series, _)| figure(selection, Some(series), scale))
        .words(say!("tables-next"), |(_, _, series, others)| {
            Text::list(Separator::Comma, others.iter().filter_map(|other| behind(series, other)).take(3))
        })
        .notes([say!("tables-equal-mark")])
        .table()
}

/// Returns a cell with a figure, without its interval.
fn figure(selection: &Selection<'_>, series: Option<&Series>, scale: Scale) -> Cell {
    Cell { interval: None, ..Cell::of_series(selection.document, series, scale) }
}

fn interval([low, high]: [f64; 2]) -> String {
    let decimals = if low >= 10.0 { 1 } else { 2 };
    format!("{}–{}", fixed(low, decimals), fixed(high, decimals))
}

fn worths(selection: &Selection<'_>, key: SeriesKey, sizes: &[usize]) -> Vec<Option<Worth>> {
    sizes.iter().map(|bytes| selection.worth(key.at_size(*bytes))).collect()
}

/// Returns the gains from acceleration for the algorithms of a kind: a table, or a sentence if no library has a proven
/// difference. `None` if nothing was measured with acceleration on and off.
pub(crate) fn ratios(selection: &Selection<'_>, kind: AlgorithmKind) -> Option<Block> {
    let sizes = selection.sizes(kind);
    let rows = selection.tasks(kind).into_iter().flat_map(|task| selection.rows(task));
    let mut keys: Vec<SeriesKey> = rows.map(|key| key.in_state(Acceleration::On)).collect();
    keys.dedup();
    let rows: Vec<(SeriesKey, Vec<Option<Worth>>)> = keys
        .into_iter()
        .map(|key| (key, worths(selection, key, &sizes)))
        .filter(|(_, worth)| worth.iter().any(Option::is_some))
        .collect();
    let at = selection.yardstick(kind).filter(|_| !rows.is_empty())?;
    if rows.iter().all(|(_, worth)| is_equal(worth)) {
        let libraries = unique(rows.iter().map(|(key, _)| key.who));
        let libraries = Text::list(Separator::Comma, libraries.into_iter().map(|who| selection.full_label(who)));
        return Some(Block::Paragraph(say!("page-nowhere-different", kind = kind_title(kind), libraries = libraries)));
    }
    let cell = |worth: &[Option<Worth>], index: usize| match worth[index] {
        // A row without any difference has one cell over all columns.
        _ if is_equal(worth) && index > 0 => Cell::default(),
        _ if is_equal(worth) => Cell { span: worth.len(), ..say!("words-no-difference").into() },
        Some(worth) if worth.is_shown => {
            Cell { interval: worth.interval.map(interval).map(Text::from), ..times(worth.ratio).into() }
        }
        Some(_) => Cell::equal(),
        None => Cell::default(),
    };
    let lead = |key: &SeriesKey| against_slowest(selection, key.who, key.task, at).map(times);
    let has_lead = kind.is_bulk() && !selection.is_quoted();
    let slowest = Column {
        beneath: Some(say!("page-on-at", size = size(at))),
        ..Column::figures(say!("page-times-the-slowest"))
    };
    let table = TableBuilder::new(say!("page-ratios-of", kind = kind_title(kind)), &rows)
        .words(say!("tables-algorithm"), |(key, _)| key.task.title())
        .words(say!("tables-library"), |(key, _)| selection.full_label(key.who))
        .each(sizes.iter().enumerate(), |table, (index, bytes)| {
            table.figures(column(kind, *bytes, say!("page-on-over-off")), |(_, worth)| cell(worth, index))
        })
        .when(has_lead, |table| table.column(slowest, |(key, _)| lead(key)));
    Some(Block::Table(table.table()))
}

fn is_equal(worth: &[Option<Worth>]) -> bool {
    worth.iter().all(|worth| worth.is_some_and(|worth| !worth.is_shown))
}

/// Chooses at most [`SIZES`] of `all`, evenly distributed; includes the first, the last and `wanted`.
fn choose(all: &[usize], wanted: usize) -> Vec<usize> {
    if all.len() <= SIZES {
        return all.to_vec();
    }
    let last = all.len() - 1;
    let mut chosen: Vec<usize> = (0..SIZES).filter_map(|step| all.get(step * last / (SIZES - 1)).copied()).collect();
    if !chosen.contains(&wanted) {
        // Replaces a size between the ends, never an end.
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
    fn choose_keeps_the_smallest_the_largest_and_the_wanted_size() {
        let all: Vec<usize> = (1..=40).map(|n| n * 16).collect();
        let chosen = choose(&all, 592);
        assert_eq!((chosen.len(), chosen[0], chosen[6]), (7, 16, 640));
        assert!(chosen.contains(&592) && chosen.is_sorted());
        assert_eq!(choose(&[16, 64], 64), [16, 64]);
    }
}
