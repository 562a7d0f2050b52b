//! The page's section about data from end to end: what it means in words, a chart of what a gigabyte costs, the tables.

use maud::{Markup, html};

use crate::chart::{self, Block, ShareBar};
use crate::html::contents::{Section, fold};
use crate::html::gallery::{Gallery, Said};
use crate::html::parts::told;
use crate::html::table::table_over_notes;
use crate::language::Messages;
use crate::visible::short;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;

use super::finding::findings;
use super::selection::{TransferSelection, TransferSeries, TransferSide, What};
use super::tables;

/// The section; `None` if no data was moved.
pub(crate) fn section(document: &Document, gallery: &Gallery, messages: &'static Messages) -> Option<Section> {
    let rows = TransferSelection::new(document, messages);
    if rows.all.is_empty() {
        return None;
    }
    let words = &messages.transfer;
    let findings = findings(document, messages);
    let charts: Vec<Markup> =
        rows.algorithms().into_iter().filter_map(|algorithm| chart(&rows, algorithm, gallery)).collect();
    let body = html! {
        (told(findings.iter().map(|finding| finding.sentence(messages.language))))
        @if !charts.is_empty() { div.wide { @for chart in &charts { (chart) } } }
        (fold(words.more, html! {
            p { (words.explained) }
            @for algorithm in rows.algorithms() {
                @for table in tables::of_algorithm(&rows, algorithm) { (table_over_notes(table)) }
            }
        }))
    };
    Some(Section::new(gallery.id("transfer"), words.title, body))
}

/// CPU seconds for a gigabyte, with the kernel's share.
fn chart(rows: &TransferSelection<'_>, algorithm: Algorithm, gallery: &Gallery) -> Option<Markup> {
    let messages = rows.messages;
    let words = &messages.transfer;
    let bar = |row: &TransferSeries<'_>| {
        Some(ShareBar {
            label: short(&row.who.name(messages), 24),
            color: gallery.palette.color(&row.who.library).to_owned(),
            value: row.seconds(TransferSide::Both)?,
            interval: None,
            share: row.kernel().map(|share| 100.0 * share),
        })
    };
    let block = |what: What| Block {
        heading: what.name(messages),
        bars: rows.all.iter().filter(|row| row.what == what).filter_map(bar).collect(),
    };
    let whats = rows.whats().into_iter().filter(|what| what.algorithm == algorithm);
    let blocks: Vec<Block> = whats.map(block).collect();
    let told = blocks.iter().map(|block| {
        let bars: Vec<String> = block.bars.iter().map(ShareBar::described).collect();
        format!("{}: {}", block.heading, bars.join(", "))
    });
    let title = (words.costs)(algorithm.title());
    let description = format!("{title}. {}", told.collect::<Vec<_>>().join("; "));
    let said = Said {
        title,
        heading: Some(algorithm.title().to_owned()),
        beside: Some(words.chart_unit.to_owned()),
        description,
        ..Said::default()
    };
    gallery.figure(&format!("transfer-{algorithm}"), said, |caption| chart::shares(caption, &blocks, &[]))
}
