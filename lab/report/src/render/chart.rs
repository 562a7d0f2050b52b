//! Draws charts: inline SVG that takes its colours from the page, by kuva.
//!
//! kuva is young, so it is met in this file and its folder alone. It lays out axes, lines, bands and bars; the wrapper
//! adds what it does not: a title and a description for those who cannot see the chart, a view box so that it shrinks,
//! ids that are unique on the page, markers, and the figure at the end of each bar.

mod courses;
mod drawing;
mod file;
mod shares;

use std::sync::Arc;

use kuva::plot::{BarPlot, LinePlot};
use kuva::render::color::Color;
use kuva::render::layout::{ComputedLayout, Layout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor, render_multiple};
use kuva::render::theme::Theme;

use super::catalogue::Catalogue;
use crate::chart::{self, BarGroup, Chart, Curve, CurvePoint, Marker, ReferenceLine, ShareBar, ShareBlock};
use crate::quantity::{digits, fixed, size};
use crate::text::{Separator, Text, say};
use crate::visible::visible;
use courses::courses;
pub(crate) use drawing::Drawing;
use drawing::{Caption, finish};
pub(crate) use file::file;
use shares::shares;

const TEXT: u32 = 11;

const CURVES_WIDTH: f64 = 360.0;
const CURVES_HEIGHT: f64 = 210.0;
const BARS_WIDTH: f64 = 440.0;
const BAR: f64 = 14.0;

/// Draws `chart`, whose id on the page is `id`. `None` if there is nothing to draw.
pub(crate) fn draw(chart: &Chart, id: &str, catalogue: &Catalogue) -> Option<Drawing> {
    let words = |text: &Text| catalogue.write(text);
    let caption = &Caption { id: id.to_owned(), title: words(&chart.title), description: words(&described(chart)) };
    match &chart.plot {
        chart::Plot::Bars { groups, .. } => bars(caption, groups, catalogue),
        chart::Plot::Curves { unit, curves } => self::curves(caption, unit, curves),
        chart::Plot::Shares { blocks, marks, .. } => shares(caption, blocks, marks, catalogue),
        chart::Plot::Courses { unit, runs, courses: lines } => {
            let ends = ["history-oldest", "history-newest"].map(|key| catalogue.words(key));
            courses(caption, unit, *runs, ends, lines)
        }
    }
}

/// Returns the text description of `chart` for screen readers.
fn described(chart: &Chart) -> Text {
    let sentences = |texts: Vec<Text>| Text::list(Separator::Sentence, texts);
    match &chart.plot {
        chart::Plot::Bars { unit, groups } => {
            let figure = |bar: &chart::Bar| bar.value.map_or_else(|| "–".to_owned(), digits);
            let group = |group: &BarGroup| {
                let figures = Text::list(Separator::Comma, group.bars.iter().map(figure));
                say!("charts-block", heading = &group.label, bars = figures)
            };
            let blocks = sentences(groups.iter().map(group).collect());
            let names = chart.legend.iter().map(|entry| &entry.label);
            // Of a single library or state there is no order.
            let are_named = chart.legend.len() > 1 && groups.iter().all(|group| group.bars.len() == chart.legend.len());
            match are_named {
                true => {
                    say!("charts-bars-of", unit = unit, names = Text::list(Separator::Comma, names), blocks = blocks)
                }
                false => say!("charts-bars", unit = unit, blocks = blocks),
            }
        }
        chart::Plot::Curves { unit, curves } => {
            let at = |point: &CurvePoint| {
                say!("charts-at", figure = format!("{} {unit}", digits(point.value)), size = size(point.bytes))
            };
            let ends = |curve: &Curve| {
                let (first, last) = (at(curve.points.first()?), at(curve.points.last()?));
                Some(say!("charts-ends", name = &curve.name, first = first, last = last))
            };
            let ends = curves.iter().filter(|curve| !curve.name.is_empty()).filter_map(ends);
            say!("charts-curves", count = curves.len(), ends = sentences(ends.collect()))
        }
        chart::Plot::Shares { unit, blocks, marks } => {
            let bar = |bar: &ShareBar| {
                let share = bar.share.map(|share| format!(" ({} %)", fixed(share, 0))).unwrap_or_default();
                say!("charts-bar", label = &bar.label, figure = format!("{}{share}", digits(bar.value)))
            };
            let block = |block: &ShareBlock| {
                let bars = Text::list(Separator::Comma, block.bars.iter().map(bar));
                match block.heading.is_empty() {
                    true => say!("charts-figures", bars = bars),
                    false => say!("charts-block", heading = &block.heading, bars = bars),
                }
            };
            let has_shares = blocks.iter().flat_map(|block| &block.bars).any(|bar| bar.share.is_some());
            let mark = |mark: &ReferenceLine| say!("charts-bar", label = &mark.label, figure = digits(mark.value));
            let marks = Text::list(Separator::Comma, marks.iter().map(mark));
            let marks = (!marks.is_empty()).then(|| say!("charts-marks", marks = marks));
            let blocks = sentences(blocks.iter().map(block).chain(marks).collect());
            match has_shares {
                true => say!("charts-shares", unit = *unit, blocks = blocks),
                false => say!("charts-bars", unit = *unit, blocks = blocks),
            }
        }
        chart::Plot::Courses { unit, courses, .. } => {
            let line = courses.iter().filter_map(|course| {
                let (first, last) = (course.moments.first()?, course.moments.last()?);
                let figure = |value: f64| format!("{} {unit}", digits(value));
                let (oldest, newest) = (figure(first.value), figure(last.value));
                let count = course.moments.len();
                Some(say!("history-line", library = &course.name, oldest = oldest, newest = newest, count = count))
            });
            say!("history-chart", unit = *unit, lines = sentences(line.collect()))
        }
    }
}

/// Throughput by size; the x axis is logarithmic. `None` if there is no line to draw.
fn curves(caption: &Caption, unit: &str, curves: &[Curve]) -> Option<Drawing> {
    let sound = |point: &&CurvePoint| point.bytes > 0 && point.value.is_finite() && point.value >= 0.0;
    let x = |point: &CurvePoint| (point.bytes as f64).log2();
    let points = || curves.iter().flat_map(|curve| curve.points.iter().filter(sound));
    let (low, high) = points().map(x).fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    let top = points().map(|point| point.value).fold(0.0, f64::max);
    if !(high - low >= 1.0 && has_steps(top)) {
        return None;
    }
    let (step, top) = axis(top, 4.0);

    let mut plots = Vec::new();
    // The main ones last, so that they lie on top.
    let mut order: Vec<&Curve> = curves.iter().collect();
    order.sort_by_key(|curve| curve.is_main);
    for curve in &order {
        let points: Vec<&CurvePoint> = curve.points.iter().filter(sound).collect();
        let mut line = LinePlot::new()
            .with_data(points.iter().map(|point| (x(point), point.value)).collect::<Vec<_>>())
            .with_color(curve.color)
            .with_stroke_width(if curve.is_main { 2.4 } else { 1.4 });
        let intervals: Vec<[f64; 2]> = points.iter().filter_map(|point| sound_interval(point.interval)).collect();
        if curve.is_main && !points.is_empty() && intervals.len() == points.len() {
            line = line.with_band(intervals.iter().map(|i| i[0].min(top)), intervals.iter().map(|i| i[1].min(top)));
        }
        plots.push(Plot::Line(if curve.is_dashed { line.with_dashed() } else { line }));
    }
    let range = high.ceil() - low.floor();
    let layout = layout_of_curves([low.floor(), high.ceil()], top, step)
        .with_x_tick_step(if range <= 10.0 { 2.0 } else { 4.0 })
        .with_x_tick_format(TickFormat::Custom(Arc::new(bytes_tick)));
    let layout = plain(layout);
    let computed = ComputedLayout::from_layout(&layout);
    let mut scene = render_multiple(plots, layout);
    for curve in &order {
        for point in curve.points.iter().filter(sound) {
            let place = (computed.map_x(x(point)), computed.map_y(point.value));
            mark(&mut scene, curve.marker, place, if curve.is_main { 2.6 } else { 1.8 }, curve.color);
        }
    }
    text(&mut scene, (4.0, 12.0), TextAnchor::Start, unit, "var(--muted)");
    Some(finish(caption, &scene))
}

/// The layout of curves over this range, up to `top` in such steps; what stands below them is to be added.
fn layout_of_curves([left, right]: [f64; 2], top: f64, step: f64) -> Layout {
    Layout::new((left, right), (0.0, top))
        .with_x_axis_min(left)
        .with_x_axis_max(right)
        .with_y_axis_min(0.0)
        .with_y_axis_max(top)
        .with_y_tick_step(step)
        .with_y_tick_format(TickFormat::Custom(Arc::new(value_tick)))
        .with_width(CURVES_WIDTH)
        .with_height(CURVES_HEIGHT)
        .with_force_margins(46.0, 16.0)
        .with_force_margins_y(22.0, 26.0)
}

/// Bars from the left, in groups from the top. `None` if there is no bar to draw.
fn bars(caption: &Caption, groups: &[BarGroup], catalogue: &Catalogue) -> Option<Drawing> {
    let sound = |value: &f64| value.is_finite() && *value >= 0.0;
    let values = || groups.iter().flat_map(|group| group.bars.iter().filter_map(|bar| bar.value)).filter(sound);
    let largest = values().fold(0.0, f64::max);
    let most = groups.iter().map(|group| group.bars.len()).max()?;
    if !has_steps(largest) || most == 0 {
        return None;
    }
    let labels: Vec<String> = groups.iter().map(|group| label(&catalogue.write(&group.label))).collect();
    let left = labels.iter().map(|label| width_of(label)).fold(0.0, f64::max) + 16.0;
    // What reaches farthest leaves room for its figure; an interval that goes on for ever is cut.
    let intervals = groups.iter().flat_map(|group| group.bars.iter().filter_map(|bar| sound_interval(bar.interval)));
    let farthest = intervals.map(|[_, high]| high).fold(largest, f64::max).min(largest * 1.5);
    let room = (BARS_WIDTH - left - 10.0).max(60.0);
    let end = farthest / (1.0 - 52.0 / room);
    let (step, _) = axis(end, 4.0);

    let mut plot = BarPlot::new().with_horizontal(true).with_width(0.78);
    // kuva counts categories, and bars within one, from the bottom.
    for (group, label) in groups.iter().zip(&labels).rev() {
        let bars = group.bars.iter().rev().map(|bar| (bar.value.filter(sound).unwrap_or(0.0), bar.color.clone()));
        plot = plot.with_group(label.clone(), bars.collect::<Vec<_>>());
    }
    let width = plot.width;
    let height = groups.len() as f64 * (most as f64 * BAR + 6.0) + 34.0;
    let plots = vec![Plot::Bar(plot)];
    let layout = Layout::auto_from_plots(&plots)
        .with_x_axis_min(0.0)
        .with_x_axis_max(end)
        .with_x_tick_step(step)
        .with_x_tick_format(TickFormat::Custom(Arc::new(value_tick)))
        .with_width(BARS_WIDTH)
        .with_height(height)
        .with_force_margins(left, 10.0)
        .with_force_margins_y(6.0, 28.0);
    let layout = plain(layout);
    let computed = ComputedLayout::from_layout(&layout);
    let mut scene = render_multiple(plots, layout);
    for (place, group) in groups.iter().rev().enumerate() {
        let single = width / group.bars.len() as f64;
        for (index, bar) in group.bars.iter().rev().enumerate() {
            let middle = place as f64 + 1.0 - width / 2.0 + single * (index as f64 + 0.5);
            let y = computed.map_y(middle);
            let Some(value) = bar.value.filter(sound) else { continue };
            let mut x = computed.map_x(value);
            if let Some([low, high]) = sound_interval(bar.interval) {
                let (from, to) = (computed.map_x(low), computed.map_x(high.min(farthest)));
                // One that is hardly wider than the lines it is drawn with says nothing.
                if to - from > 6.0 {
                    line(&mut scene, (from, y), (to, y));
                    line(&mut scene, (from, y - 3.0), (from, y + 3.0));
                    line(&mut scene, (to, y - 3.0), (to, y + 3.0));
                    x = x.max(to);
                }
            }
            text(&mut scene, (x + 4.0, y + 4.0), TextAnchor::Start, &digits(value), "var(--ink)");
        }
    }
    Some(finish(caption, &scene))
}

/// Whether an axis to `largest` can be divided: steps towards the smallest numbers there are would be none.
fn has_steps(largest: f64) -> bool {
    (1e-290..=1e290).contains(&largest)
}

/// An axis from 0 to at least `largest` in about `parts` round steps: the step and the end.
fn axis(largest: f64, parts: f64) -> (f64, f64) {
    let rough = largest / parts;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|s| s * power).find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(power * 10.0);
    (step, (largest / step * 0.9999).ceil() * step)
}

fn plain(layout: Layout) -> Layout {
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
    layout
}

fn bytes_tick(power: f64) -> String {
    let bytes = 2f64.powf(power).round();
    match bytes {
        b if b >= 1_048_576.0 => format!("{} MiB", b / 1_048_576.0),
        b if b >= 1024.0 => format!("{} KiB", b / 1024.0),
        b => format!("{b} B"),
    }
}

/// As few digits as the value has, not [`digits`]' three.
fn value_tick(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    if rounded.abs() >= 10_000.0 { digits(rounded) } else { rounded.to_string() }
}

/// The width of a label in a wide sans-serif face, since the reader's is not known.
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

fn line(scene: &mut Scene, from: (f64, f64), to: (f64, f64)) {
    scene.add(Primitive::Line {
        x1: from.0,
        y1: from.1,
        x2: to.0,
        y2: to.1,
        stroke: Color::from("var(--ink)"),
        stroke_width: 1.2,
        stroke_dasharray: None,
    });
}

/// A marker, as large as a circle of that radius or a little larger, since its corners are less of it.
fn mark(scene: &mut Scene, marker: Marker, (x, y): (f64, f64), radius: f64, color: &str) {
    let fill = Color::from(color);
    let r = radius * 1.5;
    let corners: &[(f64, f64)] = match marker {
        Marker::Circle => {
            let (fill_opacity, stroke, stroke_width) = (None, None, None);
            scene.add(Primitive::Circle { cx: x, cy: y, r: radius, fill, fill_opacity, stroke, stroke_width });
            return;
        }
        Marker::Square => &[(-0.8, -0.8), (0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)],
        Marker::Diamond => &[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)],
        Marker::Triangle => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
        Marker::Cross => &[
            (-0.4, -1.2),
            (0.4, -1.2),
            (0.4, -0.4),
            (1.2, -0.4),
            (1.2, 0.4),
            (0.4, 0.4),
            (0.4, 1.2),
            (-0.4, 1.2),
            (-0.4, 0.4),
            (-1.2, 0.4),
            (-1.2, -0.4),
            (-0.4, -0.4),
        ],
    };
    let corners: Vec<String> = corners.iter().map(|(dx, dy)| format!("{:.2},{:.2}", x + r * dx, y + r * dy)).collect();
    scene.add(Primitive::Path(Box::new(PathData {
        d: format!("M{}Z", corners.join("L")),
        fill: Some(fill),
        stroke: Color::from("none"),
        stroke_width: 0.0,
        opacity: None,
        stroke_dasharray: None,
    })));
}

fn text(scene: &mut Scene, (x, y): (f64, f64), anchor: TextAnchor, content: &str, color: &str) {
    let content = label(content);
    let color = Some(Color::from(color));
    scene.add(Primitive::Text { x, y, content, size: TEXT, anchor, rotate: None, bold: false, color });
}

/// A label that kuva shows as it is: it would set what stands between dollar signs as mathematics.
fn label(text: &str) -> String {
    visible(text).replace('$', "\u{ff04}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Bar;
    use crate::language::Language;
    use crate::render::catalogue;

    fn caption() -> Caption {
        Caption { id: "c1".into(), title: "A <b>".into(), description: "\u{1b}d".into() }
    }

    fn draw_bars(groups: &[BarGroup]) -> Option<Drawing> {
        bars(&caption(), groups, catalogue(Language::ENGLISH))
    }

    #[test]
    fn axes_end_on_round_numbers() {
        assert_eq!(axis(8.9, 4.0), (2.5, 10.0));
        assert_eq!(axis(100.0, 4.0), (25.0, 100.0));
        assert_eq!(axis(0.31, 4.0).0, 0.1);
    }

    #[test]
    fn bar_chart_has_title_description_and_figures() {
        let bar = |value| Bar { color: "var(--on)".into(), value, interval: None };
        let groups = [
            BarGroup { label: "$x$ <i>\u{1b}".into(), bars: vec![bar(Some(1.5)), bar(None)] },
            BarGroup { label: "b".into(), bars: vec![bar(Some(f64::NAN)), bar(Some(0.25))] },
        ];
        let svg = draw_bars(&groups).unwrap().inline();
        assert!(svg.starts_with("<svg class=\"chart\" role=\"img\"") && svg.ends_with("</svg>"), "{svg}");
        assert!(
            svg.contains("<title id=\"c1-title\">A &lt;b&gt;</title><desc id=\"c1-desc\">\\u{1b}d</desc>"),
            "{svg}"
        );
        assert!(svg.contains(">1.50</text>") && svg.contains(">0.250</text>"), "{svg}");
        assert!(svg.contains("＄x＄ &lt;i&gt;\\u{1b}"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("kuva") && !svg.contains("http"), "{svg}");
    }

    #[test]
    fn draw_returns_none_without_figures() {
        assert!(draw_bars(&[]).is_none());
        let none = Curve {
            name: Text::EMPTY,
            color: "red",
            marker: Marker::Circle,
            is_dashed: false,
            is_main: true,
            points: vec![],
        };
        assert!(curves(&caption(), "GB/s", &[none]).is_none());
        let nan = CurvePoint { bytes: 16, value: f64::NAN, interval: None };
        let only = Curve {
            name: Text::EMPTY,
            color: "red",
            marker: Marker::Circle,
            is_dashed: false,
            is_main: true,
            points: vec![nan],
        };
        assert!(curves(&caption(), "GB/s", &[only]).is_none());
    }

    /// A document may say that a figure is the least number there is, or that its interval ends anywhere.
    #[test]
    fn charts_clip_endless_intervals_and_reject_extreme_figures() {
        let bar = |value| Bar { color: "var(--on)".into(), value: Some(value), interval: Some([0.0, 1e18]) };
        let group = |value| [BarGroup { label: "a".into(), bars: vec![bar(value)] }];
        assert!(draw_bars(&group(5e-324)).is_none() && draw_bars(&group(f64::MAX)).is_none());
        let curve = |value| {
            let points = [16, 64].map(|bytes| CurvePoint { bytes, value, interval: Some([0.0, 1e18]) });
            let (color, marker) = ("red", Marker::Circle);
            [Curve { name: Text::EMPTY, color, marker, is_dashed: false, is_main: true, points: points.into() }]
        };
        assert!(curves(&caption(), "kB/s", &curve(2e-323)).is_none());
        let svg = curves(&caption(), "kB/s", &curve(1.0)).unwrap().inline();
        let ends = svg.split([' ', '"']).filter_map(|number| number.parse::<f64>().ok());
        assert!(svg.contains("fill-opacity") && ends.fold(0.0, |most, end| end.abs().max(most)) < 1000.0, "{svg}");
    }

    #[test]
    fn curves_draw_a_marker_at_each_point() {
        let points = [16usize, 1024, 16_384].map(|bytes| CurvePoint {
            bytes,
            value: bytes as f64 / 1e4,
            interval: Some([bytes as f64 / 1.1e4, 2.0]),
        });
        let curve = Curve {
            name: Text::EMPTY,
            color: "var(--s0)",
            marker: Marker::Circle,
            is_dashed: true,
            is_main: true,
            points: points.into(),
        };
        let svg = curves(&caption(), "GB/s", &[curve]).unwrap().inline();
        assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
        assert!(svg.contains("stroke-dasharray") && svg.contains(">16 KiB</text>"), "{svg}");
        assert!(svg.contains("url(#c1-clip)"), "{svg}");
    }
}
