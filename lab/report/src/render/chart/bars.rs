//! Bars in groups from the top: with the name of each group beside it, or with a name beside each bar.

use std::sync::Arc;

use kuva::plot::{BarPlot, LinePlot};
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render::{Scene, TextAnchor};

use super::{Canvas, axis, has_steps, label, sound_interval, value_tick, width_of};
use crate::chart::{Bar, BarGroup, ReferenceLine};
use crate::quantity::{digits, fixed};
use crate::render::Catalogue;
use crate::text::Text;

const WIDTH: f64 = 440.0;
/// Room on the right of the axis.
const RIGHT: f64 = 10.0;

/// Draws groups of bars that the legend explains, each group behind its name. `None` if there is no bar to draw.
pub(super) fn grouped(groups: &[BarGroup], catalogue: &Catalogue) -> Option<Scene> {
    const BAR: f64 = 14.0;
    let largest = largest(groups)?;
    let most = groups.iter().map(|group| group.bars.len()).max()?;
    let labels: Vec<String> = groups.iter().map(|group| label(&catalogue.write(&group.label))).collect();
    let left = labels.iter().map(|label| width_of(label)).fold(0.0, f64::max) + 16.0;
    // What reaches farthest leaves room for its figure; an interval that goes on for ever is cut.
    let intervals = groups.iter().flat_map(|group| group.bars.iter().filter_map(|bar| sound_interval(bar.interval)));
    let farthest = intervals.map(|[_, high]| high).fold(largest, f64::max).min(largest * 1.5);
    let room = (WIDTH - left - RIGHT).max(60.0);

    let mut plot = BarPlot::new().with_horizontal(true).with_width(0.78);
    // kuva counts categories, and bars within one, from the bottom.
    for (group, label) in groups.iter().zip(&labels).rev() {
        let bars = group.bars.iter().rev().map(|bar| (sound(bar).unwrap_or(0.0), bar.color.clone()));
        plot = plot.with_group(label.clone(), bars.collect::<Vec<_>>());
    }
    let width = plot.width;
    let height = groups.len() as f64 * (most as f64 * BAR + 6.0) + 34.0;
    let plots = vec![Plot::Bar(plot)];
    let layout = Layout::auto_from_plots(&plots).with_height(height).with_force_margins_y(6.0, 28.0);
    let mut canvas = Canvas::new(plots, with_x_axis(layout, farthest / (1.0 - 52.0 / room), left));
    for (place, group) in groups.iter().rev().enumerate() {
        let single = width / group.bars.len() as f64;
        for (index, bar) in group.bars.iter().rev().enumerate() {
            let Some(value) = sound(bar) else { continue };
            let y = canvas.places.map_y(place as f64 + 1.0 - width / 2.0 + single * (index as f64 + 0.5));
            let x = canvas.places.map_x(value);
            let end = whisker(&mut canvas, bar, farthest, y).map_or(x, |[_, to]| x.max(to));
            canvas.text([end + 4.0, y + 4.0], TextAnchor::Start, &digits(value), "var(--ink)");
        }
    }
    Some(canvas.scene)
}

/// Draws bars behind their own names, each with its share of a bound, which is one of `marks`; the groups have headings.
/// `None` if there is no bar to draw.
pub(super) fn labelled(groups: &[BarGroup], marks: &[ReferenceLine], catalogue: &Catalogue) -> Option<Scene> {
    const HEADING: f64 = 19.0;
    const GAP: f64 = 7.0;
    /// One line of the marks' names.
    const NAME: f64 = 14.0;
    const TICKS: f64 = 28.0;
    /// The figure and the share at the end of a bar.
    const FIGURE: f64 = 82.0;
    let largest = largest(groups)?;
    let words = |text: &Text| label(&catalogue.write(text));
    let bar = |bar| Some(LabelledBar { bar, value: sound(bar)?, name: words(bar.label.as_ref()?) });
    let groups: Vec<(String, Vec<LabelledBar<'_>>)> = groups
        .iter()
        .map(|group| (words(&group.label), group.bars.iter().filter_map(bar).collect()))
        .filter(|(_, bars): &(_, Vec<_>)| !bars.is_empty())
        .collect();
    let marks: Vec<&ReferenceLine> = marks.iter().filter(|mark| mark.value.is_finite() && mark.value > 0.0).collect();
    let names = groups.iter().flat_map(|(_, bars)| bars).map(|bar| width_of(&bar.name));
    let left = names.fold(0.0, f64::max).min(WIDTH / 2.0) + 12.0;
    // The longest bar leaves room for its figure, and the farthest mark is still on the chart.
    let furthest = marks.iter().map(|mark| mark.value).fold(0.0, f64::max);
    let end = (largest / (1.0 - FIGURE / (WIDTH - left - RIGHT))).max(furthest * 1.02);
    let top = NAME * marks.len() as f64 + 4.0;
    // A group without a heading begins at once.
    let heading_height = |heading: &str| if heading.is_empty() { 0.0 } else { HEADING };
    let inner: f64 = groups.iter().map(|(heading, bars)| heading_height(heading) + bars.len() as f64 * BAR + GAP).sum();

    let layout = Layout::new((0.0, end), (0.0, 1.0))
        .with_y_axis_min(0.0)
        .with_y_axis_max(1.0)
        .with_y_tick_step(1.0)
        .with_y_tick_format(TickFormat::Custom(Arc::new(|_| String::new())))
        .with_height(top + inner + TICKS)
        .with_force_margins_y(top, TICKS);
    // The axes come with a plot; the bars are drawn here, since each has a name of its own.
    let axes = LinePlot::new().with_data(vec![(0.0, 0.0), (0.0, 0.0)]).with_color("none");
    let mut canvas = Canvas::new(vec![Plot::Line(axes)], with_x_axis(layout, end, left));
    for (index, mark) in marks.into_iter().enumerate() {
        draw_mark(&mut canvas, mark, &words(&mark.label), index as f64 * NAME, top + inner);
    }
    let mut y = top;
    for (heading, bars) in &groups {
        y += heading_height(heading);
        if !heading.is_empty() {
            canvas.rectangle([0.0, y - 13.0], [width_of(heading) * 1.1 + 6.0, 15.0], "var(--card)");
            canvas.add_text([2.0, y - 2.0], TextAnchor::Start, heading, "var(--ink)", true);
        }
        for bar in bars {
            draw_bar(&mut canvas, bar, [left, y], end);
            y += BAR;
        }
        y += GAP;
    }
    Some(canvas.scene)
}

/// Height of a bar with its own name.
const BAR: f64 = 16.0;

struct LabelledBar<'b> {
    bar: &'b Bar,
    value: f64,
    name: String,
}

/// Returns the figure of a bar, if it can be drawn.
fn sound(bar: &Bar) -> Option<f64> {
    bar.value.filter(|value| value.is_finite() && *value >= 0.0)
}

/// Returns the largest figure, if an axis to it can be divided.
fn largest(groups: &[BarGroup]) -> Option<f64> {
    let largest = groups.iter().flat_map(|group| &group.bars).filter_map(sound).fold(0.0, f64::max);
    has_steps(largest).then_some(largest)
}

/// Adds the axis of figures from 0 to `end`, with `left` for the names on its left.
fn with_x_axis(layout: Layout, end: f64, left: f64) -> Layout {
    layout
        .with_x_axis_min(0.0)
        .with_x_axis_max(end)
        .with_x_tick_step(axis(end, 4.0).0)
        .with_x_tick_format(TickFormat::Custom(Arc::new(value_tick)))
        .with_width(WIDTH)
        .with_force_margins(left, RIGHT)
}

/// Draws the interval of a bar at the height `y`, cut at `limit`, and returns its ends; `None` if it is hardly wider than
/// the lines it would be drawn with.
fn whisker(canvas: &mut Canvas, bar: &Bar, limit: f64, y: f64) -> Option<[f64; 2]> {
    let [from, to] = sound_interval(bar.interval)?.map(|value| canvas.places.map_x(value.min(limit)));
    (to - from > 6.0).then(|| {
        canvas.interval([from, y], [to, y]);
        canvas.interval([from, y - 3.0], [from, y + 3.0]);
        canvas.interval([to, y - 3.0], [to, y + 3.0]);
        [from, to]
    })
}

fn draw_bar(canvas: &mut Canvas, LabelledBar { bar, value, name }: &LabelledBar<'_>, [left, top]: [f64; 2], end: f64) {
    let middle = top + BAR / 2.0;
    let [zero, x] = [0.0, *value].map(|value| canvas.places.map_x(value));
    canvas.text([left - 6.0, middle + 4.0], TextAnchor::End, name, "var(--muted)");
    canvas.rectangle([zero, top + 1.5], [(x - zero).max(0.5), BAR - 3.0], &bar.color);
    let [from, to] = whisker(canvas, bar, end, middle).map_or([x, x], |[from, to]| [from.min(x), to.max(x)]);
    let figure = match bar.share {
        Some(share) => format!("{} · {} %", digits(*value), fixed(share, 0)),
        None => digits(*value),
    };
    let width = width_of(&figure);
    if from - zero > width + 8.0 {
        // Within the bar, so that the marks beside its end stay to be seen.
        canvas.text([from - 4.0, middle + 4.0], TextAnchor::End, &figure, "var(--card)");
    } else {
        // A ground, since a mark may lie there.
        canvas.rectangle([to + 2.0, top + 1.5], [width + 4.0, BAR - 3.0], "var(--card)");
        canvas.text([to + 4.0, middle + 4.0], TextAnchor::Start, &figure, "var(--ink)");
    }
}

fn draw_mark(canvas: &mut Canvas, mark: &ReferenceLine, name: &str, top: f64, bottom: f64) {
    let x = canvas.places.map_x(mark.value);
    let (color, width, dashes) = if mark.is_main { ("var(--bad)", 1.6, "5 3") } else { ("var(--muted)", 1.0, "2 3") };
    canvas.line([x, top + 2.0], [x, bottom], color, width, Some(dashes));
    let (x, anchor) = if x > WIDTH / 2.0 { (x - 4.0, TextAnchor::End) } else { (x + 4.0, TextAnchor::Start) };
    canvas.text([x, top + 11.0], anchor, &format!("{name} {}", digits(mark.value)), "var(--muted)");
}
