//! Renders blocks as HTML, and the frame of a page.
//!
//! Pages contain no scripts and send no requests. The policy in a page's head forbids both, so that pages of untrusted
//! runs are safe to open. Pages follow the reader's light or dark mode and print well.

mod table;
mod words;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::catalogue::Catalogue;
use super::chart::draw;
use crate::advice::AdviceText;
use crate::prelude::*;
use table::table;
use words::{plain, words};

pub(super) const STYLE: &str = concat!(include_str!("../palette.css"), include_str!("../report.css"));

/// Content security policy that blocks all requests and scripts, and allows only the page's own style.
pub(super) const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Id of the element that the skip link targets.
pub(super) const CONTENT: &str = "content";

/// Renders the parts of one run. Every element id begins with `prefix`, so that several runs can share a page.
pub(super) struct Html<'p> {
    pub(super) catalogue: &'static Catalogue,
    pub(super) prefix: &'p str,
}

/// Returns a page with this title, description, content security policy and CSS style around `body`.
pub(super) fn frame([title, description, policy, style]: [&str; 4], body: &Markup, catalogue: &Catalogue) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(catalogue.language.tag()) {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                meta property="og:title" content=(title);
                @if !description.is_empty() {
                    meta name="description" content=(description);
                    meta property="og:description" content=(description);
                }
                style { (PreEscaped(style)) }
            }
            body {
                a.skip href={ "#" (CONTENT) } { (catalogue.words("page-skip")) }
                (body)
            }
        }
    }
}

pub(super) fn contents(catalogue: &'static Catalogue, runs: &[(&str, &Text, &[Section])]) -> Markup {
    html! {
        nav.contents aria-label=(catalogue.words("page-contents")) {
            @for (prefix, title, sections) in runs {
                @let html = Html { catalogue, prefix };
                @if !title.is_empty() { p { (catalogue.write(title)) } }
                ul {
                    @for section in *sections {
                        li { a href={ "#" (html.id(section.id)) } { (catalogue.write(&section.title)) } }
                    }
                }
            }
        }
    }
}

impl Html<'_> {
    pub(super) fn id(&self, name: &str) -> String {
        if self.prefix.is_empty() { name.to_owned() } else { format!("{}-{name}", self.prefix) }
    }

    pub(super) fn words(&self, text: &Text) -> Markup {
        words(text, self.catalogue)
    }

    pub(super) fn section(&self, section: &Section) -> Markup {
        let Section { id: name, title, is_folded, blocks } = section;
        let (id, title) = (self.id(name), self.catalogue.write(title));
        html! {
            @if *is_folded {
                section.folded aria-labelledby=(id) {
                    details { summary { h2 id=(id) { (title) } } div class={ "in-" (name) } { (self.blocks(blocks)) } }
                }
            } @else {
                section class={ "in-" (name) } aria-labelledby=(id) { h2 id=(id) { (title) } (self.blocks(blocks)) }
            }
        }
    }

    pub(super) fn blocks(&self, blocks: &[Block]) -> Markup {
        html! { @for block in blocks { (self.block(block)) } }
    }

    fn block(&self, block: &Block) -> Markup {
        let words = |text: &Text| self.words(text);
        match block {
            Block::Heading(text) => html! { h3 { (words(text)) } },
            Block::Paragraph(text) => html! { p { (words(text)) } },
            Block::Note(text) => html! { p.note { (words(text)) } },
            Block::Marked { mark, is_warning, text } => {
                html! { p { span.mark.bad[*is_warning] { (words(mark)) } " " (words(text)) } }
            }
            Block::Link { section, text } => html! { p.note { a href={ "#" (self.id(section)) } { (words(text)) } } },
            Block::List(sentences) => html! { ul.claims { @for text in sentences { li { (words(text)) } } } },
            Block::Pairs(pairs) => html! {
                dl { @for (name, value) in pairs { div { dt { (words(name)) } dd { (words(value)) } } } }
            },
            Block::Table(table) | Block::SentenceTable(table) if table.rows.is_empty() => html! {},
            Block::Table(table) | Block::SentenceTable(table) => self::table(table, self.catalogue),
            Block::Charts { legend, charts, are_small } => html! {
                @if !legend.is_empty() { (self.legend(legend)) }
                @if !charts.is_empty() {
                    div class=(if *are_small { "small" } else { "wide" }) { @for chart in charts { (self.chart(chart)) } }
                }
            },
            Block::Code { code, is_log } => html! {
                @if *is_log { pre lang="en" { (code) } } @else { pre { code { (code) } } }
            },
            Block::Advice(text @ AdviceText { says, figures, reason, lines, .. }) => html! {
                div.one.act[text.is_urgent()] {
                    p.says {
                        @if text.is_urgent() { span.mark { (self.catalogue.words("around-advice-act")) } " " }
                        (words(says))
                    }
                    p { (words(reason)) }
                    @if !figures.is_empty() { ul.behind { @for figure in figures { li { (words(figure)) } } } }
                    @for (place, code) in lines {
                        p.place { (self.catalogue.words("around-advice-paste")) code { (place) } }
                        pre { code { (code) } }
                    }
                }
            },
            Block::Class(class, blocks) => html! { div class=(class) { (self.blocks(blocks)) } },
            Block::Fold(title, blocks) => html! {
                details.more { summary { (words(title)) } (self.blocks(blocks)) }
            },
        }
    }

    /// Renders the legend of charts. A name and its line sample stay on one line.
    fn legend(&self, entries: &[LegendEntry]) -> Markup {
        html! {
            p.legend {
                @for entry in entries {
                    span.entry {
                        @let color = format!("color:{}", entry.color);
                        span.swatch.dashed[entry.is_dashed] style=(color) aria-hidden="true" {}
                        @if let Some(symbol) = entry.marker.symbol() {
                            span style=(color) aria-hidden="true" { (symbol) }
                        }
                        span { (plain(&self.catalogue.write(&entry.label))) }
                    }
                }
            }
        }
    }

    fn chart(&self, chart: &Chart) -> Markup {
        let Some(drawing) = draw(chart, &self.id(&chart.name), self.catalogue) else { return html! {} };
        html! {
            figure {
                figcaption {
                    strong { (self.catalogue.write(chart.heading.as_ref().unwrap_or(&chart.title))) }
                    @if !chart.beside.is_empty() { span.worth { (self.catalogue.write(&chart.beside)) } }
                }
                (PreEscaped(drawing.inline()))
            }
        }
    }
}
