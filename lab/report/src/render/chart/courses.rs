//! Figures over runs, the oldest on the left.

use kuva::plot::LinePlot;
use kuva::render::color::Color;
use kuva::render::layout::{ComputedLayout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render::{Primitive, TextAnchor, render_multiple};

use std::sync::Arc;

use super::{
    CURVES_HEIGHT, CURVES_WIDTH, Caption, Drawing, axis, finish, has_steps, layout_of_curves, line, mark, plain,
    sound_interval, text,
};
use crate::chart::{Course, CoursePoint};

/// Figures over this many runs; `ends` name the first and the last. `None` if there is nothing to draw.
pub(super) fn courses(
    caption: &Caption,
    unit: &str,
    runs: usize,
    ends: [String; 2],
    courses: &[Course],
) -> Option<Drawing> {
    let sound = |moment: &&CoursePoint| moment.value.is_finite() && moment.value >= 0.0;
    let moments = || courses.iter().flat_map(|course| course.moments.iter().filter(sound));
    let top = moments().map(|moment| moment.value).fold(0.0, f64::max);
    if runs < 2 || !has_steps(top) {
        return None;
    }
    let (step, top) = axis(top, 4.0);
    let last = (runs - 1) as f64;
    let margin = last * 0.04;
    let plots: Vec<Plot> = courses
        .iter()
        .map(|course| {
            let points: Vec<(f64, f64)> =
                course.moments.iter().filter(sound).map(|moment| (moment.place as f64, moment.value)).collect();
            Plot::Line(LinePlot::new().with_data(points).with_color(course.color).with_stroke_width(1.6))
        })
        .collect();
    let layout = layout_of_curves([-margin, last + margin], top, step)
        .with_x_tick_step(last)
        // What stands at the ends is written below.
        .with_x_tick_format(TickFormat::Custom(Arc::new(|_| String::new())));
    let layout = plain(layout);
    let computed = ComputedLayout::from_layout(&layout);
    let mut scene = render_multiple(plots, layout);
    for course in courses {
        for moment in course.moments.iter().filter(sound) {
            let (x, y) = (computed.map_x(moment.place as f64), computed.map_y(moment.value));
            if let Some([low, high]) = sound_interval(moment.interval) {
                line(&mut scene, (x, computed.map_y(low.min(top))), (x, computed.map_y(high.min(top))));
            }
            if !moment.is_changed {
                mark(&mut scene, course.marker, (x, y), 2.6, course.color);
                continue;
            }
            scene.add(Primitive::Circle {
                cx: x,
                cy: y,
                r: 4.2,
                fill: Color::from("var(--card)"),
                fill_opacity: None,
                stroke: Some(Color::from(course.color)),
                stroke_width: Some(2.0),
            });
        }
    }
    text(&mut scene, (4.0, 12.0), TextAnchor::Start, unit, "var(--muted)");
    let below = CURVES_HEIGHT - 8.0;
    text(&mut scene, (46.0, below), TextAnchor::Start, &ends[0], "var(--muted)");
    text(&mut scene, (CURVES_WIDTH - 16.0, below), TextAnchor::End, &ends[1], "var(--muted)");
    Some(finish(caption, &scene))
}
