//! Charts before they are drawn or take a language: what they show. [`crate::render`] draws them.

use crate::quantity::Scale;
use crate::text::{Separator, Text};
use kasoku_model::document::{Series, Unit};

/// A chart on the page of a run. Its figures are in its unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Name for `--chart`; unique on the page.
    pub name: String,
    /// Title of the chart in a few words.
    pub title: Text,
    /// Shorter heading on the page, if the section already says the rest of the title.
    pub heading: Option<Text>,
    /// The unit.
    pub unit: Text,
    /// Addition beside the title; usually the unit.
    pub beside: Text,
    /// Meaning of the colours. Charts of a page that share a legend show it once, above them.
    pub legend: Vec<LegendEntry>,
    /// Plotted data.
    pub plot: Plot,
}

/// Plotted data of a chart.
#[derive(Clone, Debug, PartialEq)]
pub enum Plot {
    /// Groups of bars, from the top.
    Bars {
        /// The groups.
        groups: Vec<BarGroup>,
        /// Lines across all bars, if bars have labels of their own.
        marks: Vec<ReferenceLine>,
    },
    /// Lines over sizes or over runs.
    Lines {
        /// Number of runs, the oldest on the left; `None` for lines over sizes in bytes.
        runs: Option<usize>,
        /// The lines.
        lines: Vec<Line>,
    },
}

/// A group of bars.
#[derive(Clone, Debug, PartialEq)]
pub struct BarGroup {
    /// Its name; empty if it needs none.
    pub label: Text,
    /// From the top.
    pub bars: Vec<Bar>,
}

/// A bar of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// Its own name, for charts whose legend does not name the bars of a group. All bars of a chart have one or none has.
    pub label: Option<Text>,
    /// A CSS colour.
    pub color: String,
    /// Its figure; `None` leaves the place empty.
    pub value: Option<f64>,
    /// The 95 % interval.
    pub interval: Option<[f64; 2]>,
    /// Its share of a bound, in per cent.
    pub share: Option<f64>,
}

/// A line across all bars.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceLine {
    /// Its name.
    pub label: Text,
    /// Position on the axis of figures.
    pub value: f64,
    /// Whether it is the bound that shares are of; others are drawn thinner.
    pub is_main: bool,
}

/// A line over sizes or runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Name of the line in the text description; empty if the description leaves the line out.
    pub name: Text,
    /// A CSS colour.
    pub color: &'static str,
    /// At each of its points.
    pub marker: Marker,
    /// For the state `off`.
    pub is_dashed: bool,
    /// Whether it is drawn thicker and, over sizes, with its interval.
    pub is_main: bool,
    /// From the left.
    pub points: Vec<LinePoint>,
}

/// A point of a [`Line`].
#[derive(Clone, Debug, PartialEq)]
pub struct LinePoint {
    /// The size in bytes, or the index of the run.
    pub place: usize,
    /// The figure.
    pub value: f64,
    /// The 95 % interval.
    pub interval: Option<[f64; 2]>,
    /// Whether a change against the run before is shown: drawn as a ring.
    pub is_changed: bool,
}

/// What stands at the points of a line, by which lines of one colour are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // a shape is called what it is
pub enum Marker {
    /// The usual one.
    Circle,
    Square,
    Diamond,
    Triangle,
    Cross,
}

impl Marker {
    /// All, the usual one first.
    pub(crate) const ALL: [Marker; 5] =
        [Marker::Circle, Marker::Square, Marker::Diamond, Marker::Triangle, Marker::Cross];

    /// Symbol of the marker in a legend; `None` for the default marker.
    pub(crate) fn symbol(self) -> Option<&'static str> {
        match self {
            Marker::Circle => None,
            Marker::Square => Some("■"),
            Marker::Diamond => Some("◆"),
            Marker::Triangle => Some("▲"),
            Marker::Cross => Some("✚"),
        }
    }
}

/// Entry of a legend: the meaning of a colour or of a line style.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendEntry {
    /// A CSS colour.
    pub color: String,
    /// The marker of the line.
    pub marker: Marker,
    /// Whether the line is dashed.
    pub is_dashed: bool,
    /// Meaning of the entry.
    pub label: Text,
}

impl LegendEntry {
    /// Creates an entry that explains `color`.
    pub(crate) fn color(color: &str, label: impl Into<Text>) -> Self {
        let label = label.into();
        LegendEntry { color: color.to_owned(), marker: Marker::Circle, is_dashed: false, label }
    }
}

impl Chart {
    /// Creates a chart without a legend.
    pub(crate) fn new(name: impl Into<String>, title: Text, unit: impl Into<Text>, plot: impl Into<Plot>) -> Self {
        let (unit, plot) = (unit.into(), plot.into());
        Chart { name: name.into(), title, heading: None, beside: unit.clone(), unit, legend: Vec::new(), plot }
    }

    /// Creates a chart of figures in `unit`, shown in a unit that fits the largest.
    pub(crate) fn fitting(name: impl Into<String>, title: Text, unit: Unit, plot: impl Into<Plot>) -> Self {
        let (mut plot, mut largest) = (plot.into(), 0.0);
        plot.each_figure(|figure, _| largest = f64::max(largest, *figure));
        Chart::scaled(name, title, Scale::fitting(unit, largest), plot)
    }

    /// Creates a chart of figures, shown in `scale`.
    pub(crate) fn scaled(name: impl Into<String>, title: Text, scale: Scale, plot: impl Into<Plot>) -> Self {
        let mut plot = plot.into();
        plot.each_figure(|figure, interval| {
            *figure = scale.apply(*figure);
            *interval = interval.map(|ends| ends.map(|end| scale.apply(end)));
        });
        if let Plot::Bars { marks, .. } = &mut plot {
            marks.iter_mut().for_each(|mark| mark.value = scale.apply(mark.value));
        }
        Chart::new(name, title, scale.name, plot)
    }

    /// Says beside the title what the shares of bars are of.
    pub(crate) fn with_shares(self, shares: Option<Text>) -> Self {
        Chart { beside: Text::list(Separator::Dot, [self.beside, shares.into()]), ..self }
    }

    /// Creates a chart of groups of bars; each group has the figures of its bars in the order and the colours of
    /// `legend`.
    pub(crate) fn bars(
        name: String,
        title: Text,
        unit: impl Into<Text>,
        legend: &[LegendEntry],
        groups: impl IntoIterator<Item = (String, Vec<Option<f64>>)>,
    ) -> Self {
        let bar =
            |(value, entry): (Option<f64>, &LegendEntry)| Bar { color: entry.color.clone(), value, ..Bar::default() };
        let group = |(label, values): (String, Vec<Option<f64>>)| BarGroup {
            label: label.into(),
            bars: values.into_iter().zip(legend).map(bar).collect(),
        };
        let groups: Vec<BarGroup> = groups.into_iter().map(group).collect();
        Chart { legend: legend.to_vec(), ..Chart::new(name, title, unit, groups) }
    }
}

impl Plot {
    fn each_figure(&mut self, mut visit: impl FnMut(&mut f64, &mut Option<[f64; 2]>)) {
        match self {
            Plot::Bars { groups, .. } => {
                let bars = groups.iter_mut().flat_map(|group| &mut group.bars);
                bars.for_each(|bar| _ = bar.value.as_mut().map(|value| visit(value, &mut bar.interval)));
            }
            Plot::Lines { lines, .. } => {
                let points = lines.iter_mut().flat_map(|line| &mut line.points);
                points.for_each(|point| visit(&mut point.value, &mut point.interval));
            }
        }
    }
}

impl Bar {
    /// Creates the bar of a series, in its unit.
    pub(crate) fn of_series(series: Option<&Series>, color: impl Into<String>) -> Self {
        let (value, interval) = (series.and_then(|series| series.median), series.and_then(|series| series.ci95));
        Bar { color: color.into(), value, interval, ..Bar::default() }
    }
}

impl From<Vec<BarGroup>> for Plot {
    fn from(groups: Vec<BarGroup>) -> Self {
        Plot::Bars { groups, marks: Vec::new() }
    }
}
