//! Drawings by kuva as SVG elements within a page.

use kuva::backend::svg::SvgBackend;
use kuva::render::render::Scene;

use crate::text::visible;

#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    /// Id of the drawing, unique on the page: letters, digits and hyphens.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) width: f64,
    pub(super) height: f64,
    /// SVG shapes of the drawing, and the end tag of the SVG element.
    shapes: String,
}

impl Drawing {
    pub(crate) fn inline(&self) -> String {
        let Drawing { id, title, description, .. } = self;
        let (title, description) = (escape(title), escape(description));
        self.element(
            &format!("class=\"chart\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\""),
            &format!("<title id=\"{id}-title\">{title}</title><desc id=\"{id}-desc\">{description}</desc>"),
        )
    }

    /// Returns the SVG element with `attributes`, and with `before` in front of its shapes.
    pub(super) fn element(&self, attributes: &str, before: &str) -> String {
        let Drawing { width, height, shapes, .. } = self;
        format!("<svg {attributes} viewBox=\"0 0 {width} {height}\" fill=\"var(--ink)\">{before}{shapes}")
    }
}

pub(super) fn finish(id: &str, [title, description]: [String; 2], scene: &Scene) -> Drawing {
    let drawn = SvgBackend::new().render_scene(scene);
    let inner = drawn.split_once("-->").map_or(drawn.as_str(), |(_, inner)| inner);
    let inner = inner.replace(r#"<rect width="100%" height="100%" fill="none" />"#, "");
    let shapes = round_attributes(&name_clips(&inner, id));
    let (width, height) = (scene.width.round(), scene.height.round());
    Drawing { id: id.to_owned(), title: visible(&title), description: visible(&description), width, height, shapes }
}

/// Replaces kuva's ids of clip paths with ids of this chart. kuva numbers clip paths over the life of the process, so
/// two pages of one run would differ.
fn name_clips(svg: &str, id: &str) -> String {
    let mut parts = svg.split("kuva-clip-");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |svg, part| svg + id + "-clip" + part.trim_start_matches(|digit: char| digit.is_ascii_digit()))
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Copies SVG, truncating numbers in tags to hundredths of a pixel. Text between tags stays unchanged.
fn round_attributes(svg: &str) -> String {
    let mut out = String::with_capacity(svg.len());
    let mut in_tag = false;
    let mut decimals = None;
    for character in svg.chars() {
        match character {
            '<' => in_tag = true,
            '>' => in_tag = false,
            _ => {}
        }
        decimals = match (character, decimals) {
            ('.', _) if in_tag => Some(0),
            ('0'..='9', Some(count)) => Some(count + 1),
            _ => None,
        };
        if decimals.is_none_or(|count| count <= 2) {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_attributes_truncates_numbers_in_tags_only() {
        let out = round_attributes("<a x=\"1.23456\" y=\"2\">0.12345</a>");
        assert_eq!(out, "<a x=\"1.23\" y=\"2\">0.12345</a>");
    }
}
