//! Steps as tables, CSV, JSON and Markdown.

mod objects;
mod page;

use kasoku_model::document::Document;
use kasoku_model::steps::{Curve, Piece, Step};

use super::Format;
pub use super::TableView;
use super::export::json;
use super::export::sheet::Sheet;
use super::quantity::{digits, size};
use super::selection::{Task, join};
use super::table::{Over, Table};
use super::visible::short;
use crate::language::{Messages, StepChange, StepPlace, messages};
pub(crate) use page::{about, absences, none};

/// The longest list of code paths that is shown.
const CODE_PATHS: usize = 40;
/// Curves without steps that are named; the rest is counted.
const NAMED: usize = 40;

/// The steps of `document` as `view` asks for it.
pub fn render(document: &Document, curves: &[Curve], view: TableView) -> String {
    let messages = messages(view.language);
    match view.format {
        Format::Table => people(Sheet::plain(), document, curves, messages, view.all),
        Format::Markdown => people(Sheet::markdown(messages.steps.title), document, curves, messages, view.all),
        Format::Json => json::text(&objects::objects(document, curves)),
        Format::Csv => objects::csv(curves),
    }
}

fn people(mut sheet: Sheet, document: &Document, curves: &[Curve], messages: &Messages, all: bool) -> String {
    let run = &document.run;
    let mut head = vec![short(&run.id, 60), short(&run.started, 40), short(document.machine.label(), 100)];
    head.retain(|part| !part.is_empty());
    head.dedup();
    sheet.line(&head.join(" · "));
    if !run.complete {
        sheet.line(messages.steps.incomplete);
    }
    if curves.is_empty() {
        sheet.line(messages.steps.nothing);
        return sheet.text;
    }
    let (with, without): (Vec<&Curve>, Vec<&Curve>) = curves.iter().partition(|curve| !curve.steps.is_empty());
    let shown = with.iter().chain(without.iter().filter(|_| all));
    for curve in shown {
        sheet.table(&grid(curve, messages));
        for (index, step) in curve.steps.iter().enumerate() {
            for line in told(curve, index, step, messages) {
                sheet.line(&line);
            }
        }
    }
    if with.is_empty() {
        sheet.line(&(messages.steps.none_at_all)(curves.len()));
    } else if !without.is_empty() && !all {
        let mut names: Vec<String> = without.iter().take(NAMED).map(|curve| name(curve, messages)).collect();
        if without.len() > NAMED {
            names.push(format!("… (+{})", without.len() - NAMED));
        }
        sheet.gap();
        sheet.line(&(messages.steps.none)(&names));
    }
    for curve in without {
        if let Some(absence) = &curve.absence {
            let reason = absence.reason(messages.language);
            sheet.line(&(messages.steps.absence)(&name(curve, messages), reason));
        }
    }
    sheet.text
}

/// The pieces of a curve.
fn grid(curve: &Curve, messages: &Messages) -> Table {
    let words = &messages.steps;
    let is_below_zero = |piece: &Piece| piece.line.is_some_and(|line| line.fixed_ns < 0.0);
    let title = format!("{} · {}", name(curve, messages), (messages.steps.sizes)(curve.points.len(), curve.rule));
    Over::new(title, &curve.pieces)
        .words(words.sizes_heading, |piece| match (piece.first, piece.last) {
            (first, last) if first == last => size(first),
            (first, last) => format!("{}–{}", size(first), size(last)),
        })
        .words(messages.tables.code_path, code_paths)
        .words(words.counted, |piece| piece.line.map(|line| (messages.steps.form)(line.form)))
        .figures(words.fixed, |piece| piece.line.map(|line| digits(line.fixed_ns)))
        .figures(words.per_byte, |piece| piece.line.map(|line| digits(line.per_byte())))
        .figures(words.cycles, |piece| piece.cycles_per_byte.map(digits))
        .notes(curve.pieces.iter().any(is_below_zero).then_some(messages.steps.reading))
        .table()
        .without_empty_columns()
}

/// What ran in a piece, where that is known.
fn code_paths(piece: &Piece) -> Option<String> {
    let known: Vec<&str> = piece.code_paths.iter().map(String::as_str).filter(|path| *path != "unknown").collect();
    (!known.is_empty()).then(|| short(&known.join("/"), CODE_PATHS))
}

/// A step in words: where it is, what changes, and why.
fn told(curve: &Curve, index: usize, step: &Step, messages: &Messages) -> Vec<String> {
    let sides = curve.pieces.get(index).zip(curve.pieces.get(index + 1));
    let change = StepChange {
        at: step.at,
        jump: step.jump,
        per_byte: sides.and_then(|(before, after)| Some([before.line?.per_byte(), after.line?.per_byte()])),
        code_paths: sides
            .and_then(|(before, after)| Some([code_paths(before)?, code_paths(after)?]))
            .filter(|[before, after]| before != after),
        support: step.support,
    };
    let place = StepPlace { before: step.before, at: step.at, is_placed: step.is_placed() };
    let cause = match &step.cause {
        Some(cause) => (messages.steps.cause)(cause.reason(messages.language)),
        None => messages.steps.cause_unknown.to_owned(),
    };
    vec![(messages.steps.sentence)(&(messages.steps.place)(&place), &(messages.steps.change)(&change)), cause]
}

/// Task, library, state, and what is unusual.
fn name(curve: &Curve, messages: &Messages) -> String {
    let task = Task { algorithm: curve.workload.algorithm, operation: curve.workload.operation };
    let mut setting: Vec<String> = Vec::new();
    if curve.threads != 1 {
        setting.push((messages.steps.threads)(curve.threads));
    }
    if curve.workload.keys > 1 || curve.workload.packets().is_some() || curve.workload.nonces != Default::default() {
        setting.push(curve.workload.to_string());
    }
    let library = join(&curve.library, &curve.library_version, &setting.join(", "));
    format!("{} · {library} · {}", task.title(&messages.words), curve.acceleration)
}
