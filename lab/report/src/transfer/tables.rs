//! Tables of data from end to end.

use crate::language::Messages;
use crate::packets::Effect;
use crate::quantity::{digits, percent, points};
use crate::table::Table;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;

use super::selection::{Of, Row, Rows, USUAL};
use kasoku_model::workload::transfer::{Protection, Transport};

/// What the summary on the terminal shows: no wider than that is.
pub(crate) fn summary(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let rows = Rows::new(document);
    let mut grids: Vec<Table> =
        rows.algorithms().into_iter().map(|algorithm| costs(&rows, algorithm, messages, false)).collect();
    // They say the same below each.
    let last = grids.len().saturating_sub(1);
    grids.iter_mut().take(last).for_each(|grid| grid.notes.clear());
    grids
}

/// All there is.
pub(crate) fn full(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let rows = Rows::new(document);
    let of = |algorithm| {
        let tables = [gains(&rows, algorithm, messages), over_tls(&rows, algorithm, messages)];
        std::iter::once(costs(&rows, algorithm, messages, true)).chain(tables.into_iter().flatten())
    };
    rows.algorithms().into_iter().flat_map(of).collect()
}

/// What a gigabyte costs, a row for each series.
pub(super) fn costs(rows: &Rows<'_>, algorithm: Algorithm, messages: &'static Messages, has_all: bool) -> Table {
    let words = &messages.transfer;
    let seconds = |row: &Row<'_>, of: Of| row.seconds(of).map_or_else(|| "–".to_owned(), digits);
    let number =
        |row: &Row<'_>, name: &str, scale: f64| row.number(name).map_or_else(String::new, |it| digits(it * scale));
    let line = |row: &Row<'_>| {
        let usual = rows.find(row.what, USUAL, Protection::Provider);
        let usual = usual.filter(|usual| usual.who != row.who || row.series.is_control());
        let against = usual.and_then(|usual| rows.cost(row, usual, Of::Both));
        let who = row.who.name(messages);
        let who = if row.series.is_control() { (words.again)(&who) } else { who };
        let mut line = vec![row.what.name(messages), who, digits(row.rate * 1e-9)];
        line.extend([Of::Sender, Of::Receiver, Of::Both].map(|of| seconds(row, of)));
        line.push(row.kernel().map_or_else(|| "–".to_owned(), |share| percent(100.0 * share)));
        line.push(against.map(|effect| with_interval(effect, messages)).unwrap_or_default());
        if has_all {
            line.push(number(row, "packets_per_s", 1e-3));
            line.push(number(row, "packets_per_call", 1.0));
            line.push(row.number("lost").map_or_else(String::new, |lost| format!("{lost:.0}")));
        }
        line
    };
    let mut headings =
        vec![words.moved, words.library, words.goodput, words.sender, words.receiver, words.both, words.kernel];
    headings.push(words.against_usual);
    if has_all {
        headings.extend([words.packets, words.packets_a_call, words.lost]);
    }
    let of_algorithm = rows.all.iter().filter(|row| row.what.algorithm == algorithm);
    let with_controls = of_algorithm.clone().flat_map(|row| std::iter::once(row).chain(rows.control(row)));
    let lines: Vec<Vec<String>> = with_controls.map(line).collect();
    let mut notes = vec![words.costs_note.to_owned()];
    if let Some((who, floors)) = rows.floors() {
        let [cpu, goodput] = floors.map(|floor| percent(100.0 * floor));
        notes.push((words.floor_note)(&who.name(messages), &cpu, &goodput));
    }
    let (disturbed, all) = rows.disturbed();
    if disturbed > 0 {
        notes.push((words.disturbed_note)(disturbed, all));
    }
    if of_algorithm.clone().any(|row| row.series.parameters.get("apart") == Some(&false.into())) {
        notes.push(words.shared_note.to_owned());
    }
    if of_algorithm
        .filter(|row| row.what.transport == Transport::Quic)
        .any(|row| row.number("packets_per_call").is_some_and(|packets| packets < 1.5))
    {
        notes.push(words.no_offload_note.to_owned());
    }
    let title = (words.costs)(algorithm.title());
    Table::of_text(title, headings.into_iter().map(str::to_owned).collect(), 2, lines, notes)
}

/// What each costs against the usual one, by side; `None` if that was not measured.
pub(super) fn gains(rows: &Rows<'_>, algorithm: Algorithm, messages: &'static Messages) -> Option<Table> {
    let words = &messages.transfer;
    let line = |row: &Row<'_>| {
        let usual = rows.find(row.what, USUAL, Protection::Provider).filter(|usual| usual.who != row.who)?;
        let effects = [Of::Sender, Of::Receiver, Of::Both].map(|of| rows.cost(row, usual, of));
        let cells = effects.into_iter().chain([rows.goodput(row, usual)]);
        let cells = cells.map(|effect| effect.map_or_else(|| "–".to_owned(), |effect| with_interval(effect, messages)));
        Some([row.what.name(messages), row.who.name(messages)].into_iter().chain(cells).collect())
    };
    let of_algorithm = rows.all.iter().filter(|row| row.what.algorithm == algorithm);
    let lines: Vec<Vec<String>> = of_algorithm.filter_map(line).collect();
    let headings = [words.moved, words.library, words.sender, words.receiver, words.both, words.goodput];
    (!lines.is_empty()).then(|| {
        Table::of_text(
            (words.gains)(algorithm.title()),
            headings.map(str::to_owned).into(),
            2,
            lines,
            vec![words.effects_note.to_owned()],
        )
    })
}

/// What QUIC costs against TLS, by the same library.
pub(super) fn over_tls(rows: &Rows<'_>, algorithm: Algorithm, messages: &'static Messages) -> Option<Table> {
    let words = &messages.transfer;
    let of_algorithm = || rows.all.iter().filter(|row| row.what.algorithm == algorithm);
    let line = |row: &Row<'_>| {
        let is_record =
            |other: &&Row<'_>| other.what.transport == Transport::Tls && other.who.library == row.who.library;
        let record = of_algorithm().find(is_record).filter(|_| row.what.transport == Transport::Quic)?;
        let effects = [Of::Sender, Of::Receiver, Of::Both].map(|of| rows.cost(row, record, of));
        let cells =
            effects.map(|effect| effect.map_or_else(|| "–".to_owned(), |effect| with_interval(effect, messages)));
        Some([row.what.name(messages), row.who.name(messages)].into_iter().chain(cells).collect())
    };
    let lines: Vec<Vec<String>> = of_algorithm().filter_map(line).collect();
    let headings = [words.moved, words.library, words.sender, words.receiver, words.both];
    (!lines.is_empty()).then(|| {
        Table::of_text(
            (words.over_tls)(algorithm.title()),
            headings.map(str::to_owned).into(),
            2,
            lines,
            vec![words.over_tls_note.to_owned()],
        )
    })
}

/// `−15.2 % (−18.0 to −12.1)`, or `=` where no difference is shown.
fn with_interval(effect: Effect, messages: &'static Messages) -> String {
    let interval = (messages.transfer.interval)(points(effect.ci95[0]), points(effect.ci95[1]));
    let sign = if effect.percent > 0.0 { "+" } else { "" };
    if effect.is_shown { format!("{sign}{} % ({interval})", points(effect.percent)) } else { format!("= ({interval})") }
}
