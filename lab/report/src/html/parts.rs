//! What the sections of the page share: sentences, tables, marks.

use std::borrow::Cow;

use maud::{Markup, html};

use super::gallery::{Gallery, Said};
use crate::chart::{self, Group, LegendEntry};
use crate::language::Messages;
use crate::quantity::digits;
use crate::width::is_wide;
use kasoku_model::language::Language;

/// A card at the top of the page: value, name, detail.
pub(crate) type Card = (String, String, String);

/// A sentence in which names with hyphens do not break across lines, and what stands between backticks is code.
pub(crate) fn sentence(text: &str) -> Markup {
    coded(text, words)
}

/// Text in which what stands between backticks is code.
pub(crate) fn plain(text: &str) -> Markup {
    coded(text, |text| html! { (text) })
}

fn coded(text: &str, write: fn(&str) -> Markup) -> Markup {
    // One that has no other is a sign like others.
    if text.matches('`').count() % 2 == 1 {
        return write(text);
    }
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (write(part)) }
        }
    }
}

fn words(text: &str) -> Markup {
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
pub(crate) fn bars(
    gallery: &Gallery,
    name: &str,
    title: String,
    unit: &str,
    groups: &[Group],
    legend: &[LegendEntry],
) -> Markup {
    let told = groups.iter().map(|group| {
        let values: Vec<String> =
            group.bars.iter().map(|bar| bar.value.map_or_else(|| "–".to_owned(), digits)).collect();
        format!("{}: {}", group.label, values.join(", "))
    });
    let description = format!("{title}, {unit}. {}", told.collect::<Vec<_>>().join("; "));
    let said = Said { title, description, beside: Some(unit.to_owned()), legend, ..Said::default() };
    gallery.figure(name, said, |caption| chart::bars(caption, groups)).unwrap_or_default()
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
        @if messages.language == Language::English {
            (plain(text))
        } @else {
            span lang=(Language::English.tag()) { (plain(text)) }
        }
    }
}

/// Text that ends in a command.
pub(crate) fn with_code(before: &str, command: &str) -> Markup {
    html! { (before) code { (command) } }
}
