//! Renders words as HTML: unbreakable names, code, and text in another language than the page.

use maud::{Markup, html};

use crate::render::Catalogue;
use crate::text::Text;
use crate::width::is_wide;

/// Renders `text` with unbreakable names. Text from documents or publications gets a `lang` attribute if its language
/// differs from the page's.
pub(super) fn words(text: &Text, catalogue: &Catalogue) -> Markup {
    written(text, catalogue, |said| coded(said, bound))
}

/// Renders text like [`words`], but lines may break within names, as cells of tables need.
pub(super) fn plain_words(text: &Text, catalogue: &Catalogue) -> Markup {
    written(text, catalogue, plain)
}

fn written(text: &Text, catalogue: &Catalogue, write: fn(&str) -> Markup) -> Markup {
    let said = write(&catalogue.write(text));
    match text {
        Text::Stored(tag, _) if *tag != catalogue.language.tag() => html! { span lang=(tag) { (said) } },
        _ => said,
    }
}

/// Renders the parts of a text between backticks as code.
pub(super) fn plain(text: &str) -> Markup {
    coded(text, |text| html! { (text) })
}

fn coded(text: &str, write: fn(&str) -> Markup) -> Markup {
    // A backtick without a partner is a plain character.
    if text.matches('`').count() % 2 == 1 {
        return write(text);
    }
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (write(part)) }
        }
    }
}

fn bound(text: &str) -> Markup {
    let is_name = |part: &str| part.contains('-') && part.len() < 40 && !part.contains(is_wide);
    html! {
        @for (index, word) in with_units_bound(text).split(' ').enumerate() {
            @if index > 0 { " " }
            // Japanese has no spaces: names end where the script changes.
            @for part in by_width(word) {
                @if is_name(part) { span.name { (part) } } @else { (part) }
            }
        }
    }
}

/// Joins numbers and units with no-break spaces in Japanese text, where lines may break anywhere.
fn with_units_bound(text: &str) -> String {
    if !text.contains(is_wide) {
        return text.to_owned();
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
    out
}

/// Splits a word into pieces that consist only of wide characters, or only of other characters.
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
