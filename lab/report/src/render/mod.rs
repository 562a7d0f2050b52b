//! Renders blocks as terminal text, pages, Markdown and SVG files in a language. The other modules of this crate do not
//! depend on the language.

mod advice;
mod catalogue;
mod chart;
mod html;
mod markdown;
mod page;
mod site;
pub(crate) mod terminal;

use crate::Format;
use crate::claim::claims;
use crate::export::{csv, json};
use crate::facts;
use crate::language::Language;
use crate::list;
use crate::prelude::*;
use crate::screen;
use serde_json::Value;

pub use advice::{advice, rules};
pub(crate) use catalogue::{Catalogue, catalogue};
pub use page::{ChartFile, charts, page};
pub use site::{SiteFile, site_folders, site_page};
pub use terminal::{TerminalView, WIDTH};

pub fn screen(document: &Document, view: TerminalView) -> String {
    terminal::text(&screen::screen(document), TerminalView { is_compact: true, ..view })
}

pub fn full(document: &Document, view: TerminalView) -> String {
    terminal::text(&screen::full(document), view)
}

pub fn left_out(document: &Document, view: TerminalView) -> String {
    terminal::text(&screen::left_out(document), view)
}

/// Returns `document` in `format`. CSV and JSON do not depend on `language`.
pub fn export(document: &Document, format: Format, language: Language) -> String {
    match format {
        Format::Table => full(document, TerminalView::plain(language)),
        Format::Json => json::text(document),
        Format::Csv => csv::csv(document),
        Format::Markdown => markdown::markdown(&markdown_title(document), &markdown_blocks(document), language),
    }
}

pub fn output(output: &Output, format: Format, view: TerminalView) -> String {
    match format {
        Format::Table => {
            let title = (!output.title.is_empty()).then(|| Block::Heading(output.title.clone()));
            terminal::text(&title.into_iter().chain(output.blocks.iter().cloned()).collect::<Vec<_>>(), view)
        }
        Format::Json => json::text(&output.objects),
        Format::Csv => output.csv.clone(),
        Format::Markdown => markdown::markdown(&output.title, &output.blocks, view.language),
    }
}

/// Returns an English list in `format`: `rows` under `headings`, or `objects` as JSON.
pub fn list(headings: &[&str], rows: &[Vec<String>], objects: &Value, format: Format) -> String {
    output(&list::list(headings, rows, objects), format, TerminalView::plain(Language::ENGLISH))
}

/// Returns the list of `rows` in `format`. The heading of each column is the translated message `lists-NAME`, where
/// NAME is the column's name in `names`. CSV has `names` as headings and is always in English.
pub fn named_list(
    names: &[&'static str],
    rows: &[Vec<Text>],
    objects: Value,
    format: Format,
    view: TerminalView,
) -> String {
    let english = catalogue(Language::ENGLISH);
    let cells: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| english.write(cell)).collect()).collect();
    let (blocks, csv) = (vec![Block::Table(list::named(names.iter().copied(), rows))], csv::list(names, &cells));
    output(&Output { title: Text::EMPTY, blocks, csv, objects }, format, view)
}

pub fn words(text: &Text, language: Language) -> String {
    catalogue(language).write(text)
}

fn markdown_title(document: &Document) -> Text {
    say!("page-window", machine = short(document.machine.label(), 100))
}

fn markdown_blocks(document: &Document) -> Vec<Block> {
    let run = &document.run;
    let name = match run.started.as_str() {
        "" => say!("terminal-run-sentence", run = short(&run.id, 60)),
        started => say!("terminal-run-sentence-with-started", run = short(&run.id, 60), started = short(started, 40)),
    };
    let mut blocks = vec![Block::Paragraph(name)];
    blocks.extend(facts::origin(document).map(Block::Paragraph));
    blocks.extend(Block::sentences(&claims(document)));
    blocks.extend(screen::figures(document));
    blocks
}
