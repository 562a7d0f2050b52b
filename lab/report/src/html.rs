//! The page: `kasoku-RUN.html`, one file that needs nothing else, for people who were not there.
//!
//! No script and no request: the policy in its head forbids both, so that a run from elsewhere can be opened without
//! thought. It follows the reader's light or dark mode and prints.

mod advice;
mod background;
mod charts;
mod choices;
pub(crate) mod contents;
pub(crate) mod gallery;
mod history;
mod key_figures;
pub(crate) mod legend;
mod libraries;
mod others;
pub(crate) mod page;
mod palette;
pub(crate) mod parts;
mod ratios;
mod steps;
mod surroundings;
pub(crate) mod table;
mod tables;
mod worth;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use kasoku_model::document::Document;
use kasoku_model::language::Language;

use super::facts;
use super::language::{Messages, messages};
use super::level_report::LEVEL_REPORTS;
use super::screen::quality::{self, Quality};
use super::verdict::{self, Finding};
use super::visible::short;
use contents::Section;
pub use gallery::Chart;
use page::RunPage;
use parts::{sentence, told};
pub use surroundings::{MAX_RUNS, Shown, Surroundings, followed, questions};

pub(crate) const STYLE: &str = concat!(include_str!("palette.css"), include_str!("report.css"));

/// Nothing may be fetched or run; style is the page's own.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Where the skip link leads.
pub(crate) const CONTENT: &str = "content";

/// The page for these runs, one after the other, without what stands around them.
pub fn render(documents: &[&Document], language: Language) -> String {
    let alone = documents.iter().map(|&document| Shown { document, surroundings: None });
    render_among(&alone.collect::<Vec<_>>(), language)
}

/// The charts of a run's page, in its order.
pub fn charts(run: Shown<'_>, language: Language) -> Vec<Chart> {
    let page = RunPage::new(run, 1, messages(language));
    page.sections();
    page.gallery.into_charts()
}

/// What a chart of `document` says at its foot: whose figures it shows.
pub fn source(document: &Document, language: Language) -> String {
    let run = &document.run;
    let mut told = vec![
        page::title(document, messages(language)),
        short(&run.started, 40),
        format!("Kasoku {}", short(&run.kasoku, 40)),
    ];
    if let Some(origin) = &run.origin {
        told.truncate(1);
        told.push(short(&origin.source, 100));
    }
    told.retain(|part| !part.is_empty());
    told.join(" · ")
}

/// The page for these runs, each with what stands around it, one after the other.
pub fn render_among(runs: &[Shown<'_>], language: Language) -> String {
    let messages = messages(language);
    let pages: Vec<RunPage<'_>> =
        runs.iter().enumerate().map(|(index, run)| RunPage::new(*run, index + 1, messages)).collect();
    let (title, description) = match pages.as_slice() {
        [only] => (only.window_title(), only.headline()),
        _ => ((messages.page.runs)(runs.len()), None),
    };
    let body = html! { (body(&pages, messages)) footer { p { (messages.page.footer) } } };
    frame(&Head { title, description, policy: POLICY, style: STYLE }, &body, messages).into_string()
}

/// What stands in a page's head.
pub(crate) struct Head<'h> {
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    /// What the page may fetch and run.
    pub(crate) policy: &'h str,
    pub(crate) style: &'h str,
}

/// A page with that head and body.
pub(crate) fn frame(head: &Head<'_>, body: &Markup, messages: &Messages) -> Markup {
    let Head { title, description, policy, style } = head;
    html! {
        (DOCTYPE)
        html lang=(messages.language.tag()) {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                meta property="og:title" content=(title);
                @if let Some(description) = description {
                    meta name="description" content=(description);
                    meta property="og:description" content=(description);
                }
                style { (PreEscaped(style)) }
            }
            body {
                a.skip href={ "#" (CONTENT) } { (messages.page.skip) }
                (body)
            }
        }
    }
}

/// One run has the page to itself; of several each is an article.
fn body(pages: &[RunPage<'_>], messages: &Messages) -> Markup {
    let sections: Vec<Vec<Section>> = pages.iter().map(RunPage::sections).collect();
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

impl RunPage<'_> {
    pub(crate) fn header(&self) -> Markup {
        let words = &self.messages.page;
        html! {
            header {
                p.brand { "Kasoku" span { (words.about) } }
                h1 { (self.title()) }
                @if self.document.machine.emulated_on.is_some() {
                    p.alert role="alert" { strong { (words.emulated) } (words.emulated_means) }
                } @else if self.document.machine.wine.is_some() {
                    p.alert role="alert" { strong { (words.under_wine) } (words.under_wine_means) }
                } @else if !self.document.run.complete {
                    p.alert role="alert" { strong { (words.incomplete) } (words.incomplete_means) }
                }
                @if let Some(headline) = self.headline() { p.headline { (sentence(&headline)) } }
                @if let Some((quality, meaning)) = quality::of(self.document, self.messages.language) {
                    p.quality {
                        strong.warning[quality != Quality::Quiet] { (quality.word(self.messages.language)) }
                        " " (sentence(&meaning))
                        @if !self.document.run.notes.is_empty() {
                            " " a href={ "#" (self.id("notes")) } { (words.notes_link) }
                        }
                    }
                }
                p.facts { (facts::beside_the_name(self.document, &self.messages.facts).join(" · ")) }
                @if let Some(origin) = &self.document.run.origin {
                    p.origin { (sentence(&(self.messages.origin.what)(origin.kind, &short(&origin.source, 200)))) }
                }
            }
        }
    }

    /// The line over all; of figures that others printed there is none.
    fn headline(&self) -> Option<String> {
        let is_measured = self.document.run.origin.is_none();
        is_measured.then(|| verdict::headline(&self.findings, self.messages.language))
    }

    /// What the window and a bookmark are called: what was found, and where.
    fn window_title(&self) -> String {
        let machine = short(self.document.machine.label(), 80);
        match self.found() {
            Some(found) => format!("{found} · {machine} · Kasoku"),
            None => format!("Kasoku: {machine}"),
        }
    }

    /// What follows the header, in order; each brings its line of the table of contents. What most people look for is
    /// open, the rest behind its heading.
    pub(crate) fn sections(&self) -> Vec<Section> {
        let (document, gallery, messages) = (self.document, &self.gallery, self.messages);
        let before =
            [self.choices(), self.libraries(), self.worth_of_acceleration(), self.public_keys(), self.others()];
        // The charts of a page are listed in the order in which they are made.
        let levels: Vec<_> = LEVEL_REPORTS.iter().map(|level| (level.section)(document, gallery, messages)).collect();
        let after = [
            self.history(),
            Some(self.verdict()),
            self.charts(),
            self.ratios(),
            self.rankings(),
            self.steps(),
            self.advice(),
            self.lists(),
            self.notes(),
            Some(self.background()),
            self.tables(),
            self.repetition(),
        ];
        before.into_iter().chain(levels).chain(after).flatten().collect()
    }

    pub(crate) fn content(&self, sections: &[Section]) -> Markup {
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
        let sentences = self.findings.iter().filter(is_told).map(|finding| finding.sentence(self.messages.language));
        Section::folded(None, self.id("verdict"), self.messages.page.verdict, told(sentences))
    }
}
