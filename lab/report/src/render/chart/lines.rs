//! Draws lines over sizes on a logarithmic axis, or over runs with the oldest on the left.

use std::sync::Arc;

use kuva::plot::LinePlot;
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};

use super::{Canvas, axis, has_steps, sound_interval, value_tick};
use crate::chart::{LegendEntry, Line, LinePoint, Marker};
use crate::quantity::size;
use crate::render::Catalogue;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 210.0;
/// Space to the left and to the right of the axes, in pixels.
const SIDES: [f64; 2] = [46.0, 16.0];

/// Draws lines over `runs` runs, or over sizes if `runs` is `None`. Returns `None` if no line can be drawn.
pub(super) fn lines(unit: &str, runs: Option<usize>, lines: &[Line], catalogue: &Catalogue) -> Option<Scene> {
    let is_over_runs = runs.is_some();
    let sound = |point: &&LinePoint| (is_over_runs || point.place > 0) && point.value.is_finite() && point.value >= 0.0;
    let x = |point: &LinePoint| if is_over_runs { point.place as f64 } else { (point.place as f64).log2() };
    let points = || lines.iter().flat_map(|line| line.points.iter().filter(sound));
    let of_sizes = || points().map(x).fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    let (low, high) = runs.map_or_else(of_sizes, |runs| (0.0, runs.saturating_sub(1) as f64));
    let top = points().map(|point| point.value).fold(0.0, f64::max);
    if !(high - low >= 1.0 && has_steps(top)) {
        return None;
    }
    let (step, top) = axis(top, 4.0);

    let mut plots = Vec::new();
    // Main lines are drawn last, on top.
    let mut order: Vec<&Line> = lines.iter().collect();
    order.sort_by_key(|line| line.is_main);
    for line in &order {
        let points: Vec<&LinePoint> = line.points.iter().filter(sound).collect();
        let width = match (is_over_runs, line.is_main) {
            (true, _) => 1.6,
            (false, true) => 2.4,
            (false, false) => 1.4,
        };
        let mut plot = LinePlot::new()
            .with_data(points.iter().map(|point| (x(point), point.value)).collect::<Vec<_>>())
            .with_color(line.style.color.as_str())
            .with_stroke_width(width);
        let intervals: Vec<[f64; 2]> = points.iter().filter_map(|point| sound_interval(point.interval)).collect();
        let has_band = line.is_main && !is_over_runs && !points.is_empty() && intervals.len() == points.len();
        if has_band {
            plot = plot.with_band(intervals.iter().map(|i| i[0].min(top)), intervals.iter().map(|i| i[1].min(top)));
        }
        plots.push(Plot::Line(if line.style.is_dashed { plot.with_dashed() } else { plot }));
    }
    let mut canvas = Canvas::new(plots, layout(is_over_runs, [low, high], top, step));
    for line in &order {
        for point in line.points.iter().filter(sound) {
            let y_of = |value: f64| canvas.places.map_y(value);
            let (x, y) = (canvas.places.map_x(x(point)), y_of(point.value));
            if let Some([low, high]) = sound_interval(point.interval).filter(|_| is_over_runs) {
                let [low, high] = [low, high].map(|value| y_of(value.min(top)));
                canvas.interval([x, low], [x, high]);
            }
            match point.is_changed {
                true => circle(&mut canvas, [x, y], 4.2, "var(--card)", Some(&line.style.color)),
                false => mark(&mut canvas, &line.style, [x, y], if line.is_main { 2.6 } else { 1.8 }),
            }
        }
    }
    canvas.text([4.0, 12.0], TextAnchor::Start, unit, "var(--muted)");
    if is_over_runs {
        let below = HEIGHT - 8.0;
        let [oldest, newest] = ["history-oldest", "history-newest"].map(|key| catalogue.words(key));
        canvas.text([SIDES[0], below], TextAnchor::Start, &oldest, "var(--muted)");
        canvas.text([WIDTH - SIDES[1], below], TextAnchor::End, &newest, "var(--muted)");
    }
    Some(canvas.scene)
}

fn layout(is_over_runs: bool, [low, high]: [f64; 2], top: f64, step: f64) -> Layout {
    let margin = (high - low) * 0.04;
    let ([left, right], x_step) = match (is_over_runs, high.ceil() - low.floor()) {
        (true, _) => ([low - margin, high + margin], high),
        (false, range) => ([low.floor(), high.ceil()], if range <= 10.0 { 2.0 } else { 4.0 }),
    };
    // An axis of runs has no tick labels, only words at its ends.
    let x_tick = move |x| if is_over_runs { String::new() } else { size(2f64.powf(x).round() as usize) };
    Layout::new((left, right), (0.0, top))
        .with_x_axis_min(left)
        .with_x_axis_max(right)
        .with_x_tick_step(x_step)
        .with_x_tick_format(TickFormat::Custom(Arc::new(x_tick)))
        .with_y_axis_min(0.0)
        .with_y_axis_max(top)
        .with_y_tick_step(step)
        .with_y_tick_format(TickFormat::Custom(Arc::new(value_tick)))
        .with_width(WIDTH)
        .with_height(HEIGHT)
        .with_force_margins(SIDES[0], SIDES[1])
        .with_force_margins_y(22.0, 26.0)
}

/// Draws a marker that looks as large as a circle with `radius`.
fn mark(canvas: &mut Canvas, LegendEntry { marker, color, .. }: &LegendEntry, [x, y]: [f64; 2], radius: f64) {
    let r = radius * 1.5;
    // Offsets of the corners from the centre: x (to the right) and y (down) alternate.
    let corners: &[f64] = match marker {
        Marker::Circle => return circle(canvas, [x, y], radius, color, None),
        Marker::Square => &[-0.8, -0.8, 0.8, -0.8, 0.8, 0.8, -0.8, 0.8],
        Marker::Diamond => &[0.0, -1.2, 1.2, 0.0, 0.0, 1.2, -1.2, 0.0],
        Marker::Triangle => &[0.0, -1.2, 1.1, 0.8, -1.1, 0.8],
        Marker::Cross => &[
            -0.4, -1.2, 0.4, -1.2, 0.4, -0.4, 1.2, -0.4, 1.2, 0.4, 0.4, 0.4, //
            0.4, 1.2, -0.4, 1.2, -0.4, 0.4, -1.2, 0.4, -1.2, -0.4, -0.4, -0.4,
        ],
    };
    let corner = |offset: &[f64]| format!("{:.2},{:.2}", x + r * offset[0], y + r * offset[1]);
    let corners: Vec<String> = corners.chunks(2).map(corner).collect();
    canvas.scene.add(Primitive::Path(Box::new(PathData {
        d: format!("M{}Z", corners.join("L")),
        fill: Some(color.as_str().into()),
        stroke: "none".into(),
        stroke_width: 0.0,
        opacity: None,
        stroke_dasharray: None,
    })));
}

fn circle(canvas: &mut Canvas, [cx, cy]: [f64; 2], r: f64, fill: &str, ring: Option<&str>) {
    let (stroke, stroke_width) = (ring.map(Into::into), ring.map(|_| 2.0));
    canvas.scene.add(Primitive::Circle { cx, cy, r, fill: fill.into(), fill_opacity: None, stroke, stroke_width });
}
