//! The HTML page of runs, `kasoku-RUN.html`, which needs no other file, and its charts as SVG files.

use maud::{Markup, html};

use super::catalogue::{Catalogue, catalogue};
use super::chart::{draw, file};
use super::html::{CONTENT, Html, POLICY, STYLE, contents, frame};
use crate::language::Language;
use crate::page::{RunReport, Shown, source};
use crate::prelude::*;
use kasoku_model::name::plain;

#[derive(Clone, Debug)]
pub struct ChartFile {
    /// Name of the chart for the option `--chart`.
    pub name: String,
    pub title: String,
    /// SVG text of the chart, which needs no other file.
    pub svg: String,
}

impl ChartFile {
    /// Whether `name` is the chart's name or title. Ignores differences in spelling, such as upper and lower case.
    pub fn is_called(&self, name: &str) -> bool {
        [&self.name, &self.title].iter().any(|own| plain(own) == plain(name))
    }
}

pub fn page(runs: &[Shown<'_>], language: Language) -> String {
    let catalogue = catalogue(language);
    let reports: Vec<RunReport> = runs.iter().map(|run| RunReport::new(*run)).collect();
    let (title, description) = match reports.as_slice() {
        [only] => (only.window_title.clone(), only.headline.as_ref()),
        _ => (say!("page-runs", count = runs.len()), None),
    };
    let body = html! {
        (content(&reports, &html! {}, &[], &[], catalogue))
        footer { p { (catalogue.words("page-footer")) } }
    };
    let description = description.map(|description| catalogue.write(description)).unwrap_or_default();
    frame([&catalogue.write(&title), &description, POLICY, STYLE], &body, catalogue).into_string()
}

/// Renders runs one after another, then `blocks` and `sections` that belong to the whole page. The header of a single
/// run replaces `own_header`. Each of several runs becomes an article.
pub(super) fn content(
    runs: &[RunReport],
    own_header: &Markup,
    blocks: &[Block],
    sections: &[Section],
    catalogue: &'static Catalogue,
) -> Markup {
    let prefixes: Vec<String> = (1..=runs.len()).map(|number| format!("r{number}")).collect();
    let runs: Vec<(Html<'_>, &RunReport)> =
        prefixes.iter().zip(runs).map(|(prefix, run)| (Html { catalogue, prefix }, run)).collect();
    let (no_name, own_sections) = (Text::EMPTY, (!sections.is_empty()).then_some(sections));
    let name = |run: &RunReport| if runs.len() > 1 { run.name.clone() } else { Text::EMPTY };
    let names: Vec<Text> = runs.iter().map(|(_, run)| name(run)).collect();
    let parts = runs.iter().zip(&names).map(|((html, run), name)| (html.prefix, name, &*run.sections));
    let parts: Vec<(&str, &Text, &[Section])> = parts.chain(own_sections.map(|own| ("", &no_name, own))).collect();
    let own = Html { catalogue, prefix: "" };
    html! {
        @if let [(html, only)] = runs.as_slice() { (header(html, only)) } @else { (own_header) }
        @if !runs.is_empty() { (contents(catalogue, &parts)) }
        main id=(CONTENT) {
            @if let [(html, only)] = runs.as_slice() { (run(html, only)) } @else {
                @for (html, one) in &runs { article { (header(html, one)) (run(html, one)) } }
            }
            (own.blocks(blocks))
            @for section in sections { (own.section(section)) }
        }
    }
}

pub fn charts(run: Shown<'_>, language: Language) -> Vec<ChartFile> {
    let catalogue = catalogue(language);
    let source = catalogue.write(&source(run.document));
    let sections = RunReport::new(run).sections;
    let chart = |chart: &crate::chart::Chart| {
        let drawing = draw(chart, &format!("r1-{}", chart.name), catalogue)?;
        let svg = file(chart, &drawing, &source, catalogue);
        Some(ChartFile { name: chart.name.clone(), title: catalogue.write(&chart.title), svg })
    };
    sections.iter().flat_map(|section| &section.blocks).flat_map(Block::all_charts).filter_map(chart).collect()
}

fn header(html: &Html<'_>, run: &RunReport) -> Markup {
    let catalogue = html.catalogue;
    let RunReport { title, alert, headline, quality, has_notes, facts, origin, .. } = run;
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

fn run(html: &Html<'_>, run: &RunReport) -> Markup {
    let catalogue = html.catalogue;
    html! {
        @if !run.cards.is_empty() {
            section.key aria-label=(catalogue.words("page-key-figures")) {
                @for [value, name, detail] in &run.cards {
                    div.card {
                        p.value { (catalogue.write(value)) }
                        p.name { (catalogue.write(name)) }
                        p.detail { (catalogue.write(detail)) }
                    }
                }
            }
        }
        @for section in &run.sections { (html.section(section)) }
    }
}
