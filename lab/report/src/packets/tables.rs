//! Packets as tables: all figures and what is compared of them, and a few lines for the terminal.

use crate::effect::Effect;
use crate::language::Messages;
use crate::quantity::{Scale, digits, percent, points, size, spread};
use crate::series;
use crate::table::{Cell, CellMark, Column, Over, Table};
use crate::visible::short;
use crate::way::{PacketDirection, is_aes_bound, is_mixed_bound};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Series};
use kasoku_model::workload::packets::{PacketOperation, PacketWork};

use super::finding::{Cost, PacketFinding, batches_of, sizes_against_tls, ways_of};
use super::selection::PacketSelection;
use crate::selection::SeriesKey;

/// The longest name of a library on the terminal.
const NAME: usize = 20;
/// No more columns fit the terminal.
const COLUMNS: usize = 6;

/// Every figure of the packets of `document`, and what is compared of them.
pub(crate) fn full(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let Some(packets) = PacketSelection::new(document, messages) else { return Vec::new() };
    packets.algorithms().into_iter().flat_map(|algorithm| of_algorithm(&packets, algorithm)).collect()
}

/// The tables of an algorithm.
pub(super) fn of_algorithm(packets: &PacketSelection<'_>, algorithm: Algorithm) -> Vec<Table> {
    let tables = [
        figures(packets, algorithm, PacketDirection::Send),
        figures(packets, algorithm, PacketDirection::Receive),
        bounds(packets, algorithm),
        effects(packets, algorithm),
        over_tls(packets, algorithm),
    ];
    tables.into_iter().flatten().collect()
}

/// A few lines: for the first algorithm, the sizes that stand for all.
pub(crate) fn summary(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let Some(packets) = PacketSelection::new(document, messages) else { return Vec::new() };
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
fn rows(
    packets: &PacketSelection<'_>,
    algorithm: Algorithm,
    direction: PacketDirection,
) -> Vec<(SeriesKey, PacketOperation)> {
    let everybody = packets.everybody(algorithm, direction).into_iter();
    everybody.flat_map(|who| packets.ways(who, direction).into_iter().map(move |way| (who, way))).collect()
}

/// The sizes of a table: those of packets, and of the records beside them.
fn columns(packets: &PacketSelection<'_>, algorithm: Algorithm, direction: PacketDirection) -> Vec<usize> {
    let mut sizes = packets.sizes(algorithm);
    if direction == PacketDirection::Send {
        let everybody = packets.everybody(algorithm, direction).into_iter();
        sizes.extend(everybody.filter_map(|who| packets.record(who)).map(|(bytes, _)| bytes));
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// In what the figures of packets are written: no packet is so slow that another unit would be better.
pub(super) fn scale() -> Scale {
    Scale::of_bytes(1e9)
}

fn figures(packets: &PacketSelection<'_>, algorithm: Algorithm, direction: PacketDirection) -> Option<Table> {
    let PacketSelection { document, messages, .. } = packets;
    let Messages { tables, words, packets: told, .. } = messages;
    let sizes = columns(packets, algorithm, direction);
    let (bound, aes) = (packets.bound(algorithm), packets.aes_bound(algorithm));
    let what = (told.direction)(algorithm.title(), direction == PacketDirection::Send);
    let rows = rows(packets, algorithm, direction);
    let series = |(who, way): &(SeriesKey, PacketOperation), bytes: usize| packets.series(who.at(*way, bytes));
    let all = |row: &(SeriesKey, PacketOperation)| sizes.iter().map(|bytes| series(row, *bytes)).collect::<Vec<_>>();
    let mut table = Over::new((told.figures)(&what, scale().name), &rows)
        .words(told.library, |(who, _)| packets.label(*who))
        .words(told.what, |(_, way)| (told.way)(*way))
        .column(Column::paths(tables.code_path), |row| series::code_path(&all(row)))
        .column(Column::checked(words), |row| Cell::standing(series::standing(document, &all(row)), words))
        .each(&sizes, |table, bytes| {
            table.figures(size(*bytes), |row| cell(packets, series(row, *bytes), [bound, aes]))
        })
        .column(Column::widest(tables.at_most), |row| series::widest(&all(row)))
        .grouped()
        .page_notes([(told.below)(bound.is_some(), aes.is_some())])
        .any()?;
    let is_any = |is: fn(&Cell) -> bool| table.rows.iter().flatten().any(is);
    let notes = [
        (told.bracket_mark, is_any(|cell| cell.shares[0].is_some())),
        (tables.unverified_mark, is_any(|cell| cell.mark == Some(CellMark::Unverified))),
        (tables.failed_mark, is_any(|cell| matches!(cell.mark, Some(CellMark::Failed(..))))),
    ];
    table.notes = notes.into_iter().filter(|(_, is)| *is).map(|(note, _)| note.to_owned()).collect();
    Some(table)
}

/// The CPU's bounds are the same at every size.
fn bounds(packets: &PacketSelection<'_>, algorithm: Algorithm) -> Option<Table> {
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
    Over::new((words.bounds)(algorithm.title()), &packets.bounds(algorithm))
        .words(words.bound, |series| short(&series.library, NAME))
        .words(words.what, |series| what(series))
        .figures(scale().name, |series| rate(series))
        .figures("±", |series| spread(series).map(percent))
        .any()
}

/// What header protection, set-up and batches do to each.
fn effects<'a>(packets: &PacketSelection<'a>, algorithm: Algorithm) -> Option<Table> {
    let Messages { tables, packets: words, .. } = packets.messages;
    let sizes = packets.sizes(algorithm);
    let everybody = packets.everybody(algorithm, PacketDirection::Send);
    let mut rows: Vec<(String, SeriesKey, Vec<Option<Effect>>)> = Vec::new();
    let mut add = |what: String, who: SeriesKey, pair: &dyn Fn(usize) -> Pair<'a>| {
        let effect = |(first, second)| packets.effect(first, second);
        let effects: Vec<Option<Effect>> = sizes.iter().map(|bytes| effect(pair(*bytes))).collect();
        if effects.iter().any(Option::is_some) {
            rows.push((what, who, effects));
        }
    };
    for (what, name) in [(Cost::HeaderProtection, words.header_protection_costs), (Cost::Setup, words.setup_costs)] {
        let (without, with) = ways_of(what);
        let is_comparable = |who: &&SeriesKey| what != Cost::Setup || packets.has_comparable_cipher(**who);
        for who in everybody.iter().filter(is_comparable) {
            let series = |way, bytes| packets.ranked(who.at(way, bytes));
            add(name.to_owned(), *who, &|bytes| (series(without, bytes), series(with, bytes)));
        }
    }
    for who in &everybody {
        for batch in batches_of(packets, *who) {
            let batched = |bytes| packets.ranked(who.at(PacketOperation::batch(batch), bytes));
            let one_by_one = |bytes| packets.one_by_one(*who, batch, bytes);
            add((words.batches_bring)(batch), *who, &|bytes| (batched(bytes), one_by_one(bytes)));
        }
    }
    Over::new((words.effects)(algorithm.title()), &rows)
        .words(words.what, |(what, ..)| what.as_str())
        .words(words.library, |(_, who, _)| packets.label(*who))
        .each(sizes.iter().enumerate(), |table, (index, bytes)| {
            table.figures(size(*bytes), |(_, _, effects)| effect_cell(packets, effects[index]))
        })
        .grouped()
        .notes([tables.equal_mark])
        .page_notes([words.effects_explained])
        .any()
}

/// The overhead over TLS records, with the cycles.
fn over_tls(packets: &PacketSelection<'_>, algorithm: Algorithm) -> Option<Table> {
    let Messages { tables, packets: words, language, .. } = packets.messages;
    let sizes = sizes_against_tls(packets, algorithm);
    let packet = |who: SeriesKey, batch, bytes| packets.ranked(who.at(PacketOperation::batch(batch), bytes));
    let over = |record, packet: &Series| Some((cycles(packet), packets.effect(Some(record), Some(packet))?));
    let mut rows = Vec::new();
    for who in packets.everybody(algorithm, PacketDirection::Send) {
        let Some((bytes, record)) = packets.record(who) else { continue };
        for batch in std::iter::once(1).chain(batches_of(packets, who)) {
            let overheads: Vec<Option<(String, Effect)>> =
                sizes.iter().map(|bytes| over(record, packet(who, batch, *bytes)?)).collect();
            if overheads.iter().any(Option::is_some) {
                rows.push((who, batch, (bytes, record), overheads));
            }
        }
    }
    let about = PacketFinding::CipherOnly.sentence(*language);
    Over::new((words.over_tls)(algorithm.title()), &rows)
        .words(words.library, |(who, ..)| packets.label(*who))
        .words(words.packets_at_once, |(_, batch, ..)| batch.to_string())
        .figures(words.tls_record, |(_, _, (bytes, record), _)| Cell {
            value: cycles(record),
            interval: Some(size(*bytes)),
            ..Cell::default()
        })
        .each(sizes.iter().enumerate(), |table, (index, bytes)| {
            table
                .figures(size(*bytes), |(.., overheads)| overheads[index].as_ref().map(|(cycles, _)| cycles.as_str()))
                .figures(words.overhead, |(.., overheads)| {
                    effect_cell(packets, overheads[index].as_ref().map(|(_, effect)| *effect))
                })
        })
        .grouped()
        .notes([tables.equal_mark, &about])
        .page_notes([&about])
        .any()
}

/// One size on the terminal: a line a library, a column a way.
fn at(packets: &PacketSelection<'_>, algorithm: Algorithm, bytes: usize) -> Option<Table> {
    let everybody = packets.everybody(algorithm, PacketDirection::Send);
    let mut ways: Vec<PacketOperation> = Vec::new();
    for direction in [PacketDirection::Send, PacketDirection::Receive] {
        for (_, way) in rows(packets, algorithm, direction) {
            let is_told = way.work() != PacketWork::Record
                && !way.packets.looped
                && (direction == PacketDirection::Send || way.packets.batch == 1);
            if is_told && !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    ways.sort_unstable();
    ways.truncate(COLUMNS);
    let bound = packets.bound(algorithm);
    let text =
        |who: SeriesKey, way: PacketOperation| cell(packets, packets.series(who.at(way, bytes)), [bound, None]).text();
    let is_any = |who: &SeriesKey| ways.iter().any(|way| !text(*who, *way).is_empty());
    let rows: Vec<SeriesKey> = everybody.into_iter().filter(is_any).collect();
    let words = &packets.messages.packets;
    let heading = |way: &PacketOperation| match (way.is_sending(), way.work()) {
        (false, _) => words.receive.to_owned(),
        (_, PacketWork::Cipher) => words.cipher.to_owned(),
        (_, PacketWork::Packet) if way.packets.batch == 1 => words.header.to_owned(),
        (_, PacketWork::Packet) => (words.at_once)(way.packets.batch),
        _ => (words.way)(*way),
    };
    let [bound, aes] = [bound, packets.aes_bound(algorithm)].map(|bound| bound.map(rate));
    let title = (words.at_size)(algorithm.title(), &size(bytes), scale().name, [bound.as_deref(), aes.as_deref()]);
    Over::new(title, &rows)
        .words(words.library, |who| short(&packets.short_label(*who), NAME))
        .each(&ways, |table, way| table.figures(heading(way), |who| text(*who, *way)))
        .any()
}

fn rate(series: &Series) -> String {
    scale().write(series.median.unwrap_or(0.0))
}

/// A figure with its shares of these bounds.
fn cell(packets: &PacketSelection<'_>, series: Option<&Series>, bounds: [Option<&Series>; 2]) -> Cell {
    let shares = bounds.map(|bound| series.and_then(|series| packets.share(series, bound)));
    Cell { shares, ..Cell::of_series(packets.document, series, scale(), &packets.messages.words) }
}

/// A difference in per cent with its interval.
fn effect_cell(packets: &PacketSelection<'_>, effect: Option<Effect>) -> Cell {
    let Some(effect) = effect else { return Cell::default() };
    let Messages { words, packets: told, .. } = packets.messages;
    Cell {
        value: format!("{} %", points(effect.percent)),
        interval: Some((told.interval)(effect.ci95.map(points))),
        mark: (!effect.is_shown).then_some(CellMark::Equal(words.no_difference)),
        ..Cell::default()
    }
}

/// The cycles that a byte takes.
fn cycles(series: &Series) -> String {
    series.cycles_per_byte.filter(|cycles| cycles.is_finite() && *cycles > 0.0).map(digits).unwrap_or_default()
}

/// The states other than `on` are told in a chart only if there is nothing else.
pub(super) fn charted(packets: &PacketSelection<'_>, algorithm: Algorithm) -> Vec<SeriesKey> {
    let mut all = packets.everybody(algorithm, PacketDirection::Send);
    if all.iter().any(|who| who.state == Acceleration::On) {
        all.retain(|who| who.state == Acceleration::On);
    }
    all
}
