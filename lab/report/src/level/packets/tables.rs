//! Tables of the level packets, with all figures and comparisons, and short tables for the terminal.

use kasoku_model::workload::packets::{PacketOperation, PacketWork};

use super::selection::{PacketPart, PacketSelection, TlsOverhead, cycles, is_aes_bound, is_mixed_bound};
use crate::prelude::*;
use crate::quantity::{points, spread};
use crate::selection::{self, packet_operation_name};
use crate::table::CellMark;

/// Maximum width of a library's name on the terminal, in columns.
const NAME: usize = 20;
/// Maximum number of operations that fit the width of a terminal.
const COLUMNS: usize = 6;

impl PacketSelection<'_> {
    pub(crate) fn tables(&self) -> Vec<Table> {
        self.algorithms().into_iter().flat_map(|algorithm| self.tables_of(algorithm)).collect()
    }

    pub(super) fn tables_of(&self, algorithm: Algorithm) -> Vec<Table> {
        let tables = [
            figures(self, algorithm, true),
            figures(self, algorithm, false),
            bounds(self, algorithm),
            effects(self, algorithm),
            over_tls(self, algorithm),
        ];
        tables.into_iter().flatten().collect()
    }
}

pub(super) fn summary(packets: &PacketSelection<'_>) -> Vec<Table> {
    let Some(algorithm) = packets.algorithms().first().copied() else { return Vec::new() };
    let sizes = packets.main_sizes(algorithm).into_iter();
    let mut tables: Vec<Table> = sizes.filter_map(|bytes| of_size(packets, algorithm, bytes)).collect();
    if let Some(last) = tables.last_mut() {
        last.notes.push(say!("packets-summary-note"));
    }
    tables
}

/// Returns the scale of all figures. GB/s is precise enough even for slow packets.
pub(super) fn scale() -> Scale {
    Scale::of_bytes(1e9)
}

/// Returns the keys of a table's rows, by contender and operation. The keys have size 0, since the table has a column
/// for each size.
fn rows(packets: &PacketSelection<'_>, algorithm: Algorithm, is_sending: bool) -> Vec<SeriesKey> {
    let of_contender = |who: SeriesKey| {
        packets.operations(who, is_sending).into_iter().map(move |operation| who.for_packets(operation, 0))
    };
    packets.contenders(algorithm, is_sending).into_iter().flat_map(of_contender).collect()
}

/// Returns a table of all figures in one direction (sending or receiving), each with its percentages of the CPU's upper
/// bounds.
fn figures(packets: &PacketSelection<'_>, algorithm: Algorithm, is_sending: bool) -> Option<Table> {
    let mut sizes = packets.sizes(algorithm);
    if is_sending {
        let contenders = packets.contenders(algorithm, is_sending).into_iter();
        sizes.extend(contenders.filter_map(|who| packets.record(who)).map(|(bytes, _)| bytes));
        sizes.sort_unstable();
        sizes.dedup();
    }
    let (bound, aes) = (packets.bound(algorithm), packets.aes_bound(algorithm));
    let rows = rows(packets, algorithm, is_sending);
    let all =
        |row: &SeriesKey| sizes.iter().map(|bytes| packets.selection.series(row.at_size(*bytes))).collect::<Vec<_>>();
    let title = say!("packets-figures", algorithm = algorithm.title(), is_sending = is_sending, unit = scale().name);
    let mut table = TableBuilder::new(title, &rows)
        .words(say!("packets-library"), |row| packets.label(*row, true))
        .words(say!("packets-what"), |row| row.packet_operation().map(packet_operation_name))
        .column(Column::paths(say!("tables-code-path")), |row| selection::code_path(&all(row)))
        .column(Column::trust(), |row| Cell::trust(selection::lowest_trust(packets.selection.document, &all(row))))
        .each(&sizes, |table, bytes| {
            table
                .figures(size(*bytes), |row| cell(packets, packets.selection.series(row.at_size(*bytes)), [bound, aes]))
        })
        .column(Column::widest(), |row| selection::widest(&all(row)))
        .grouped()
        .page_notes([say!("packets-below", has_bound = bound.is_some(), has_aes = aes.is_some())])
        .any()?;
    let has_brackets = table.rows.iter().flatten().any(|cell| cell.shares[0].is_some());
    table.notes.extend(has_brackets.then(|| say!("packets-bracket-mark")));
    Some(table.with_marks())
}

/// Returns a table of the CPU's upper bounds, which do not depend on the size.
fn bounds(packets: &PacketSelection<'_>, algorithm: Algorithm) -> Option<Table> {
    let bound_name = |series: &Series| {
        say!(match series {
            series if is_aes_bound(series) => "packets-aes-alone",
            series if is_mixed_bound(series) => "packets-all-that-gcm-needs",
            _ => "packets-another-part",
        })
    };
    TableBuilder::new(say!("packets-bounds", algorithm = algorithm.title()), &packets.bounds(algorithm))
        .words(say!("packets-bound"), |series| Text::name(&series.library, NAME))
        .words(say!("packets-what"), |series| bound_name(series))
        .figures(scale().name, |series| rate(series))
        .figures("±", |series| spread(series).map(percent))
        .any()
}

fn effects(packets: &PacketSelection<'_>, algorithm: Algorithm) -> Option<Table> {
    let sizes = packets.sizes(algorithm);
    let contenders = packets.contenders(algorithm, true);
    let of_all = |part| contenders.iter().map(move |who| (part, *who));
    let batches = contenders
        .iter()
        .flat_map(|who| packets.batches(*who).into_iter().map(move |batch| (PacketPart::Batch(batch), *who)));
    let parts = of_all(PacketPart::HeaderProtection).chain(of_all(PacketPart::Setup)).chain(batches);
    let effects = |who, part| -> Vec<Option<Effect>> {
        sizes.iter().map(|bytes| packets.part_effect(who, part, *bytes)).collect()
    };
    let rows: Vec<(PacketPart, SeriesKey, Vec<Option<Effect>>)> = parts
        .map(|(part, who)| (part, who, effects(who, part)))
        .filter(|(.., effects)| effects.iter().any(Option::is_some))
        .collect();
    let name = |part| match part {
        PacketPart::HeaderProtection => say!("packets-header-protection-costs"),
        PacketPart::Setup => say!("packets-setup-costs"),
        PacketPart::Batch(batch) => say!("packets-batches-bring", batch = batch),
    };
    TableBuilder::new(say!("packets-effects", algorithm = algorithm.title()), &rows)
        .words(say!("packets-what"), |(part, ..)| name(*part))
        .words(say!("packets-library"), |(_, who, _)| packets.label(*who, true))
        .each(sizes.iter().enumerate(), |table, (index, bytes)| {
            table.figures(size(*bytes), |(.., effects)| effects[index].map(effect_cell))
        })
        .grouped()
        .notes([say!("tables-equal-mark")])
        .page_notes([say!("packets-effects-explained")])
        .any()
}

/// Row of the comparison with TLS: contender, packets per call, TLS record with its size, overheads by packet size.
type TlsRow<'d> = (SeriesKey, usize, (usize, &'d Series), Vec<Option<TlsOverhead>>);

fn over_tls(packets: &PacketSelection<'_>, algorithm: Algorithm) -> Option<Table> {
    let sizes = packets.sizes_against_tls(algorithm);
    let mut rows: Vec<TlsRow<'_>> = Vec::new();
    for who in packets.contenders(algorithm, true) {
        let Some((bytes, record)) = packets.record(who) else { continue };
        for batch in std::iter::once(1).chain(packets.batches(who)) {
            let overhead = |bytes: &usize| packets.over_tls(who, batch, record, *bytes);
            let overheads: Vec<Option<TlsOverhead>> = sizes.iter().map(overhead).collect();
            if overheads.iter().any(Option::is_some) {
                rows.push((who, batch, (bytes, record), overheads));
            }
        }
    }
    let scope = say!("claim-packets-cipher-only");
    TableBuilder::new(say!("packets-over-tls", algorithm = algorithm.title()), &rows)
        .words(say!("packets-library"), |(who, ..)| packets.label(*who, true))
        .words(say!("packets-packets-at-once"), |(_, batch, ..)| batch.to_string())
        .figures(say!("packets-tls-record"), |(_, _, (bytes, record), _)| Cell {
            interval: Some(size(*bytes).into()),
            ..cycles(record).map(digits).into()
        })
        .each(sizes.iter().enumerate(), |table, (index, bytes)| {
            table
                .figures(size(*bytes), |(.., overheads)| overheads[index].and_then(|(cycles, _)| cycles).map(digits))
                .figures(say!("packets-overhead"), |(.., overheads)| {
                    overheads[index].map(|(_, effect)| effect_cell(effect))
                })
        })
        .grouped()
        .notes([say!("tables-equal-mark"), scope.clone()])
        .page_notes([scope])
        .any()
}

/// Returns the terminal's table of one packet size, with a row for each library and a column for each operation.
fn of_size(packets: &PacketSelection<'_>, algorithm: Algorithm, bytes: usize) -> Option<Table> {
    let of_direction = |is_sending| {
        let operations = rows(packets, algorithm, is_sending).into_iter().filter_map(|row| row.packet_operation());
        operations.filter(move |one| is_sending || one.packets.batch == 1)
    };
    let mut operations: Vec<PacketOperation> = of_direction(true)
        .chain(of_direction(false))
        .filter(|operation| operation.work() != PacketWork::Record && !operation.packets.looped)
        .collect();
    operations.sort_unstable();
    operations.dedup();
    operations.truncate(COLUMNS);
    let bound = packets.bound(algorithm);
    let cell = |who: SeriesKey, operation: PacketOperation| {
        cell(packets, packets.selection.series(who.for_packets(operation, bytes)), [bound, None])
    };
    let mut contenders = packets.contenders(algorithm, true);
    contenders.retain(|who| operations.iter().any(|operation| !cell(*who, *operation).is_empty()));
    let heading = |operation: PacketOperation| match (operation.is_sending(), operation.work()) {
        (false, _) => say!("packets-receive"),
        (_, PacketWork::Cipher) => say!("packets-cipher"),
        (_, PacketWork::Packet) if operation.packets.batch == 1 => say!("packets-header"),
        (_, PacketWork::Packet) => say!("packets-at-once", batch = operation.packets.batch),
        _ => packet_operation_name(operation),
    };
    let [bound, aes] = [bound, packets.aes_bound(algorithm)].map(|bound| bound.map_or_else(|| "none".to_owned(), rate));
    let (title, size) = (algorithm.title(), size(bytes));
    let title = say!("packets-at-size", algorithm = title, size = size, unit = scale().name, bound = bound, aes = aes);
    TableBuilder::new(title, &contenders)
        .words(say!("packets-library"), |who| packets.label(*who, false).cut(NAME))
        .each(&operations, |table, operation| table.figures(heading(*operation), |who| cell(*who, *operation)))
        .any()
}

fn rate(series: &Series) -> String {
    scale().write(series.median.unwrap_or(0.0))
}

fn cell(packets: &PacketSelection<'_>, series: Option<&Series>, bounds: [Option<&Series>; 2]) -> Cell {
    let shares = bounds.map(|bound| series.and_then(|series| packets.share(series, bound)));
    Cell { shares, ..Cell::of_series(packets.selection.document, series, scale()) }
}

fn effect_cell(effect: Effect) -> Cell {
    let [low, high] = effect.ci95.map(points);
    Cell {
        value: format!("{} %", points(effect.percent)).into(),
        interval: Some(say!("packets-interval", low = low, high = high)),
        mark: (!effect.is_shown).then_some(CellMark::Equal),
        ..Cell::default()
    }
}
