//! The page: `kasoku-RUN.html`, one file that needs nothing else, for people who were not there.
//!
//! No script and no request: the policy in its head forbids both, so that a run from elsewhere can be opened without
//! thought. It follows the reader's light or dark mode and prints.

mod advice;
mod background;
mod charts;
pub(crate) mod contents;
mod history;
mod key_figures;
mod line_style;
mod others;
mod page;
pub(crate) mod parts;
mod ratios;
mod steps;
mod surroundings;
pub(crate) mod table;
mod tables;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use kasoku_model::document::Document;
use kasoku_model::language::Language;

use super::facts;
use super::files;
use super::jvm;
use super::language::{Messages, messages};
use super::packets;
use super::tls;
use super::transfer;
use super::verdict::{self, Finding};
use super::visible::short;
use contents::Section;
use page::Page;
use parts::{sentence, stored};
pub use surroundings::{MAX_RUNS, Shown, Surroundings, followed, questions};

const STYLE: &str = include_str!("report.css");

/// Nothing may be fetched or run; style is the page's own.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Where the skip link leads.
const CONTENT: &str = "content";

/// The page for these runs, one after the other, without what stands around them.
pub fn render(documents: &[&Document], language: Language) -> String {
    let alone = documents.iter().map(|&document| Shown { document, surroundings: None });
    render_among(&alone.collect::<Vec<_>>(), language)
}

/// The page for these runs, each with what stands around it, one after the other.
pub fn render_among(runs: &[Shown<'_>], language: Language) -> String {
    let messages = messages(language);
    let title = match runs {
        [only] => format!("Kasoku: {}", short(only.document.machine.label(), 80)),
        _ => (messages.page.runs)(runs.len()),
    };
    let pages: Vec<Page<'_>> =
        runs.iter().enumerate().map(|(index, run)| Page::new(*run, index + 1, messages)).collect();
    let page = html! {
        (DOCTYPE)
        html lang=(language.tag()) {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href={ "#" (CONTENT) } { (messages.page.skip) }
                (body(&pages, messages))
                footer { p { (messages.page.footer) } }
            }
        }
    };
    page.into_string()
}

/// One run has the page to itself; of several each is an article.
fn body(pages: &[Page<'_>], messages: &Messages) -> Markup {
    let sections: Vec<Vec<Section>> = pages.iter().map(Page::sections).collect();
    let parts = || pages.iter().zip(&sections);
    match pages {
        [only] => html! {
            (only.header())
            (contents::list(messages, sections.iter().map(|sections| (None, sections.as_slice()))))
            main id=(CONTENT) { @for (page, sections) in parts() { (page.content(sections)) } }
        },
        _ => html! {
            (contents::list(messages, parts().map(|(page, sections)| (Some(page.title()), sections.as_slice()))))
            main id=(CONTENT) {
                @for (page, sections) in parts() { article { (page.header()) (page.content(sections)) } }
            }
        },
    }
}

impl Page<'_> {
    fn header(&self) -> Markup {
        let words = &self.messages.page;
        html! {
            header {
                p.brand { "Kasoku" span { (words.about) } }
                h1 { (self.title()) }
                @if !self.document.run.complete {
                    p.alert role="alert" { strong { (words.incomplete) } (words.incomplete_means) }
                }
                @if self.document.run.origin.is_none() {
                    p.headline { (sentence(&verdict::headline(&self.findings, self.messages.language))) }
                }
                p.facts { (facts::beside_the_name(self.document, &self.messages.facts).join(" · ")) }
                @if let Some(origin) = &self.document.run.origin {
                    p.origin { (sentence(&(self.messages.origin.what)(origin.kind, &short(&origin.source, 200)))) }
                }
                @for note in &self.document.run.notes {
                    p.note { strong { (words.note) } " " (stored(&short(note, 400), self.messages)) }
                }
            }
        }
    }

    /// What follows the header, in order; each brings its line of the table of contents.
    fn sections(&self) -> Vec<Section> {
        let sections = [
            Some(self.verdict()),
            self.others(),
            self.charts(),
            self.ratios(),
            self.rankings(),
            packets::section(self.document, &self.prefix, self.messages),
            transfer::section(self.document, &self.prefix, self.messages),
            files::section(self.document, &self.prefix, self.messages),
            jvm::section(self.document, &self.prefix, self.messages),
            tls::section(self.document, &self.prefix, self.messages),
            self.steps(),
            self.history(),
            self.advice(),
            self.lists(),
            Some(self.background()),
            self.tables(),
            self.repetition(),
        ];
        sections.into_iter().flatten().collect()
    }

    fn content(&self, sections: &[Section]) -> Markup {
        html! { (self.key_figures()) @for section in sections { (section.body) } }
    }

    fn verdict(&self) -> Section {
        // What packets show in detail stands with their figures.
        let is_told = |finding: &&Finding| match finding {
            Finding::Packets(finding) => finding.leads(),
            Finding::Files(finding) => finding.leads(),
            Finding::Transfer(finding) => finding.leads(),
            _ => true,
        };
        let told: Vec<String> =
            self.findings.iter().filter(is_told).map(|finding| finding.sentence(self.messages.language)).collect();
        let list = html! { ul.verdict { @for text in &told { li { (sentence(text)) } } } };
        Section::new(self.id("verdict"), self.messages.page.verdict, list)
    }
}
