//! The page's section about data from end to end: what it means in words, a chart of what a gigabyte costs, the tables.

use maud::{Markup, PreEscaped, html};

use crate::chart::{self, Block, Caption, ShareBar};
use crate::html::contents::Section;
use crate::html::parts::told;
use crate::html::table::table_over_notes;
use crate::language::Messages;
use crate::quantity::digits;
use crate::visible::short;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;
use kasoku_model::library::KASOKU;

use super::finding::findings;
use super::selection::{Of, Row, Rows, What};
use super::tables;

/// The section; `None` if no data was moved.
pub(crate) fn section(document: &Document, prefix: &str, messages: &'static Messages) -> Option<Section> {
    let rows = Rows::new(document);
    if rows.all.is_empty() {
        return None;
    }
    let words = &messages.transfer;
    let id = format!("{prefix}-transfer");
    let findings = findings(document);
    let body = html! {
        p { (words.explained) }
        (told(findings.iter().map(|finding| finding.sentence(messages.language))))
        @for algorithm in rows.algorithms() {
            (chart(&rows, algorithm, &id, messages))
            @for table in tables::of_algorithm(&rows, algorithm, messages) { (table_over_notes(table)) }
        }
    };
    Some(Section::new(id, words.title, body))
}

/// CPU seconds for a gigabyte, with the kernel's share.
fn chart(rows: &Rows<'_>, algorithm: Algorithm, id: &str, messages: &'static Messages) -> Markup {
    let words = &messages.transfer;
    let bar = |row: &Row<'_>| {
        let is_ours = row.who.library == KASOKU;
        Some(ShareBar {
            label: short(&row.who.name(messages), 24),
            color: if is_ours { "var(--kasoku)" } else { "var(--s4)" }.to_owned(),
            value: row.seconds(Of::Both)?,
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
        let bar = |bar: &ShareBar| {
            let share = bar.share.map(|share| format!(" ({share:.0} %)")).unwrap_or_default();
            format!("{} {}{share}", bar.label, digits(bar.value))
        };
        format!("{}: {}", block.heading, block.bars.iter().map(bar).collect::<Vec<_>>().join(", "))
    });
    let title = (words.costs)(algorithm.title());
    let description = format!("{title}. {}", told.collect::<Vec<_>>().join("; "));
    let caption = Caption { id: format!("{id}-{algorithm}"), title: title.clone(), description };
    html! {
        @if let Some(svg) = chart::shares(&caption, &blocks, &[]) {
            div.wide { figure { figcaption { strong { (algorithm.title()) } span.worth { (words.chart_unit) } } (PreEscaped(svg)) } }
        }
    }
}
