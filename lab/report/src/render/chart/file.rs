//! A chart as a separate SVG file with style, title, legend and source.

use std::fmt::Write;

use super::drawing::{Drawing, escape};
use super::width_of;
use crate::chart::Chart;
use crate::render::Catalogue;
use crate::text::visible;
use crate::width::wrap;

/// CSS colours of the page, for light and dark mode.
const PALETTE: &str = include_str!("../../palette.css");

const MARGIN: f64 = 14.0;
const TITLE: f64 = 18.0;
const LINE: f64 = 16.0;
/// Width of one character cell in the title, in SVG user units.
const TITLE_COLUMN: f64 = 8.4;
const FOOT_COLUMN: f64 = 6.2;
/// Width of the line sample before a name in the legend, in SVG user units.
const SWATCH: f64 = 24.0;
const GAP: f64 = 14.0;
/// Pixels for each SVG user unit when a chart file is shown at its default size.
const SCALE: f64 = 2.0;

/// Returns the SVG file of `chart` from its `drawing`, with `source` at the foot.
pub(crate) fn file(chart: &Chart, drawing: &Drawing, source: &str, catalogue: &Catalogue) -> String {
    let Drawing { id, title, description, .. } = drawing;
    let width = drawing.width + 2.0 * MARGIN;
    let mut above = String::new();
    let mut y = MARGIN;
    let beside = catalogue.write(&chart.beside);
    let heading = if beside.is_empty() { title.clone() } else { format!("{title} · {beside}") };
    for line in wrap(&heading, (drawing.width / TITLE_COLUMN) as usize) {
        y += TITLE;
        text(&mut above, (MARGIN, y - 4.0), "font-size=\"14\" font-weight=\"600\"", &line);
    }
    let mut x = MARGIN;
    for (index, entry) in chart.legend.iter().enumerate() {
        let (label, symbol) = (visible(&catalogue.write(&entry.label)), entry.marker.symbol().unwrap_or_default());
        let wide = SWATCH + width_of(symbol) + width_of(&label);
        if index == 0 || x + wide > width - MARGIN {
            (x, y) = (MARGIN, y + LINE);
        }
        let dashes = if entry.is_dashed { " stroke-dasharray=\"4 3\"" } else { "" };
        let (from, to, middle, color) = (x, x + SWATCH - 6.0, y - 8.0, &entry.color);
        _ = write!(
            above,
            "<path d=\"M{from} {middle}H{to}\" stroke=\"{color}\" stroke-width=\"3\"{dashes} fill=\"none\"/>"
        );
        text(&mut above, (x + SWATCH - 4.0, y - 4.0), &format!("font-size=\"11\" fill=\"{color}\""), symbol);
        text(&mut above, (x + SWATCH - 2.0 + width_of(symbol), y - 4.0), "font-size=\"11\"", &label);
        x += wide + GAP;
    }
    y += 6.0;
    let mut below = String::new();
    let mut foot = y + drawing.height + 4.0;
    for line in wrap(&visible(source), (drawing.width / FOOT_COLUMN) as usize) {
        foot += LINE;
        text(&mut below, (MARGIN, foot - 4.0), "font-size=\"10\" fill=\"var(--muted)\"", &line);
    }
    let height = foot + MARGIN;
    // Labels may extend into the margin.
    let Drawing { width: inner, height: tall, .. } = drawing;
    let placed = format!("x=\"{MARGIN}\" y=\"{y}\" width=\"{inner}\" height=\"{tall}\" overflow=\"visible\"");
    let (escaped, description) = (escape(title), escape(description));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" fill=\"var(--ink)\" \
         font-family=\"system-ui, 'Noto Sans', 'Noto Sans CJK JP', 'DejaVu Sans', sans-serif\">\
         <title id=\"{id}-title\">{escaped}</title><desc id=\"{id}-desc\">{description}</desc><style>{PALETTE}</style>\
         <rect width=\"100%\" height=\"100%\" fill=\"var(--card)\"/>{above}{}{below}</svg>\n",
        width * SCALE,
        height * SCALE,
        drawing.element(&placed, ""),
    )
}

fn text(out: &mut String, (x, y): (f64, f64), attributes: &str, content: &str) {
    if !content.is_empty() {
        _ = write!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{}</text>", escape(content));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Bar, BarGroup, LegendEntry};
    use crate::language::Language;
    use crate::render::catalogue;
    use crate::render::chart::draw;
    use crate::text::Text;

    fn file(beside: &str, legend: &[LegendEntry], source: &str) -> String {
        let bar = Bar { color: "var(--s0)".into(), value: Some(1.5), ..Bar::default() };
        let groups = vec![BarGroup { label: "x".into(), bars: vec![bar] }];
        let chart = Chart {
            beside: beside.into(),
            legend: legend.to_vec(),
            ..Chart::new("a", "A <b> & c".into(), Text::EMPTY, groups)
        };
        let english = catalogue(Language::ENGLISH);
        super::file(&chart, &draw(&chart, "r1-a", english).unwrap(), source, english)
    }

    #[test]
    fn chart_file_contains_its_style_title_and_escaped_texts() {
        let legend = [LegendEntry::color("var(--kasoku)", "kasoku <1>"), LegendEntry::color("var(--s2)", "aws-lc")];
        let svg = file("GB/s", &legend, "a machine\u{1b}");
        assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" ") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(svg.contains("prefers-color-scheme: dark") && svg.contains("--kasoku:"), "{svg}");
        assert!(svg.contains(">A &lt;b&gt; &amp; c</title>") && svg.contains(">a machine\\u{1b}</text>"), "{svg}");
        assert!(svg.contains(">kasoku &lt;1&gt;</text>"), "{svg}");
        assert_eq!((svg.matches("<svg ").count(), svg.matches("</svg>").count()), (2, 2), "{svg}");
        assert_eq!(svg.matches("id=\"r1-a-title\"").count(), 1, "{svg}");
    }

    #[test]
    fn legend_wraps_if_it_is_wider_than_the_chart_file() {
        let many: Vec<LegendEntry> =
            (0..12).map(|number| LegendEntry::color("red", format!("library {number} 1.2.3"))).collect();
        let height =
            |svg: &str| -> f64 { svg.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap() };
        let [short, long] = [&many[..1], &many].map(|legend| height(&file("", legend, "")));
        assert!(long > short + 2.0 * SCALE * LINE, "{short} {long}");
    }
}
