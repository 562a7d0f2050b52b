//! What the sections of the page share: sentences, tables, marks.

use std::borrow::Cow;

use maud::{Markup, PreEscaped, html};

use super::line_style::LineStyle;
use crate::chart::{self, Caption, Group};
use crate::language::Messages;
use crate::quantity::digits;
use crate::width::is_wide;
use kasoku_model::language::Language;

/// A card at the top of the page: value, name, detail.
pub(crate) type Card = (String, String, String);

/// A sentence in which names with hyphens do not break across lines.
pub(crate) fn sentence(text: &str) -> Markup {
    let is_name = |part: &str| part.contains('-') && part.len() < 40 && !part.contains(is_wide);
    html! {
        @for (index, word) in with_units_bound(text).split(' ').enumerate() {
            @if index > 0 { " " }
            // Japanese has no spaces: a name ends where the script changes.
            @for part in by_width(word) {
                @if is_name(part) { span.name { (part) } } @else { (part) }
            }
        }
    }
}

/// What a level shows, a sentence each.
pub(crate) fn told(sentences: impl Iterator<Item = String>) -> Markup {
    let sentences: Vec<String> = sentences.collect();
    html! {
        @if !sentences.is_empty() { ul.verdict { @for text in &sentences { li { (sentence(text)) } } } }
    }
}

/// Groups of bars under their title, told to those who do not see them.
pub(crate) fn bars(id: String, title: String, unit: &str, groups: &[Group]) -> Markup {
    let told = groups.iter().map(|group| {
        let values: Vec<String> =
            group.bars.iter().map(|bar| bar.value.map_or_else(|| "–".to_owned(), digits)).collect();
        format!("{}: {}", group.label, values.join(", "))
    });
    let description = format!("{title}, {unit}. {}", told.collect::<Vec<_>>().join("; "));
    let caption = Caption { id, title: title.clone(), description };
    html! {
        @if let Some(svg) = chart::bars(&caption, groups) {
            figure { figcaption { (title) span.worth { (unit) } } (PreEscaped(svg)) }
        }
    }
}

/// In Japanese, where lines break anywhere, a number is not parted from its unit.
fn with_units_bound(text: &str) -> Cow<'_, str> {
    if !text.contains(is_wide) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(' ') {
        out.push_str(before);
        let is_number = before.ends_with(|last: char| last.is_ascii_digit());
        let is_unit = after.starts_with(|first: char| first.is_ascii_alphabetic() || first == '%');
        out.push(if is_number && is_unit { '\u{a0}' } else { ' ' });
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// A word in pieces of wide and of other characters.
fn by_width(word: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|character| is_wide(character) != is_wide(first)).unwrap_or(rest.len());
        let (piece, behind) = rest.split_at(end);
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

/// Text of a document, which is stored in English: marked as that where the page is not.
pub(crate) fn stored(text: &str, messages: &Messages) -> Markup {
    html! {
        @if messages.language == Language::English { (text) } @else { span lang=(Language::English.tag()) { (text) } }
    }
}

/// Text that ends in a command.
pub(crate) fn with_code(before: &str, command: &str) -> Markup {
    html! { (before) code { (command) } }
}

/// A piece of a line in the colour of what is named beside it.
pub(crate) fn swatch(color: &str, is_dashed: bool) -> Markup {
    html! { span.swatch.dashed[is_dashed] style=(format!("color:{color}")) aria-hidden="true" {} }
}

/// The same of a line in a chart, with its marker unless that is the plain one.
pub(super) fn swatch_of(style: &LineStyle) -> Markup {
    html! {
        (swatch(style.color, false))
        @if let Some(symbol) = style.marker.symbol() {
            span style=(format!("color:{}", style.color)) aria-hidden="true" { (symbol) }
        }
    }
}
