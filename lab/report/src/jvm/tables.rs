//! The tables of the level.

use crate::language::Messages;
use crate::level::JVM;
use crate::quantity::{Scale, digits, percent, points, size, times};
use crate::selection::{Contender, Selection, Task};
use crate::table::Table;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Kind;
use kasoku_model::document::{Document, Series, Unit};
use kasoku_store::published;

use super::name::name;
use super::score::{Score, improvement, scores};

/// The publication whose table of crypto.aes stands beside ours.
const PUBLISHED: &str = "intel-aes-ni-java";
const PUBLISHED_TABLE: &str = "specjvm2008";

/// What fits a terminal.
pub(crate) fn summary(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let selection = Selection::of_level(document, JVM, messages);
    let yardstick = [Kind::Aead, Kind::Cipher].into_iter().filter_map(|kind| selection.yardstick(kind)).max();
    let ciphers = yardstick.map(|bytes| ciphers(&selection, Some(bytes)));
    let scores = score_table(&selection, false);
    ciphers.into_iter().chain(scores).filter(|grid| !grid.rows.is_empty()).collect()
}

/// Every run of crypto.aes, the published ones beneath; only the means if not `has_runs`.
pub(super) fn score_table(selection: &Selection<'_>, has_runs: bool) -> Option<Table> {
    let words = &selection.messages.jvm;
    let all = scores(selection);
    if all.is_empty() {
        return None;
    }
    let mut rows: Vec<Vec<String>> =
        all.iter().flat_map(|score| score_rows(score, selection.messages, has_runs)).collect();
    rows.extend(published_rows(selection.messages, has_runs));
    Some(Table::of_text(
        words.scores.to_owned(),
        [words.who, words.run, words.off, words.on, words.improvement].map(str::to_owned).into(),
        2,
        rows,
        vec![words.scores_note.to_owned()],
    ))
}

fn score_rows(score: &Score<'_>, messages: &Messages, has_runs: bool) -> Vec<Vec<String>> {
    let words = &messages.jvm;
    let cell = |figure: Option<f64>| figure.map_or_else(|| "–".to_owned(), digits);
    let gain = |off: Option<f64>, on: Option<f64>| {
        let percent = off.zip(on).and_then(|(off, on)| improvement(off, on));
        percent.map_or_else(|| "–".to_owned(), |percent| format!("{} %", points(percent)))
    };
    let row = |run: String, off: Option<f64>, on: Option<f64>| {
        vec![score.who.clone(), run, cell(off), cell(on), gain(off, on)]
    };
    let (off, on) = (score.off.map(|off| off.runs()).unwrap_or_default(), score.on.runs());
    let runs = if has_runs { off.len().max(on.len()) } else { 0 };
    let mut rows: Vec<Vec<String>> =
        (0..runs).map(|run| row((words.run_number)(run + 1), off.get(run).copied(), on.get(run).copied())).collect();
    rows.push(row(words.mean.to_owned(), score.off.and_then(|off| off.mean()), score.on.mean()));
    rows
}

/// The published table, its figures as they are printed.
fn published_rows(messages: &Messages, has_runs: bool) -> Vec<Vec<String>> {
    let words = &messages.jvm;
    let Some(source) = published::find(PUBLISHED) else { return Vec::new() };
    let Some(table) = source.table(PUBLISHED_TABLE) else { return Vec::new() };
    let machine = source.machines.first().and_then(|machine| machine.aliases.first()).cloned().unwrap_or_default();
    let who = (words.published)(&machine, source.year);
    let last = table.rows.len().saturating_sub(1);
    let row = |(index, row): (usize, &published::Row)| {
        let run = if index == last { words.mean.to_owned() } else { (words.run_number)(index + 1) };
        let cell = |column: usize| row.cells.get(column).cloned().unwrap_or_default();
        vec![who.clone(), run, cell(1), cell(2), format!("{} %", cell(3))]
    };
    table.rows.iter().enumerate().filter(|(index, _)| has_runs || *index == last).map(row).collect()
}

/// What of an operation of crypto.aes is AES, and what 3DES.
pub(super) fn parts(selection: &Selection<'_>) -> Option<Table> {
    let words = &selection.messages.jvm;
    let mut rows = Vec::new();
    for score in scores(selection) {
        for (name, state) in [(words.off, score.off), (words.on, Some(score.on))] {
            let Some(seconds) = state.and_then(|state| state.seconds()) else { continue };
            let share = percent(seconds.aes / seconds.whole * 100.0);
            let cells = [seconds.whole, seconds.aes, seconds.des].map(digits);
            rows.push([vec![score.who.clone(), name.to_owned()], cells.to_vec(), vec![share]].concat());
        }
    }
    (!rows.is_empty()).then(|| {
        Table::of_text(
            words.parts.to_owned(),
            [words.who, words.state, words.whole, "AES", "3DES", words.share].map(str::to_owned).into(),
            2,
            rows,
            vec![words.trap.to_owned()],
        )
    })
}

/// Every cipher in every virtual machine, without and with acceleration; at one size if `only` says which.
pub(super) fn ciphers(selection: &Selection<'_>, only: Option<usize>) -> Table {
    let messages = selection.messages;
    let words = &messages.jvm;
    let scale = Scale::of_table(Unit::BytesPerSecond);
    let figure = |series: Option<&Series>| {
        let median = series.and_then(|series| series.median).filter(|median| median.is_finite());
        median.map_or_else(|| "–".to_owned(), |median| scale.write(median))
    };
    let mut rows = Vec::new();
    for task in [Kind::Aead, Kind::Cipher].into_iter().flat_map(|kind| selection.tasks(kind)) {
        for bytes in selection.sizes_of(task).into_iter().filter(|bytes| only.is_none_or(|only| only == *bytes)) {
            for who in selection.contenders().iter().filter(|who| who.flags().is_none()) {
                let [off, on] =
                    [Acceleration::Off, Acceleration::On].map(|state| selection.ranked(who, state, task, bytes));
                if off.is_none() && on.is_none() {
                    continue;
                }
                let gain = match selection.worth(who, task, bytes) {
                    Some(worth) if worth.is_shown => (messages.words.times)(&times(worth.ratio)),
                    Some(_) => "=".to_owned(),
                    None => "–".to_owned(),
                };
                rows.push(vec![
                    title(task, messages),
                    size(bytes),
                    name(selection, who),
                    figure(off),
                    figure(on),
                    gain,
                ]);
            }
        }
    }
    Table::of_text(
        (words.ciphers)(scale.name),
        [words.what, words.size, words.who, words.off, words.on, words.worth].map(str::to_owned).into(),
        3,
        rows,
        vec![words.equal_mark.to_owned()],
    )
}

/// What is left of each cipher's speed with one flag.
pub(super) fn flags(selection: &Selection<'_>) -> Option<Table> {
    let messages = selection.messages;
    let words = &messages.jvm;
    let scale = Scale::of_table(Unit::BytesPerSecond);
    let mut rows = Vec::new();
    for task in [Kind::Aead, Kind::Cipher].into_iter().flat_map(|kind| selection.tasks(kind)) {
        for bytes in selection.sizes_of(task) {
            for who in selection.contenders().iter().filter(|who| who.flags().is_some()) {
                let ranked = |who: &Contender| selection.ranked(who, Acceleration::On, task, bytes);
                let Some((own, median)) = ranked(who).and_then(|own| Some((own, own.median?))) else { continue };
                let is_same = |one: &&Contender| {
                    one.flags().is_none() && (&one.library, &one.version) == (&who.library, &who.version)
                };
                let without = selection.contenders().iter().find(is_same).and_then(ranked);
                let left = selection.compare(Some(own), without).map(|one| percent(one.ratio * 100.0));
                let cells = [title(task, messages), size(bytes), name(selection, who), scale.write(median)];
                rows.push([cells.to_vec(), vec![left.unwrap_or_else(|| "–".to_owned())]].concat());
            }
        }
    }
    (!rows.is_empty()).then(|| {
        Table::of_text(
            (words.flags)(scale.name),
            [words.what, words.size, words.who, words.with_flag, words.left].map(str::to_owned).into(),
            3,
            rows,
            Vec::new(),
        )
    })
}

/// `AES-128-CBC encrypt`: both directions are named, since they differ much in CBC.
pub(super) fn title(task: Task, messages: &Messages) -> String {
    format!("{} {}", task.algorithm.title(), (messages.words.operation)(task.operation))
}
