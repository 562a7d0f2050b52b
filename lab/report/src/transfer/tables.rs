//! Tables of data from end to end.

use crate::effect::Effect;
use crate::language::Messages;
use crate::quantity::{digits, percent, whole};
use crate::table::{Column, On, Over, Table, or_dash};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;

use super::selection::{TransferSelection, TransferSeries, TransferSide, USUAL};
use kasoku_model::workload::transfer::{Protection, Transport};

/// What the summary on the terminal shows: no wider than that is.
pub(crate) fn summary(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let rows = TransferSelection::new(document, messages);
    let mut tables: Vec<Table> =
        rows.algorithms().into_iter().map(|algorithm| costs(&rows, algorithm, false)).collect();
    // They say the same below each.
    let last = tables.len().saturating_sub(1);
    tables.iter_mut().take(last).for_each(|table| table.notes.clear());
    tables
}

/// All there is.
pub(crate) fn full(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let rows = TransferSelection::new(document, messages);
    rows.algorithms().into_iter().flat_map(|algorithm| of_algorithm(&rows, algorithm)).collect()
}

/// The tables of an algorithm.
pub(super) fn of_algorithm(rows: &TransferSelection<'_>, algorithm: Algorithm) -> Vec<Table> {
    let others = [gains(rows, algorithm), over_tls(rows, algorithm)];
    std::iter::once(costs(rows, algorithm, true)).chain(others.into_iter().flatten()).collect()
}

/// What a gigabyte costs, a row for each series.
fn costs(rows: &TransferSelection<'_>, algorithm: Algorithm, has_all: bool) -> Table {
    let messages = rows.messages;
    let words = &messages.transfer;
    let of_algorithm = || rows.all.iter().filter(|row| row.what.algorithm == algorithm);
    let with_controls: Vec<&TransferSeries<'_>> =
        of_algorithm().flat_map(|row| std::iter::once(row).chain(rows.control(row))).collect();
    let who = |row: &&TransferSeries<'_>| {
        let who = row.who.name(messages);
        if row.series.details.control { (words.again)(&who) } else { who }
    };
    let against = |row: &TransferSeries<'_>| {
        let usual = rows.find(row.what, USUAL, Protection::Provider);
        let usual = usual.filter(|usual| usual.who != row.who || row.series.details.control)?;
        Some(rows.cost(row, usual, TransferSide::Both)?.write_with_interval(messages))
    };
    let floor = rows.floors().map(|(who, floors)| {
        let [cpu, goodput] = floors.map(|floor| percent(100.0 * floor));
        (words.floor_note)(&who.name(messages), &cpu, &goodput)
    });
    let (disturbed, all) = rows.disturbed();
    let is_shared = of_algorithm().any(|row| row.details.shares_cores);
    let is_single = |row: &TransferSeries<'_>| row.details.packets_per_call.is_some_and(|packets| packets < 1.5);
    let has_no_offload = of_algorithm().any(|row| row.what.transport == Transport::Quic && is_single(row));
    named(Over::new((words.costs)(algorithm.title()), &with_controls), messages, |row| row.what.name(messages), who)
        .figures(words.goodput, |row| digits(row.rate * 1e-9))
        .each(sides(messages), |table, (heading, of)| {
            table.figures(heading, |row| or_dash(row.seconds(of).map(digits)))
        })
        .figures(words.kernel, |row| or_dash(row.kernel().map(|share| percent(100.0 * share))))
        .figures(words.against_usual, |row| against(row))
        .when(has_all, |table| {
            table
                .figures(words.packets, |row| row.details.packets_per_s.map(|it| digits(it * 1e-3)))
                .figures(words.packets_a_call, |row| row.details.packets_per_call.map(digits))
                .figures(words.lost, |row| row.details.lost.map(|it| whole(it as f64)))
        })
        .notes([words.costs_note])
        .notes(floor)
        .notes((disturbed > 0).then(|| (words.disturbed_note)(disturbed, all)))
        .notes(is_shared.then_some(words.shared_note))
        .notes(has_no_offload.then_some(words.no_offload_note))
        .table()
}

/// What each costs against the usual one, by side; `None` if that was not measured.
fn gains(rows: &TransferSelection<'_>, algorithm: Algorithm) -> Option<Table> {
    let words = &rows.messages.transfer;
    let usual = |row: &TransferSeries<'_>| {
        rows.find(row.what, USUAL, Protection::Provider).filter(|usual| usual.who != row.who)
    };
    let pairs = pairs(rows, algorithm, usual);
    compared(Over::new((words.gains)(algorithm.title()), &pairs), rows)
        .figures(words.goodput, |(row, usual)| written(rows, rows.goodput(row, usual)))
        .notes([words.effects_note])
        .any()
}

/// What QUIC costs against TLS, by the same library.
fn over_tls(rows: &TransferSelection<'_>, algorithm: Algorithm) -> Option<Table> {
    let words = &rows.messages.transfer;
    let record = |row: &TransferSeries<'_>| {
        let is_record = |one: &&TransferSeries<'_>| {
            (one.what.algorithm, one.what.transport) == (algorithm, Transport::Tls)
                && one.who.library == row.who.library
        };
        rows.all.iter().find(is_record).filter(|_| row.what.transport == Transport::Quic)
    };
    compared(Over::new((words.over_tls)(algorithm.title()), &pairs(rows, algorithm, record)), rows)
        .notes([words.over_tls_note])
        .any()
}

/// Two rows that are compared.
type Pair<'r, 'a> = (&'r TransferSeries<'a>, &'r TransferSeries<'a>);

/// Each row of an algorithm with what it is held against.
fn pairs<'r, 'a>(
    rows: &'r TransferSelection<'a>,
    algorithm: Algorithm,
    other: impl Fn(&TransferSeries<'a>) -> Option<&'r TransferSeries<'a>>,
) -> Vec<Pair<'r, 'a>> {
    let of_algorithm = rows.all.iter().filter(|row| row.what.algorithm == algorithm);
    of_algorithm.filter_map(|row| Some((row, other(row)?))).collect()
}

/// The columns of CPU time of one against the other.
fn compared<'i, 'r, 'a>(table: Over<'i, Pair<'r, 'a>>, rows: &TransferSelection<'a>) -> Over<'i, Pair<'r, 'a>> {
    let messages = rows.messages;
    named(table, messages, |(row, _)| row.what.name(messages), |(row, _)| row.who.name(messages))
        .each(sides(messages), |table, (heading, of)| {
            table.figures(heading, |(row, other)| written(rows, rows.cost(row, other, of)))
        })
}

fn named<'i, I>(
    table: Over<'i, I>,
    messages: &'static Messages,
    what: impl Fn(&I) -> String,
    who: impl Fn(&I) -> String,
) -> Over<'i, I> {
    // What a row is about stays in sight on a page where the rest scrolls by: one column for both.
    let words = &messages.transfer;
    let both = |what: &str, who: &str| format!("{}\u{a0}· {}", what.replace(' ', "\u{a0}"), who.replace(' ', "\u{a0}"));
    table
        .column(Column { on: On::Page, ..Column::words(both(words.moved, words.library)) }, |item| {
            both(&what(item), &who(item))
        })
        .column(Column { on: On::Text, ..Column::words(words.moved) }, &what)
        .column(Column { on: On::Text, ..Column::words(words.library) }, &who)
}

fn sides(messages: &'static Messages) -> [(&'static str, TransferSide); 3] {
    let words = &messages.transfer;
    [(words.sender, TransferSide::Sender), (words.receiver, TransferSide::Receiver), (words.both, TransferSide::Both)]
}

fn written(rows: &TransferSelection<'_>, effect: Option<Effect>) -> String {
    or_dash(effect.map(|effect| effect.write_with_interval(rows.messages)))
}
