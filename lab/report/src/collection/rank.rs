//! Rankings of machines: one table for `kasoku rank`, the page of a run and the site.

use serde_json::{Value, json};

use super::{NAME, command, day, device, title, workload};
use crate::export::csv::of_objects;
use crate::prelude::*;
use crate::quantity::times;
use crate::table::CellBar;
use kasoku_model::document::Origin;
use kasoku_model::openssl_speed::{AeadRow, COMPARABLE};
use kasoku_store::collection::{FigureSource, LeftOut, Ranking, RankingQuestion, RankingRow, RunsLeftOut, This};

/// Maximum size in bytes at which the fixed cost of a message matters.
const SMALL: usize = 1024;

type RowLink<'v> = dyn Fn(&RankingRow) -> Option<String> + 'v;

#[derive(Default)]
pub(crate) struct RankingView<'v> {
    /// Indices of the rows to show, ascending. In place of each gap, the table states how many rows are missing.
    pub(crate) rows: Vec<usize>,
    /// Whether rows have bars instead of the columns for system, library and source.
    pub(crate) has_bars: bool,
    /// Returns the address of the page of a row's machine, if machines have pages.
    pub(crate) link: Option<&'v RowLink<'v>>,
    pub(crate) notes: Vec<Text>,
}

pub fn rank(ranking: &Ranking, left_out: &LeftOut) -> Output {
    let (rows, notes) = ((0..ranking.rows.len()).collect(), notes(ranking, left_out));
    let view = RankingView { rows, notes, ..RankingView::default() };
    let blocks = if ranking.rows.is_empty() { Vec::new() } else { vec![Block::Table(table(ranking, view))] };
    Output { title: Text::EMPTY, blocks, csv: csv(ranking), objects: objects(ranking, left_out) }
}

pub(crate) fn table(ranking: &Ranking, view: RankingView<'_>) -> Table {
    let RankingView { rows: indices, has_bars, link, notes } = view;
    let rows: Vec<&RankingRow> = indices.iter().filter_map(|index| ranking.rows.get(*index)).collect();
    let scale = Scale::of_table(ranking.unit);
    let largest = ranking.rows.iter().map(|row| row.figure).fold(0.0, f64::max);
    let publications = publications(ranking.rows.iter());
    let title = if has_bars { workload(&ranking.question) } else { title(&ranking.question, Some(scale.name)) };
    let machine = |row: &&RankingRow| {
        let mark = row.is_this.then(|| say!("collection-behind", text = say!("collection-this-machine")));
        let class = match row.is_quoted() {
            _ if row.is_this => "this",
            true => "quoted",
            false => "",
        };
        let bar = CellBar { share: (row.figure / largest * 100.0).clamp(0.0, 100.0), class };
        let name = Text::list(Separator::None, [device(&row.device), mark.into()]);
        Cell { bar: has_bars.then_some(bar), ..Cell::linked(name, link.and_then(|link| link(row))) }
    };
    let figure = |row: &&RankingRow| {
        let mut figure = scale.write(row.figure);
        if has_bars {
            figure.push_str(if row.is_quoted() { "*" } else { "" });
            figure.push_str(if is_keyed(row) { "†" } else { "" });
        }
        Cell::from(figure).sorted_by(row.figure)
    };
    let mut table = TableBuilder::new(title, &rows)
        .words(say!("collection-place"), |row| row.place.to_string())
        .words(say!("collection-machine"), machine)
        .when(!has_bars, |table| {
            table
                .words(say!("collection-os"), |row| row.os.as_deref().map(|os| Text::name(os, 32)))
                .words(say!("collection-library"), |row| join(&row.library, &row.library_version))
                .when(is_mixed(ranking), |table| {
                    table.words(say!("collection-one-operation"), |row| row.aead_row.map(aead_row))
                })
                .words(say!("collection-known"), |row| known(&row.sources, &publications))
        })
        .figures(scale.name, figure)
        .when(ranking.rows.iter().any(|row| row.times.is_some()), |table| {
            table.figures(say!("collection-times-this"), |row| row.times.map(ratio))
        })
        .marked(|row| row.is_this)
        .notes(notes)
        .table();
    for (index, pair) in indices.windows(2).enumerate().rev() {
        if let count @ 1.. = pair[1] - pair[0] - 1 {
            let gap = Cell { span: table.columns.len(), ..Cell::from(say!("others-gap", count = count)) };
            table.rows.insert(index + 1, vec![gap]);
            table.marked_row = table.marked_row.map(|marked| marked + usize::from(marked > index));
        }
    }
    table
}

/// Whether the operation of the row's figure includes the set-up of the key.
pub(crate) fn is_keyed(row: &RankingRow) -> bool {
    row.aead_row == Some(AeadRow::KeyedMessages)
}

/// Whether the ranking contains AEAD figures that measure different operations.
fn is_mixed(ranking: &Ranking) -> bool {
    let mut rows = ranking.rows.iter().filter_map(|row| row.aead_row);
    rows.next().is_some_and(|first| rows.any(|other| other != first))
}

/// Explains why the ranking lacks this machine, and names the command that measures it. `None` if the machine is
/// ranked.
pub fn this_machine_is_missing(ranking: &Ranking) -> Option<Text> {
    let question = &ranking.question;
    Some(match (ranking.this, question.algorithm.is_quoted()) {
        (This::Ranked, _) => return None,
        (This::WithoutRun, false) => say!("collection-no-run", command = "kasoku run primitives --quick"),
        (This::WithoutRun, true) => say!("collection-no-run-and-not-measured"),
        (This::WithoutWorkload, false) => no_figure(question),
        (This::WithoutWorkload, true) => say!("collection-not-measured", algorithm = question.algorithm.title()),
    })
}

pub(super) fn no_figure(question: &RankingQuestion) -> Text {
    say!("collection-no-figure", what = title(question, None), command = command(question))
}

pub fn nothing_known(ranking: &Ranking, left_out: &LeftOut) -> Option<Text> {
    let (what, sizes) = (title(&ranking.question, None), sizes(left_out));
    ranking.rows.is_empty().then(|| match sizes.is_empty() {
        true => say!("collection-nothing-known", what = what),
        false => say!("collection-nothing-known-with-sizes", what = what, sizes = sizes),
    })
}

/// Counts the runs that a ranking leaves out, by reason; `None` if it leaves out none.
pub fn runs_left_out(left_out: RunsLeftOut) -> Option<Text> {
    let RunsLeftOut { not_genuine, incomplete_imports, incomplete, unread } = left_out;
    let counts = [
        ("not-genuine", not_genuine),
        ("incomplete-imports", incomplete_imports),
        ("incomplete", incomplete),
        ("unread", unread),
    ];
    let told = counts.into_iter().filter(|(_, count)| *count > 0);
    let told = told.map(|(kind, count)| say!(format!("collection-runs-{kind}"), count = count));
    let told = Text::list(Separator::Comma, told);
    (!told.is_empty()).then(|| say!("collection-runs-left-out", told = told))
}

/// Returns the publications that the figures of `rows` come from, in the order of `rows`.
pub(crate) fn publications<'r>(rows: impl Iterator<Item = &'r RankingRow>) -> Vec<&'r Origin> {
    unique(rows.flat_map(|row| &row.sources).filter_map(|source| match source {
        FigureSource::Published { origin, .. } => Some(origin),
        _ => None,
    }))
}

/// Names the sources of a row: measured, imported or published. Publications appear with their numbers in [`credits`].
pub(crate) fn known(sources: &[FigureSource], publications: &[&Origin]) -> Text {
    let known = sources.iter().map(|source| match source {
        // The day suffices to identify the run.
        FigureSource::Measured { started, .. } => say!("collection-measured", day = day(started)),
        FigureSource::Imported { origin, .. } if sources.len() == 1 => {
            say!("collection-imported-from", file = short(&origin.source, NAME))
        }
        FigureSource::Imported { .. } => say!("collection-imported"),
        FigureSource::Published { origin, .. } => {
            let number = publications.iter().position(|other| *other == origin).unwrap_or_default() + 1;
            Text::list(Separator::Space, [say!("collection-published"), format!("[{number}]").into()])
        }
    });
    let plus = known.enumerate().flat_map(|(index, known)| [(index > 0).then(|| "+".into()), Some(known)]);
    Text::list(Separator::Space, plus.flatten())
}

pub(crate) fn credits(publications: &[&Origin]) -> Vec<Text> {
    let credit = |(index, origin): (usize, &&Origin)| {
        let Origin { source, address, note, .. } = origin;
        let note = note.as_deref().map(|note| say!("collection-behind", text = short(note, 100)));
        let address = address.as_deref().map(|address| format!(" {}", short(address, 200)));
        let source = format!("[{}] {}", index + 1, short(source, 200));
        Text::list(Separator::None, [Some(Text::from(source)), note, address.map(Text::from)])
    };
    publications.iter().enumerate().map(credit).collect()
}

pub(crate) fn notes(ranking: &Ranking, left_out: &LeftOut) -> Vec<Text> {
    let question = &ranking.question;
    let any = |is: fn(&RankingRow) -> bool| ranking.rows.iter().any(is);
    let mut notes = credits(&publications(ranking.rows.iter()));
    if any(RankingRow::is_quoted) {
        notes.push(say!("collection-quoted"));
        let has_streams = any(|row| row.aead_row == Some(AeadRow::Updates));
        if has_streams && question.algorithm.kind() == AlgorithmKind::Aead && question.bytes < SMALL {
            notes.push(say!("collection-running-stream"));
        }
    }
    if ranking.apart.is_some() || (any(is_keyed) && is_mixed(ranking)) {
        notes.push(say!("collection-two-meanings"));
    }
    let apart = |(count, row)| say!("collection-apart", count = count, what = aead_row(row), bytes = size(COMPARABLE));
    notes.extend(ranking.apart.map(apart));
    if let machines @ 1.. = left_out.machines {
        let (wanted, sizes) = (size(question.bytes), sizes(left_out));
        notes.push(say!("collection-left-out", machines = machines, wanted = wanted, sizes = sizes));
    }
    notes
}

fn sizes(left_out: &LeftOut) -> Text {
    Text::list(Separator::And, left_out.sizes.iter().map(|bytes| size(*bytes)))
}

fn aead_row(row: AeadRow) -> Text {
    say!("collection-aead-row", row = row.name())
}

/// Returns the kind of a source, and its start time, file or publication.
fn parts(source: &FigureSource) -> (&'static str, &str) {
    match source {
        FigureSource::Measured { started, .. } => ("measured", started),
        FigureSource::Imported { origin, .. } => ("imported", &origin.source),
        FigureSource::Published { origin, .. } => ("published", &origin.source),
    }
}

fn csv(ranking: &Ranking) -> String {
    const COLUMNS: &str = "place,machine,this_machine,os,cpu,arch,figure,unit,times_this_machine,ci95_low,ci95_high,\
        library,library_version,code_path,known,sources,runs,aead_row";
    let row = |row: &RankingRow| {
        let all = |part: fn(&FigureSource) -> &str| row.sources.iter().map(part).collect::<Vec<_>>().join("; ");
        let (known, sources) = (all(|source| parts(source).0), all(|source| parts(source).1));
        let runs = all(FigureSource::run);
        [json!({ "unit": ranking.unit, "known": known, "sources": sources, "runs": runs }), json!(row)]
    };
    of_objects(COLUMNS, ranking.rows.iter().map(row))
}

fn objects(ranking: &Ranking, left_out: &LeftOut) -> Value {
    let mut objects = question(&ranking.question);
    objects["unit"] = json!(ranking.unit);
    objects["machines"] = json!(ranking.rows);
    objects["left_out"] = json!(left_out);
    objects["apart"] = json!(ranking.apart.map(|(rows, row)| json!({ "rows": rows, "aead_row": row })));
    objects
}

pub(super) fn question(question: &RankingQuestion) -> Value {
    json!({
        "algorithm": question.algorithm,
        "operation": question.operation,
        "bytes": question.has_sizes().then_some(question.bytes),
        "library": question.library.as_deref().unwrap_or("any"),
        "acceleration": question.acceleration,
    })
}

/// Formats a ratio with two significant digits, however small: a router may have a thousandth of a server's figure.
fn ratio(value: f64) -> String {
    if value >= 0.095 || value <= 0.0 {
        return times(value);
    }
    let places = (1.0 - value.log10().floor()).min(12.0) as usize;
    format!("{value:.places$}")
}
