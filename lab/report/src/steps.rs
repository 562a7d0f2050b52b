//! Steps as tables, CSV, JSON and Markdown, and in the words that the page shows too.

use serde_json::{Value, json};

use super::Format;
pub use super::TableView;
use super::export::csv::{ListColumn, of_fields};
use super::export::json;
use super::export::sheet::Sheet;
use super::quantity::{digits, size};
use super::selection::{Task, join};
use super::table::{Over, Table};
use super::visible::short;
use crate::language::{Messages, messages};
use kasoku_model::document::Document;
use kasoku_model::steps::{Curve, Piece, Step};

/// The longest list of code paths that is shown.
const CODE_PATHS: usize = 40;
/// Curves without steps that are named; the rest is counted.
const NAMED: usize = 40;

/// Renders the steps of `document` as `view` asks for it.
pub fn render(document: &Document, curves: &[Curve<'_>], view: TableView) -> String {
    let messages = messages(view.language);
    match view.format {
        Format::Table => people(Sheet::plain(), document, curves, messages, view.all),
        Format::Markdown => people(Sheet::markdown(messages.steps.title), document, curves, messages, view.all),
        Format::Json => json::text(&json!({
            "run": document.run.id,
            "machine": document.machine.label(),
            "complete": document.run.complete,
            "curves": curves.iter().map(object).collect::<Vec<_>>(),
        })),
        Format::Csv => csv(curves),
    }
}

fn object(curve: &Curve<'_>) -> Value {
    json!({
        "level": curve.series.level,
        "operation": curve.workload.operation,
        "algorithm": curve.workload.algorithm,
        "workload": curve.workload.to_string(),
        "library": curve.series.library,
        "library_version": curve.series.library_version,
        "acceleration": curve.series.acceleration,
        "threads": curve.series.details.threads,
        "rule": curve.rule,
        "points": curve.points,
        "pieces": curve.pieces,
        "steps": curve.steps,
        "absence": curve.absence,
    })
}

/// A line for each piece of every curve, with the step it begins with.
fn csv(curves: &[Curve<'_>]) -> String {
    type Record<'a> = (&'a Curve<'a>, &'a Piece, Option<&'a Step>);
    let fields: [ListColumn<'_, Record<'_>>; 18] = [
        ("level", &|(curve, ..)| curve.series.level.to_string()),
        ("operation", &|(curve, ..)| curve.workload.operation.to_string()),
        ("algorithm", &|(curve, ..)| curve.workload.algorithm.to_string()),
        ("library", &|(curve, ..)| curve.series.library.clone()),
        ("library_version", &|(curve, ..)| curve.series.library_version.clone()),
        ("acceleration", &|(curve, ..)| curve.series.acceleration.to_string()),
        ("threads", &|(curve, ..)| curve.series.details.threads.to_string()),
        ("first_bytes", &|(_, piece, _)| piece.first_bytes.to_string()),
        ("last_bytes", &|(_, piece, _)| piece.last_bytes.to_string()),
        ("fixed_ns", &|(_, piece, _)| piece.line.fixed_ns.to_string()),
        ("ns_per_byte", &|(_, piece, _)| piece.line.ns_per_byte.to_string()),
        ("cycles_per_byte", &|(_, piece, _)| {
            piece.cycles_per_byte.map(|cycles| cycles.to_string()).unwrap_or_default()
        }),
        ("unit_bytes", &|(_, piece, _)| piece.line.unit_bytes.to_string()),
        ("rest_ns", &|(_, piece, _)| piece.line.rest_ns.to_string()),
        ("code_paths", &|(_, piece, _)| piece.code_paths.join(" ")),
        ("after_bytes", &|(.., step)| step.map(|step| step.before_bytes.to_string()).unwrap_or_default()),
        ("jump", &|(.., step)| step.map(|step| step.jump.to_string()).unwrap_or_default()),
        ("cause", &|(.., step)| {
            step.and_then(|step| step.cause).map(|cause| cause.name.to_owned()).unwrap_or_default()
        }),
    ];
    let records = curves.iter().flat_map(|curve| {
        let steps = std::iter::once(None).chain(curve.steps.iter().map(Some));
        curve.pieces.iter().zip(steps).map(move |(piece, step)| (curve, piece, step))
    });
    of_fields(&fields, records)
}

fn people(mut sheet: Sheet, document: &Document, curves: &[Curve<'_>], messages: &Messages, all: bool) -> String {
    let run = &document.run;
    let mut head = vec![short(&run.id, 60), short(&run.started, 40), short(document.machine.label(), 100)];
    head.retain(|part| !part.is_empty());
    head.dedup();
    sheet.line(&head.join(" · "));
    if !run.complete {
        sheet.line(messages.steps.incomplete);
    }
    let (with, without): (Vec<&Curve<'_>>, Vec<&Curve<'_>>) = curves.iter().partition(|curve| !curve.steps.is_empty());
    for curve in with.iter().chain(without.iter().filter(|_| all)) {
        sheet.table(&grid(curve, messages));
        told(curve, messages).iter().flatten().for_each(|line| sheet.line(line));
    }
    if with.is_empty() {
        sheet.line(&none(curves, messages));
    } else if !without.is_empty() && !all {
        let mut names: Vec<String> = without.iter().take(NAMED).map(|curve| name(curve, messages)).collect();
        if without.len() > NAMED {
            names.push(format!("… (+{})", without.len() - NAMED));
        }
        sheet.gap();
        sheet.line(&(messages.steps.none)(&names));
    }
    absences(curves, messages).for_each(|line| sheet.line(&line));
    sheet.text
}

/// The pieces of a curve.
pub(crate) fn grid(curve: &Curve<'_>, messages: &Messages) -> Table {
    let words = &messages.steps;
    let title = format!("{} · {}", name(curve, messages), (words.sizes)(curve.points.len(), curve.rule));
    let is_below_zero = curve.pieces.iter().any(|piece| piece.line.fixed_ns < 0.0);
    Over::new(title, &curve.pieces)
        .words(words.sizes_heading, |piece| format!("{}–{}", size(piece.first_bytes), size(piece.last_bytes)))
        .words(messages.tables.code_path, code_paths)
        .words(words.counted, |piece| (words.form)(piece.line))
        .figures(words.fixed, |piece| digits(piece.line.fixed_ns))
        .figures(words.per_byte, |piece| digits(piece.line.ns_per_byte))
        .figures(words.cycles, |piece| piece.cycles_per_byte.map(digits))
        .notes(is_below_zero.then_some(words.reading))
        .table()
        .without_empty_columns()
}

/// What ran in a piece, where that is known.
fn code_paths(piece: &Piece) -> Option<String> {
    let known: Vec<&str> = piece.code_paths.iter().map(String::as_str).filter(|path| *path != "unknown").collect();
    (!known.is_empty()).then(|| short(&known.join("/"), CODE_PATHS))
}

/// Each step in words: where it is and what changes, and why.
pub(crate) fn told(curve: &Curve<'_>, messages: &Messages) -> Vec<[String; 2]> {
    let words = &messages.steps;
    let one = |(step, sides): (&Step, &[Piece])| {
        let [before, after] = [&sides[0], &sides[1]].map(|piece| digits(piece.line.ns_per_byte));
        let mut what = vec![(words.jump)(step), (words.costs)(&before, &after)];
        if let [Some(before), Some(after)] = [&sides[0], &sides[1]].map(code_paths)
            && before != after
        {
            what.push((words.code_paths)(&before, &after));
        }
        let cause = step.cause.map(|cause| (words.cause)(cause.reason(messages.language)));
        let cause = cause.unwrap_or_else(|| words.cause_unknown.to_owned());
        [(words.sentence)(&(words.place)(step), &what.join(words.and)), cause]
    };
    curve.steps.iter().zip(curve.pieces.windows(2)).map(one).collect()
}

/// That none of these curves has a step, or that there is none.
pub(crate) fn none(curves: &[Curve<'_>], messages: &Messages) -> String {
    if curves.is_empty() { messages.steps.nothing.to_owned() } else { (messages.steps.none_at_all)(curves.len()) }
}

/// Why there is no step where the same code has one elsewhere.
pub(crate) fn absences(curves: &[Curve<'_>], messages: &Messages) -> impl Iterator<Item = String> {
    let told = |curve: &Curve<'_>| {
        let absence = curve.absence?;
        Some((messages.steps.absence)(&name(curve, messages), absence.from[0], absence.reason(messages.language)))
    };
    curves.iter().filter_map(told).take(NAMED)
}

/// Task, library, state, and what is unusual.
pub(crate) fn name(curve: &Curve<'_>, messages: &Messages) -> String {
    let (series, workload) = (curve.series, &curve.workload);
    let task = Task { algorithm: workload.algorithm, operation: workload.operation };
    let mut setting: Vec<String> = Vec::new();
    if series.details.threads != 1 {
        setting.push((messages.steps.threads)(series.details.threads));
    }
    if workload.keys > 1 || workload.packets().is_some() || workload.nonces != Default::default() {
        setting.push(workload.to_string());
    }
    let library = join(&series.library, &series.library_version, &setting.join(", "));
    format!("{} · {library} · {}", task.title(&messages.words), series.acceleration)
}
