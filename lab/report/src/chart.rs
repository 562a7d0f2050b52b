//! Charts before they are drawn or take a language: what they show. [`crate::render`] draws them.

use crate::text::Text;

/// A chart on the page of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Name for `--chart`; unique on the page.
    pub name: String,
    /// Title of the chart in a few words.
    pub title: Text,
    /// Shorter heading on the page, if the section already says the rest of the title.
    pub heading: Option<Text>,
    /// Addition beside the title, such as the unit.
    pub beside: Text,
    /// Meaning of the colours. Charts of a page that share a legend show it once, above them.
    pub legend: Vec<LegendEntry>,
    /// Plotted data.
    pub plot: Plot,
}

/// Plotted data of a chart. Figures are in the unit of the chart.
#[derive(Clone, Debug, PartialEq)]
pub enum Plot {
    /// Groups of bars, from the top.
    Bars {
        /// The unit.
        unit: Text,
        /// The groups.
        groups: Vec<BarGroup>,
    },
    /// Throughput by size.
    Curves {
        /// The unit.
        unit: &'static str,
        /// The lines.
        curves: Vec<Curve>,
    },
    /// Bars under headings, each with its share of a bound.
    Shares {
        /// The unit.
        unit: &'static str,
        /// The bars that belong together.
        blocks: Vec<ShareBlock>,
        /// Lines across all bars.
        marks: Vec<ReferenceLine>,
    },
    /// Figures over runs, the oldest on the left.
    Courses {
        /// The unit.
        unit: &'static str,
        /// Number of runs.
        runs: usize,
        /// The lines.
        courses: Vec<Course>,
    },
}

/// A group of bars.
#[derive(Clone, Debug, PartialEq)]
pub struct BarGroup {
    /// Its name.
    pub label: Text,
    /// From the top.
    pub bars: Vec<Bar>,
}

/// A bar of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// A CSS colour.
    pub color: String,
    /// Its figure; `None` leaves the place empty.
    pub value: Option<f64>,
    /// The 95 % interval.
    pub interval: Option<[f64; 2]>,
}

/// A line in a chart of throughput by size.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name of the line in the text description; empty if the description leaves the line out.
    pub name: Text,
    /// A CSS colour.
    pub color: &'static str,
    /// At each of its points.
    pub marker: Marker,
    /// For the state `off`.
    pub is_dashed: bool,
    /// Whether it is drawn thicker and with its interval.
    pub is_main: bool,
    /// By rising size.
    pub points: Vec<CurvePoint>,
}

/// A point of a [`Curve`].
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoint {
    /// The size.
    pub bytes: usize,
    /// The figure.
    pub value: f64,
    /// The 95 % interval.
    pub interval: Option<[f64; 2]>,
}

/// Bars that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareBlock {
    /// Their heading, if they have one.
    pub heading: Text,
    /// From the top.
    pub bars: Vec<ShareBar>,
}

/// A bar with a name of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareBar {
    /// Its name.
    pub label: Text,
    /// A CSS colour.
    pub color: String,
    /// Its figure.
    pub value: f64,
    /// The 95 % interval.
    pub interval: Option<[f64; 2]>,
    /// Its share of the bound, in per cent.
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

/// A line over runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Name of the line.
    pub name: Text,
    /// A CSS colour.
    pub color: &'static str,
    /// At each of its points.
    pub marker: Marker,
    /// By rising place.
    pub moments: Vec<CoursePoint>,
}

/// A point of a [`Course`].
#[derive(Clone, Debug, PartialEq)]
pub struct CoursePoint {
    /// Index of the run.
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
    /// A chart of groups of bars that needs no legend.
    pub(crate) fn from_groups(name: String, title: Text, unit: Text, groups: Vec<BarGroup>) -> Self {
        let plot = Plot::Bars { unit: unit.clone(), groups };
        Chart { name, title, heading: None, beside: unit, legend: Vec::new(), plot }
    }

    /// A chart of groups of bars; each has the figures of its bars in the order and the colours of `legend`.
    pub(crate) fn bars(
        name: String,
        title: Text,
        unit: impl Into<Text>,
        legend: &[LegendEntry],
        groups: impl IntoIterator<Item = (String, Vec<Option<f64>>)>,
    ) -> Self {
        let bar =
            |(value, entry): (Option<f64>, &LegendEntry)| Bar { color: entry.color.clone(), value, interval: None };
        let group = |(label, values): (String, Vec<Option<f64>>)| BarGroup {
            label: label.into(),
            bars: values.into_iter().zip(legend).map(bar).collect(),
        };
        let groups = groups.into_iter().map(group).collect();
        Chart { legend: legend.to_vec(), ..Chart::from_groups(name, title, unit.into(), groups) }
    }
}
