//! Packets as tables: all figures and what is compared of them, and a few lines for the terminal.

use crate::language::Messages;
use crate::quantity::{Scale, digits, percent, points, size, spread};
use crate::series;
use crate::table::{Cell, Column, Mark, Table};
use crate::visible::short;
use crate::way::{Direction, Form, Way, is_aes_bound, is_mixed_bound};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Series};

use super::finding::{Cost, Finding, batches_of, sizes_against_tls, ways_of};
use super::selection::{Effect, Packets, Who};

/// The longest name of a library on the terminal.
const NAME: usize = 20;
/// No more columns fit the terminal.
const COLUMNS: usize = 6;

/// Every figure of the packets of `document`, and what is compared of them.
pub(crate) fn full(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let Some(packets) = Packets::new(document, messages) else { return Vec::new() };
    packets.algorithms().into_iter().flat_map(|algorithm| of_algorithm(&packets, algorithm)).collect()
}

/// The tables of an algorithm.
pub(super) fn of_algorithm(packets: &Packets<'_>, algorithm: Algorithm) -> Vec<Table> {
    let tables = [
        figures(packets, algorithm, Direction::Send),
        figures(packets, algorithm, Direction::Receive),
        limits(packets, algorithm),
        effects(packets, algorithm),
        over_tls(packets, algorithm),
    ];
    tables.into_iter().flatten().collect()
}

/// A few lines: for the first algorithm, the sizes that stand for all.
pub(crate) fn summary(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let Some(packets) = Packets::new(document, messages) else { return Vec::new() };
    let all = packets.algorithms();
    let Some(algorithm) = all.first().copied() else { return Vec::new() };
    let mut grids: Vec<Table> =
        packets.main_sizes(algorithm).into_iter().filter_map(|bytes| at(&packets, algorithm, bytes)).collect();
    if let Some(last) = grids.last_mut() {
        last.notes.push(messages.packets.summary_note.to_owned());
    }
    grids
}

/// Two series to be compared.
type Pair<'a> = (Option<&'a Series>, Option<&'a Series>);

/// The rows of a table of all sizes: who, in which way.
fn rows(packets: &Packets<'_>, algorithm: Algorithm, direction: Direction) -> Vec<(Who, Way)> {
    let everybody = packets.everybody(algorithm, direction).into_iter();
    everybody.flat_map(|who| packets.ways(algorithm, who, direction).into_iter().map(move |way| (who, way))).collect()
}

/// The sizes of a table: those of packets, and of the records beside them.
fn columns(packets: &Packets<'_>, algorithm: Algorithm, direction: Direction) -> Vec<usize> {
    let mut sizes = packets.sizes(algorithm);
    if direction == Direction::Send {
        let everybody = packets.everybody(algorithm, direction).into_iter();
        sizes.extend(everybody.filter_map(|who| packets.record(algorithm, who)).map(|(bytes, _)| bytes));
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// In what the figures of packets are written: no packet is so slow that another unit would be better.
pub(super) fn scale() -> Scale {
    Scale::of_bytes(1e9)
}

fn figures(packets: &Packets<'_>, algorithm: Algorithm, direction: Direction) -> Option<Table> {
    let Packets { document, messages, .. } = packets;
    let Messages { tables, words, packets: told, .. } = messages;
    let sizes = columns(packets, algorithm, direction);
    let (limit, aes) = (packets.limit(algorithm), packets.aes_bound(algorithm));
    let mut columns: Vec<Column> = vec![
        Column::words(told.library),
        Column::words(told.what),
        Column::paths(tables.code_path),
        Column::checked(words),
    ];
    columns.extend(sizes.iter().map(|bytes| Column::figures(size(*bytes))));
    columns.push(Column::widest(tables.at_most));
    let row = |(who, way): (Who, Way)| {
        let all: Vec<Option<&Series>> = sizes.iter().map(|bytes| packets.series(algorithm, who, way, *bytes)).collect();
        let mut row: Vec<Cell> =
            vec![packets.label(who).into(), (told.way)(way).into(), series::code_path(&all).into()];
        row.push(Cell::standing(series::standing(document, &all), words));
        row.extend(all.iter().map(|series| cell(packets, *series, [limit, aes])));
        row.push(series::widest(&all).into());
        row
    };
    let rows: Vec<Vec<Cell>> = rows(packets, algorithm, direction).into_iter().map(row).collect();
    let is_any = |is: fn(&Cell) -> bool| rows.iter().flatten().any(is);
    let notes = [
        (told.bracket_mark, is_any(|cell| cell.shares[0].is_some())),
        (tables.unverified_mark, is_any(|cell| cell.mark == Some(Mark::Unverified))),
        (tables.failed_mark, is_any(|cell| matches!(cell.mark, Some(Mark::Failed(..))))),
    ];
    let what = (told.direction)(algorithm.title(), direction == Direction::Send);
    (!rows.is_empty()).then(|| Table {
        title: (told.figures)(&what, scale().name),
        columns,
        rows,
        is_grouped: true,
        notes: notes.into_iter().filter(|(_, is)| *is).map(|(note, _)| note.to_owned()).collect(),
        page_notes: Some(vec![(told.below)(limit.is_some(), aes.is_some()).to_owned()]),
    })
}

/// The CPU's limits are the same at every size.
fn limits(packets: &Packets<'_>, algorithm: Algorithm) -> Option<Table> {
    let words = &packets.messages.packets;
    let what = |series: &Series| {
        if is_aes_bound(series) {
            words.aes_alone
        } else if is_mixed_bound(series) {
            words.all_that_gcm_needs
        } else {
            words.another_part
        }
    };
    let row = |series: &&Series| {
        let half = spread(series).map(percent).unwrap_or_default();
        vec![short(&series.library, NAME), what(series).to_owned(), rate(series), half]
    };
    let rows: Vec<Vec<String>> = packets.limits(algorithm).iter().map(row).collect();
    let headings = [words.limit_heading, words.what, scale().name, "±"].map(str::to_owned).into();
    let title = (words.limits)(algorithm.title());
    (!rows.is_empty()).then(|| Table::of_text(title, headings, 2, rows, Vec::new()))
}

/// What header protection, set-up and batches do to each.
fn effects<'a>(packets: &Packets<'a>, algorithm: Algorithm) -> Option<Table> {
    let Messages { tables, packets: words, .. } = packets.messages;
    let sizes = packets.sizes(algorithm);
    let everybody = packets.everybody(algorithm, Direction::Send);
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut add = |what: &str, who: Who, pair: &dyn Fn(usize) -> Pair<'a>| {
        let effect = |(first, second)| packets.effect(first, second);
        let cells: Vec<Option<Effect>> = sizes.iter().map(|bytes| effect(pair(*bytes))).collect();
        if cells.iter().any(Option::is_some) {
            let named = [what.to_owned(), packets.label(who)].map(Cell::from).into_iter();
            rows.push(named.chain(cells.into_iter().map(|effect| effect_cell(packets, effect))).collect());
        }
    };
    for (what, name) in [(Cost::HeaderProtection, words.header_protection_costs), (Cost::Setup, words.setup_costs)] {
        let (without, with) = ways_of(what);
        for who in &everybody {
            let series = |way, bytes| packets.ranked(algorithm, *who, way, bytes);
            add(name, *who, &|bytes| (series(without, bytes), series(with, bytes)));
        }
    }
    for who in &everybody {
        for batch in batches_of(packets, algorithm, *who) {
            let batched = |bytes| packets.ranked(algorithm, *who, Way::batch_of(batch), bytes);
            let one_by_one = |bytes| packets.one_by_one(algorithm, *who, batch, bytes);
            add(&(words.batches_bring)(batch), *who, &|bytes| (batched(bytes), one_by_one(bytes)));
        }
    }
    let mut columns = [words.what, words.library].map(Column::words).to_vec();
    columns.extend(sizes.iter().map(|bytes| Column::figures(size(*bytes))));
    (!rows.is_empty()).then(|| Table {
        title: (words.effects)(algorithm.title()),
        columns,
        rows,
        is_grouped: true,
        notes: vec![tables.equal_mark.to_owned()],
        page_notes: Some(vec![words.effects_explained.to_owned()]),
    })
}

/// The overhead over TLS records, with the cycles.
fn over_tls(packets: &Packets<'_>, algorithm: Algorithm) -> Option<Table> {
    let Messages { tables, packets: words, language, .. } = packets.messages;
    let sizes = sizes_against_tls(packets, algorithm);
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for who in packets.everybody(algorithm, Direction::Send) {
        let Some((bytes, record)) = packets.record(algorithm, who) else { continue };
        for batch in std::iter::once(1).chain(batches_of(packets, algorithm, who)) {
            let over = |bytes: &usize| {
                let series = packets.ranked(algorithm, who, Way::batch_of(batch), *bytes)?;
                Some((cycles(series), packets.effect(Some(record), Some(series))?))
            };
            let cells: Vec<Option<(String, Effect)>> = sizes.iter().map(over).collect();
            if cells.iter().any(Option::is_some) {
                let of_record = Cell { value: cycles(record), interval: Some(size(bytes)), ..Cell::default() };
                let mut row = vec![packets.label(who).into(), batch.to_string().into(), of_record];
                row.extend(cells.into_iter().flat_map(|cell| {
                    let (cycles, effect) = cell.unzip();
                    [cycles.unwrap_or_default().into(), effect_cell(packets, effect)]
                }));
                rows.push(row);
            }
        }
    }
    let mut columns = vec![Column::words(words.library), Column::words(words.packets_at_once)];
    columns.push(Column::figures(words.tls_record));
    columns.extend(sizes.iter().flat_map(|bytes| [size(*bytes), words.overhead.to_owned()].map(Column::figures)));
    let about = Finding::CipherOnly.sentence(*language);
    (!rows.is_empty()).then(|| Table {
        title: (words.over_tls)(algorithm.title()),
        columns,
        rows,
        is_grouped: true,
        notes: vec![tables.equal_mark.to_owned(), about.clone()],
        page_notes: Some(vec![about]),
    })
}

/// One size on the terminal: a line a library, a column a way.
fn at(packets: &Packets<'_>, algorithm: Algorithm, bytes: usize) -> Option<Table> {
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
            cell(packets, series, [limit, None]).text()
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
    (!rows.is_empty()).then_some(Table::of_text(title, headings, 1, rows, Vec::new()))
}

fn rate(series: &Series) -> String {
    scale().write(series.median.unwrap_or(0.0))
}

/// A figure with its shares of these limits.
fn cell(packets: &Packets<'_>, series: Option<&Series>, limits: [Option<&Series>; 2]) -> Cell {
    let shares = limits.map(|limit| series.and_then(|series| packets.share(series, limit)));
    Cell { shares, ..Cell::of_series(packets.document, series, scale(), &packets.messages.words) }
}

/// A difference in per cent with its interval.
fn effect_cell(packets: &Packets<'_>, effect: Option<Effect>) -> Cell {
    let Some(effect) = effect else { return Cell::default() };
    let Messages { words, packets: told, .. } = packets.messages;
    Cell {
        value: format!("{} %", points(effect.percent)),
        interval: Some((told.interval)(effect.ci95.map(points))),
        mark: (!effect.is_shown).then_some(Mark::Equal(words.no_difference)),
        ..Cell::default()
    }
}

/// The cycles that a byte takes.
fn cycles(series: &Series) -> String {
    series.cycles_per_byte.filter(|cycles| cycles.is_finite() && *cycles > 0.0).map(digits).unwrap_or_default()
}

/// The states other than `on` are told in a chart only if there is nothing else.
pub(super) fn charted(packets: &Packets<'_>, algorithm: Algorithm) -> Vec<Who> {
    let mut all = packets.everybody(algorithm, Direction::Send);
    if all.iter().any(|who| who.state == Acceleration::On) {
        all.retain(|who| who.state == Acceleration::On);
    }
    all
}
