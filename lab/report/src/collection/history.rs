//! Changes of figures over the runs of a machine, for `kasoku history` and the page of a run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::rank::{no_figure, question};
use super::{MAX_RUNS, Surroundings, day, size_of, title};
use crate::chart::{Line, LinePoint, Plot};
use crate::export::csv::of_objects;
use crate::prelude::*;
use crate::selection::times;
use crate::table::Medium;
use kasoku_store::collection::{History, HistoryChange, HistoryPoint, RankingQuestion, SAME_WITHIN};

pub fn history(history: &History) -> Output {
    let scale = Scale::of_table(history.unit);
    let machine = history.machine.label();
    let title = Text::list(Separator::Comma, [Text::name(machine, 80), title(&history.question, Some(scale.name))]);
    let mut table = table(title, &[history], &history.points.iter().collect::<Vec<_>>(), None);
    table.notes = notes(&[history]);
    if history.points.len() > 1 {
        table.notes.push(say!("history-legend"));
    }
    let blocks = if history.points.is_empty() { Vec::new() } else { vec![Block::Table(table)] };
    let mut objects = question(&history.question);
    objects["unit"] = json!(history.unit);
    objects["machine"] = json!(machine);
    objects["runs"] = history.points.iter().map(object).collect();
    Output { title: Text::EMPTY, blocks, csv: csv(history, machine), objects }
}

pub fn nothing_in_history(history: &History) -> Option<Text> {
    history.points.is_empty().then(|| no_figure(&history.question))
}

pub(crate) fn section(document: &Document, surroundings: &Surroundings, palette: &Palette) -> Option<Section> {
    if surroundings.unread.is_some() {
        return None;
    }
    let section = |blocks| Some(Section::open("history", say!("history-title"), blocks));
    let histories: Vec<&History> = surroundings.histories.iter().filter(|one| !one.points.is_empty()).collect();
    let runs = runs(&histories);
    if document.run.origin.is_some() {
        return section(vec![Block::Paragraph(say!("history-quoted"))]);
    } else if runs.len() < 2 {
        return section(vec![Block::Paragraph(say!("history-alone"))]);
    }
    let mut blocks = match Block::list(changes(&histories)) {
        Some(changes) => vec![Block::Paragraph(say!("history-changed")), changes],
        None => vec![Block::Paragraph(say!("history-unchanged"))],
    };
    blocks.push(Block::Paragraph(Text::list(Separator::Sentence, notes(&histories))));
    blocks.extend(charts(&histories, &runs, palette));
    let is_full = histories.iter().any(|history| history.points.len() >= MAX_RUNS);
    let most = is_full.then(|| say!("history-most", count = MAX_RUNS, command = "kasoku history aes-128-gcm"));
    let newest_first: Vec<&HistoryPoint> = runs.into_iter().rev().collect();
    let mut table = table(say!("history-table"), &histories, &newest_first, Some(&document.run.id));
    table.notes = [say!("history-legend")].into_iter().chain(most).collect();
    blocks.push(Block::Fold(say!("history-table"), vec![Block::Table(table)]));
    section(blocks)
}

/// Returns a table with a row for each of `runs` and columns for each history. Highlights the run with the id `this`.
fn table(title: Text, histories: &[&History], runs: &[&HistoryPoint], this: Option<&str>) -> Table {
    let is_this = |run: &&HistoryPoint| Some(run.run.as_str()) == this;
    let text = |column: Column| Column { medium: Medium::Text, ..column };
    TableBuilder::new(title, runs)
        .words(say!("lists-started"), |run| {
            let mark = is_this(run).then(|| say!("collection-behind", text = say!("history-this-run")));
            Text::list(Separator::None, [Text::name(&run.started, 24), mark.into()])
        })
        .words(say!("lists-run"), |run| short(&run.run, 32))
        .column(text(Column::words(say!("lists-kasoku"))), |run| short(&run.kasoku, 24))
        .column(text(Column::words(say!("collection-library"))), |run| join(&run.library, &run.library_version))
        .each(histories, |table, history| {
            let scale = Scale::of_table(history.unit);
            let find = |run: &&HistoryPoint| history.points.iter().find(|point| point.run == run.run);
            let beneath = [Text::from(library(&history.question)), scale.name.into()];
            let heading = Column {
                beneath: Some(Text::list(Separator::Dot, beneath)),
                ..Column::figures(history.question.algorithm.title())
            };
            table
                .column(heading, |run| {
                    find(run).map(|point| Cell {
                        interval: Some(change(point.change)).filter(|change| !change.is_empty()),
                        ..Cell::figure(scale, point.figure)
                    })
                })
                .column(text(Column::figures(say!("collection-interval"))), |run| {
                    find(run).and_then(|point| point.ci95).map(|ci95| {
                        let [low, high] = ci95.map(|value| scale.write(value));
                        format!("{low} … {high}")
                    })
                })
                .column(text(Column::figures(say!("collection-change"))), |run| find(run).map(|one| change(one.change)))
        })
        .marked(is_this)
        .table()
}

/// Formats a change since the previous run; empty for the first run.
fn change(change: HistoryChange) -> Text {
    match change {
        HistoryChange::First => Text::EMPTY,
        HistoryChange::NotShown(_) => "=".into(),
        HistoryChange::WithoutInterval(ratio) => say!("collection-without-interval", ratio = times(ratio)),
        HistoryChange::Shown(ratio) => {
            let direction = if ratio > 1.0 { "▲" } else { "▼" };
            Text::list(Separator::Space, [direction.into(), times(ratio)])
        }
    }
}

fn notes(histories: &[&History]) -> Vec<Text> {
    let pairs = || histories.iter().flat_map(|history| history.points.windows(2));
    let differ = pairs().any(|pair| pair[0].library_version != pair[1].library_version);
    let rule = pairs().next().map(|_| say!("history-rule", percent = format!("{:.0}", SAME_WITHIN * 100.0)));
    rule.into_iter().chain(differ.then(|| say!("history-versions-differ"))).collect()
}

/// Returns the proven changes as sentences, newest first.
fn changes(histories: &[&History]) -> Vec<Text> {
    let mut changes: Vec<(&str, Text)> = Vec::new();
    for history in histories {
        let question = &history.question;
        let what = [question.algorithm.title().into(), size_of(question), library(question).into()];
        for point in &history.points {
            if let HistoryChange::Shown(ratio) = point.change {
                let workload = Text::list(Separator::Comma, &what);
                let (times, when) = (times(ratio), day(&point.started));
                let told = say!("history-change", workload = workload, times = times, when = when);
                changes.push((&point.started, told));
            }
        }
    }
    changes.sort_by(|left, right| right.0.cmp(left.0));
    changes.into_iter().map(|(_, told)| told).take(MAX_RUNS).collect()
}

fn charts(histories: &[&History], runs: &[&HistoryPoint], palette: &Palette) -> Option<Block> {
    let libraries: BTreeSet<String> = histories.iter().map(|history| library(&history.question)).collect();
    let styles = palette.styles(libraries.iter().map(String::as_str)).into_iter().zip(&libraries);
    let legend: Vec<LegendEntry> = styles.map(|(style, name)| LegendEntry { label: name.into(), ..style }).collect();
    let of_algorithm = histories.chunk_by(|one, other| one.question.algorithm == other.question.algorithm);
    let charts: Vec<Chart> = of_algorithm
        .filter_map(|of_it| chart(of_it, runs, &legend))
        .map(|chart| Chart { legend: legend.clone(), ..chart })
        .collect();
    let legend = if legend.len() > 1 { legend } else { Vec::new() };
    (!charts.is_empty()).then_some(Block::Charts { legend, charts, are_small: true })
}

fn chart(histories: &[&History], runs: &[&HistoryPoint], legend: &[LegendEntry]) -> Option<Chart> {
    let first = histories.first()?;
    let line = |history: &&History| {
        let point = |point: &HistoryPoint| {
            let place = runs.iter().position(|run| run.run == point.run)?;
            let is_changed = matches!(point.change, HistoryChange::Shown(_));
            Some(LinePoint { place, value: point.figure, interval: point.ci95, is_changed })
        };
        let name = Text::from(library(&history.question));
        let style = legend.iter().find(|entry| entry.label == name)?.clone();
        Some(Line { style, is_main: true, points: history.points.iter().filter_map(point).collect() })
    };
    let (name, algorithm) = (format!("history-{}", first.question.algorithm), first.question.algorithm.title());
    let title = Text::list(Separator::Comma, [algorithm.into(), size_of(&first.question)]);
    let plot = Plot::Lines { runs: Some(runs.len()), lines: histories.iter().filter_map(line).collect() };
    Some(Chart::fitting(name, title, first.unit, plot))
}

/// Returns one point for each run that has points, oldest first, for at most the newest [`MAX_RUNS`] runs.
fn runs<'h>(histories: &[&'h History]) -> Vec<&'h HistoryPoint> {
    let points = histories.iter().flat_map(|history| &history.points);
    let all: BTreeMap<(&str, &str), &HistoryPoint> =
        points.map(|point| ((point.started.as_str(), point.run.as_str()), point)).collect();
    let surplus = all.len().saturating_sub(MAX_RUNS);
    all.into_values().skip(surplus).collect()
}

fn library(question: &RankingQuestion) -> String {
    question.library.as_ref().map_or_else(|| "any".to_owned(), |library| short(library, 30))
}

fn csv(history: &History, machine: &str) -> String {
    const COLUMNS: &str = "run,started,machine,kasoku,library,library_version,code_path,figure,unit,ci95_low,ci95_high,\
        change,ratio";
    let row = |point| [json!({ "machine": machine, "unit": history.unit }), object(point)];
    of_objects(COLUMNS, history.points.iter().map(row))
}

fn object(point: &HistoryPoint) -> Value {
    let mut object = json!(point);
    let (change, ratio) = match point.change {
        HistoryChange::First => ("first", None),
        HistoryChange::Shown(ratio) => ("shown", Some(ratio)),
        HistoryChange::NotShown(ratio) => ("not shown", Some(ratio)),
        HistoryChange::WithoutInterval(ratio) => ("no interval", Some(ratio)),
    };
    object["change"] = json!(change);
    object["ratio"] = json!(ratio);
    object
}
