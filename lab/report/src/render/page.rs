//! The page of runs: `kasoku-RUN.html`, one file that needs nothing else; and its charts as files.

use maud::{Markup, html};

use super::catalogue::{Catalogue, catalogue};
use super::chart::{draw, file};
use super::html::{CONTENT, Head, Html, POLICY, STYLE, contents, frame};
use crate::block::{Block, Section};
use crate::language::Language;
use crate::page::{Card, Header, Shown, header, sections, source};
use crate::text::{Text, say};
use kasoku_model::name::plain;

/// A chart of a run's page as a file.
#[derive(Clone, Debug)]
pub struct ChartFile {
    /// Name for `--chart`.
    pub name: String,
    /// Title of the chart.
    pub title: String,
    /// An SVG that needs nothing else.
    pub svg: String,
}

impl ChartFile {
    /// Whether somebody who types `name` means it, in whatever spelling.
    pub fn is_called(&self, name: &str) -> bool {
        [&self.name, &self.title].iter().any(|own| plain(own) == plain(name))
    }
}

/// A run on a page: its header and sections, and what all its ids begin with.
pub(super) struct RunPage {
    pub(super) prefix: String,
    pub(super) header: Header,
    pub(super) sections: Vec<Section>,
}

/// Returns the page for these runs, one after the other.
pub fn page(runs: &[Shown<'_>], language: Language) -> String {
    let catalogue = catalogue(language);
    let pages: Vec<RunPage> = runs.iter().zip(1..).map(|(run, number)| RunPage::new(*run, number)).collect();
    let (title, description) = match pages.as_slice() {
        [only] => (only.header.window_title.clone(), only.header.headline.as_ref()),
        _ => (say!("page-runs", count = runs.len()), None),
    };
    let of_runs = pages.iter().map(|page| (&*page.prefix, &page.header.title, &*page.sections));
    let body = match pages.as_slice() {
        // One run has the page to itself; of several each is an article.
        [only] => html! {
            (only.header(catalogue))
            (contents(catalogue, &[(&only.prefix, &Text::EMPTY, &only.sections)]))
            main id=(CONTENT) { (only.content(catalogue)) }
        },
        _ => html! {
            (contents(catalogue, &of_runs.collect::<Vec<_>>()))
            main id=(CONTENT) {
                @for page in &pages { article { (page.header(catalogue)) (page.content(catalogue)) } }
            }
        },
    };
    let body = html! { (body) footer { p { (catalogue.words("page-footer")) } } };
    let description = description.map(|description| catalogue.write(description));
    let head = Head { title: catalogue.write(&title), description, policy: POLICY, style: STYLE };
    frame(&head, &body, catalogue).into_string()
}

/// Returns the charts of a run's page as files, in its order.
pub fn charts(run: Shown<'_>, language: Language) -> Vec<ChartFile> {
    let catalogue = catalogue(language);
    let source = catalogue.write(&source(run.document));
    let sections = sections(run);
    let chart = |chart: &crate::chart::Chart| {
        let drawing = draw(chart, &format!("r1-{}", chart.name), catalogue)?;
        let svg = file(chart, &drawing, &source, catalogue);
        Some(ChartFile { name: chart.name.clone(), title: catalogue.write(&chart.title), svg })
    };
    sections.iter().flat_map(Section::charts).filter_map(chart).collect()
}

impl RunPage {
    pub(super) fn new(run: Shown<'_>, number: usize) -> Self {
        RunPage { prefix: format!("r{number}"), header: header(run.document), sections: sections(run) }
    }

    fn html(&self, catalogue: &'static Catalogue) -> Html<'_> {
        Html { catalogue, prefix: &self.prefix }
    }

    pub(super) fn header(&self, catalogue: &'static Catalogue) -> Markup {
        let html = self.html(catalogue);
        let Header { title, alert, headline, quality, has_notes, facts, origin, .. } = &self.header;
        html! {
            header {
                p.brand { "Kasoku" span { (catalogue.words("page-about")) } }
                h1 { (catalogue.write(title)) }
                @if let Some([word, means]) = alert {
                    p.alert role="alert" { strong { (catalogue.write(word)) } (catalogue.write(means)) }
                }
                @if let Some(headline) = headline { p.headline { (html.words(headline)) } }
                @if let Some(Block::Marked { mark, is_warning, text }) = quality {
                    p.quality {
                        strong class=[is_warning.then_some("warning")] { (catalogue.write(mark)) }
                        " " (html.words(text))
                        @if *has_notes {
                            " " a href={ "#" (html.id("notes")) } { (catalogue.words("page-notes-link")) }
                        }
                    }
                }
                p.facts { (catalogue.write(facts)) }
                @if let Some(origin) = origin { p.origin { (html.words(origin)) } }
            }
        }
    }

    pub(super) fn content(&self, catalogue: &'static Catalogue) -> Markup {
        let html = self.html(catalogue);
        html! {
            (cards(&self.header.cards, catalogue))
            @for section in &self.sections { (html.section(section)) }
        }
    }
}

fn cards(cards: &[Card], catalogue: &Catalogue) -> Markup {
    html! {
        @if !cards.is_empty() {
            section.key aria-label=(catalogue.words("page-key-figures")) {
                @for [value, name, detail] in cards {
                    div.card {
                        p.value { (catalogue.write(value)) }
                        p.name { (catalogue.write(name)) }
                        p.detail { (catalogue.write(detail)) }
                    }
                }
            }
        }
    }
}
