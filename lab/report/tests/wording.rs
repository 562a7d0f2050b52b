//! Compares all sentences of synthetic runs, in each language, with a reviewed snapshot (`cargo insta review`).

#![allow(clippy::unwrap_used)]

mod page;
mod synthetic;

use kasoku_report::language::Language;
use kasoku_report::render::{self, TerminalView};
use page::sentences;

#[test]
fn sentences_match_reviewed_snapshots() {
    for language in Language::all() {
        let view = TerminalView { columns: 100, ..TerminalView::plain(language) };
        let text: String = synthetic::documents()
            .iter()
            .map(|(name, document)| {
                let screen = render::screen(document, view);
                format!("== {name}\n{}\n\n{screen}\n", sentences(document, language))
            })
            .collect();
        insta::assert_snapshot!(language.tag(), text);
    }
}
