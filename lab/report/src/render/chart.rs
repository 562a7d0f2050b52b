//! Draws charts as inline SVG with colours from the page's CSS, using kuva.
//!
//! kuva is young, so only this file and its folder use it. It lays out axes, lines, bands and text. This module adds
//! bars with their names and figures, markers, a title and a description for screen readers, a view box for scaling,
//! and ids that are unique on the page.

mod bars;
mod drawing;
mod file;
mod lines;

use kuva::render::layout::{ComputedLayout, Layout};
use kuva::render::render::{Primitive, Scene, TextAnchor, render_multiple};
use kuva::render::theme::Theme;

use super::catalogue::Catalogue;
use crate::chart::{Line, LinePoint, Plot, ReferenceLine};
use crate::prelude::*;
use crate::text::visible;
pub(crate) use drawing::Drawing;
use drawing::finish;
pub(crate) use file::file;

/// Font size of all text, in pixels.
const TEXT: u32 = 11;

/// Draws `chart` as an SVG element with the id `id`. Returns `None` if no bar or line can be drawn.
pub(crate) fn draw(chart: &Chart, id: &str, catalogue: &Catalogue) -> Option<Drawing> {
    let words = |text: &Text| catalogue.write(text);
    let scene = match &chart.plot {
        Plot::Bars { groups, marks } => bars::bars(groups, marks, catalogue),
        Plot::Lines { runs, lines } => lines::lines(&words(&chart.unit), *runs, lines, catalogue),
    };
    Some(finish(id, [&chart.title, &described(chart)].map(words), &scene?))
}

fn described(chart: &Chart) -> Text {
    let unit = &chart.unit;
    match &chart.plot {
        Plot::Bars { groups, marks } => described_bars(chart, groups, marks),
        Plot::Lines { runs: None, lines } => {
            let at = |point: &LinePoint| say!("charts-at", figure = with_unit(point, unit), size = size(point.place));
            let ends = |line: &Line| {
                let [first, last] = [line.points.first()?, line.points.last()?].map(at);
                Some(say!("charts-ends", name = &line.style.label, first = first, last = last))
            };
            let ends = lines.iter().filter(|line| !line.style.label.is_empty()).filter_map(ends);
            say!("charts-curves", count = lines.len(), ends = Text::list(Separator::Sentence, ends))
        }
        Plot::Lines { runs: Some(_), lines } => {
            let line = |line: &Line| {
                let [oldest, newest] = [line.points.first()?, line.points.last()?].map(|point| with_unit(point, unit));
                let (library, count) = (&line.style.label, line.points.len());
                Some(say!("history-line", library = library, oldest = oldest, newest = newest, count = count))
            };
            say!("history-chart", unit = unit, lines = Text::list(Separator::Sentence, lines.iter().filter_map(line)))
        }
    }
}

fn with_unit(point: &LinePoint, unit: &Text) -> Text {
    Text::list(Separator::Space, [&digits(point.value).into(), unit])
}

fn described_bars(chart: &Chart, groups: &[BarGroup], marks: &[ReferenceLine]) -> Text {
    let labelled = |label: &Text, figure: String| say!("charts-bar", label = label, figure = figure);
    let bar = |bar: &Bar| {
        let share = bar.share.map(|share| format!(" ({} %)", fixed(share, 0))).unwrap_or_default();
        let figure = bar.value.map_or_else(|| "–".to_owned(), digits) + &share;
        bar.label.as_ref().map_or_else(|| figure.clone().into(), |label| labelled(label, figure.clone()))
    };
    let group = |group: &BarGroup| {
        let bars = Text::list(Separator::Comma, group.bars.iter().map(bar));
        match group.label.is_empty() {
            true => say!("charts-figures", bars = bars),
            false => say!("charts-block", heading = &group.label, bars = bars),
        }
    };
    let marks = Text::list(Separator::Comma, marks.iter().map(|mark| labelled(&mark.label, digits(mark.value))));
    let marks = (!marks.is_empty()).then(|| say!("charts-marks", marks = marks));
    let blocks = Text::list(Separator::Sentence, groups.iter().map(group).chain(marks));
    let (unit, names) = (&chart.unit, chart.legend.iter().map(|entry| &entry.label));
    // Names are listed only if there are several.
    let are_named = names.len() > 1 && groups.iter().all(|group| group.bars.len() == names.len());
    if are_named {
        say!("charts-bars-of", unit = unit, names = Text::list(Separator::Comma, names), blocks = blocks)
    } else if groups.iter().flat_map(|group| &group.bars).any(|bar| bar.share.is_some()) {
        say!("charts-shares", unit = unit, blocks = blocks)
    } else {
        say!("charts-bars", unit = unit, blocks = blocks)
    }
}

/// Whether an axis from 0 to `largest` can be divided into round steps.
fn has_steps(largest: f64) -> bool {
    (1e-290..=1e290).contains(&largest)
}

/// Returns the step and the end of an axis from 0 to at least `largest`, in about `parts` round steps.
fn axis(largest: f64, parts: f64) -> (f64, f64) {
    let rough = largest / parts;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|s| s * power).find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(power * 10.0);
    (step, (largest / step * 0.9999).ceil() * step)
}

/// Formats a value on an axis with as few digits as possible.
fn value_tick(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    if rounded.abs() >= 10_000.0 { digits(rounded) } else { rounded.to_string() }
}

/// Returns the width of a label in pixels. Assumes a wide sans-serif font, since the reader's font is unknown.
fn width_of(label: &str) -> f64 {
    let width = |character: char| match character {
        'i' | 'j' | 'l' | 'f' | 't' | '-' | ' ' | '.' => 4.4,
        'A'..='Z' | 'm' | 'w' => 7.9,
        c if c.is_ascii() => 6.9,
        _ => 11.0,
    };
    label.chars().map(width).sum()
}

fn sound_interval(interval: Option<[f64; 2]>) -> Option<[f64; 2]> {
    interval.filter(|[low, high]| low.is_finite() && high.is_finite() && *low >= 0.0 && low <= high)
}

/// A drawing by kuva, to which this module adds shapes at coordinates in pixels.
struct Canvas {
    scene: Scene,
    places: ComputedLayout,
}

impl Canvas {
    fn new(plots: Vec<kuva::render::plots::Plot>, layout: Layout) -> Self {
        let theme = Theme {
            background: "none".into(),
            axis_color: "var(--rule)".into(),
            grid_color: "var(--grid)".into(),
            tick_color: "var(--rule)".into(),
            text_color: "var(--ink)".into(),
            ..Theme::light()
        };
        let mut layout = layout.with_theme(theme).with_tick_size(TEXT).with_label_size(TEXT);
        layout.show_legend = false;
        let places = ComputedLayout::from_layout(&layout);
        Canvas { scene: render_multiple(plots, layout), places }
    }

    fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], color: &str, width: f64, dashes: Option<&str>) {
        self.scene.add(Primitive::Line {
            x1,
            y1,
            x2,
            y2,
            stroke: color.into(),
            stroke_width: width,
            stroke_dasharray: dashes.map(str::to_owned),
        });
    }

    fn interval(&mut self, from: [f64; 2], to: [f64; 2]) {
        self.line(from, to, "var(--ink)", 1.2, None);
    }

    fn rectangle(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], color: &str) {
        let fill = color.into();
        self.scene.add(Primitive::Rect { x, y, width, height, fill, stroke: None, stroke_width: None, opacity: None });
    }

    fn text(&mut self, place: [f64; 2], anchor: TextAnchor, content: &str, color: &str) {
        self.add_text(place, anchor, content, color, false);
    }

    fn add_text(&mut self, [x, y]: [f64; 2], anchor: TextAnchor, content: &str, color: &str, bold: bool) {
        let (content, color) = (label(content), Some(color.into()));
        self.scene.add(Primitive::Text { x, y, content, size: TEXT, anchor, rotate: None, bold, color });
    }
}

/// Escapes a label for kuva, which typesets text between dollar signs as mathematics.
fn label(text: &str) -> String {
    visible(text).replace('$', "\u{ff04}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::render::catalogue;

    fn drawn(plot: impl Into<Plot>) -> Option<String> {
        let chart = Chart::new("a", "A <b>".into(), "GB/s", plot);
        draw(&chart, "c1", catalogue(Language::ENGLISH)).map(|drawing| drawing.inline())
    }

    fn group(label: &str, bars: Vec<Bar>) -> BarGroup {
        BarGroup { label: label.into(), bars }
    }

    fn bar(value: f64) -> Bar {
        Bar { color: "var(--s0)".into(), value: Some(value), ..Bar::default() }
    }

    fn labelled(value: f64, share: Option<f64>) -> Bar {
        Bar { label: Some("AEAD".into()), share, ..bar(value) }
    }

    fn line(points: &[(usize, f64, [f64; 2])]) -> Plot {
        let point = |(place, value, interval): &(usize, f64, [f64; 2])| LinePoint {
            place: *place,
            value: *value,
            interval: Some(*interval),
            is_changed: false,
        };
        let style = LegendEntry { is_dashed: true, ..LegendEntry::color("var(--s0)", Text::EMPTY) };
        let line = Line { style, is_main: true, points: points.iter().map(point).collect() };
        Plot::Lines { runs: None, lines: vec![line] }
    }

    #[test]
    fn chart_axes_end_on_round_numbers() {
        assert_eq!(axis(8.9, 4.0), (2.5, 10.0));
        assert_eq!(axis(100.0, 4.0), (25.0, 100.0));
        assert_eq!(axis(0.31, 4.0).0, 0.1);
    }

    #[test]
    fn bar_chart_has_title_description_and_figures() {
        let first = group("$x$ <i>\u{1b}", vec![bar(1.5), Bar { value: None, ..bar(0.0) }]);
        let svg = drawn(vec![first, group("b", vec![bar(f64::NAN), bar(0.25)])]).unwrap();
        assert!(svg.starts_with("<svg class=\"chart\" role=\"img\"") && svg.ends_with("</svg>"), "{svg}");
        let description = "<desc id=\"c1-desc\">Bars in GB/s. $x$ &lt;i&gt;\\u{1b}: 1.50, –. b: –, 0.250.</desc>";
        assert!(svg.contains(&format!("<title id=\"c1-title\">A &lt;b&gt;</title>{description}")), "{svg}");
        assert!(svg.contains(">1.50</text>") && svg.contains(">0.250</text>"), "{svg}");
        assert!(svg.contains("＄x＄ &lt;i&gt;\\u{1b}"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("kuva") && !svg.contains("http"), "{svg}");
    }

    #[test]
    fn labelled_bar_shows_figure_and_percentage_and_the_upper_bound_is_a_line() {
        let groups = vec![group("$k$ <i>", vec![labelled(12.0, Some(87.4)), labelled(f64::NAN, None)])];
        let marks = [13.7, f64::NAN, f64::INFINITY, 0.0];
        let marks = marks.map(|value| ReferenceLine { label: "bound".into(), value, is_main: true }).into();
        let svg = drawn(Plot::Bars { groups, marks }).unwrap().split_once("</desc>").unwrap().1.to_owned();
        assert!(svg.contains(">12.0 · 87 %</text>") && svg.contains(">bound 13.7</text>"), "{svg}");
        assert!(svg.contains("＄k＄ &lt;i&gt;") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!([svg.matches("stroke-dasharray").count(), svg.matches(">bound").count()], [1, 1], "{svg}");
        assert_eq!(svg.matches("fill=\"var(--s0)\"").count(), 1, "{svg}");
    }

    #[test]
    fn draw_returns_none_without_figures() {
        assert_eq!(drawn(vec![]), None);
        assert_eq!(drawn(vec![group("a", vec![labelled(f64::INFINITY, None), labelled(-1.0, None)])]), None);
        assert_eq!(drawn(line(&[])), None);
        assert_eq!(drawn(line(&[(16, f64::NAN, [0.0, 1.0])])), None);
    }

    /// Documents may contain the smallest positive number as a figure, and intervals of any width.
    #[test]
    fn charts_clip_very_wide_intervals_and_omit_extreme_figures() {
        let endless = |value| vec![group("a", vec![Bar { interval: Some([0.0, 1e18]), ..bar(value) }])];
        assert_eq!([5e-324, f64::MAX].map(|value| drawn(endless(value))), [None, None]);
        let curve = |value| line(&[16, 64].map(|size| (size, value, [0.0, 1e18])));
        assert_eq!(drawn(curve(2e-323)), None);
        for plot in [curve(1.0), endless(1.0).into()] {
            let svg = drawn(plot).unwrap();
            let ends = svg.split([' ', '"']).filter_map(|number| number.parse::<f64>().ok());
            assert!(ends.fold(0.0, |most, end| end.abs().max(most)) < 1000.0, "{svg}");
        }
        assert!(drawn(curve(1.0)).unwrap().contains("fill-opacity"));
    }

    #[test]
    fn curves_draw_a_marker_at_each_point() {
        let points = [16usize, 1024, 16_384].map(|bytes| (bytes, bytes as f64 / 1e4, [bytes as f64 / 1.1e4, 2.0]));
        let svg = drawn(line(&points)).unwrap();
        assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
        assert!(svg.contains("stroke-dasharray") && svg.contains(">16 KiB</text>"), "{svg}");
        assert!(svg.contains("url(#c1-clip)"), "{svg}");
    }
}
