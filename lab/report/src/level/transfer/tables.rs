//! Tables of transfers.

use kasoku_model::workload::transfer::Transport;

use super::selection::{BASELINE, TransferFigure, TransferSelection, TransferSeries};
use crate::prelude::*;
use crate::table::Medium;

/// Headings of the columns of CPU time, with their figures.
const SIDES: [(&str, TransferFigure); 3] = [
    ("transfer-sender", TransferFigure::Sender),
    ("transfer-receiver", TransferFigure::Receiver),
    ("transfer-both", TransferFigure::Both),
];

/// Returns a table of costs for each algorithm, with the columns that fit a terminal.
pub(super) fn summary(transfers: &TransferSelection<'_>) -> Vec<Table> {
    let algorithms = transfers.algorithms().into_iter();
    let mut tables: Vec<Table> = algorithms.map(|algorithm| costs(transfers, algorithm, false)).collect();
    // All tables have the same notes.
    let last = tables.len().saturating_sub(1);
    tables.iter_mut().take(last).for_each(|table| table.notes.clear());
    tables
}

impl TransferSelection<'_> {
    pub(crate) fn tables(&self) -> Vec<Table> {
        let of_algorithm =
            |algorithm| [Some(costs(self, algorithm, true)), gains(self, algorithm), over_tls(self, algorithm)];
        self.algorithms().into_iter().flat_map(of_algorithm).flatten().collect()
    }
}

/// Returns a table of the cost of a gigabyte, with a row for each transfer.
fn costs(transfers: &TransferSelection<'_>, algorithm: Algorithm, has_all: bool) -> Table {
    let of_algorithm = || transfers.all.iter().filter(|row| row.task.algorithm == algorithm);
    let with_controls: Vec<&TransferSeries<'_>> =
        of_algorithm().flat_map(|row| std::iter::once(row).chain(transfers.control(row))).collect();
    let who = |row: &TransferSeries<'_>| match row.who.name() {
        who if row.series.details.control => say!("transfer-again", who = who),
        who => who,
    };
    let against = |row: &TransferSeries<'_>| {
        let baseline = transfers.find(row.task, BASELINE);
        let baseline = baseline.filter(|baseline| baseline.who != row.who || row.series.details.control)?;
        Some(transfers.effect([row, baseline], TransferFigure::Both)?.text_with_interval())
    };
    let floor = transfers.floors().map(|(who, floors)| {
        let [cpu, goodput] = floors.map(|floor| percent(100.0 * floor));
        say!("transfer-floor-note", who = who.name(), cpu = cpu, goodput = goodput)
    });
    let (disturbed, all) = transfers.disturbed();
    let is_single = |row: &TransferSeries<'_>| row.details.packets_per_call.is_some_and(|packets| packets < 1.5);
    let has_no_offload = of_algorithm().any(|row| row.task.transport == Transport::Quic && is_single(row));
    let title = say!("transfer-costs", algorithm = algorithm.title());
    named(TableBuilder::new(title, &with_controls), |row| (row.task.name(), who(row)))
        .figures(say!("transfer-goodput"), |row| digits(row.rate * 1e-9))
        .each(SIDES, |table, (heading, of)| table.figures(say!(heading), |row| or_dash(row.figure(of).map(digits))))
        .figures(say!("transfer-kernel"), |row| or_dash(row.kernel().map(|share| percent(100.0 * share))))
        .figures(say!("transfer-against-usual"), |row| against(row))
        .when(has_all, |table| {
            table
                .figures(say!("transfer-packets"), |row| row.details.packets_per_s.map(|it| digits(it * 1e-3)))
                .figures(say!("transfer-packets-a-call"), |row| row.details.packets_per_call.map(digits))
                .figures(say!("transfer-lost"), |row| row.details.lost.map(|it| fixed(it as f64, 0)))
        })
        .notes([say!("transfer-costs-note")])
        .notes(floor)
        .notes((disturbed > 0).then(|| say!("transfer-disturbed-note", disturbed = disturbed, all = all)))
        .notes(of_algorithm().any(|row| row.details.shares_cores).then(|| say!("transfer-shared-note")))
        .notes(has_no_offload.then(|| say!("transfer-no-offload-note")))
        .table()
}

/// Compares each library with the baseline; `None` if the baseline was not measured.
fn gains(transfers: &TransferSelection<'_>, algorithm: Algorithm) -> Option<Table> {
    let baseline = |row: &TransferSeries<'_>| {
        let baseline = transfers.find(row.task, BASELINE);
        baseline.filter(|baseline| baseline.who != row.who)
    };
    let pairs = pairs(transfers, algorithm, baseline);
    let title = say!("transfer-gains", algorithm = algorithm.title());
    compared(TableBuilder::new(title, &pairs), transfers)
        .figures(say!("transfer-goodput"), |pair| written(transfers.effect(*pair, TransferFigure::Goodput)))
        .notes([say!("transfer-effects-note")])
        .any()
}

fn over_tls(transfers: &TransferSelection<'_>, algorithm: Algorithm) -> Option<Table> {
    let record = |row: &TransferSeries<'_>| {
        let is_record = |one: &&TransferSeries<'_>| {
            (one.task.algorithm, one.task.transport) == (algorithm, Transport::Tls)
                && one.who.library == row.who.library
        };
        transfers.all.iter().find(is_record).filter(|_| row.task.transport == Transport::Quic)
    };
    let title = say!("transfer-over-tls", algorithm = algorithm.title());
    compared(TableBuilder::new(title, &pairs(transfers, algorithm, record)), transfers)
        .notes([say!("transfer-over-tls-note")])
        .any()
}

type Pair<'r, 'a> = [&'r TransferSeries<'a>; 2];

fn pairs<'r, 'a>(
    transfers: &'r TransferSelection<'a>,
    algorithm: Algorithm,
    other: impl Fn(&TransferSeries<'a>) -> Option<&'r TransferSeries<'a>>,
) -> Vec<Pair<'r, 'a>> {
    let of_algorithm = transfers.all.iter().filter(|row| row.task.algorithm == algorithm);
    of_algorithm.filter_map(|row| Some([row, other(row)?])).collect()
}

/// Adds the columns that name pairs of transfers and compare their CPU time.
fn compared<'i, 'r, 'a>(
    table: TableBuilder<'i, Pair<'r, 'a>>,
    transfers: &TransferSelection<'a>,
) -> TableBuilder<'i, Pair<'r, 'a>> {
    named(table, |[row, _]| (row.task.name(), row.who.name()))
        .each(SIDES, |table, (heading, of)| table.figures(say!(heading), |pair| written(transfers.effect(*pair, of))))
}

/// Adds the columns for task and library. A page has one column for them, which stays visible while the table scrolls.
fn named<'i, I>(table: TableBuilder<'i, I>, names: impl Fn(&I) -> (Text, Text)) -> TableBuilder<'i, I> {
    let [moved, library] = ["transfer-moved", "transfer-library"].map(|key| say!(key));
    let joined = |moved: Text, library: Text| say!("transfer-by", moved = moved, library = library);
    let on = |medium, heading| Column { medium, ..Column::words(heading) };
    table
        .column(on(Medium::Page, joined(moved.clone(), library.clone())), |item| {
            let (moved, library) = names(item);
            joined(moved, library)
        })
        .column(on(Medium::Text, moved), |item| names(item).0)
        .column(on(Medium::Text, library), |item| names(item).1)
}

fn written(effect: Option<Effect>) -> Text {
    or_dash(effect.map(Effect::text_with_interval))
}
