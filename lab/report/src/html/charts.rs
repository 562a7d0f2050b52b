//! Charts of throughput.

use maud::{Markup, PreEscaped, html};

use super::contents::Section;
use super::line_style::{LineStyle, line_styles};
use super::page::Page;
use super::parts::{swatch, swatch_of};
use crate::chart::{self, Bar, Caption, Curve, Group, Point};
use crate::primitives::KINDS;
use crate::quantity::{Scale, digits, figure, size, times};
use crate::selection::{Key, Task, Who, is_drawn, yardstick};
use crate::visible::short;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, Kind};
use kasoku_model::document::{Series, Unit};
use kasoku_model::workload::Operation;

impl<'a> Page<'a> {
    pub(super) fn charts(&self) -> Option<Section> {
        let primary = self.primary?;
        let charts = html! {
            @for kind in [Kind::Cipher, Kind::Aead, Kind::Hash] { (self.kind(primary, kind)) }
            (self.public_key(primary))
        };
        Some(Section::new(self.id("charts"), self.messages.page.throughput, charts))
    }

    /// The series, if it may be drawn.
    fn drawn(&self, who: Who, state: Acceleration, task: Task, bytes: usize) -> Option<&'a Series> {
        let series = self.selection.series(Key::new(who, state, task, bytes))?;
        is_drawn(self.document, series).then_some(series)
    }

    fn kind(&self, primary: Who, kind: Kind) -> Markup {
        let (words, said) = (&self.messages.words, &self.messages.charts);
        let tasks = self.selection.tasks(kind);
        let Some(bytes) = self.selection.yardstick(kind) else { return html! {} };
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
            self.bars(&format!("{}-{operation}-bars", slug(kind)), title, groups, Unit::BytesPerSecond)
        };
        let overviews: Vec<Markup> = Operation::of(kind).iter().filter_map(of_operation).collect();
        let libraries: Vec<Markup> = if kind == Kind::Aead {
            let aeads = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305];
            aeads.iter().filter_map(|algorithm| self.libraries(primary, *algorithm, bytes)).collect()
        } else {
            Vec::new()
        };
        let curves: Vec<Markup> = tasks.iter().filter_map(|task| self.curves(primary, *task)).collect();
        html! {
            h3 { ((words.kind)(kind)) }
            @if !overviews.is_empty() || !libraries.is_empty() {
                p.legend {
                    (swatch("var(--on)", false)) (said.acceleration_on)
                    @if self.has_off(kind) { (swatch("var(--off)", false)) (said.acceleration_off) }
                }
                div.wide { @for chart in overviews.iter().chain(&libraries) { (chart) } }
            }
            @if !curves.is_empty() {
                (self.legend(kind))
                div.small { @for chart in &curves { (chart) } }
            }
        }
    }

    fn on_and_off(&self, who: Who, task: Task, bytes: usize) -> Vec<Bar> {
        let bar = |state, color: &str| {
            let series = self.drawn(who, state, task, bytes);
            Bar { color: color.to_owned(), value: series.and_then(|s| s.median), interval: series.and_then(|s| s.ci95) }
        };
        vec![bar(Acceleration::On, "var(--on)"), bar(Acceleration::Off, "var(--off)")]
    }

    fn libraries(&self, primary: Who, algorithm: Algorithm, bytes: usize) -> Option<Markup> {
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
        self.bars(&format!("{algorithm}-libraries"), title, groups, Unit::BytesPerSecond)
    }

    /// A bar chart; its figures come in the series' unit and leave in one that fits.
    fn bars(&self, name: &str, title: String, mut groups: Vec<Group>, unit: Unit) -> Option<Markup> {
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
        let caption = Caption { id: self.id(name), title: title.clone(), description };
        let svg = chart::bars(&caption, &groups)?;
        Some(html! { figure { figcaption { strong { (title) } span.worth { (scale.name) } } (PreEscaped(svg)) } })
    }

    fn curves(&self, primary: Who, task: Task) -> Option<Markup> {
        let (words, said) = (&self.messages.words, &self.messages.charts);
        let sizes = self.selection.sizes_of(task);
        let styled = self.styled(primary);
        let lines = || {
            styled.iter().flat_map(|(who, style)| {
                [Acceleration::Off, Acceleration::On].into_iter().map(move |state| (*who, style, state))
            })
        };
        let series = |who: Who, state| -> Vec<&'a Series> {
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
            (series.unit == Unit::BytesPerSecond).then_some(Point { bytes: series.bytes, value, interval })
        };
        let curve = |(who, style, state): (Who, &LineStyle, Acceleration)| Curve {
            color: style.color.to_owned(),
            marker: style.marker,
            is_dashed: state == Acceleration::Off,
            is_main: who == primary,
            points: series(who, state).iter().filter_map(point).collect(),
        };
        let curves: Vec<Curve> = lines().map(curve).filter(|curve| !curve.points.is_empty()).collect();
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
        let id = self.id(&format!("{}-{}", task.algorithm, task.operation));
        let svg = chart::curves(&Caption { id, title: (said.by_size)(&title), description }, scale.name, &curves)?;
        let worth = self.worth(primary, task, &sizes);
        Some(html! {
            figure {
                figcaption { strong { (title) } @if let Some(worth) = worth { span.worth { (worth) } } }
                (PreEscaped(svg))
            }
        })
    }

    /// What acceleration is worth at the size that stands for the task.
    fn worth(&self, primary: Who, task: Task, sizes: &[usize]) -> Option<String> {
        let words = &self.messages.words;
        let gain = self.selection.worth(Key::new(primary, Acceleration::On, task, yardstick(sizes)?))?;
        let worth = || (self.messages.charts.worth)(&(words.times)(&times(gain.ratio)));
        Some(if gain.is_shown { worth() } else { words.no_difference.to_owned() })
    }

    fn public_key(&self, primary: Who) -> Markup {
        let words = &self.messages.words;
        let kinds: Vec<Kind> = KINDS.into_iter().filter(|kind| !kind.is_bulk()).collect();
        let mut charts = Vec::new();
        for kind in kinds {
            let group = |task: &Task| {
                let bytes = self.selection.sizes_of(*task).first().copied()?;
                let series = self.drawn(primary, Acceleration::On, *task, bytes)?;
                let bar = Bar { color: "var(--on)".to_owned(), value: series.median, interval: series.ci95 };
                (series.unit == Unit::OperationsPerSecond).then(|| Group { label: task.title(words), bars: vec![bar] })
            };
            let groups: Vec<Group> = self.selection.tasks(kind).iter().filter_map(group).collect();
            let title = (self.messages.charts.operations)((words.kind)(kind), &self.selection.full_label(primary));
            charts.extend(self.bars(&format!("{}-bars", slug(kind)), title, groups, Unit::OperationsPerSecond));
        }
        let title = self.messages.page.public_keys;
        html! { @if !charts.is_empty() { h3 { (title) } div.wide { @for chart in &charts { (chart) } } } }
    }

    /// Who may have a line in a chart, and how it is drawn: the same in all charts.
    fn styled(&self, primary: Who) -> Vec<(Who, LineStyle)> {
        let peers: Vec<Who> = self.selection.peers(primary).collect();
        let styles = line_styles(peers.iter().map(|who| self.selection.contender(*who).library.as_str()));
        peers.into_iter().zip(styles).collect()
    }

    /// Which line is whose, of those that have one in charts of that kind.
    fn legend(&self, kind: Kind) -> Markup {
        let Some(primary) = self.primary else { return html! {} };
        let mut lines = self.styled(primary);
        lines.retain(|(who, _)| self.is_drawn(*who, kind, &[Acceleration::On, Acceleration::Off]));
        let said = &self.messages.charts;
        html! {
            p.legend {
                @for (who, style) in &lines { (swatch_of(style)) (self.selection.full_label(*who)) }
                @if self.has_off(kind) {
                    span.apart { (swatch("var(--muted)", false)) (said.on) (swatch("var(--muted)", true)) (said.off) }
                }
            }
        }
    }

    fn has_off(&self, kind: Kind) -> bool {
        self.selection.contenders().any(|who| self.is_drawn(who, kind, &[Acceleration::Off]))
    }

    /// Whether anything of that kind is drawn for `who` in one of these states.
    fn is_drawn(&self, who: Who, kind: Kind, states: &[Acceleration]) -> bool {
        let at = |task: Task, bytes| states.iter().any(|state| self.drawn(who, *state, task, bytes).is_some());
        self.selection
            .tasks(kind)
            .into_iter()
            .any(|task| self.selection.sizes_of(task).into_iter().any(|b| at(task, b)))
    }
}

/// Part of an id: the same in every language.
fn slug(kind: Kind) -> String {
    kind.title().to_lowercase().replace(' ', "-")
}
