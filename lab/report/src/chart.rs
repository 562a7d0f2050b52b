//! Data of charts, independent of drawing and language. [`crate::render`] draws them.

use crate::prelude::*;

/// A chart. Its figures are in `unit`.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Name of the chart for the option `--chart`, unique on the page.
    pub name: String,
    /// Title that is complete without the heading of the section.
    pub title: Text,
    /// Shorter heading on the page, if the section already says the rest of the title.
    pub heading: Option<Text>,
    pub unit: Text,
    /// Text beside the title, usually the unit.
    pub beside: Text,
    /// Legend of the chart. If several charts share a legend, a page shows it once, above the charts.
    pub legend: Vec<LegendEntry>,
    pub plot: Plot,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Plot {
    Bars {
        groups: Vec<BarGroup>,
        /// Reference lines across all bars. Only charts whose bars have labels have reference lines.
        marks: Vec<ReferenceLine>,
    },
    Lines {
        /// Number of runs, if the horizontal axis has runs, the oldest on the left. `None` if it has sizes in bytes.
        runs: Option<usize>,
        lines: Vec<Line>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct BarGroup {
    /// Name of the group; empty if it has none.
    pub label: Text,
    pub bars: Vec<Bar>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// Name of the bar. Either all bars of a chart have a name, or the legend explains their colours.
    pub label: Option<Text>,
    /// A CSS colour.
    pub color: String,
    /// Length of the bar; `None` leaves its row empty.
    pub value: Option<f64>,
    pub interval: Option<[f64; 2]>,
    /// Percentage of a reference, such as the CPU's upper bound, that the bar reaches.
    pub share: Option<f64>,
}

/// A line across all bars, for example at the CPU's upper bound.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceLine {
    pub label: Text,
    pub value: f64,
    /// Whether the percentages of the bars refer to this line. Other lines are thinner.
    pub is_main: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Style of the line, with its name in the text description. If the name is empty, the description leaves the line
    /// out.
    pub style: LegendEntry,
    /// Whether the line is drawn thicker and, in charts with sizes on the horizontal axis, with a band of its
    /// intervals.
    pub is_main: bool,
    pub points: Vec<LinePoint>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LinePoint {
    /// Horizontal position: the size in bytes, or the index of the run.
    pub place: usize,
    pub value: f64,
    pub interval: Option<[f64; 2]>,
    /// Whether the value is proven to differ from the previous run's. Such a point is drawn as a ring.
    pub is_changed: bool,
}

/// Shape at the points of a line. Lines of one colour differ by their markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Marker {
    Circle,
    Square,
    Diamond,
    Triangle,
    Cross,
}

impl Marker {
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

/// An entry of a legend: the meaning of a colour and line style.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LegendEntry {
    pub color: String,
    pub marker: Marker,
    /// Whether the line is dashed, which means that acceleration is off.
    pub is_dashed: bool,
    pub label: Text,
}

impl LegendEntry {
    pub(crate) fn color(color: &str, label: impl Into<Text>) -> Self {
        let label = label.into();
        LegendEntry { color: color.to_owned(), marker: Marker::Circle, is_dashed: false, label }
    }
}

impl Chart {
    pub(crate) fn new(name: impl Into<String>, title: Text, unit: impl Into<Text>, plot: impl Into<Plot>) -> Self {
        let (unit, plot) = (unit.into(), plot.into());
        Chart { name: name.into(), title, heading: None, beside: unit.clone(), unit, legend: Vec::new(), plot }
    }

    /// Creates a chart of figures in `unit`. The axis has the unit that fits the largest figure.
    pub(crate) fn fitting(name: impl Into<String>, title: Text, unit: Unit, plot: impl Into<Plot>) -> Self {
        let (mut plot, mut largest) = (plot.into(), 0.0);
        plot.each_figure(|figure, _| largest = f64::max(largest, *figure));
        Chart::scaled(name, title, Scale::fitting(unit, largest), plot)
    }

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

    pub(crate) fn with_shares(self, shares: Option<Text>) -> Self {
        Chart { beside: Text::list(Separator::Dot, [self.beside, shares.into()]), ..self }
    }

    /// Creates a chart with a group of bars for each name. The values of each group have the order and the colours of
    /// `legend`.
    pub(crate) fn bars(
        name: String,
        title: Text,
        unit: impl Into<Text>,
        legend: &[LegendEntry],
        groups: impl IntoIterator<Item = (String, Vec<Option<f64>>)>,
    ) -> Self {
        let group = |(label, values): (String, Vec<Option<f64>>)| BarGroup {
            label: label.into(),
            bars: values.into_iter().zip(legend).map(|(value, entry)| Bar::new(&entry.color, value)).collect(),
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
    pub(crate) fn new(color: impl Into<String>, value: Option<f64>) -> Self {
        Bar { color: color.into(), value, ..Bar::default() }
    }

    pub(crate) fn of_series(series: Option<&Series>, color: impl Into<String>) -> Self {
        let interval = series.and_then(|series| series.ci95);
        Bar { interval, ..Bar::new(color, series.and_then(|series| series.median)) }
    }
}

impl From<Vec<BarGroup>> for Plot {
    fn from(groups: Vec<BarGroup>) -> Self {
        Plot::Bars { groups, marks: Vec::new() }
    }
}
