//! Time against size: what was measured, and the lines that were fitted to it.

use kuva::plot::LinePlot;
use kuva::render::color::Color;
use kuva::render::layout::{ComputedLayout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render::{Primitive, TextAnchor, render_multiple};

use std::sync::Arc;

use super::{Caption, Drawing, axis, finish, has_steps, layout_of_curves, plain, text, value_tick};

/// A point: the size in bytes and the time in the chart's unit.
pub(crate) type SizeAndTime = (f64, f64);

/// Points with lines through them; both axes begin at zero. `None` if there is nothing to draw.
pub(crate) fn pieces(
    caption: &Caption,
    unit: &str,
    points: &[SizeAndTime],
    lines: &[Vec<SizeAndTime>],
) -> Option<Drawing> {
    let is_sound = |place: &&SizeAndTime| place.0.is_finite() && place.0 > 0.0 && place.1.is_finite() && place.1 >= 0.0;
    let measured: Vec<SizeAndTime> = points.iter().filter(is_sound).copied().collect();
    let (right, top) =
        measured.iter().fold((0.0, 0.0), |(right, top): SizeAndTime, at| (right.max(at.0), top.max(at.1)));
    if right <= 0.0 || !has_steps(top) {
        return None;
    }
    // Large sizes in KiB, so that the axis' numbers stay short.
    let (unit_bytes, size_unit) = if right >= 8192.0 { (1024.0, "KiB") } else { (1.0, "B") };
    let ((x_step, right), (y_step, top)) = (axis(right / unit_bytes, 4.0), axis(top, 4.0));
    let scaled = |at: SizeAndTime| (at.0 / unit_bytes, at.1);
    let drawn: Vec<Plot> = lines
        .iter()
        .map(|line| {
            line.iter().filter(is_sound).filter(|at| at.1 <= top).copied().map(scaled).collect::<Vec<SizeAndTime>>()
        })
        .filter(|line| line.len() > 1)
        .map(|line| Plot::Line(LinePlot::new().with_data(line).with_color("var(--s1)").with_stroke_width(2.0)))
        .collect();
    if drawn.is_empty() {
        return None;
    }
    let layout = layout_of_curves([0.0, right], top, y_step)
        .with_x_tick_step(x_step)
        .with_x_tick_format(TickFormat::Custom(Arc::new(move |size| format!("{} {size_unit}", value_tick(size)))))
        .with_force_margins(46.0, 22.0);
    let layout = plain(layout);
    let computed = ComputedLayout::from_layout(&layout);
    let mut scene = render_multiple(drawn, layout);
    for (bytes, time) in measured.into_iter().map(scaled) {
        scene.add(Primitive::Circle {
            cx: computed.map_x(bytes),
            cy: computed.map_y(time),
            r: 2.2,
            fill: Color::from("var(--s0)"),
            fill_opacity: None,
            stroke: None,
            stroke_width: None,
        });
    }
    text(&mut scene, (4.0, 12.0), TextAnchor::Start, unit, "var(--muted)");
    Some(finish(caption, &scene))
}
