//! Charts of throughput: for each kind of algorithm an overview, and a small one for each algorithm by size.

use maud::{Markup, html};

use super::contents::Section;
use super::gallery::Said;
use super::legend::legend;
use super::page::RunPage;
use super::palette::LineStyle;
use crate::chart::{self, Bar, ChartCurve, ChartPoint, Group, LegendEntry};
use crate::primitives::KINDS;
use crate::quantity::{Scale, digits, figure, size, times};
use crate::selection::{ContenderIndex, SeriesKey, Task, is_drawn, yardstick};
use crate::visible::short;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::document::{Series, Unit};
use kasoku_model::workload::Operation;

impl<'a> RunPage<'a> {
    pub(super) fn charts(&self) -> Option<Section> {
        let primary = self.primary?;
        // What most people ask about comes first.
        let charts: Vec<Markup> = [AlgorithmKind::Aead, AlgorithmKind::Cipher, AlgorithmKind::Hash]
            .into_iter()
            .filter_map(|kind| self.kind(primary, kind))
            .collect();
        let body = html! { @for charts in &charts { (charts) } };
        let words = &self.messages.page;
        (!charts.is_empty()).then(|| Section::folded(None, self.id("charts"), words.throughput, body))
    }

    /// The series, if it may be drawn.
    pub(super) fn drawn(
        &self,
        who: ContenderIndex,
        state: Acceleration,
        task: Task,
        bytes: usize,
    ) -> Option<&'a Series> {
        let series = self.selection.series(SeriesKey::new(who, state, task, bytes))?;
        is_drawn(self.document, series).then_some(series)
    }

    fn kind(&self, primary: ContenderIndex, kind: AlgorithmKind) -> Option<Markup> {
        let (words, said) = (&self.messages.words, &self.messages.charts);
        let tasks = self.selection.tasks(kind);
        let bytes = self.selection.yardstick(kind)?;
        let states = self.states(self.has_off(kind));
        let label = self.selection.full_label(primary);
        let has_several = tasks.iter().any(|task| *task != Task::main(task.algorithm));
        let of_operation = |operation: &Operation| {
            let groups: Vec<Group> = tasks
                .iter()
                .filter(|task| task.operation == *operation)
                .map(|task| (task.algorithm.title(), self.on_and_off(primary, *task, bytes)))
                .filter(|(_, bars)| bars.iter().any(|bar| bar.value.is_some()))
                .map(|(label, bars)| Group { label: label.to_owned(), bars })
                .collect();
            let named = has_several.then(|| (words.operation)(*operation));
            let title = (said.overview)((words.kind)(kind), named, &label, &size(bytes));
            self.bars(&format!("{}-{operation}", slug(kind)), title, groups, Unit::BytesPerSecond, &states)
        };
        let overviews: Vec<Markup> = Operation::of(kind).iter().filter_map(of_operation).collect();
        let libraries: Vec<Markup> = if kind == AlgorithmKind::Aead {
            let aeads = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305];
            aeads
                .iter()
                .filter_map(|algorithm| self.on_and_off_by_library(primary, *algorithm, bytes, &states))
                .collect()
        } else {
            Vec::new()
        };
        let lines = self.lines(kind);
        let curves: Vec<Markup> = tasks.iter().filter_map(|task| self.curves(primary, *task, &lines)).collect();
        let is_any = !(overviews.is_empty() && libraries.is_empty() && curves.is_empty());
        is_any.then(|| {
            html! {
                h3 { ((words.kind)(kind)) }
                @if !overviews.is_empty() || !libraries.is_empty() {
                    (legend(&states))
                    div.wide { @for chart in overviews.iter().chain(&libraries) { (chart) } }
                }
                @if !curves.is_empty() {
                    (legend(&lines))
                    div.small { @for chart in &curves { (chart) } }
                }
            }
        })
    }

    /// What the colours of bars mean.
    pub(super) fn states(&self, has_off: bool) -> Vec<LegendEntry> {
        let said = &self.messages.charts;
        let off = has_off.then(|| LegendEntry::color("var(--off)", said.acceleration_off));
        [LegendEntry::color("var(--on)", said.acceleration_on)].into_iter().chain(off).collect()
    }

    pub(super) fn on_and_off(&self, who: ContenderIndex, task: Task, bytes: usize) -> Vec<Bar> {
        let bar = |state, color: &str| {
            let series = self.drawn(who, state, task, bytes);
            Bar { color: color.to_owned(), value: series.and_then(|s| s.median), interval: series.and_then(|s| s.ci95) }
        };
        vec![bar(Acceleration::On, "var(--on)"), bar(Acceleration::Off, "var(--off)")]
    }

    fn on_and_off_by_library(
        &self,
        primary: ContenderIndex,
        algorithm: Algorithm,
        bytes: usize,
        states: &[LegendEntry],
    ) -> Option<Markup> {
        let task = Task::main(algorithm);
        let groups: Vec<Group> = self
            .selection
            .peers(primary)
            .map(|who| Group { label: self.selection.label(who), bars: self.on_and_off(who, task, bytes) })
            .filter(|group| group.bars.iter().any(|bar| bar.value.is_some()))
            .map(|group| Group { label: short(&group.label, 22), ..group })
            .collect();
        if groups.len() < 2 {
            return None;
        }
        let title = (self.messages.charts.by_library)(&task.title(&self.messages.words), &size(bytes));
        self.bars(&format!("{algorithm}-on-off"), title, groups, Unit::BytesPerSecond, states)
    }

    /// A bar chart; its figures come in the series' unit and leave in one that fits.
    pub(super) fn bars(
        &self,
        name: &str,
        title: String,
        mut groups: Vec<Group>,
        unit: Unit,
        legend: &[LegendEntry],
    ) -> Option<Markup> {
        let said = &self.messages.charts;
        let largest = groups.iter().flat_map(|group| &group.bars).filter_map(|bar| bar.value).fold(0.0, f64::max);
        let scale = Scale::fitting(unit, largest, &self.messages.words);
        // A state that nothing was measured in takes no room.
        let width = groups.iter().filter_map(|group| group.bars.iter().rposition(|bar| bar.value.is_some())).max()? + 1;
        let mut parts = Vec::new();
        for group in &mut groups {
            group.bars.truncate(width);
            for bar in &mut group.bars {
                bar.value = bar.value.map(|value| scale.apply(value));
                bar.interval = bar.interval.map(|interval| interval.map(|value| scale.apply(value)));
            }
            let values: Vec<String> = group.bars.iter().filter_map(|bar| bar.value.map(digits)).collect();
            parts.push((said.group)(&group.label, &values));
        }
        let description = (said.bars)(scale.name, &parts);
        let said = Said { title, description, beside: Some(scale.name.to_owned()), legend, ..Said::default() };
        self.gallery.figure(name, said, |caption| chart::bars(caption, &groups))
    }

    fn curves(&self, primary: ContenderIndex, task: Task, legend: &[LegendEntry]) -> Option<Markup> {
        let (words, said) = (&self.messages.words, &self.messages.charts);
        let sizes = self.selection.sizes_of(task);
        let styled = self.styled(primary);
        let lines = || {
            styled.iter().flat_map(|(who, style)| {
                [Acceleration::Off, Acceleration::On].into_iter().map(move |state| (*who, style, state))
            })
        };
        let series = |who: ContenderIndex, state| -> Vec<&'a Series> {
            sizes.iter().filter_map(|bytes| self.drawn(who, state, task, *bytes)).collect()
        };
        let largest = lines()
            .flat_map(|(who, _, state)| series(who, state))
            .filter(|series| series.unit == Unit::BytesPerSecond)
            .filter_map(|series| series.median)
            .fold(0.0, f64::max);
        let scale = Scale::of_bytes(largest);
        let point = |series: &&Series| {
            let value = scale.apply(series.median?);
            let interval = series.ci95.map(|interval| interval.map(|value| scale.apply(value)));
            (series.unit == Unit::BytesPerSecond).then_some(ChartPoint { bytes: series.bytes, value, interval })
        };
        let curve = |(who, style, state): (ContenderIndex, &LineStyle, Acceleration)| ChartCurve {
            color: style.color.to_owned(),
            marker: style.marker,
            is_dashed: state == Acceleration::Off,
            is_main: who == primary,
            points: series(who, state).iter().filter_map(point).collect(),
        };
        let curves: Vec<ChartCurve> = lines().map(curve).filter(|curve| !curve.points.is_empty()).collect();
        let end = |state| {
            let series = series(primary, state);
            let at = |series: &Series| {
                (said.at)(&figure(series.median.unwrap_or(0.0), series.unit, words), &size(series.bytes))
            };
            let (first, last) = (at(series.first()?), at(series.last()?));
            Some((said.ends)(&self.selection.full_label(primary), state, &first, &last))
        };
        let ends: Vec<String> = [Acceleration::On, Acceleration::Off].into_iter().filter_map(end).collect();
        let description = (said.curves)(curves.len(), &ends);
        let title = task.title(words);
        let name = match task == Task::main(task.algorithm) {
            true => task.algorithm.to_string(),
            false => format!("{}-{}", task.algorithm, task.operation),
        };
        let beside = self.worth(primary, task, &sizes);
        let said = Said { title: (said.by_size)(&title), heading: Some(title), beside, description, legend };
        self.gallery.figure(&name, said, |caption| chart::curves(caption, scale.name, &curves))
    }

    /// What acceleration is worth at the size that stands for the task.
    fn worth(&self, primary: ContenderIndex, task: Task, sizes: &[usize]) -> Option<String> {
        let words = &self.messages.words;
        let gain = self.selection.worth(SeriesKey::new(primary, Acceleration::On, task, yardstick(sizes)?))?;
        let worth = || (self.messages.charts.worth)(&(words.times)(&times(gain.ratio)));
        Some(if gain.is_shown { worth() } else { words.no_difference.to_owned() })
    }

    /// Public keys, in operations a second.
    pub(super) fn public_keys(&self) -> Option<Section> {
        let words = &self.messages.words;
        let primary = self.primary?;
        let mut charts = Vec::new();
        for kind in KINDS.into_iter().filter(|kind| !kind.is_bulk()) {
            let group = |task: &Task| {
                let bytes = self.selection.sizes_of(*task).first().copied()?;
                let series = self.drawn(primary, Acceleration::On, *task, bytes)?;
                let bar = Bar { color: "var(--on)".to_owned(), value: series.median, interval: series.ci95 };
                (series.unit == Unit::OperationsPerSecond).then(|| Group { label: task.title(words), bars: vec![bar] })
            };
            let groups: Vec<Group> = self.selection.tasks(kind).iter().filter_map(group).collect();
            let title = (self.messages.charts.operations)((words.kind)(kind), &self.selection.full_label(primary));
            charts.extend(self.bars(&slug(kind), title, groups, Unit::OperationsPerSecond, &[]));
        }
        let body = html! { div.wide { @for chart in &charts { (chart) } } };
        (!charts.is_empty()).then(|| Section::new(self.id("public-keys"), self.messages.page.public_keys, body))
    }

    /// Who may have a line in a chart, and how it is drawn: the same in all charts.
    fn styled(&self, primary: ContenderIndex) -> Vec<(ContenderIndex, LineStyle)> {
        let peers: Vec<ContenderIndex> = self.selection.peers(primary).collect();
        let libraries = peers.iter().map(|who| self.selection.contender(*who).library.as_str());
        let styles = self.gallery.palette.styles(libraries);
        peers.into_iter().zip(styles).collect()
    }

    /// Which line is whose, of those that have one in charts of that kind.
    fn lines(&self, kind: AlgorithmKind) -> Vec<LegendEntry> {
        let Some(primary) = self.primary else { return Vec::new() };
        let mut lines = self.styled(primary);
        lines.retain(|(who, _)| self.is_drawn(*who, kind, &[Acceleration::On, Acceleration::Off]));
        let entry = |(who, style): &(ContenderIndex, LineStyle)| LegendEntry {
            marker: style.marker,
            ..LegendEntry::color(style.color, self.selection.full_label(*who))
        };
        let said = &self.messages.charts;
        let state = |label: &str, is_dashed| LegendEntry {
            is_dashed,
            is_apart: true,
            ..LegendEntry::color("var(--muted)", label)
        };
        let states = [state(said.on, false), state(said.off, true)].into_iter().filter(|_| self.has_off(kind));
        lines.iter().map(entry).chain(states).collect()
    }

    pub(super) fn has_off(&self, kind: AlgorithmKind) -> bool {
        self.selection.contenders().any(|who| self.is_drawn(who, kind, &[Acceleration::Off]))
    }

    /// Whether anything of that kind is drawn for `who` in one of these states.
    fn is_drawn(&self, who: ContenderIndex, kind: AlgorithmKind, states: &[Acceleration]) -> bool {
        let at = |task: Task, bytes| states.iter().any(|state| self.drawn(who, *state, task, bytes).is_some());
        self.selection
            .tasks(kind)
            .into_iter()
            .any(|task| self.selection.sizes_of(task).into_iter().any(|b| at(task, b)))
    }
}

/// Part of an id: the same in every language.
fn slug(kind: AlgorithmKind) -> String {
    kind.title().to_lowercase().replace(' ', "-")
}
