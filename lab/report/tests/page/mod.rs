//! Renders documents for tests, and extracts parts of pages to check.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)] // each test binary uses its part

use std::collections::HashSet;
use std::sync::LazyLock;

use kasoku_model::document::Document;
use kasoku_report::claim::{Claim, claims};
use kasoku_report::language::Language;
use kasoku_report::page::Shown;
use kasoku_report::render::{self, TerminalView};

pub(crate) const ENGLISH: Language = Language::ENGLISH;
pub(crate) static JAPANESE: LazyLock<Language> = LazyLock::new(|| Language::from_tag("ja").unwrap());

pub(crate) fn page_of(documents: &[&Document], language: Language) -> String {
    let runs: Vec<Shown<'_>> = documents.iter().map(|&document| Shown { document, surroundings: None }).collect();
    render::page(&runs, language)
}

pub(crate) fn full(document: &Document, language: Language) -> String {
    render::full(document, TerminalView::plain(language))
}

pub(crate) fn summary(document: &Document, language: Language) -> String {
    let text = full(document, language);
    let verdict = if language == ENGLISH { "\nVerdict\n" } else { "\n結論\n" };
    let (before, after) = text.split_once(verdict).unwrap_or_else(|| panic!("no verdict in {text}"));
    [before, verdict, after.split("\n\n").next().unwrap_or_default(), "\n"].concat()
}

pub(crate) fn sentences(document: &Document, language: Language) -> String {
    let sentences: Vec<String> =
        claims(document).iter().map(|claim| render::words(&claim.sentence(), language)).collect();
    sentences.join("\n")
}

pub(crate) fn headline(document: &Document, language: Language) -> String {
    let page = page_of(&[document], language);
    let headline = page.split_once("<p class=\"headline\">").unwrap_or_else(|| panic!("no headline")).1;
    plain(headline.split_once("</p>").unwrap().0)
}

pub(crate) fn claims_of(document: &Document, kind: &str) -> Vec<Claim> {
    let is_meant = |claim: &Claim| claim.kind == kind || (kind.ends_with('-') && claim.kind.starts_with(kind));
    claims(document).into_iter().filter(is_meant).collect()
}

pub(crate) fn plain(page: &str) -> String {
    let body = page.split_once("</style>").map_or(page, |(_, body)| body);
    let mut text = String::new();
    let mut in_tag = false;
    for character in body.chars() {
        match character {
            '<' => in_tag = true,
            '>' => in_tag = false,
            _ if !in_tag => text.push(character),
            _ => {}
        }
    }
    text
}

pub(crate) fn is_steering(character: char) -> bool {
    (character.is_control() && character != '\n')
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

pub(crate) fn well_formed(page: &str) {
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:;"));
    let mut open: Vec<&str> = Vec::new();
    let mut ids = HashSet::new();
    let mut pointers = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, after) = after.split_once('>').expect("a tag without an end");
        rest = after;
        if tag.starts_with('!') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "wrong end tag before {}", &after[..after.len().min(80)]);
            continue;
        }
        let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        assert!(
            !["script", "img", "iframe", "object", "embed", "link", "image", "use", "base", "form"].contains(&name),
            "<{tag}>"
        );
        for (attribute, value) in attributes_of(attributes) {
            assert!(!attribute.starts_with("on") && !["src", "xlink:href"].contains(&attribute), "<{tag}>");
            // Browsers load nothing from the `content` of a meta element, such as the page's description.
            assert!(!value.contains("url(") || value.starts_with("url(#") || attribute == "content", "<{tag}>");
            match attribute {
                "id" => assert!(ids.insert(value), "duplicate id {value}"),
                "aria-labelledby" => pointers.extend(value.split(' ')),
                // All links lead to elements of the same page.
                "href" => pointers.push(value.strip_prefix('#').unwrap_or_else(|| panic!("{value}"))),
                _ => {}
            }
        }
        if !(tag.ends_with('/') || ["meta", "br"].contains(&name)) {
            open.push(name);
        }
        if name == "style" {
            let (style, after) = rest.split_once("</style>").unwrap();
            assert!(!style.contains("url(") && !style.contains("@import") && !style.contains('<'));
            open.pop();
            rest = after;
        }
    }
    assert!(open.is_empty(), "elements without end tag: {open:?}");
    for pointer in pointers {
        assert!(ids.contains(pointer), "nothing has the id {pointer}");
    }
}

fn attributes_of(text: &str) -> Vec<(&str, &str)> {
    let mut attributes = Vec::new();
    let mut rest = text.trim().trim_end_matches('/');
    while let Some((name, after)) = rest.split_once("=\"") {
        let (value, after) = after.split_once('"').expect("an attribute without an end");
        attributes.push((name.split_whitespace().last().unwrap_or(name), value));
        rest = after;
    }
    attributes
}
