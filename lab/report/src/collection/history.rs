//! A history in every form.

use serde_json::{Value, json};

use super::Forms;
use super::rank::{command, interval, question, title};
use crate::Format;
use crate::export::csv::{ListColumn, number, of_fields, unit};
use crate::language::Messages;
use crate::quantity::{Scale, times};
use crate::selection::join;
use crate::table::Over;
use crate::visible::short;
use kasoku_store::collection::{History, HistoryChange, HistoryPoint, SAME_WITHIN};

/// A history in `format`.
pub fn history(history: &History, messages: &Messages, format: Format) -> String {
    let (words, lists) = (&messages.collection, &messages.lists);
    let scale = Scale::of_table(history.unit);
    let machine = history.machine.as_ref().map(|machine| machine.label()).unwrap_or_default();
    let asked = title(&history.question, Some(scale.name), messages);
    let grid = Over::new(format!("{}{}{}", short(machine, 80), messages.words.comma, asked), &history.points)
        .words(lists.started, |point| short(&point.started, 24))
        .words(lists.run, |point| short(&point.run, 32))
        .words(lists.kasoku, |point| short(&point.kasoku, 24))
        .words(words.library, |point| join(&point.library, &point.library_version, ""))
        .figures(scale.name, |point| scale.write(point.figure))
        .figures(words.interval, |point| interval(point.ci95, scale))
        .figures(words.change, |point| told(point.change, messages))
        .notes(notes(history, messages))
        .table();
    let fields: [ListColumn<'_, &HistoryPoint>; 13] = [
        ("run", &|point| point.run.clone()),
        ("started", &|point| point.started.clone()),
        ("machine", &|_| machine.to_owned()),
        ("kasoku", &|point| point.kasoku.clone()),
        ("library", &|point| point.library.clone()),
        ("library_version", &|point| point.library_version.clone()),
        ("code_path", &|point| point.code_path.clone()),
        ("figure", &|point| point.figure.to_string()),
        ("unit", &|_| unit(history.unit)),
        ("ci95_low", &|point| number(point.ci95.map(|[low, _]| low))),
        ("ci95_high", &|point| number(point.ci95.map(|[_, high]| high))),
        ("change", &|point| named(point.change).0.to_owned()),
        ("ratio", &|point| number(named(point.change).1)),
    ];
    let mut objects = question(&history.question);
    objects["unit"] = json!(history.unit);
    objects["machine"] = json!(machine);
    objects["runs"] = history.points.iter().map(object).collect();
    Forms { grid, csv: of_fields(&fields, history.points.iter()), objects }.write(format)
}

/// What to say if a history is empty; `None` if it is not.
pub fn nothing_in_history(history: &History, messages: &Messages) -> Option<String> {
    let what = || title(&history.question, None, messages);
    history.points.is_empty().then(|| (messages.collection.no_figure)(&what(), &command(&history.question)))
}

fn notes(history: &History, messages: &Messages) -> Vec<String> {
    let words = &messages.collection;
    let mut notes = Vec::new();
    if history.points.len() > 1 {
        notes.push((words.rule)(SAME_WITHIN * 100.0));
    }
    if history.points.windows(2).any(|pair| pair[0].library_version != pair[1].library_version) {
        notes.push(words.versions_differ.to_owned());
    }
    notes
}

fn told(change: HistoryChange, messages: &Messages) -> String {
    let written = |ratio: f64| format!("×{}", times(ratio));
    match change {
        HistoryChange::First => "–".to_owned(),
        HistoryChange::Shown(ratio) => written(ratio),
        HistoryChange::NotShown(_) => messages.words.no_difference.to_owned(),
        HistoryChange::WithoutInterval(ratio) => (messages.collection.without_interval)(&written(ratio)),
    }
}

/// The name of a change for programs, and its ratio.
fn named(change: HistoryChange) -> (&'static str, Option<f64>) {
    match change {
        HistoryChange::First => ("first", None),
        HistoryChange::Shown(ratio) => ("shown", Some(ratio)),
        HistoryChange::NotShown(ratio) => ("not shown", Some(ratio)),
        HistoryChange::WithoutInterval(ratio) => ("no interval", Some(ratio)),
    }
}

fn object(point: &HistoryPoint) -> Value {
    let (change, ratio) = named(point.change);
    json!({
        "run": point.run,
        "started": point.started,
        "kasoku": point.kasoku,
        "library": point.library,
        "library_version": point.library_version,
        "code_path": point.code_path,
        "figure": point.figure,
        "ci95": point.ci95,
        "change": change,
        "ratio": ratio,
    })
}
