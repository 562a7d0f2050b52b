//! Words on a page: what may not break across lines, what is code, what is in English.

use std::borrow::Cow;

use maud::{Markup, html};

use crate::render::Catalogue;
use crate::text::Text;
use crate::width::is_wide;

/// Returns the words of `text`, in which names with hyphens do not break across lines; those out of a document or a
/// publication are marked with their language where the page has another.
pub(super) fn words(text: &Text, catalogue: &Catalogue) -> Markup {
    written(text, catalogue, |said| coded(said, bound))
}

/// Like [`words`], but lines may break anywhere: for the cells of tables.
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

/// Text in which what stands between backticks is code.
pub(super) fn plain(text: &str) -> Markup {
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

fn bound(text: &str) -> Markup {
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
