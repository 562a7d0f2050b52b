//! The page's section about data from end to end: what it means in words, a chart of what a gigabyte costs, the tables.

use maud::{Markup, PreEscaped, html};

use crate::chart::{self, Block, Caption, ShareBar};
use crate::html::contents::Section;
use crate::html::parts::{sentence, told};
use crate::html::table::table;
use crate::language::Messages;
use crate::quantity::digits;
use crate::table::Table;
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
            (with_notes(Some(tables::costs(&rows, algorithm, messages, true))))
            (with_notes(tables::gains(&rows, algorithm, messages)))
            (with_notes(tables::over_tls(&rows, algorithm, messages)))
        }
    };
    Some(Section::new(id, words.title, body))
}

/// A table, and below it what its reader must know: sentences would make it wider than its figures.
fn with_notes(grid: Option<Table>) -> Markup {
    let Some(mut grid) = grid else { return html! {} };
    let notes = std::mem::take(&mut grid.notes);
    // What a row is about stays in sight where the rest scrolls by: one column for both.
    let both = |what: &str, who: &str| format!("{}\u{a0}· {}", what.replace(' ', "\u{a0}"), who.replace(' ', "\u{a0}"));
    let who = grid.columns.remove(1);
    grid.columns[0].heading = both(&grid.columns[0].heading, &who.heading);
    for row in &mut grid.rows {
        let who = row.remove(1);
        row[0].value = both(&row[0].value, &who.value);
    }
    html! {
        (table(&grid))
        @for note in &notes { p.note { (sentence(note)) } }
    }
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
