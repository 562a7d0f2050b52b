//! What kuva drew, as a picture within a page.

use std::fmt::Write;

use kuva::backend::svg::SvgBackend;
use kuva::render::render::Scene;

use crate::visible::visible;

/// A chart that was drawn.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    /// Unique on the page: letters, digits and hyphens.
    pub(super) id: String,
    /// What it shows, in a few words.
    pub(super) title: String,
    /// What one would see in it.
    pub(super) description: String,
    pub(super) width: f64,
    pub(super) height: f64,
    /// Its shapes, and the end of their element.
    shapes: String,
}

impl Drawing {
    /// The chart within a page.
    pub(crate) fn inline(&self) -> String {
        let Drawing { id, title, description, .. } = self;
        let (title, description) = (escape(title), escape(description));
        self.element(
            &format!("class=\"chart\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\""),
            &format!("<title id=\"{id}-title\">{title}</title><desc id=\"{id}-desc\">{description}</desc>"),
        )
    }

    /// The chart alone with these attributes and what stands before its shapes.
    pub(super) fn element(&self, attributes: &str, before: &str) -> String {
        let Drawing { width, height, shapes, .. } = self;
        let mut out = String::with_capacity(shapes.len() + before.len() + 200);
        _ = write!(out, "<svg {attributes} viewBox=\"0 0 {width} {height}\" fill=\"var(--ink)\">{before}{shapes}");
        out
    }
}

/// Makes a picture of what kuva drew.
pub(super) fn finish(id: &str, [title, description]: [String; 2], scene: &Scene) -> Drawing {
    let drawn = SvgBackend::new().render_scene(scene);
    let inner = drawn.split_once("-->").map_or(drawn.as_str(), |(_, inner)| inner);
    let inner = inner.replace(r#"<rect width="100%" height="100%" fill="none" />"#, "");
    let inner = name_clips(&inner, id);
    let mut shapes = String::with_capacity(inner.len());
    round_attributes(&inner, &mut shapes);
    let (width, height) = (scene.width.round(), scene.height.round());
    Drawing { id: id.to_owned(), title: visible(&title), description: visible(&description), width, height, shapes }
}

/// Gives clip paths ids of this chart's own: kuva counts them over the life of the process, so that the same run would
/// not give the same page twice.
fn name_clips(svg: &str, id: &str) -> String {
    let mut parts = svg.split("kuva-clip-");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(id);
        out.push_str("-clip");
        out.push_str(part.trim_start_matches(|character: char| character.is_ascii_digit()));
    }
    out
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Copies SVG with the numbers in its tags cut to hundredths of a pixel; the text between tags stays as it is.
fn round_attributes(svg: &str, out: &mut String) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut_in_tags_only() {
        let mut out = String::new();
        round_attributes("<a x=\"1.23456\" y=\"2\">0.12345</a>", &mut out);
        assert_eq!(out, "<a x=\"1.23\" y=\"2\">0.12345</a>");
    }
}
