//! The main workloads over the runs of the machine.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::contents::{Section, fold};
use super::gallery::Said;
use super::legend::legend;
use super::page::RunPage;
use super::palette::LineStyle;
use super::parts::{sentence, with_code};
use super::surroundings::MAX_RUNS;
use super::table::scroll;
use crate::chart::{self, Course, CoursePoint, LegendEntry};
use crate::quantity::{Scale, figure, size, times};
use crate::visible::short;
use kasoku_model::algorithm::Algorithm;
use kasoku_store::collection::{History, HistoryChange, HistoryPoint, Libraries, RankingQuestion, SAME_WITHIN};

impl RunPage<'_> {
    pub(super) fn history(&self) -> Option<Section> {
        let words = &self.messages.history;
        let surroundings = self.surroundings.filter(|one| one.unread.is_none())?;
        let section = |body| Some(Section::new(self.id("history"), words.title, body));
        if self.document.run.origin.is_some() {
            return section(html! { p { (words.quoted) } });
        }
        let histories: Vec<&History> =
            surroundings.histories.iter().filter(|history| !history.points.is_empty()).collect();
        let runs = runs(&histories);
        if runs.len() < 2 {
            return section(html! { p { (words.alone) } });
        }
        let changes = self.changes(&histories);
        let is_full = histories.iter().any(|history| history.points.len() >= MAX_RUNS);
        let differ = |history: &&History| {
            history.points.windows(2).any(|pair| pair[0].library_version != pair[1].library_version)
        };
        section(html! {
            @if changes.is_empty() {
                p { (words.unchanged) }
            } @else {
                p { (words.changed) }
                ul.verdict { @for change in &changes { li { (sentence(change)) } } }
            }
            p { ((words.rule)(SAME_WITHIN * 100.0)) @if histories.iter().any(differ) { " " (words.versions_differ) } }
            (self.courses(&histories, &runs))
            (fold(words.table, html! {
                (self.runs_table(&histories, &runs))
                p.note {
                    (words.legend)
                    @if is_full { " " (with_code(&(words.most)(MAX_RUNS), "kasoku history aes-128-gcm")) }
                }
            }))
        })
    }

    /// The changes that are shown, in words, the newest first.
    fn changes(&self, histories: &[&History]) -> Vec<String> {
        let mut changes: Vec<(&str, String)> = Vec::new();
        for history in histories {
            for point in &history.points {
                if let HistoryChange::Shown(ratio) = point.change {
                    let times = (self.messages.words.times)(&times(ratio));
                    let what = self.workload(&history.question);
                    let told = (self.messages.history.change)(&what, &times, &day(&point.started));
                    changes.push((&point.started, told));
                }
            }
        }
        changes.sort_by(|left, right| right.0.cmp(left.0));
        changes.into_iter().map(|(_, told)| told).take(MAX_RUNS).collect()
    }

    /// A chart for each algorithm, with a line for each library.
    fn courses(&self, histories: &[&History], runs: &[Run<'_>]) -> Markup {
        let mut algorithms: Vec<Algorithm> = histories.iter().map(|history| history.question.algorithm).collect();
        algorithms.dedup();
        let mut libraries: Vec<&str> = histories.iter().map(|history| library(&history.question)).collect();
        libraries.sort_unstable();
        libraries.dedup();
        let styles = self.gallery.palette.styles(libraries.iter().copied());
        let entry = |(name, style): (&&str, &LineStyle)| LegendEntry {
            marker: style.marker,
            ..LegendEntry::color(style.color, short(name, 30))
        };
        let lines: Vec<LegendEntry> = libraries.iter().zip(&styles).map(entry).collect();
        let styles: BTreeMap<&str, LineStyle> = libraries.into_iter().zip(styles).collect();
        html! {
            @if lines.len() > 1 { (legend(&lines)) }
            div.small {
                @for algorithm in algorithms {
                    @let of_it: Vec<&History> =
                        histories.iter().copied().filter(|one| one.question.algorithm == algorithm).collect();
                    @if let Some(chart) = self.course(algorithm, &of_it, runs, &styles, &lines) { (chart) }
                }
            }
        }
    }

    fn course(
        &self,
        algorithm: Algorithm,
        histories: &[&History],
        runs: &[Run<'_>],
        styles: &BTreeMap<&str, LineStyle>,
        legend: &[LegendEntry],
    ) -> Option<Markup> {
        let words = &self.messages.history;
        let first = histories.first()?;
        let largest = histories.iter().flat_map(|one| &one.points).map(|point| point.figure).fold(0.0, f64::max);
        let scale = Scale::fitting(first.unit, largest, &self.messages.words);
        let mut lines = Vec::new();
        let mut told = Vec::new();
        for history in histories {
            let moment = |point: &HistoryPoint| {
                let place = runs.iter().position(|run| run.id == point.run)?;
                let interval = point.ci95.map(|interval| interval.map(|value| scale.apply(value)));
                let is_changed = matches!(point.change, HistoryChange::Shown(_));
                Some(CoursePoint { place, value: scale.apply(point.figure), interval, is_changed })
            };
            let name = library(&history.question);
            let moments: Vec<CoursePoint> = history.points.iter().filter_map(moment).collect();
            if let Some(LineStyle { color, marker }) = styles.get(name) {
                lines.push(Course { color: (*color).to_owned(), marker: *marker, moments });
            }
            if let (Some(first), Some(last)) = (history.points.first(), history.points.last()) {
                let figure = |point: &HistoryPoint| figure(point.figure, history.unit, &self.messages.words);
                told.push((words.line)(name, &figure(first), &figure(last), history.points.len()));
            }
        }
        let mut title = algorithm.title().to_owned();
        if first.question.has_sizes() {
            title = format!("{title}, {}", size(first.question.bytes));
        }
        let description = (words.chart)(scale.name, &told);
        let said = Said { title, description, beside: Some(scale.name.to_owned()), legend, ..Said::default() };
        self.gallery.figure(&format!("history-{algorithm}"), said, |caption| {
            chart::courses(caption, scale.name, runs.len(), [words.oldest, words.newest], &lines)
        })
    }

    fn runs_table(&self, histories: &[&History], runs: &[Run<'_>]) -> Markup {
        let (words, page) = (&self.messages.history, self.messages);
        scroll(
            words.table,
            html! {
                thead {
                    tr {
                        th scope="col" { (page.facts.started) }
                        @for history in histories {
                            th.number scope="col" {
                                (history.question.algorithm.title())
                                small { (short(library(&history.question), 30)) " \
                                    · " (Scale::of_table(history.unit).name) }
                            }
                        }
                    }
                }
                tbody {
                    @for run in runs.iter().rev() {
                        tr.this[run.id == self.document.run.id] {
                            th scope="row" {
                                (moment(run.started))
                                @if run.id == self.document.run.id { " " span.mark { (words.this_run) } }
                                small { (short(run.id, 40)) }
                            }
                            @for history in histories {
                                @match history.points.iter().find(|point| point.run == run.id) {
                                    Some(point) => (self.cell(point, history)),
                                    None => td {},
                                }
                            }
                        }
                    }
                }
            },
        )
    }

    fn cell(&self, point: &HistoryPoint, history: &History) -> Markup {
        let words = &self.messages.words;
        html! {
            td.number {
                (Scale::of_table(history.unit).write(point.figure))
                @match point.change {
                    HistoryChange::First => {},
                    HistoryChange::Shown(ratio) => small {
                        strong { @if ratio > 1.0 { "▲ " } @else { "▼ " } ((words.times)(&times(ratio))) }
                    },
                    HistoryChange::NotShown(_) => small { abbr title=(words.no_difference) { "=" } },
                    HistoryChange::WithoutInterval(_) => small { "?" },
                }
            }
        }
    }

    /// `AES-128-GCM, 16 KiB, openssl`.
    fn workload(&self, question: &RankingQuestion) -> String {
        let mut parts = vec![question.algorithm.title().to_owned()];
        if question.has_sizes() {
            parts.push(size(question.bytes));
        }
        parts.push(short(library(question), 30));
        parts.join(self.messages.words.comma)
    }
}

/// A run of the section.
struct Run<'a> {
    id: &'a str,
    started: &'a str,
}

/// Every run with a figure, the oldest first; no more than the newest [`MAX_RUNS`].
fn runs<'a>(histories: &[&'a History]) -> Vec<Run<'a>> {
    let mut all: BTreeMap<(&str, &str), Run<'a>> = BTreeMap::new();
    for point in histories.iter().flat_map(|history| &history.points) {
        all.insert((&point.started, &point.run), Run { id: &point.run, started: &point.started });
    }
    let surplus = all.len().saturating_sub(MAX_RUNS);
    all.into_values().skip(surplus).collect()
}

fn library(question: &RankingQuestion) -> &str {
    match &question.libraries {
        Libraries::Only(library) => library,
        Libraries::Any => "any",
    }
}

/// The day of a time stamp.
fn day(started: &str) -> String {
    short(started.split('T').next().unwrap_or_default(), 24)
}

/// Day and minute of a time stamp.
fn moment(started: &str) -> String {
    match started.split_once('T') {
        Some((day, time)) => short(&format!("{day} {}", time.get(..5).unwrap_or(time)), 24),
        None => short(started, 24),
    }
}
