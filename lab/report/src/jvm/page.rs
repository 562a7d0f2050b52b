//! The page's section about Java.

use maud::html;

use crate::html::contents::{Section, fold};
use crate::html::gallery::Gallery;
use crate::html::parts::{sentence, told};
use crate::html::table::table_over_notes;
use crate::language::Messages;
use crate::selection::Selection;
use kasoku_model::document::Document;
use kasoku_model::level::Level;

use super::finding::findings;
use super::{https, tables};

/// The section; `None` if the document has nothing of Java.
pub(crate) fn section(document: &Document, gallery: &Gallery, messages: &'static Messages) -> Option<Section> {
    if !document.series.iter().any(|series| series.level == Level::Jvm) {
        return None;
    }
    let words = &messages.jvm;
    let selection = Selection::of_level(document, Level::Jvm, messages);
    let findings = findings(document, messages);
    let tables = [
        tables::score_table(&selection, true),
        tables::parts(&selection),
        tables::ciphers(&selection, None),
        tables::flags(&selection),
    ];
    let body = html! {
        (told(findings.iter().map(|finding| finding.sentence(messages.language))))
        (fold(words.more, html! {
            p { (words.explained) }
            @for table in tables.into_iter().flatten().chain(https::tables(&selection, true)) {
                (table_over_notes(table))
            }
            p { (sentence(words.choose)) }
        }))
    };
    Some(Section::new(gallery.id("jvm"), words.title, body))
}
