//! Tables of the level jvm.

use crate::prelude::*;
use crate::quantity::points;
use crate::reproduction::JAVA;
use crate::selection::{Contender, operation};
use crate::table::Medium;

use super::JvmSelection;
use super::score::{Score, Seconds, improvement, scores};

/// Id of the published table of crypto.aes.
const PUBLISHED: &str = "specjvm2008";

pub(super) const KINDS: [AlgorithmKind; 2] = [AlgorithmKind::Aead, AlgorithmKind::Cipher];

/// Row of a run of crypto.aes: virtual machine, run, score without acceleration, score with acceleration, improvement.
type Run = [Text; 5];

/// Returns a table with the scores of crypto.aes in the first rows and the published scores below. If `has_runs`, the
/// table has a row for each run besides the means; otherwise it has only the means.
pub(super) fn score_table(java: &JvmSelection<'_>, has_runs: bool) -> Option<Table> {
    let mut runs: Vec<Run> = scores(java).iter().flat_map(|score| runs(score, has_runs)).collect();
    if !runs.is_empty() {
        runs.extend(published_runs(has_runs));
    }
    let figures = [say!("jvm-off"), say!("jvm-on"), say!("jvm-improvement")];
    TableBuilder::new(say!("jvm-scores"), &runs)
        .words(say!("jvm-who"), |run| run[0].clone())
        .words(say!("jvm-run"), |run| run[1].clone())
        .each(figures.into_iter().zip(2..), |table, (heading, index)| table.figures(heading, |run| run[index].clone()))
        .notes([say!("jvm-scores-note")])
        .any()
}

fn runs(score: &Score<'_>, has_runs: bool) -> Vec<Run> {
    let run = |name: Text, off: Option<f64>, on: Option<f64>| {
        let gain = off.zip(on).and_then(|(off, on)| improvement(off, on));
        let gain = or_dash(gain.map(|percent| format!("{} %", points(percent))));
        [score.who.clone(), name, or_dash(off.map(digits)), or_dash(on.map(digits)), gain]
    };
    let (off, on) = (score.off.map(|off| off.runs()).unwrap_or_default(), score.on.runs());
    let count = if has_runs { off.len().max(on.len()) } else { 0 };
    let number = |index: usize| say!("jvm-run-number", number = (index + 1).to_string());
    let each = (0..count).map(|index| run(number(index), off.get(index).copied(), on.get(index).copied()));
    let mean = run(say!("jvm-mean"), score.off.and_then(|off| off.mean()), score.on.mean());
    each.chain([mean]).collect()
}

fn published_runs(has_runs: bool) -> Vec<Run> {
    let rows = JAVA.rows(PUBLISHED);
    let from = if has_runs { 0 } else { rows.len().saturating_sub(1) };
    let run = |row: Vec<Text>| {
        let [name, off, on, improvement] = row.try_into().ok()?;
        let improvement = Text::list(Separator::Space, [improvement, "%".into()]);
        Some([JAVA.title(PUBLISHED), name, off, on, improvement])
    };
    rows.into_iter().skip(from).filter_map(run).collect()
}

pub(super) fn parts(java: &JvmSelection<'_>) -> Option<Table> {
    let scores = scores(java);
    let states =
        scores.iter().flat_map(|score| [(score, say!("jvm-off"), score.off), (score, say!("jvm-on"), Some(score.on))]);
    let parts: Vec<(&Text, Text, Seconds)> =
        states.filter_map(|(score, name, state)| Some((&score.who, name, state?.seconds()?))).collect();
    TableBuilder::new(say!("jvm-parts"), &parts)
        .words(say!("jvm-who"), |(who, ..)| Text::from(*who))
        .words(say!("jvm-state"), |(_, state, _)| state.clone())
        .figures(say!("jvm-whole"), |(.., seconds)| digits(seconds.whole))
        .figures("AES", |(.., seconds)| digits(seconds.aes))
        .figures("3DES", |(.., seconds)| digits(seconds.des))
        .figures(say!("jvm-share"), |(.., seconds)| percent(seconds.aes / seconds.whole * 100.0))
        .notes([say!("jvm-trap")])
        .any()
}

/// Returns the keys of all tasks with acceleration on, for the contenders that `is_meant` selects. If `only` is given,
/// returns only keys with that size.
fn keys(java: &JvmSelection<'_>, only: Option<usize>, is_meant: fn(&Contender) -> bool) -> Vec<SeriesKey> {
    let selection = &java.selection;
    let who = || selection.contenders().filter(|who| is_meant(selection.contender(*who)));
    let of_task = |task| {
        let sizes = selection.sizes_of(task).into_iter().filter(move |bytes| only.is_none_or(|only| only == *bytes));
        sizes.flat_map(move |bytes| who().map(move |who| SeriesKey::new(who, Acceleration::On, task, bytes)))
    };
    KINDS.into_iter().flat_map(|kind| selection.tasks(kind)).flat_map(of_task).collect()
}

/// Starts a table with the columns for task, size and contender.
fn table_of<'i>(title: Text, keys: &'i [SeriesKey], java: &JvmSelection<'_>) -> TableBuilder<'i, SeriesKey> {
    // Names both directions, since they differ much in CBC.
    let task = |key: &SeriesKey| {
        Text::list(Separator::Space, [key.task.algorithm.title().into(), operation(key.task.operation)])
    };
    // A page has one column for task and size, which stays visible when the table scrolls.
    let both = |task: Text, size: Text| Text::list(Separator::Dot, [task, size]);
    let both_heading = both(say!("jvm-what"), say!("jvm-size"));
    TableBuilder::new(title, keys)
        .column(Column { medium: Medium::Page, ..Column::words(both_heading) }, |key| {
            both(task(key), size(key.bytes).replace(' ', "\u{a0}").into())
        })
        .column(Column { medium: Medium::Text, ..Column::words(say!("jvm-what")) }, task)
        .column(Column { medium: Medium::Text, ..Column::words(say!("jvm-size")) }, |key| size(key.bytes))
        .words(say!("jvm-who"), |key| java.name(key.who))
}

pub(super) fn ciphers(java: &JvmSelection<'_>, only: Option<usize>) -> Option<Table> {
    let selection = &java.selection;
    let scale = Scale::of_table(Unit::BytesPerSecond);
    let figure = |key: SeriesKey| {
        let median = selection.ranked(key).and_then(|series| series.median).filter(|median| median.is_finite());
        or_dash(median.map(|median| scale.write(median)))
    };
    let worth = |key: &SeriesKey| {
        selection.worth(*key).map_or_else(|| "–".into(), |worth| Cell::ratio(worth.ratio, worth.is_shown))
    };
    let allocated = |key: SeriesKey| selection.ranked(key).and_then(|series| series.memory()?.allocated_bytes);
    let states = [Acceleration::Off, Acceleration::On];
    let mut keys = keys(java, only, |who| who.flags().is_none());
    keys.retain(|key| states.iter().any(|state| selection.ranked(key.in_state(*state)).is_some()));
    // A terminal has no room for this column.
    let has_allocated = only.is_none() && keys.iter().any(|key| allocated(*key).is_some());
    table_of(say!("jvm-ciphers", unit = scale.name), &keys, java)
        .each([say!("jvm-off"), say!("jvm-on")].into_iter().zip(states), |table, (heading, state)| {
            table.figures(heading, |key| figure(key.in_state(state)))
        })
        .figures(say!("jvm-worth"), worth)
        .notes([say!("jvm-equal-mark")])
        .when(has_allocated, |table| {
            let bytes = |key: &SeriesKey| or_dash(allocated(*key).map(|bytes| bytes.to_string()));
            table.figures(say!("jvm-allocated"), bytes).notes([say!("jvm-allocated-note")])
        })
        .any()
}

/// Returns a table of the throughput with each flag of `java`, also in per cent of the throughput without the flag.
pub(super) fn flags(java: &JvmSelection<'_>) -> Option<Table> {
    let selection = &java.selection;
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
    let mut keys = keys(java, None, |who| who.flags().is_some());
    keys.retain(|key| median(*key).is_some());
    table_of(say!("jvm-flags", unit = scale.name), &keys, java)
        .figures(say!("jvm-with-flag"), |key| median(*key).map(|median| scale.write(median)))
        .figures(say!("jvm-left"), |key| or_dash(left(*key)))
        .any()
}
