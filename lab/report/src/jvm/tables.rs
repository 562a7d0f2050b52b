//! The tables of the level.

use crate::language::Messages;
use crate::quantity::{Scale, digits, percent, points, size, times};
use crate::reproduction::JAVA;
use crate::selection::{Contender, ContenderIndex, Selection, SeriesKey, Task};
use crate::table::{Column, On, Over, Table, or_dash};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::AlgorithmKind;
use kasoku_model::document::{Document, Unit};
use kasoku_model::language::Language;
use kasoku_model::level::Level;

use super::https;
use super::name::JvmNames;
use super::score::{Score, Seconds, improvement, scores};

/// The published table of crypto.aes that stands beside ours.
const PUBLISHED: &str = "specjvm2008";

/// What fits a terminal.
pub(crate) fn summary(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let selection = Selection::of_level(document, Level::Jvm, messages);
    let yardstick = KINDS.into_iter().filter_map(|kind| selection.yardstick(kind)).max();
    let ciphers = yardstick.and_then(|bytes| ciphers(&selection, Some(bytes)));
    ciphers.into_iter().chain(https::tables(&selection, false)).chain(score_table(&selection, false)).collect()
}

const KINDS: [AlgorithmKind; 2] = [AlgorithmKind::Aead, AlgorithmKind::Cipher];

/// A run of crypto.aes: whose, which, and its figures as they are shown.
type Run = [String; 5];

/// Every run of crypto.aes, the published ones beneath; only the means if not `has_runs`.
pub(super) fn score_table(selection: &Selection<'_>, has_runs: bool) -> Option<Table> {
    let words = &selection.messages.jvm;
    let mut runs: Vec<Run> =
        scores(selection).iter().flat_map(|score| runs(score, selection.messages, has_runs)).collect();
    if !runs.is_empty() {
        runs.extend(published_runs(selection.messages.language, has_runs));
    }
    Over::new(words.scores, &runs)
        .each([words.who, words.run].into_iter().enumerate(), |table, (index, heading)| {
            table.words(heading, |run| run[index].as_str())
        })
        .each([words.off, words.on, words.improvement].into_iter().zip(2..), |table, (heading, index)| {
            table.figures(heading, |run| run[index].as_str())
        })
        .notes([words.scores_note])
        .any()
}

fn runs(score: &Score<'_>, messages: &Messages, has_runs: bool) -> Vec<Run> {
    let words = &messages.jvm;
    let run = |name: String, off: Option<f64>, on: Option<f64>| {
        let gain = off.zip(on).and_then(|(off, on)| improvement(off, on));
        let gain = or_dash(gain.map(|percent| format!("{} %", points(percent))));
        [score.who.clone(), name, or_dash(off.map(digits)), or_dash(on.map(digits)), gain]
    };
    let (off, on) = (score.off.map(|off| off.runs()).unwrap_or_default(), score.on.runs());
    let count = if has_runs { off.len().max(on.len()) } else { 0 };
    let each =
        (0..count).map(|index| run((words.run_number)(index + 1), off.get(index).copied(), on.get(index).copied()));
    let mean = run(words.mean.to_owned(), score.off.and_then(|off| off.mean()), score.on.mean());
    each.chain([mean]).collect()
}

/// The published runs, their figures as they are printed.
fn published_runs(language: Language, has_runs: bool) -> Vec<Run> {
    let rows = JAVA.rows(PUBLISHED, language);
    let from = if has_runs { 0 } else { rows.len().saturating_sub(1) };
    let run = |row: Vec<String>| {
        let [name, off, on, improvement] = row.try_into().ok()?;
        Some([JAVA.title(PUBLISHED, language).to_owned(), name, off, on, format!("{improvement} %")])
    };
    rows.into_iter().skip(from).filter_map(run).collect()
}

/// What of an operation of crypto.aes is AES, and what 3DES.
pub(super) fn parts(selection: &Selection<'_>) -> Option<Table> {
    let words = &selection.messages.jvm;
    let scores = scores(selection);
    let states = scores.iter().flat_map(|score| [(score, words.off, score.off), (score, words.on, Some(score.on))]);
    let parts: Vec<(&str, &str, Seconds)> =
        states.filter_map(|(score, name, state)| Some((score.who.as_str(), name, state?.seconds()?))).collect();
    Over::new(words.parts, &parts)
        .words(words.who, |(who, ..)| *who)
        .words(words.state, |(_, state, _)| *state)
        .figures(words.whole, |(.., seconds)| digits(seconds.whole))
        .figures("AES", |(.., seconds)| digits(seconds.aes))
        .figures("3DES", |(.., seconds)| digits(seconds.des))
        .figures(words.share, |(.., seconds)| percent(seconds.aes / seconds.whole * 100.0))
        .notes([words.trap])
        .any()
}

/// Every cipher in every virtual machine that `is_meant`; at one size if `only` says which.
fn keys(selection: &Selection<'_>, only: Option<usize>, is_meant: fn(&Contender) -> bool) -> Vec<SeriesKey> {
    let who = || selection.contenders().filter(|who| is_meant(selection.contender(*who)));
    let of_task = |task| {
        let sizes = selection.sizes_of(task).into_iter().filter(move |bytes| only.is_none_or(|only| only == *bytes));
        sizes.flat_map(move |bytes| who().map(move |who| SeriesKey::new(who, Acceleration::On, task, bytes)))
    };
    KINDS.into_iter().flat_map(|kind| selection.tasks(kind)).flat_map(of_task).collect()
}

/// The columns that say which.
fn placed<'i>(title: String, keys: &'i [SeriesKey], selection: &Selection<'_>) -> Over<'i, SeriesKey> {
    let (words, names) = (&selection.messages.jvm, JvmNames::new(selection));
    let what = |key: &SeriesKey| self::title(key.task, selection.messages);
    // On a page what a row is about is one column, which stays in sight, so that all fit a narrow one.
    let both = |what: &str, size: &str| format!("{what} · {}", size.replace(' ', "\u{a0}"));
    Over::new(title, keys)
        .column(Column { on: On::Page, ..Column::words(both(words.what, words.size)) }, |key| {
            both(&what(key), &size(key.bytes))
        })
        .column(Column { on: On::Text, ..Column::words(words.what) }, what)
        .column(Column { on: On::Text, ..Column::words(words.size) }, |key| size(key.bytes))
        .words(words.who, |key| names.of(key.who))
}

/// Every cipher in every virtual machine, without and with acceleration; at one size if `only` says which.
pub(super) fn ciphers(selection: &Selection<'_>, only: Option<usize>) -> Option<Table> {
    let messages = selection.messages;
    let words = &messages.jvm;
    let scale = Scale::of_table(Unit::BytesPerSecond);
    let figure = |key: SeriesKey| {
        let median = selection.ranked(key).and_then(|series| series.median).filter(|median| median.is_finite());
        or_dash(median.map(|median| scale.write(median)))
    };
    let worth = |key: SeriesKey| {
        or_dash(selection.worth(key).map(|worth| match worth.is_shown {
            true => (messages.words.times)(&times(worth.ratio)),
            false => "=".to_owned(),
        }))
    };
    let allocated = |key: SeriesKey| selection.ranked(key).and_then(|series| series.memory()?.allocated_bytes);
    let states = [Acceleration::Off, Acceleration::On];
    let mut keys = keys(selection, only, |who| who.flags().is_none());
    keys.retain(|key| states.iter().any(|state| selection.ranked(key.with(*state)).is_some()));
    // A terminal has no room for it.
    let has_allocated = only.is_none() && keys.iter().any(|key| allocated(*key).is_some());
    placed((words.ciphers)(scale.name), &keys, selection)
        .each([words.off, words.on].into_iter().zip(states), |table, (heading, state)| {
            table.figures(heading, |key| figure(key.with(state)))
        })
        .figures(words.worth, |key| worth(*key))
        .notes([words.equal_mark])
        .when(has_allocated, |table| {
            let bytes = |key: &SeriesKey| or_dash(allocated(*key).map(|bytes| bytes.to_string()));
            table.figures(words.allocated, bytes).notes([words.allocated_note])
        })
        .any()
}

/// What is left of each cipher's speed with one flag.
pub(super) fn flags(selection: &Selection<'_>) -> Option<Table> {
    let words = &selection.messages.jvm;
    let scale = Scale::of_table(Unit::BytesPerSecond);
    let left = |key: SeriesKey| {
        let own = selection.contender(key.who);
        let is_plain = |who: &ContenderIndex| {
            let other = selection.contender(*who);
            other.flags().is_none() && other.is_build_of(own)
        };
        let plain = SeriesKey { who: selection.contenders().find(is_plain)?, ..key };
        selection.compare(selection.ranked(key), selection.ranked(plain)).map(|one| percent(one.ratio * 100.0))
    };
    let median = |key: SeriesKey| selection.ranked(key).and_then(|series| series.median);
    let mut keys = keys(selection, None, |who| who.flags().is_some());
    keys.retain(|key| median(*key).is_some());
    placed((words.flags)(scale.name), &keys, selection)
        .figures(words.with_flag, |key| median(*key).map(|median| scale.write(median)))
        .figures(words.left, |key| or_dash(left(*key)))
        .any()
}

/// `AES-128-CBC encrypt`: both directions are named, since they differ much in CBC.
pub(super) fn title(task: Task, messages: &Messages) -> String {
    format!("{} {}", task.algorithm.title(), (messages.words.operation)(task.operation))
}
