//! Bars under headings, each with its share of a bound that is drawn as a line.

use kuva::plot::LinePlot;
use kuva::render::color::Color;
use kuva::render::layout::{ComputedLayout, Layout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render::{Primitive, Scene, TextAnchor, render_multiple};

use std::sync::Arc;

use super::{
    Caption, Drawing, axis, finish, has_steps, label, line, plain, sound_interval, text, value_tick, width_of,
};
use crate::chart::{ReferenceLine, ShareBar, ShareBlock};
use crate::quantity::{digits, fixed};
use crate::render::Catalogue;

const WIDTH: f64 = 440.0;
const HEADING: f64 = 19.0;
const BAR: f64 = 16.0;
const GAP: f64 = 7.0;
/// One line of the marks' names.
const NAME: f64 = 14.0;
const TICKS: f64 = 28.0;
/// The figure and the share at the end of a bar.
const FIGURE: f64 = 82.0;

/// The bars, from the left. `None` if there is none to draw.
pub(super) fn shares(
    caption: &Caption,
    blocks: &[ShareBlock],
    marks: &[ReferenceLine],
    catalogue: &Catalogue,
) -> Option<Drawing> {
    let words = |text| label(&catalogue.write(text));
    let sound = |value: f64| value.is_finite() && value >= 0.0;
    let bars = || blocks.iter().flat_map(|block| &block.bars).filter(|bar| sound(bar.value));
    let marks: Vec<&ReferenceLine> = marks.iter().filter(|mark| sound(mark.value) && mark.value > 0.0).collect();
    let largest = bars().map(|bar| bar.value).fold(0.0, f64::max);
    if !has_steps(largest) {
        return None;
    }
    let left = bars().map(|bar| width_of(&words(&bar.label))).fold(0.0, f64::max).min(WIDTH / 2.0) + 12.0;
    let room = WIDTH - left - 10.0;
    // The longest bar leaves room for its figure, and the farthest mark is still on the chart.
    let furthest = marks.iter().map(|mark| mark.value).fold(0.0, f64::max);
    let end = (largest / (1.0 - FIGURE / room)).max(furthest * 1.02);
    let (step, _) = axis(end, 4.0);
    let top = NAME * marks.len() as f64 + 4.0;
    let blocks: Vec<&ShareBlock> =
        blocks.iter().filter(|block| block.bars.iter().any(|bar| sound(bar.value))).collect();
    let rows = |block: &ShareBlock| block.bars.iter().filter(|bar| sound(bar.value)).count() as f64;
    let inner: f64 = blocks.iter().map(|block| heading_of(block) + rows(block) * BAR + GAP).sum();

    let layout = Layout::new((0.0, end), (0.0, 1.0))
        .with_x_axis_min(0.0)
        .with_x_axis_max(end)
        .with_x_tick_step(step)
        .with_x_tick_format(TickFormat::Custom(Arc::new(value_tick)))
        .with_y_axis_min(0.0)
        .with_y_axis_max(1.0)
        .with_y_tick_step(1.0)
        .with_y_tick_format(TickFormat::Custom(Arc::new(|_| String::new())))
        .with_width(WIDTH)
        .with_height(top + inner + TICKS)
        .with_force_margins(left, 10.0)
        .with_force_margins_y(top, TICKS);
    let layout = plain(layout);
    let computed = ComputedLayout::from_layout(&layout);
    // The axes come with a plot; the bars are drawn here, since each has a name of its own.
    let axes = LinePlot::new().with_data(vec![(0.0, 0.0), (0.0, 0.0)]).with_color("none");
    let mut scene = render_multiple(vec![Plot::Line(axes)], layout);
    for (index, mark) in marks.iter().enumerate() {
        draw_mark(
            &mut scene,
            (mark, &words(&mark.label)),
            computed.map_x(mark.value),
            index as f64 * NAME,
            top + inner,
        );
    }
    let mut y = top;
    for block in blocks {
        y += heading_of(block);
        if !block.heading.is_empty() {
            let heading = words(&block.heading);
            patch(&mut scene, 0.0, y - 13.0, width_of(&heading) * 1.1 + 6.0, 15.0);
            bold(&mut scene, (2.0, y - 2.0), &heading);
        }
        for bar in block.bars.iter().filter(|bar| sound(bar.value)) {
            let drawn = (bar, words(&bar.label));
            draw_bar(&mut scene, &drawn, [computed.map_x(0.0), left], y, |value| computed.map_x(value.min(end)));
            y += BAR;
        }
        y += GAP;
    }
    Some(finish(caption, &scene))
}

/// The room for a block's heading; one that has none begins at once.
fn heading_of(block: &ShareBlock) -> f64 {
    if block.heading.is_empty() { 0.0 } else { HEADING }
}

fn draw_bar(
    scene: &mut Scene,
    (bar, name): &(&ShareBar, String),
    [zero, left]: [f64; 2],
    top: f64,
    x_of: impl Fn(f64) -> f64,
) {
    let middle = top + BAR / 2.0;
    let x = x_of(bar.value);
    text(scene, (left - 6.0, middle + 4.0), TextAnchor::End, name, "var(--muted)");
    scene.add(Primitive::Rect {
        x: zero,
        y: top + 1.5,
        width: (x - zero).max(0.5),
        height: BAR - 3.0,
        fill: Color::from(bar.color.as_str()),
        stroke: None,
        stroke_width: None,
        opacity: None,
    });
    let mut ends = [x, x];
    if let Some([low, high]) = sound_interval(bar.interval) {
        let (from, to) = (x_of(low), x_of(high));
        // One that is hardly wider than the lines it is drawn with says nothing.
        if to - from > 6.0 {
            line(scene, (from, middle), (to, middle));
            line(scene, (from, middle - 3.0), (from, middle + 3.0));
            line(scene, (to, middle - 3.0), (to, middle + 3.0));
            ends = [from.min(x), to.max(x)];
        }
    }
    let figure = match bar.share {
        Some(share) => format!("{} · {} %", digits(bar.value), fixed(share, 0)),
        None => digits(bar.value),
    };
    let width = width_of(&figure);
    if ends[0] - zero > width + 8.0 {
        // Within the bar, so that the marks beside its end stay to be seen.
        text(scene, (ends[0] - 4.0, middle + 4.0), TextAnchor::End, &figure, "var(--card)");
    } else {
        patch(scene, ends[1] + 2.0, top + 1.5, width + 4.0, BAR - 3.0);
        text(scene, (ends[1] + 4.0, middle + 4.0), TextAnchor::Start, &figure, "var(--ink)");
    }
}

fn draw_mark(scene: &mut Scene, (mark, name): (&ReferenceLine, &str), x: f64, top: f64, bottom: f64) {
    scene.add(Primitive::Line {
        x1: x,
        y1: top + 2.0,
        x2: x,
        y2: bottom,
        stroke: Color::from(if mark.is_main { "var(--bad)" } else { "var(--muted)" }),
        stroke_width: if mark.is_main { 1.6 } else { 1.0 },
        stroke_dasharray: Some(if mark.is_main { "5 3" } else { "2 3" }.to_owned()),
    });
    let name = format!("{name} {}", digits(mark.value));
    let is_far = x > WIDTH / 2.0;
    let anchor = if is_far { TextAnchor::End } else { TextAnchor::Start };
    text(scene, (if is_far { x - 4.0 } else { x + 4.0 }, top + 11.0), anchor, &name, "var(--muted)");
}

/// A ground for what is to be read where a mark may lie.
fn patch(scene: &mut Scene, x: f64, y: f64, width: f64, height: f64) {
    let fill = Color::from("var(--card)");
    scene.add(Primitive::Rect { x, y, width, height, fill, stroke: None, stroke_width: None, opacity: None });
}

fn bold(scene: &mut Scene, (x, y): (f64, f64), content: &str) {
    let color = Some(Color::from("var(--ink)"));
    let content = content.to_owned();
    scene.add(Primitive::Text {
        x,
        y,
        content,
        size: super::TEXT,
        anchor: TextAnchor::Start,
        rotate: None,
        bold: true,
        color,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::render::catalogue;

    fn caption() -> Caption {
        Caption { id: "c1".into(), title: "A".into(), description: "d".into() }
    }

    fn draw(blocks: &[ShareBlock], marks: &[ReferenceLine]) -> Option<Drawing> {
        shares(&caption(), blocks, marks, catalogue(Language::ENGLISH))
    }

    fn bar(value: f64, share: Option<f64>) -> ShareBar {
        ShareBar { label: "AEAD".into(), color: "var(--s0)".into(), value, interval: None, share }
    }

    #[test]
    fn each_bar_has_its_figure_and_share_and_the_bound_is_a_line() {
        let blocks = [ShareBlock { heading: "$k$ <i>".into(), bars: vec![bar(12.0, Some(87.4)), bar(f64::NAN, None)] }];
        let marks = [ReferenceLine { label: "bound".into(), value: 13.7, is_main: true }];
        let svg = draw(&blocks, &marks).unwrap().inline();
        assert!(svg.contains(">12.0 · 87 %</text>") && svg.contains(">bound 13.7</text>"), "{svg}");
        assert!(svg.contains("＄k＄ &lt;i&gt;") && !svg.contains("NaN"), "{svg}");
        assert_eq!(svg.matches("stroke-dasharray").count(), 1, "{svg}");
        assert_eq!(svg.matches("fill=\"var(--s0)\"").count(), 1, "{svg}");
    }

    #[test]
    fn a_chart_without_bars_is_none() {
        assert!(draw(&[], &[ReferenceLine { label: "bound".into(), value: 1.0, is_main: true }]).is_none());
        let nothing = [ShareBlock { heading: "a".into(), bars: vec![bar(f64::INFINITY, None), bar(-1.0, None)] }];
        assert!(draw(&nothing, &[]).is_none());
    }

    #[test]
    fn a_bound_that_is_none_is_not_drawn() {
        let blocks = [ShareBlock { heading: "a".into(), bars: vec![bar(1.0, None)] }];
        let marks =
            [f64::NAN, f64::INFINITY, 0.0].map(|value| ReferenceLine { label: "bound".into(), value, is_main: true });
        let svg = draw(&blocks, &marks).unwrap().inline();
        assert!(!svg.contains("bound") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
