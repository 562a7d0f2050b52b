//! A ranking in every form.

use serde_json::{Value, json};

use super::Forms;
use crate::Format;
use crate::export::csv::{ListColumn, number, of_fields, unit};
use crate::language::Messages;
use crate::quantity::{Scale, digits, size, times};
use crate::selection::join;
use crate::table::{Cell, Over, Table};
use crate::visible::short;
use kasoku_model::algorithm::AlgorithmKind;
use kasoku_model::document::Origin;
use kasoku_model::openssl_speed::{AeadRow, COMPARABLE};
use kasoku_store::collection::{
    FigureSource, LeftOut, Libraries, Ranking, RankingQuestion, RankingRow, RunsLeftOut, This,
};

/// Up to this size, what a message costs by itself is a good part of the whole.
const SMALL: usize = 1024;

/// The longest names of sources and devices that a table has; the other forms have the whole.
const WIDEST: usize = 48;

/// A ranking in `format`.
pub fn rank(ranking: &Ranking, left_out: &LeftOut, messages: &Messages, format: Format) -> String {
    Forms { grid: grid(ranking, left_out, messages), csv: csv(ranking), objects: objects(ranking, left_out) }
        .write(format)
}

fn grid(ranking: &Ranking, left_out: &LeftOut, messages: &Messages) -> Table {
    linked(ranking, &ranking.rows, left_out, messages, |_| None)
}

/// The table of some of a ranking's rows, with where each machine leads.
pub(crate) fn linked(
    ranking: &Ranking,
    rows: &[RankingRow],
    left_out: &LeftOut,
    messages: &Messages,
    link: impl Fn(&RankingRow) -> Option<String>,
) -> Table {
    let words = &messages.collection;
    let scale = Scale::of_table(ranking.unit);
    let is_compared = ranking.this == This::Ranked;
    let publications = publications(rows.iter());
    let mark = |row: &RankingRow| if row.is_this { (words.behind)(words.this_machine) } else { String::new() };
    Over::new(title(&ranking.question, Some(scale.name), messages), rows)
        .words(words.place, |row| row.place.to_string())
        .words(words.machine, |row| Cell::linked(format!("{}{}", short(&row.device, WIDEST), mark(row)), link(row)))
        .words(words.os, |row| row.os.as_deref().map(|os| short(os, 32)))
        .words(words.library, |row| join(&row.library, &row.library_version, ""))
        .when(is_mixed(ranking), |table| table.words(words.one_operation, |row| row.aead_row.map(words.aead_row)))
        .words(words.known, |row| known(&row.sources, &publications, messages))
        .figures(scale.name, |row| Cell::figure(scale, row.figure))
        .when(is_compared, |table| table.figures(words.times_this, |row| row.times.map(ratio)))
        .notes(notes(ranking, left_out, &publications, messages))
        .table()
}

/// Whether its figures are of AEADs and not all of the same operation.
pub(crate) fn is_mixed(ranking: &Ranking) -> bool {
    let mut rows = ranking.rows.iter().filter_map(|row| row.aead_row);
    rows.next().is_some_and(|first| rows.any(|other| other != first))
}

/// What to say if this machine is not in the ranking, and what would bring it there; `None` if it is.
pub fn this_machine_is_missing(ranking: &Ranking, messages: &Messages) -> Option<String> {
    let words = &messages.collection;
    let question = &ranking.question;
    Some(match (ranking.this, question.algorithm.is_quoted()) {
        (This::Ranked, _) => return None,
        (This::WithoutRun, false) => (words.no_run)("kasoku run primitives --quick"),
        (This::WithoutRun, true) => words.no_run_and_not_measured.to_owned(),
        (This::WithoutWorkload, false) => (words.no_figure)(&title(question, None, messages), &command(question)),
        (This::WithoutWorkload, true) => (words.not_measured)(question.algorithm.title()),
    })
}

/// What to say if a ranking is empty; `None` if it is not.
pub fn nothing_known(ranking: &Ranking, left_out: &LeftOut, messages: &Messages) -> Option<String> {
    let sizes: Vec<String> = left_out.sizes.iter().map(|bytes| size(*bytes)).collect();
    let what = || title(&ranking.question, None, messages);
    ranking.rows.is_empty().then(|| (messages.collection.nothing_known)(&what(), &sizes))
}

/// What to say of runs that are left out; `None` if there are none.
pub fn runs_left_out(left_out: RunsLeftOut, messages: &Messages) -> Option<String> {
    (messages.collection.runs_left_out)(left_out)
}

/// The question in words: `AES-128-GCM seal, 16 KiB, MB/s, openssl, acceleration on`.
pub(super) fn title(question: &RankingQuestion, unit: Option<&str>, messages: &Messages) -> String {
    let operation = (messages.words.operation)(question.operation);
    let mut parts = vec![format!("{} {operation}", question.algorithm.title())];
    parts.extend(question.has_sizes().then(|| size(question.bytes)));
    parts.extend(unit.map(str::to_owned));
    parts.push(match &question.libraries {
        Libraries::Only(library) => short(library, WIDEST),
        Libraries::Any => messages.collection.any_library.to_owned(),
    });
    parts.push((messages.collection.state)(question.acceleration));
    parts.join(messages.words.comma)
}

/// The command that measures what was asked for.
pub(super) fn command(question: &RankingQuestion) -> String {
    let mut command = format!("kasoku run primitives --algorithms {}", question.algorithm);
    if question.has_sizes() {
        command.push_str(&format!(" --sizes {}", question.bytes));
    }
    if let Libraries::Only(library) = &question.libraries {
        command.push_str(&format!(" --libraries {}", short(library, WIDEST)));
    }
    command
}

/// The publications that rows come from, in the order of the rows.
pub(crate) fn publications<'r>(rows: impl Iterator<Item = &'r RankingRow>) -> Vec<&'r Origin> {
    let mut publications: Vec<&Origin> = Vec::new();
    for source in rows.flat_map(|row| &row.sources) {
        if let FigureSource::Published { origin, .. } = source
            && !publications.contains(&origin)
        {
            publications.push(origin);
        }
    }
    publications
}

/// How a row is known; publications by their number, which a note explains.
pub(crate) fn known(sources: &[FigureSource], publications: &[&Origin], messages: &Messages) -> String {
    let words = &messages.collection;
    let told = |source: &FigureSource| match source {
        // The day is enough to find the run by.
        FigureSource::Measured { started, .. } => {
            (words.measured)(&short(started.split('T').next().unwrap_or_default(), 24))
        }
        FigureSource::Imported { origin, .. } if sources.len() == 1 => {
            (words.imported_from)(&short(&origin.source, WIDEST))
        }
        FigureSource::Imported { .. } => words.imported.to_owned(),
        FigureSource::Published { origin, .. } => {
            let number = publications.iter().position(|other| *other == origin).unwrap_or_default() + 1;
            format!("{} [{number}]", words.published)
        }
    };
    sources.iter().map(told).collect::<Vec<_>>().join(" + ")
}

/// Each publication with its number.
pub(crate) fn credits(publications: &[&Origin], messages: &Messages) -> Vec<String> {
    let credit = |(index, origin): (usize, &&Origin)| {
        let Origin { source, address, note, .. } = origin;
        let by = note.as_deref().map(|note| (messages.collection.behind)(&short(note, 100))).unwrap_or_default();
        let address = address.as_deref().map(|address| format!(" {}", short(address, 200))).unwrap_or_default();
        format!("[{}] {}{by}{address}", index + 1, short(source, 200))
    };
    publications.iter().enumerate().map(credit).collect()
}

fn notes(ranking: &Ranking, left_out: &LeftOut, publications: &[&Origin], messages: &Messages) -> Vec<String> {
    let words = &messages.collection;
    let question = &ranking.question;
    let mut notes = credits(publications, messages);
    let is_quoted =
        |row: &RankingRow| !row.sources.iter().any(|source| matches!(source, FigureSource::Measured { .. }));
    if ranking.rows.iter().any(is_quoted) {
        notes.push(words.quoted.to_owned());
        let has_streams = ranking.rows.iter().any(|row| row.aead_row == Some(AeadRow::Updates));
        if has_streams && question.algorithm.kind() == AlgorithmKind::Aead && question.bytes < SMALL {
            notes.push(words.running_stream.to_owned());
        }
    }
    let has_set_ups = ranking.rows.iter().any(|row| row.aead_row == Some(AeadRow::KeyedMessages));
    if ranking.apart.is_some() || (has_set_ups && is_mixed(ranking)) {
        notes.push(words.two_meanings.to_owned());
    }
    notes.extend(ranking.apart.map(|(count, row)| (words.apart)(count, (words.aead_row)(row), &size(COMPARABLE))));
    if left_out.machines > 0 {
        let sizes: Vec<String> = left_out.sizes.iter().map(|bytes| size(*bytes)).collect();
        notes.push((words.left_out)(left_out.machines, &size(question.bytes), &sizes));
    }
    notes
}

/// How a source is known, by whom, and the run or document it is in.
fn parts(source: &FigureSource) -> (&'static str, &str, &str) {
    match source {
        FigureSource::Measured { run, started } => ("measured", started, run),
        FigureSource::Imported { run, origin } => ("imported", &origin.source, run),
        FigureSource::Published { run, origin } => ("published", &origin.source, run),
    }
}

fn csv(ranking: &Ranking) -> String {
    let all =
        |row: &RankingRow, part: fn(&FigureSource) -> &str| row.sources.iter().map(part).collect::<Vec<_>>().join("; ");
    let fields: [ListColumn<'_, &RankingRow>; 18] = [
        ("place", &|row| row.place.to_string()),
        ("machine", &|row| row.device.clone()),
        ("this_machine", &|row| row.is_this.to_string()),
        ("os", &|row| row.os.clone().unwrap_or_default()),
        ("cpu", &|row| row.cpu.clone()),
        ("arch", &|row| row.arch.clone()),
        ("figure", &|row| row.figure.to_string()),
        ("unit", &|_| unit(ranking.unit)),
        ("times_this_machine", &|row| number(row.times)),
        ("ci95_low", &|row| number(row.ci95.map(|[low, _]| low))),
        ("ci95_high", &|row| number(row.ci95.map(|[_, high]| high))),
        ("library", &|row| row.library.clone()),
        ("library_version", &|row| row.library_version.clone()),
        ("code_path", &|row| row.code_path.clone()),
        ("known", &|row| all(row, |source| parts(source).0)),
        ("sources", &|row| all(row, |source| parts(source).1)),
        ("runs", &|row| all(row, |source| parts(source).2)),
        ("aead_row", &|row| row.aead_row.map(AeadRow::name).unwrap_or_default().to_owned()),
    ];
    of_fields(&fields, ranking.rows.iter())
}

fn objects(ranking: &Ranking, left_out: &LeftOut) -> Value {
    let source = |source: &FigureSource| {
        let (known, from, run) = parts(source);
        let mut object = json!({ "known": known, "run": run });
        match source {
            FigureSource::Measured { .. } => object["started"] = json!(from),
            FigureSource::Imported { origin, .. } | FigureSource::Published { origin, .. } => {
                object["origin"] = json!(origin)
            }
        }
        object
    };
    let row = |row: &RankingRow| {
        json!({
            "place": row.place,
            "machine": row.device,
            "this_machine": row.is_this,
            "os": row.os,
            "cpu": row.cpu,
            "arch": row.arch,
            "figure": row.figure,
            "times_this_machine": row.times,
            "ci95": row.ci95,
            "library": row.library,
            "library_version": row.library_version,
            "code_path": row.code_path,
            "aead_row": row.aead_row.map(AeadRow::name),
            "sources": row.sources.iter().map(source).collect::<Vec<_>>(),
        })
    };
    let mut objects = question(&ranking.question);
    objects["unit"] = json!(ranking.unit);
    objects["machines"] = ranking.rows.iter().map(row).collect();
    let RunsLeftOut { not_genuine, incomplete_imports, incomplete, unread } = left_out.runs;
    objects["left_out"] = json!({
        "machines": left_out.machines,
        "sizes": left_out.sizes,
        "runs": {
            "not_genuine": not_genuine,
            "incomplete_imports": incomplete_imports,
            "incomplete": incomplete,
            "unread": unread,
        },
    });
    objects["apart"] = json!(ranking.apart.map(|(rows, row)| json!({ "rows": rows, "aead_row": row.name() })));
    objects
}

/// A question as an object.
pub(super) fn question(question: &RankingQuestion) -> Value {
    json!({
        "algorithm": question.algorithm,
        "operation": question.operation,
        "bytes": question.has_sizes().then_some(question.bytes),
        "library": match &question.libraries {
            Libraries::Only(library) => library,
            Libraries::Any => "any",
        },
        "acceleration": question.acceleration,
    })
}

/// A ratio with two digits that tell, however small: a router against a server is a thousandth.
pub(crate) fn ratio(value: f64) -> String {
    if value >= 0.095 || value <= 0.0 {
        return times(value);
    }
    let places = (1.0 - value.log10().floor()).min(12.0) as usize;
    format!("{value:.places$}")
}

/// An interval as a table has it: `1228 … 1241`, or `–` if there is none.
pub(super) fn interval(ci95: Option<[f64; 2]>, scale: Scale) -> String {
    ci95.map_or_else(
        || "–".to_owned(),
        |[low, high]| format!("{} … {}", digits(scale.apply(low)), digits(scale.apply(high))),
    )
}
