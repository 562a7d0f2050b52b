//! Every figure, in tables.

use maud::html;

use super::contents::Section;
use super::page::RunPage;
use super::table::table;
use crate::primitives;
use crate::selection::{Selection, levels};
use kasoku_model::level::Level;

impl RunPage<'_> {
    pub(super) fn tables(&self) -> Option<Section> {
        // Those of packets stand in their own section.
        let levels: Vec<Level> = levels(self.document).into_iter().filter(|level| *level != Level::Packets).collect();
        let words = &self.messages.page;
        let body = html! {
            @if self.selection.is_quoted() {
                p { (self.messages.origin.figures) }
            } @else {
                p {
                    (words.figures_explained) span.good { "✓" } (words.verified_means) span.bad { "!" }
                    (words.unverified_means)
                }
            }
            @for level in &levels {
                @if *level != Level::Primitives { h3 { (level) } }
                @let selection = Selection::of_level(self.document, *level, self.messages);
                @for figures in primitives::tables(&selection, None) { (table(&figures)) }
            }
        };
        (!levels.is_empty()).then(|| Section::folded(None, self.id("figures"), words.figures, body))
    }
}
