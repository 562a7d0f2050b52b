//! The table of the final screen that compares libraries with AES-128-GCM in messages, packets, transfers and files.

use std::collections::{BTreeMap, BTreeSet};

use crate::chart::{Plot, ReferenceLine};
use crate::level::{packets, transfer};
use crate::prelude::*;
use crate::selection::{USUAL_FILES, by_speed, is_ahead, is_drawn};
use kasoku_model::library::{self, Role};
use kasoku_model::statistics::Comparison;
use kasoku_model::workload::PacketOperation;

/// Maximum number of libraries in the table.
const MAX_SHOWN: usize = 6;
/// Payload of a QUIC packet that fits the usual path MTU, in bytes.
const PACKET: usize = 1440;

/// A row of the table: an operation with its libraries, best first, and their figures.
struct RankedRow<'a> {
    title: Text,
    cells: Vec<(&'a Series, String)>,
    /// Whether the best library's difference from every other library exceeds the noise.
    is_shown: bool,
}

/// Lead of the fastest library of a row over the next library that is proven to be slower.
pub(crate) struct Lead<'a> {
    pub(crate) title: Text,
    pub(crate) first: &'a Series,
    pub(crate) second: &'a Series,
    /// Speeds of `first` and `second`, formatted with their unit as in the table's row.
    pub(crate) figures: [String; 2],
    pub(crate) by: Comparison,
}

/// Returns the table of the final screen; `None` if fewer than two libraries were measured.
pub(super) fn table(selection: &Selection<'_>) -> Option<Table> {
    let packets = packets(selection);
    let shares = packets.as_ref().and_then(|packets| shares(selection, packets));
    let rows = [messages(selection), packets, shares, transfers(selection), files(selection)];
    let rows: Vec<RankedRow<'_>> = rows.into_iter().flatten().filter(|row| !row.cells.is_empty()).collect();
    // Ordered by first appearance in the rows. Libraries with a place in tables come before the others.
    let mut columns = unique(rows.iter().flat_map(|row| &row.cells).map(|(series, _)| name(series)));
    columns.sort_by_key(|(library, _)| library::info(library).is_none());
    columns.truncate(MAX_SHOWN);
    if columns.len() < 2 {
        return None;
    }
    let twice = |library: &str| columns.iter().filter(|(other, _)| *other == library).count() > 1;
    let heading = |(library, version): &(&str, &str)| {
        short(&if twice(library) { join(library, version) } else { short(library, 14) }, 22)
    };
    let is_equal = |row: &RankedRow<'_>| !row.is_shown && row.cells.len() > 1;
    let title = |row: &RankedRow<'_>| {
        let mark = if is_equal(row) { "~ " } else { "" };
        Text::list(Separator::None, [mark.into(), row.title.clone()])
    };
    let cell = |row: &RankedRow<'_>, column: &(&str, &str)| {
        let found = row.cells.iter().find(|(series, _)| name(series) == *column);
        found.map_or_else(|| "–".to_owned(), |(_, text)| text.clone())
    };
    TableBuilder::new(say!("screen-libraries-title"), &rows)
        .words("", title)
        .each(&columns, |table, column| table.figures(heading(column), |row| cell(row, column)))
        .notes(rows.iter().any(is_equal).then(|| say!("screen-libraries-unshown")))
        .any()
}

pub(crate) fn section(selection: &Selection<'_>, palette: &Palette) -> Option<Section> {
    let bounds = [None, packets::bound(selection.document, Algorithm::Aes128Gcm)];
    let rows = compared(selection);
    let each = rows.iter().zip(["libraries", "libraries-in-packets"]).zip(bounds);
    let charts = each.filter_map(|((row, name), bound)| Some(chart(name, row.as_ref()?, bound, palette)));
    let mut blocks: Vec<Block> = Block::charts(Vec::new(), charts.collect()).into_iter().collect();
    if rows.iter().flatten().any(|row| !row.is_shown) {
        blocks.push(Block::Note(say!("screen-libraries-unshown")));
    }
    Section::open("libraries", say!("page-libraries"), blocks).any()
}

pub(crate) fn leads<'a>(selection: &Selection<'a>) -> Vec<Lead<'a>> {
    let lead = |row: RankedRow<'a>| {
        let ((first, fast), others) = row.cells.split_first()?;
        others.iter().find_map(|(second, slow)| {
            let by = selection.compare(Some(*first), Some(*second)).filter(|lead| lead.is_shown)?;
            let figures = [fast.clone(), slow.clone()];
            Some(Lead { title: row.title.clone(), first, second, figures, by })
        })
    };
    compared(selection).into_iter().flatten().filter_map(lead).collect()
}

/// Returns the rows of messages and packets of a complete run in which several libraries were measured.
fn compared<'a>(selection: &Selection<'a>) -> [Option<RankedRow<'a>>; 2] {
    let is_comparison = |row: &RankedRow<'_>| selection.document.run.complete && row.cells.len() > 1;
    [messages(selection), packets(selection)].map(|row| row.filter(is_comparison))
}

fn chart(name: &str, row: &RankedRow<'_>, bound: Option<&Series>, palette: &Palette) -> Chart {
    let figures: Vec<(&Series, f64)> =
        row.cells.iter().filter_map(|(series, _)| Some((*series, series.median?))).collect();
    let bound = bound.and_then(sound_figure);
    let is_twice = |series: &Series| figures.iter().filter(|(other, _)| other.library == series.library).count() > 1;
    let bar = |(series, figure): &(&Series, f64)| {
        let version = if is_twice(series) { &series.library_version } else { "" };
        Bar {
            label: Some(short(&join(&series.library, version), 22).into()),
            share: bound.map(|bound| figure / bound * 100.0),
            ..Bar::of_series(Some(series), palette.color(&series.library))
        }
    };
    let mark = if row.is_shown { "AES-128-GCM" } else { "~ AES-128-GCM" };
    let title = Text::list(Separator::Comma, [mark.into(), row.title.clone()]);
    let of_bound = bound.map(|_| say!("packets-share-of-bound"));
    let reference = |value| ReferenceLine { label: say!("packets-bound"), value, is_main: true };
    let groups = vec![BarGroup { label: Text::EMPTY, bars: figures.iter().map(bar).collect() }];
    let plot = Plot::Bars { groups, marks: bound.map(reference).into_iter().collect() };
    Chart::fitting(name, title, Unit::BytesPerSecond, plot).with_shares(of_bound)
}

fn name(series: &Series) -> (&str, &str) {
    (&series.library, &series.library_version)
}

fn messages<'a>(selection: &Selection<'a>) -> Option<RankedRow<'a>> {
    let task = Task::main(Algorithm::Aes128Gcm);
    let bytes = selection.yardstick(task.kind())?;
    let ranking = selection.ranking(selection.primary()?, task, bytes);
    Some(row(selection, size(bytes).into(), ranking.into_iter().map(|(_, series)| series).collect(), gigabytes))
}

fn packets<'a>(selection: &Selection<'a>) -> Option<RankedRow<'a>> {
    let document = selection.document;
    let is_one = |series: &&Series| {
        series.workload().packets() == Some(PacketOperation::PACKET.packets) && series.operation == Operation::Protect
    };
    let all = || candidates(document, Level::Packets, Algorithm::Aes128Gcm).filter(is_one);
    let bytes = all().map(|series| series.bytes).min_by_key(|bytes| bytes.abs_diff(PACKET))?;
    let mut series: Vec<&Series> = all().filter(|series| series.bytes == bytes).collect();
    series.sort_by(|one, other| by_speed(one, other));
    Some(row(selection, say!("screen-libraries-packet", size = size(bytes)), series, gigabytes))
}

fn shares<'a>(selection: &Selection<'a>, row: &RankedRow<'a>) -> Option<RankedRow<'a>> {
    let bound = sound_figure(packets::bound(selection.document, Algorithm::Aes128Gcm)?)?;
    let title = say!("screen-libraries-share", allowed = gigabytes(bound));
    let share = |series: &'a Series| Some((series, format!("{} %", fixed(sound_figure(series)? / bound * 100.0, 0))));
    let cells = row.cells.iter().filter_map(|(series, _)| share(series)).collect();
    // The row of packets says whether they differ.
    Some(RankedRow { title, cells, is_shown: true })
}

fn transfers<'a>(selection: &Selection<'a>) -> Option<RankedRow<'a>> {
    let (costs, is_shown) = transfer::quic_costs(selection.document, Algorithm::Aes128Gcm)?;
    let cells = costs.into_iter().map(|(series, seconds)| (series, digits(seconds))).collect();
    Some(RankedRow { title: say!("screen-libraries-transfer"), cells, is_shown })
}

/// Returns the row for files in the page cache, at the largest size that most libraries encrypted.
fn files<'a>(selection: &Selection<'a>) -> Option<RankedRow<'a>> {
    let is_usual = |series: &&Series| {
        series.operation == Operation::Encrypt
            && series.workload().files() == Some(USUAL_FILES)
            && series.role == Role::Library
    };
    let all = || candidates(selection.document, Level::Files, Algorithm::Aes256Gcm).filter(is_usual);
    // The largest files may have been measured with few libraries only.
    let mut libraries: BTreeMap<usize, BTreeSet<_>> = BTreeMap::new();
    for series in all() {
        libraries.entry(series.bytes).or_default().insert(name(series));
    }
    let (bytes, _) = libraries.into_iter().max_by_key(|(bytes, names)| (names.len(), *bytes))?;
    let mut series: Vec<&Series> = all().filter(|series| series.bytes == bytes).collect();
    series.sort_by(|one, other| by_speed(other, one));
    // Keeps the better of one and several threads.
    let mut seen = BTreeSet::new();
    series.retain(|series| seen.insert(name(series)));
    Some(row(selection, say!("screen-libraries-file", size = size(bytes)), series, |seconds| digits(seconds * 1e3)))
}

fn row<'a>(selection: &Selection<'a>, title: Text, series: Vec<&'a Series>, write: fn(f64) -> String) -> RankedRow<'a> {
    let is_shown = is_ahead(&series, |best, other| {
        selection.compare(Some(best), Some(other)).is_some_and(|comparison| comparison.is_shown)
    });
    let cell = |series: &'a Series| Some((series, write(sound_figure(series)?)));
    RankedRow { title, cells: series.into_iter().filter_map(cell).collect(), is_shown }
}

/// Returns the verified or published series with acceleration on, except A/A controls. Such series ran on one thread
/// or, at the level `files`, on any number of threads.
fn candidates(document: &Document, level: Level, algorithm: Algorithm) -> impl Iterator<Item = &Series> + Clone {
    document.series.iter().filter(move |series| {
        series.level == level
            && series.algorithm == algorithm
            && series.acceleration == Acceleration::On
            && (level == Level::Files || series.details.threads == 1)
            && !series.details.control
            && is_drawn(document, series)
    })
}

fn gigabytes(figure: f64) -> String {
    digits(figure / 1e9)
}
