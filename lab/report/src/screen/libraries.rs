//! AES-128-GCM by library: what reaches users, from the cipher to the file.

use crate::way::packet_operation;
use std::collections::{BTreeMap, BTreeSet};

use crate::language::{pick, say};
use crate::packets::bound;
use crate::quantity::{digits, size};
use crate::selection::{Selection, Task, is_drawn, join, sound_figure};
use crate::table::{Over, Table};
use crate::transfer;
use crate::visible::short;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Series};
use kasoku_model::language::Language;
use kasoku_model::level::Level;
use kasoku_model::library::Role;
use kasoku_model::workload::files::{Cache, Storage};
use kasoku_model::workload::{Operation, PacketOperation};

/// The most libraries.
const MAX_SHOWN: usize = 6;
/// The payload of a QUIC packet on the usual path.
const PACKET: usize = 1440;

/// A row: what was done, by whom, the best first, and how fast.
pub(crate) struct RankedRow<'a> {
    pub(crate) title: String,
    pub(crate) cells: Vec<(&'a Series, String)>,
    /// Whether the first is shown to differ from every other.
    pub(crate) is_shown: bool,
}

/// The table; `None` if there are not two libraries to compare.
pub(super) fn table(selection: &Selection<'_>) -> Option<Table> {
    let language = selection.messages.language;
    let packets = packets(selection);
    let shares = packets.as_ref().and_then(|packets| shares(selection, packets));
    let rows = [messages(selection), packets, shares, transfers(selection), files(selection)];
    let rows: Vec<RankedRow<'_>> = rows.into_iter().flatten().filter(|row| !row.cells.is_empty()).collect();
    // In the order of the first row that has them.
    let mut columns: Vec<(&str, &str)> = Vec::new();
    for (series, _) in rows.iter().flat_map(|row| &row.cells) {
        if !columns.contains(&name(series)) {
            columns.push(name(series));
        }
    }
    columns.truncate(MAX_SHOWN);
    if columns.len() < 2 {
        return None;
    }
    let twice = |library: &str| columns.iter().filter(|(other, _)| *other == library).count() > 1;
    let heading = |(library, version): &(&str, &str)| {
        short(&if twice(library) { join(library, version, "") } else { short(library, 14) }, 22)
    };
    let title = pick(language, "AES-128-GCM by library, GB/s", "実装別のAES-128-GCM（GB/s）");
    let is_equal = |row: &RankedRow<'_>| !row.is_shown && row.cells.len() > 1;
    let note = unshown(language);
    let cell = |row: &RankedRow<'_>, column: &(&str, &str)| {
        let found = row.cells.iter().find(|(series, _)| name(series) == *column);
        found.map_or_else(|| "–".to_owned(), |(_, text)| text.clone())
    };
    Over::new(title, &rows)
        .words("", |row| format!("{}{}", if is_equal(row) { "~ " } else { "" }, row.title))
        .each(&columns, |table, column| table.figures(heading(column), |row| cell(row, column)))
        .notes(rows.iter().any(is_equal).then_some(note))
        .any()
}

/// What the mark of a row means whose best is not shown to differ from every other.
pub(crate) fn unshown(language: Language) -> &'static str {
    pick(
        language,
        "~ no difference shown between the best and at least one other",
        "~ 最良のものとほかのどれかとの間に差が認められません",
    )
}

fn name(series: &Series) -> (&str, &str) {
    (&series.library, &series.library_version)
}

/// One message after the other, at the size that stands for all.
pub(crate) fn messages<'a>(selection: &Selection<'a>) -> Option<RankedRow<'a>> {
    let task = Task::main(Algorithm::Aes128Gcm);
    let bytes = selection.yardstick(task.kind())?;
    let ranking = selection.ranking(selection.primary()?, task, bytes);
    Some(row(selection, size(bytes), ranking.into_iter().map(|(_, series)| series).collect(), gigabytes))
}

/// Whole QUIC packets, one at a time.
pub(crate) fn packets<'a>(selection: &Selection<'a>) -> Option<RankedRow<'a>> {
    let document = selection.document;
    let is_one =
        |series: &&Series| packet_operation(series) == Some(PacketOperation::PACKET) && series.workload().keys == 1;
    let all = || candidates(document, Level::Packets, Algorithm::Aes128Gcm).filter(is_one);
    let bytes = all().map(|series| series.bytes).min_by_key(|bytes| bytes.abs_diff(PACKET))?;
    let mut series: Vec<&Series> = all().filter(|series| series.bytes == bytes).collect();
    series.sort_by(|a, b| b.median.unwrap_or(0.0).total_cmp(&a.median.unwrap_or(0.0)));
    let size = size(bytes);
    let title = say!(selection.messages.language, "QUIC packet, {size}", "QUICパケット、{size}");
    Some(row(selection, title, series, gigabytes))
}

/// What of the bound the figures of `packets` are.
fn shares<'a>(selection: &Selection<'a>, packets: &RankedRow<'a>) -> Option<RankedRow<'a>> {
    let bound = sound_figure(bound(selection.document, Algorithm::Aes128Gcm, selection.messages)?)?;
    let allowed = gigabytes(bound);
    let title = say!(selection.messages.language, "  of the {allowed} this CPU allows", "  CPUの上限{allowed}に対して");
    let share = |series: &'a Series| Some((series, format!("{:.0} %", sound_figure(series)? / bound * 100.0)));
    let cells = packets.cells.iter().filter_map(|(series, _)| share(series)).collect();
    // The row above says whether they differ.
    Some(RankedRow { title, cells, is_shown: true })
}

/// Data over QUIC, from end to end.
fn transfers<'a>(selection: &Selection<'a>) -> Option<RankedRow<'a>> {
    let (costs, is_shown) = transfer::quic_costs(selection.document, Algorithm::Aes128Gcm, selection.messages);
    let title = pick(selection.messages.language, "QUIC end to end, CPU s/GB", "QUIC全体、CPU秒/GB").to_owned();
    let cells = costs.into_iter().map(|(series, seconds)| (series, digits(seconds))).collect();
    Some(RankedRow { title, cells, is_shown })
}

/// The largest file that most libraries encrypt, in the page cache.
fn files<'a>(selection: &Selection<'a>) -> Option<RankedRow<'a>> {
    let is_usual = |series: &&Series| {
        series.operation == Operation::Encrypt
            && series
                .workload()
                .files()
                .is_some_and(|files| files.storage == Storage::File && files.cache == Cache::Warm)
            && series.role == Role::Library
    };
    let all = || candidates(selection.document, Level::Files, Algorithm::Aes256Gcm).filter(is_usual);
    // There may be time for the largest files with few libraries only.
    let mut libraries: BTreeMap<usize, BTreeSet<_>> = BTreeMap::new();
    for series in all() {
        libraries.entry(series.bytes).or_default().insert(name(series));
    }
    let (bytes, _) = libraries.into_iter().max_by_key(|(bytes, names)| (names.len(), *bytes))?;
    let mut series: Vec<&Series> = all().filter(|series| series.bytes == bytes).collect();
    series.sort_by(|a, b| a.median.unwrap_or(0.0).total_cmp(&b.median.unwrap_or(0.0)));
    // The best of one thread and of several, as whoever encrypts a file has it.
    let mut seen = BTreeSet::new();
    series.retain(|series| seen.insert(name(series)));
    let size = size(bytes);
    let title =
        say!(selection.messages.language, "{size} file, AES-256-GCM, ms", "{size}のファイル、AES-256-GCM（ミリ秒）");
    Some(row(selection, title, series, |seconds| digits(seconds * 1e3)))
}

fn row<'a>(
    selection: &Selection<'a>,
    title: String,
    series: Vec<&'a Series>,
    write: fn(f64) -> String,
) -> RankedRow<'a> {
    let is_shown = is_ahead(&series, |best, other| {
        selection.compare(Some(best), Some(other)).is_some_and(|comparison| comparison.is_shown)
    });
    let cell = |series: &'a Series| Some((series, write(sound_figure(series)?)));
    RankedRow { title, cells: series.into_iter().filter_map(cell).collect(), is_shown }
}

/// Whether the best is shown to differ from every other; not where there is no other.
pub(crate) fn is_ahead<T>(ranked: &[T], is_shown: impl Fn(&T, &T) -> bool) -> bool {
    ranked
        .split_first()
        .is_some_and(|(best, others)| !others.is_empty() && others.iter().all(|one| is_shown(best, one)))
}

/// What is done with acceleration on, and may be ranked; of files by as many threads as there are.
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
