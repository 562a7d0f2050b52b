//! Charts of the primitives: overviews of each kind, a small chart by size for each algorithm, and public-key
//! operations by library.

use super::KINDS;
use crate::chart::{Line, LinePoint, Plot};
use crate::prelude::*;
use crate::selection::{is_drawn, kind_title, operation, times, yardstick};

/// Maximum width of a library's name in a chart, in columns.
const NAME: usize = 22;
/// Maximum number of libraries in a chart of public-key operations.
const LIBRARIES: usize = 6;

pub(crate) fn throughput(selection: &Selection<'_>, palette: &Palette) -> Option<Section> {
    let charts = Charts { selection, palette, primary: selection.primary()? };
    // The kinds that most people ask about come first.
    let kinds = [AlgorithmKind::Aead, AlgorithmKind::Cipher, AlgorithmKind::Hash];
    let blocks = kinds.into_iter().flat_map(|kind| charts.of_kind(kind)).collect();
    Section::folded("charts", say!("page-throughput"), blocks).any()
}

pub(crate) fn public_keys(selection: &Selection<'_>, palette: &Palette) -> Option<Section> {
    let primary = selection.primary()?;
    let kinds = || KINDS.into_iter().filter(|kind| !kind.is_bulk());
    let series = |task: Task, who: ContenderIndex| {
        let bytes = selection.sizes_of(task).first().copied()?;
        let series = selection.drawn(SeriesKey::new(who, Acceleration::On, task, bytes))?;
        (series.unit == Unit::OperationsPerSecond).then_some(series)
    };
    let tasks = |kind| selection.tasks(kind).into_iter();
    let has_any = |who: &ContenderIndex| kinds().flat_map(tasks).any(|task| series(task, *who).is_some());
    let libraries: Vec<ContenderIndex> = selection.peers(primary).filter(has_any).take(LIBRARIES).collect();
    let styles = palette.styles(libraries.iter().map(|who| selection.contender(*who).library.as_str()));
    let named = libraries.iter().zip(&styles);
    let legend: Vec<LegendEntry> =
        named.map(|(who, style)| LegendEntry::color(&style.color, selection.label(*who).cut(NAME))).collect();
    let chart = |kind: AlgorithmKind| {
        let group = |task: Task| {
            let bar = |(who, style): (&ContenderIndex, &LegendEntry)| Bar::of_series(series(task, *who), &style.color);
            BarGroup { label: task.title(), bars: libraries.iter().zip(&styles).map(bar).collect() }
        };
        let groups = tasks(kind).map(group).collect();
        bars(kind.name(), kind_title(kind), groups, Unit::OperationsPerSecond, &legend)
    };
    let charts = Block::charts(legend.clone(), kinds().filter_map(chart).collect());
    Section::open("public-keys", say!("page-public-keys"), charts.into_iter().collect()).any()
}

pub(crate) fn states(has_off: bool) -> Vec<LegendEntry> {
    let off = has_off.then(|| LegendEntry::color("var(--off)", say!("charts-acceleration-off")));
    [LegendEntry::color("var(--on)", say!("charts-acceleration-on"))].into_iter().chain(off).collect()
}

pub(crate) fn on_and_off(selection: &Selection<'_>, who: ContenderIndex, task: Task, bytes: usize) -> Vec<Bar> {
    let of_state = |state, color| Bar::of_series(selection.drawn(SeriesKey::new(who, state, task, bytes)), color);
    vec![of_state(Acceleration::On, "var(--on)"), of_state(Acceleration::Off, "var(--off)")]
}

/// Returns a chart of bars, with the figures in a unit that fits the largest; `None` without figures.
pub(crate) fn bars(
    name: &str,
    title: Text,
    mut groups: Vec<BarGroup>,
    unit: Unit,
    legend: &[LegendEntry],
) -> Option<Chart> {
    groups.retain(|group| group.bars.iter().any(|bar| bar.value.is_some()));
    // A state without figures takes no room.
    let width = groups.iter().filter_map(|group| group.bars.iter().rposition(|bar| bar.value.is_some())).max()? + 1;
    groups.iter_mut().for_each(|group| group.bars.truncate(width));
    Some(Chart { legend: legend.to_vec(), ..Chart::fitting(name, title, unit, groups) })
}

struct Charts<'c> {
    selection: &'c Selection<'c>,
    palette: &'c Palette,
    primary: ContenderIndex,
}

impl Charts<'_> {
    fn of_kind(&self, kind: AlgorithmKind) -> Vec<Block> {
        let Some(bytes) = self.selection.yardstick(kind) else { return Vec::new() };
        let states = states(self.has_off(kind));
        let mut overviews: Vec<Chart> =
            Operation::of(kind).iter().filter_map(|one| self.overview(kind, *one, bytes, &states)).collect();
        if kind == AlgorithmKind::Aead {
            let aeads = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305];
            overviews.extend(aeads.into_iter().filter_map(|one| self.by_library(one, bytes, &states)));
        }
        let legend = self.lines(kind);
        let curves: Vec<Chart> =
            self.selection.tasks(kind).into_iter().filter_map(|task| self.curves(task, &legend)).collect();
        let curves = (!curves.is_empty()).then_some(Block::Charts { legend, charts: curves, are_small: true });
        let blocks: Vec<Block> = Block::charts(states, overviews).into_iter().chain(curves).collect();
        if blocks.is_empty() { blocks } else { [vec![Block::Heading(kind_title(kind))], blocks].concat() }
    }

    fn overview(&self, kind: AlgorithmKind, one: Operation, bytes: usize, states: &[LegendEntry]) -> Option<Chart> {
        let tasks = self.selection.tasks(kind);
        let of_operation = tasks.iter().filter(|task| task.operation == one);
        let group = |task: &Task| BarGroup {
            label: task.algorithm.title().into(),
            bars: on_and_off(self.selection, self.primary, *task, bytes),
        };
        let (library, size) = (self.selection.label(self.primary), size(bytes));
        let title = match tasks.iter().any(|task| *task != Task::main(task.algorithm)) {
            true => {
                let (kind, operation) = (kind_title(kind), operation(one));
                say!("charts-overview-of-operation", kind = kind, operation = operation, library = library, size = size)
            }
            false => say!("charts-overview", kind = kind_title(kind), library = library, size = size),
        };
        let groups = of_operation.map(group).collect();
        bars(&format!("{}-{one}", kind.name()), title, groups, Unit::BytesPerSecond, states)
    }

    fn by_library(&self, algorithm: Algorithm, bytes: usize, states: &[LegendEntry]) -> Option<Chart> {
        let task = Task::main(algorithm);
        let group = |who| BarGroup {
            label: self.selection.label(who).cut(NAME),
            bars: on_and_off(self.selection, who, task, bytes),
        };
        let groups: Vec<BarGroup> = self.selection.peers(self.primary).map(group).collect();
        let title = say!("charts-by-library", task = task.title(), size = size(bytes));
        let chart = bars(&format!("{algorithm}-on-off"), title, groups, Unit::BytesPerSecond, states)?;
        matches!(&chart.plot, Plot::Bars { groups, .. } if groups.len() > 1).then_some(chart)
    }

    fn curves(&self, task: Task, legend: &[LegendEntry]) -> Option<Chart> {
        let sizes = self.selection.sizes_of(task);
        let styles = self.styles();
        let lines = || {
            let states = [Acceleration::Off, Acceleration::On];
            styles.iter().flat_map(move |(who, style)| states.map(|state| (*who, style, state)))
        };
        let series = |who: ContenderIndex, state| {
            let drawn =
                sizes.iter().filter_map(move |bytes| self.selection.drawn(SeriesKey::new(who, state, task, *bytes)));
            drawn.filter(|series| series.unit == Unit::BytesPerSecond)
        };
        let point = |series: &Series| {
            let (place, interval) = (series.bytes, series.ci95);
            Some(LinePoint { place, value: series.median?, interval, is_changed: false })
        };
        let line = |(who, style, state): (ContenderIndex, &LegendEntry, Acceleration)| {
            let is_main = who == self.primary;
            let name = || say!("charts-line", library = self.selection.label(who), state = state.name());
            let (label, is_dashed) = (if is_main { name() } else { Text::EMPTY }, state == Acceleration::Off);
            let style = LegendEntry { label, is_dashed, ..style.clone() };
            Line { style, is_main, points: series(who, state).filter_map(point).collect() }
        };
        let lines: Vec<Line> = lines().map(line).filter(|line| !line.points.is_empty()).collect();
        let name = match task == Task::main(task.algorithm) {
            true => task.algorithm.to_string(),
            false => format!("{}-{}", task.algorithm, task.operation),
        };
        let title = || say!("charts-by-size", task = task.title());
        // A line needs two points.
        lines.iter().any(|line| line.points.len() > 1).then(|| Chart {
            heading: Some(task.title()),
            beside: self.worth(task, &sizes),
            legend: legend.to_vec(),
            ..Chart::fitting(name, title(), Unit::BytesPerSecond, Plot::Lines { runs: None, lines })
        })
    }

    /// Returns the gain from acceleration as text, at the size that [`yardstick`] selects from `sizes`.
    fn worth(&self, task: Task, sizes: &[usize]) -> Text {
        let key = |bytes| SeriesKey::new(self.primary, Acceleration::On, task, bytes);
        match yardstick(sizes).and_then(|bytes| self.selection.worth(key(bytes))) {
            Some(gain) if gain.is_shown => say!("charts-worth", ratio = times(gain.ratio)),
            Some(_) => say!("words-no-difference"),
            None => Text::EMPTY,
        }
    }

    /// Returns the contenders that may have a line, with the line style that they have in all charts.
    fn styles(&self) -> Vec<(ContenderIndex, LegendEntry)> {
        let peers: Vec<ContenderIndex> = self.selection.peers(self.primary).collect();
        let libraries = peers.iter().map(|who| self.selection.contender(*who).library.as_str());
        let styles = self.palette.styles(libraries);
        peers.into_iter().zip(styles).collect()
    }

    fn lines(&self, kind: AlgorithmKind) -> Vec<LegendEntry> {
        let mut lines = self.styles();
        lines.retain(|(who, _)| {
            self.has_any(kind, |key| key.who == *who && [Acceleration::On, Acceleration::Off].contains(&key.state))
        });
        let entry =
            |(who, style): (ContenderIndex, LegendEntry)| LegendEntry { label: self.selection.label(who), ..style };
        let state = |label, is_dashed| LegendEntry { is_dashed, ..LegendEntry::color("var(--muted)", label) };
        let states = [state(say!("charts-on"), false), state(say!("charts-off"), true)];
        lines.into_iter().map(entry).chain(states.into_iter().filter(|_| self.has_off(kind))).collect()
    }

    fn has_off(&self, kind: AlgorithmKind) -> bool {
        self.has_any(kind, |key| key.state == Acceleration::Off)
    }

    fn has_any(&self, kind: AlgorithmKind, is_meant: impl Fn(&SeriesKey) -> bool) -> bool {
        let mut series = self.selection.select(|key| key.task.kind() == kind && is_meant(key));
        series.any(|(_, series)| is_drawn(self.selection.document, series))
    }
}
