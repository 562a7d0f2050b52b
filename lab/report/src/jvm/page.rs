//! The page's section about Java.

use maud::{Markup, html};

use crate::html::contents::Section;
use crate::html::parts::{sentence, told};
use crate::html::table::table;
use crate::language::Messages;
use crate::level::JVM;
use crate::selection::Selection;
use crate::table::Table;
use kasoku_model::document::Document;

use super::finding::findings;
use super::tables;

/// The section; `None` if the document has nothing of Java.
pub(crate) fn section(document: &Document, prefix: &str, messages: &'static Messages) -> Option<Section> {
    if !document.series.iter().any(|series| series.level == JVM) {
        return None;
    }
    let words = &messages.jvm;
    let selection = Selection::of_level(document, JVM, messages);
    let findings = findings(document, messages);
    let ciphers = tables::ciphers(&selection, None);
    let body = html! {
        p { (words.explained) }
        (told(findings.iter().map(|finding| finding.sentence(messages.language))))
        @if let Some(scores) = tables::score_table(&selection, true) { (with_notes(scores)) }
        @if let Some(parts) = tables::parts(&selection) { (with_notes(parts)) }
        @if !ciphers.rows.is_empty() { (with_notes(ciphers)) }
        @if let Some(flags) = tables::flags(&selection) { (with_notes(flags)) }
        p { (sentence(words.choose)) }
    };
    Some(Section::new(format!("{prefix}-jvm"), words.title, body))
}

/// A table with its notes beneath: they are longer than it is wide.
fn with_notes(grid: Table) -> Markup {
    let bare = Table { page_notes: Some(Vec::new()), ..grid };
    html! { (table(&bare)) @for note in &bare.notes { p { (note) } } }
}
