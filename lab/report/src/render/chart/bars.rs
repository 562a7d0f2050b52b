//! Draws horizontal bars in groups, from top to bottom, with a name beside each bar or beside each group.

use std::sync::Arc;

use kuva::plot::LinePlot;
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render::{Scene, TextAnchor};

use super::{Canvas, axis, has_steps, label, sound_interval, value_tick, width_of};
use crate::chart::ReferenceLine;
use crate::prelude::*;
use crate::render::Catalogue;

const WIDTH: f64 = 440.0;
/// Space to the right of the axis, in pixels.
const RIGHT: f64 = 10.0;
/// Height of a bar with the space around it, in pixels.
const BAR: f64 = 16.0;
const HEADING: f64 = 19.0;
const GAP: f64 = 7.0;
/// Height of the name of a reference line, in pixels.
const MARK: f64 = 14.0;
/// Height of the numbers below the axis, in pixels.
const TICKS: f64 = 28.0;

/// Draws groups of bars. If bars have names, the names of the groups are headings. Returns `None` if no bar can be
/// drawn.
pub(super) fn bars(groups: &[BarGroup], marks: &[ReferenceLine], catalogue: &Catalogue) -> Option<Scene> {
    let words = |text: &Text| label(&catalogue.write(text));
    let all = || groups.iter().flat_map(|group| &group.bars).filter(|bar| sound(bar).is_some());
    let largest = all().filter_map(sound).fold(0.0, f64::max);
    if !has_steps(largest) {
        return None;
    }
    let are_named = all().any(|bar| bar.label.is_some());
    let group = |group: &BarGroup| (words(&group.label), group.bars.clone());
    let mut groups: Vec<(String, Vec<Bar>)> = groups.iter().map(group).collect();
    if are_named {
        groups.iter_mut().for_each(|(_, bars)| bars.retain(|bar| sound(bar).is_some()));
    }
    groups.retain(|(_, bars)| !bars.is_empty());
    let has_heading = |name: &str| are_named && !name.is_empty();
    let name = |bar: &Bar| bar.label.as_ref().map(words).unwrap_or_default();
    let widths = groups.iter().flat_map(|(group, bars)| match are_named {
        true => bars.iter().map(|bar| width_of(&name(bar))).collect(),
        false => vec![width_of(group)],
    });
    let left = widths.fold(0.0, f64::max) + 12.0;

    // Leave room for a figure beside the longest bar or interval. Intervals far beyond the bars are clipped.
    let intervals = all().filter_map(|bar| sound_interval(bar.interval));
    let farthest = intervals.map(|[_, high]| high).fold(largest, f64::max).min(largest * 1.5);
    let figure = if all().any(|bar| bar.share.is_some()) { 82.0 } else { 52.0 };
    let marks: Vec<&ReferenceLine> = marks.iter().filter(|mark| mark.value.is_finite() && mark.value > 0.0).collect();
    let farthest_mark = marks.iter().map(|mark| mark.value).fold(0.0, f64::max);
    let end = (farthest / (1.0 - figure / (WIDTH - left - RIGHT).max(100.0))).max(farthest_mark * 1.02);

    let top = MARK * marks.len() as f64 + 4.0;
    let height = |(group, bars): &(String, Vec<Bar>)| {
        bars.len() as f64 * BAR + GAP + if has_heading(group) { HEADING } else { 0.0 }
    };
    let bottom = top + groups.iter().map(height).sum::<f64>();
    // kuva draws only the axes, because its bars cannot have names and figures.
    let axes = LinePlot::new().with_data(vec![(0.0, 0.0), (0.0, 0.0)]).with_color("none");
    let mut canvas = Canvas::new(vec![Plot::Line(axes)], layout([left, end], [top, bottom]));
    for (index, mark) in marks.into_iter().enumerate() {
        draw_mark(&mut canvas, mark, &words(&mark.label), index as f64 * MARK, bottom);
    }
    let mut y = top;
    for (group, bars) in &groups {
        if has_heading(group) {
            y += HEADING;
            canvas.rectangle([0.0, y - 13.0], [width_of(group) * 1.1 + 6.0, 15.0], "var(--card)");
            canvas.add_text([2.0, y - 2.0], TextAnchor::Start, group, "var(--ink)", true);
        } else if !are_named {
            let middle = y + bars.len() as f64 * BAR / 2.0;
            canvas.text([left - 6.0, middle + 4.0], TextAnchor::End, group, "var(--ink)");
        }
        for bar in bars {
            if are_named {
                canvas.text([left - 6.0, y + BAR / 2.0 + 4.0], TextAnchor::End, &name(bar), "var(--muted)");
            }
            draw_bar(&mut canvas, bar, y, farthest);
            y += BAR;
        }
        y += GAP;
    }
    Some(canvas.scene)
}

/// Returns the value of a bar, if it can be drawn.
fn sound(bar: &Bar) -> Option<f64> {
    bar.value.filter(|value| value.is_finite() && *value >= 0.0)
}

fn layout([left, end]: [f64; 2], [top, bottom]: [f64; 2]) -> Layout {
    Layout::new((0.0, end), (0.0, 1.0))
        .with_x_axis_min(0.0)
        .with_x_axis_max(end)
        .with_x_tick_step(axis(end, 4.0).0)
        .with_x_tick_format(TickFormat::Custom(Arc::new(value_tick)))
        .with_y_axis_min(0.0)
        .with_y_axis_max(1.0)
        .with_y_tick_step(1.0)
        .with_y_tick_format(TickFormat::Custom(Arc::new(|_| String::new())))
        .with_width(WIDTH)
        .with_height(bottom + TICKS)
        .with_force_margins(left, RIGHT)
        .with_force_margins_y(top, TICKS)
}

/// Draws a bar with its interval, which is cut at `limit`, and its figure.
fn draw_bar(canvas: &mut Canvas, bar: &Bar, top: f64, limit: f64) {
    let Some(value) = sound(bar) else { return };
    let middle = top + BAR / 2.0;
    let [zero, x] = [0.0, value].map(|value| canvas.places.map_x(value));
    canvas.rectangle([zero, top + 1.5], [(x - zero).max(0.5), BAR - 3.0], &bar.color);
    let [from, to] = whisker(canvas, bar, limit, middle).map_or([x, x], |[from, to]| [from.min(x), to.max(x)]);
    let figure = match bar.share {
        Some(share) => format!("{} · {} %", digits(value), fixed(share, 0)),
        None => digits(value),
    };
    let width = width_of(&figure);
    if bar.label.is_some() && from - zero > width + 8.0 {
        // Write the figure inside the bar, where it hides no reference line.
        canvas.text([from - 4.0, middle + 4.0], TextAnchor::End, &figure, "var(--card)");
    } else {
        // A background behind the figure hides reference lines.
        canvas.rectangle([to + 2.0, top + 1.5], [width + 4.0, BAR - 3.0], "var(--card)");
        canvas.text([to + 4.0, middle + 4.0], TextAnchor::Start, &figure, "var(--ink)");
    }
}

/// Draws the interval of a bar at the height `y`, cut at `limit`, and returns its ends. Draws nothing and returns
/// `None` if the interval is hardly wider than its lines.
fn whisker(canvas: &mut Canvas, bar: &Bar, limit: f64, y: f64) -> Option<[f64; 2]> {
    let [from, to] = sound_interval(bar.interval)?.map(|value| canvas.places.map_x(value.min(limit)));
    (to - from > 6.0).then(|| {
        canvas.interval([from, y], [to, y]);
        canvas.interval([from, y - 3.0], [from, y + 3.0]);
        canvas.interval([to, y - 3.0], [to, y + 3.0]);
        [from, to]
    })
}

fn draw_mark(canvas: &mut Canvas, mark: &ReferenceLine, name: &str, top: f64, bottom: f64) {
    let x = canvas.places.map_x(mark.value);
    let (color, width, dashes) = if mark.is_main { ("var(--bad)", 1.6, "5 3") } else { ("var(--muted)", 1.0, "2 3") };
    canvas.line([x, top + 2.0], [x, bottom], color, width, Some(dashes));
    let (x, anchor) = if x > WIDTH / 2.0 { (x - 4.0, TextAnchor::End) } else { (x + 4.0, TextAnchor::Start) };
    canvas.text([x, top + 11.0], anchor, &format!("{name} {}", digits(mark.value)), "var(--muted)");
}
