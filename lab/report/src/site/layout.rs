//! What all pages share: head, navigation, links, the script.

use maud::{Markup, PreEscaped, html};

use super::{Page, Site};
use crate::html::parts::plain;
use crate::html::{CONTENT, Head, STYLE, frame};
use crate::language::{Messages, messages};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::language::Language;

/// Sorting and searching.
const SCRIPT: &str = include_str!("site.js");

/// Nothing may be fetched; nothing runs but the script above, whose digest this is.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
    form-action 'none'; script-src 'sha256-ID3dG5hi1XLg5ygJK3bYHjhuqEzLYLYVe/BgLf+2iw0='";

/// Where a page stands, so that it can lead to others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// What it is about; the index is about all.
    kind: Option<PageKind>,
    pub(super) messages: &'static Messages,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageKind {
    Machine,
    Algorithm,
    Library,
}

impl PageKind {
    fn folder(self) -> &'static str {
        match self {
            PageKind::Machine => "machine",
            PageKind::Algorithm => "algorithm",
            PageKind::Library => "library",
        }
    }
}

impl Layout {
    pub(super) fn new(kind: Option<PageKind>, language: Language) -> Self {
        Layout { kind, messages: messages(language) }
    }

    /// The root of the pages in this language.
    fn up(self) -> &'static str {
        if self.kind.is_some() { "../" } else { "" }
    }

    pub(super) fn home(self) -> String {
        format!("{}index.html", self.up())
    }

    fn link(self, kind: PageKind, name: &str) -> String {
        format!("{}{}/{name}.html", self.up(), kind.folder())
    }

    pub(super) fn algorithm(self, algorithm: Algorithm) -> String {
        self.link(PageKind::Algorithm, algorithm.name())
    }

    pub(super) fn machine(self, site: &Site<'_>, machine: usize) -> String {
        self.link(PageKind::Machine, &site.machines[machine].address)
    }

    /// The page of a library, if it has one.
    pub(super) fn library(self, site: &Site<'_>, library: &str) -> Option<String> {
        let (_, address) = site.libraries.iter().find(|(name, _)| name == library)?;
        Some(self.link(PageKind::Library, address))
    }

    /// A document, by its path from the site's root.
    pub(super) fn document(self, path: &str) -> String {
        let root = match self.messages.language {
            Language::English => "",
            Language::Japanese => "../",
        };
        format!("{}{root}{path}", self.up())
    }

    /// The page of that name with what is in it.
    pub(super) fn page(self, name: &str, title: &str, contents: &Markup) -> Page {
        let words = &self.messages.site;
        let file = match self.kind {
            Some(kind) => format!("{}/{name}.html", kind.folder()),
            None => format!("{name}.html"),
        };
        let (path, other, language) = match self.messages.language {
            Language::English => (file.clone(), format!("{}ja/{file}", self.up()), Language::Japanese),
            Language::Japanese => (format!("ja/{file}"), format!("{}../{file}", self.up()), Language::English),
        };
        let body = html! {
            nav.site {
                @if self.kind.is_some() { a href=(self.home()) { (words.home) } } @else { span { "Kasoku" } }
                a href=(other) hreflang=(language.tag()) lang=(language.tag()) { (language.name()) }
            }
            (contents)
            footer { p { (plain(words.footer)) } }
            script data-search=(words.search) data-none=(words.nothing_found) data-sort=(words.sort) {
                (PreEscaped(SCRIPT))
            }
        };
        let style = format!("{STYLE}{}", include_str!("site.css"));
        let head = Head { title: title.to_owned(), description: None, policy: POLICY, style: &style };
        Page { path, text: frame(&head, &body, self.messages).into_string() }
    }

    /// A page with a heading, what it is about, and sections.
    pub(super) fn titled(self, name: &str, title: &str, about: &str, main: &Markup) -> Page {
        let contents = html! {
            header { h1 { (title) } @if !about.is_empty() { p.facts { (about) } } }
            main id=(CONTENT) { (main) }
        };
        self.page(name, &format!("{title} · Kasoku"), &contents)
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_policy_has_the_digest_of_the_script() {
        let digest = base64(&Sha256::digest(SCRIPT));
        let message = format!("site.js has changed: POLICY in layout.rs must say 'sha256-{digest}'");
        assert!(POLICY.ends_with(&format!("script-src 'sha256-{digest}'")), "{message}");
        assert_eq!(["M", "Ma", "Man"].map(|text| base64(text.as_bytes())), ["TQ==", "TWE=", "TWFu"]);
    }

    fn base64(bytes: &[u8]) -> String {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let four = |three: &[u8]| {
            let bits = (0..3).fold(0, |bits, index| bits << 8 | usize::from(*three.get(index).unwrap_or(&0)));
            let digit = |index: usize| char::from(DIGITS[bits >> (18 - 6 * index) & 63]);
            (0..4).map(|index| if index <= three.len() { digit(index) } else { '=' }).collect::<String>()
        };
        bytes.chunks(3).map(four).collect()
    }
}
