//! Packets as tables of text: in full for exports, in a few lines for the terminal.

use crate::grid::{self, Grid};
use crate::language::Messages;
use crate::quantity::{Scale, percent, points, size, spread};
use crate::selection::Standing;
use crate::visible::short;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Series};

use super::finding::{Cost, Effect, batches_of, sizes_against_tls, ways_of};
use super::selection::{Packets, Who};
use crate::way::{Direction, Form, Way};

/// The longest name of a library on the terminal.
const NAME: usize = 20;
/// No more columns fit the terminal.
const COLUMNS: usize = 6;

/// One thing that costs time or brings it, on one contender.
pub(super) struct Effects {
    /// What.
    pub(super) what: String,
    /// On whom.
    pub(super) who: Who,
    /// Whether it is held against a TLS record.
    pub(super) is_over_tls: bool,
    /// One for each size of the table.
    pub(super) cells: Vec<Option<Effect>>,
}

/// Every figure of the packets of `document`, and what is compared of them.
pub(crate) fn full(document: &Document, messages: &'static Messages) -> Vec<Grid> {
    let Some(packets) = Packets::new(document, messages) else { return Vec::new() };
    let mut grids = Vec::new();
    for algorithm in packets.algorithms() {
        for direction in [Direction::Send, Direction::Receive] {
            grids.extend(figures(&packets, algorithm, direction));
        }
        grids.extend(limits(&packets, algorithm));
        grids.extend(comparisons(&packets, algorithm));
    }
    grids
}

/// A few lines: for the first algorithm, the sizes that stand for all.
pub(crate) fn summary(document: &Document, messages: &'static Messages) -> Vec<Grid> {
    let Some(packets) = Packets::new(document, messages) else { return Vec::new() };
    let all = packets.algorithms();
    let Some(algorithm) = all.first().copied() else { return Vec::new() };
    let mut grids: Vec<Grid> =
        packets.main_sizes(algorithm).into_iter().filter_map(|bytes| at(&packets, algorithm, bytes)).collect();
    if let Some(last) = grids.last_mut() {
        last.notes.push(messages.packets.summary_note.to_owned());
    }
    grids
}

/// Two series to be compared.
type Pair<'a> = (Option<&'a Series>, Option<&'a Series>);

/// The rows of a table of all sizes: who, in which way.
pub(super) fn rows(packets: &Packets<'_>, algorithm: Algorithm, direction: Direction) -> Vec<(Who, Way)> {
    let everybody = packets.everybody(algorithm, direction).into_iter();
    everybody.flat_map(|who| packets.ways(algorithm, who, direction).into_iter().map(move |way| (who, way))).collect()
}

/// The sizes of a table: those of packets, and of the records beside them.
pub(super) fn columns(packets: &Packets<'_>, algorithm: Algorithm, direction: Direction) -> Vec<usize> {
    let mut sizes = packets.sizes(algorithm);
    if direction == Direction::Send {
        let everybody = packets.everybody(algorithm, direction).into_iter();
        sizes.extend(everybody.filter_map(|who| packets.record(algorithm, who)).map(|(bytes, _)| bytes));
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// `AES-128-GCM, sending`.
pub(super) fn title(packets: &Packets<'_>, algorithm: Algorithm, direction: Direction) -> String {
    (packets.messages.packets.direction)(algorithm.title(), direction == Direction::Send)
}

/// What header protection, set-up and batches do to each, and the overhead over TLS records, as named rows.
pub(super) fn effects<'a>(packets: &Packets<'a>, algorithm: Algorithm, sizes: &[usize]) -> Vec<Effects> {
    let everybody = packets.everybody(algorithm, Direction::Send);
    let compared = |what: &str, who: Who, pair: &dyn Fn(usize) -> Pair<'a>| {
        let cell = |bytes: &usize| {
            let (first, second) = pair(*bytes);
            packets.effect(first, second)
        };
        Effects { what: what.to_owned(), who, is_over_tls: false, cells: sizes.iter().map(cell).collect() }
    };
    let words = &packets.messages.packets;
    let mut all = Vec::new();
    for (what, name) in [(Cost::HeaderProtection, words.header_protection_costs), (Cost::Setup, words.setup_costs)] {
        let (without, with) = ways_of(what);
        for who in &everybody {
            let series = |way, bytes| packets.ranked(algorithm, *who, way, bytes);
            all.push(compared(name, *who, &|bytes| (series(without, bytes), series(with, bytes))));
        }
    }
    for who in &everybody {
        for batch in batches_of(packets, algorithm, *who) {
            let name = (words.batches_bring)(batch);
            let batched = |bytes| packets.ranked(algorithm, *who, Way::batch_of(batch), bytes);
            let one_by_one = |bytes| packets.one_by_one(algorithm, *who, batch, bytes);
            all.push(compared(&name, *who, &|bytes| (batched(bytes), one_by_one(bytes))));
        }
    }
    let told = sizes_against_tls(packets, algorithm);
    for who in &everybody {
        let record = packets.record(algorithm, *who).map(|(_, series)| series);
        for batch in std::iter::once(1).chain(batches_of(packets, algorithm, *who)) {
            let over = |bytes: &usize| {
                let series = packets.ranked(algorithm, *who, Way::batch_of(batch), *bytes);
                packets.effect(record, series.filter(|_| told.contains(bytes)))
            };
            let what = (words.over_tls_costs)(batch);
            all.push(Effects { what, who: *who, is_over_tls: true, cells: sizes.iter().map(over).collect() });
        }
    }
    all.retain(|effects| effects.cells.iter().any(Option::is_some));
    all
}

/// In what the figures of packets are written: no packet is so slow that another unit would be better.
pub(super) fn scale() -> Scale {
    Scale::of_bytes(1e9)
}

fn figures(packets: &Packets<'_>, algorithm: Algorithm, direction: Direction) -> Option<Grid> {
    let sizes = columns(packets, algorithm, direction);
    let limit = packets.limit(algorithm);
    let Messages { tables, packets: told, .. } = packets.messages;
    let mut headings: Vec<String> = [told.library, told.what, tables.code_path].map(str::to_owned).into();
    let words = headings.len();
    headings.extend(sizes.iter().map(|bytes| size(*bytes)));
    headings.push(tables.at_most.to_owned());
    let mut is_any = [false; 3];
    let row = |(who, way): (Who, Way)| {
        let all: Vec<Option<&Series>> = sizes.iter().map(|bytes| packets.series(algorithm, who, way, *bytes)).collect();
        let mut row = vec![packets.label(who), (told.way)(way), code_path(&all)];
        for series in &all {
            let share = series.and_then(|series| packets.share(series, limit));
            is_any[0] |= share.is_some();
            let standing = series.map(|series| Standing::of(packets.document, series));
            is_any[1] |= standing == Some(Standing::Unverified);
            is_any[2] |= standing == Some(Standing::Failed);
            row.push(with_share(grid::cell(packets.document, *series, scale()), share));
        }
        let widest = all.iter().flatten().filter_map(|series| spread(series)).max_by(f64::total_cmp);
        row.push(widest.map(percent).unwrap_or_default());
        row
    };
    let rows: Vec<Vec<String>> = rows(packets, algorithm, direction).into_iter().map(row).collect();
    let notes = [told.bracket_mark, tables.unverified_mark, tables.failed_mark];
    let notes = notes.into_iter().zip(is_any).filter(|(_, is)| *is).map(|(note, _)| note.to_owned()).collect();
    let title = (told.figures_export)(&title(packets, algorithm, direction), scale().name);
    (!rows.is_empty()).then_some(Grid { title, headings, words, rows, notes })
}

fn limits(packets: &Packets<'_>, algorithm: Algorithm) -> Option<Grid> {
    let limits = packets.limits(algorithm);
    let row = |series: &&Series| {
        let median = spread(series).map(percent).unwrap_or_default();
        vec![short(&series.library, NAME), scale().write(series.median.unwrap_or(0.0)), median]
    };
    let rows: Vec<Vec<String>> = limits.iter().map(row).collect();
    let words = &packets.messages.packets;
    let headings = [words.limit_heading, scale().name, "±"].map(str::to_owned).into();
    let title = (words.limits_export)(algorithm.title());
    (!rows.is_empty()).then_some(Grid { title, headings, words: 1, rows, notes: Vec::new() })
}

fn comparisons(packets: &Packets<'_>, algorithm: Algorithm) -> Option<Grid> {
    let sizes = packets.sizes(algorithm);
    let Messages { tables, packets: told, .. } = packets.messages;
    let mut headings: Vec<String> = [told.what, told.library].map(str::to_owned).into();
    let words = headings.len();
    headings.extend(sizes.iter().map(|bytes| size(*bytes)));
    let cell = |effect: &Option<Effect>| match effect {
        Some(effect) if effect.is_shown => format!("{} %", points(effect.percent)),
        Some(_) => "=".to_owned(),
        None => String::new(),
    };
    let row = |effects: Effects| {
        let mut row = vec![effects.what, packets.label(effects.who)];
        row.extend(effects.cells.iter().map(cell));
        row
    };
    let rows: Vec<Vec<String>> = effects(packets, algorithm, &sizes).into_iter().map(row).collect();
    let title = (told.effects_export)(algorithm.title());
    let notes = vec![tables.equal_mark.to_owned()];
    (!rows.is_empty()).then_some(Grid { title, headings, words, rows, notes })
}

/// One size on the terminal: a line a library, a column a way.
fn at(packets: &Packets<'_>, algorithm: Algorithm, bytes: usize) -> Option<Grid> {
    let everybody = packets.everybody(algorithm, Direction::Send);
    let mut ways: Vec<Way> = Vec::new();
    for direction in [Direction::Send, Direction::Receive] {
        for (_, way) in rows(packets, algorithm, direction) {
            let is_told =
                way.form != Form::Record && !way.is_looped && (direction == Direction::Send || way.batch == 1);
            if is_told && !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    ways.sort_unstable();
    ways.truncate(COLUMNS);
    let limit = packets.limit(algorithm);
    let row = |who: &Who| {
        let mut row = vec![short(&packets.short_label(*who), NAME)];
        row.extend(ways.iter().map(|way| {
            let series = packets.series(algorithm, *who, *way, bytes);
            with_share(
                grid::cell(packets.document, series, scale()),
                series.and_then(|series| packets.share(series, limit)),
            )
        }));
        row
    };
    let rows: Vec<Vec<String>> =
        everybody.iter().map(row).filter(|row| row.iter().skip(1).any(|cell| !cell.is_empty())).collect();
    let words = &packets.messages.packets;
    let heading = |way: &Way| match (way.direction, way.form) {
        (Direction::Receive, _) => words.receive.to_owned(),
        (_, Form::Cipher) => words.cipher.to_owned(),
        (_, Form::Packet) if way.batch == 1 => words.header.to_owned(),
        (_, Form::Packet) => (words.at_once)(way.batch),
        _ => (words.way)(*way),
    };
    let headings = std::iter::once(words.library.to_owned()).chain(ways.iter().map(heading)).collect();
    let [limit, aes] = [limit, packets.aes_bound(algorithm)].map(|limit| limit.map(rate));
    let title = (words.at_size)(algorithm.title(), &size(bytes), scale().name, limit.as_deref(), aes.as_deref());
    (!rows.is_empty()).then_some(Grid { title, headings, words: 1, rows, notes: Vec::new() })
}

fn rate(series: &Series) -> String {
    scale().write(series.median.unwrap_or(0.0))
}

fn with_share(figure: String, share: Option<f64>) -> String {
    share.map_or_else(|| figure.clone(), |share| format!("{figure} ({share:.0} %)"))
}

/// The code paths of a row's series, joined if the size decides.
pub(super) fn code_path(series: &[Option<&Series>]) -> String {
    let mut paths: Vec<&str> = Vec::new();
    for series in series.iter().flatten() {
        if !series.code_path.is_empty() && !paths.contains(&series.code_path.as_str()) {
            paths.push(&series.code_path);
        }
    }
    short(&paths.join("/"), grid::CODE_PATH)
}

/// The states other than `on` are told in a chart only if there is nothing else.
pub(super) fn charted(packets: &Packets<'_>, algorithm: Algorithm) -> Vec<Who> {
    let mut all = packets.everybody(algorithm, Direction::Send);
    if all.iter().any(|who| who.state == Acceleration::On) {
        all.retain(|who| who.state == Acceleration::On);
    }
    all
}
