//! What acceleration is worth, and which library is fastest.

use maud::{Markup, html};

use super::contents::Section;
use super::page::RunPage;
use super::table::table;
use crate::primitives::{self, KINDS, Ratios};
use kasoku_model::algorithm::AlgorithmKind;

impl RunPage<'_> {
    pub(super) fn ratios(&self) -> Option<Section> {
        let of_kind = |kind| Some((kind, primitives::ratios(&self.selection, kind)?));
        let ratios: Vec<(AlgorithmKind, Ratios)> = KINDS.into_iter().filter_map(of_kind).collect();
        let words = &self.messages.page;
        let explained = if self.selection.is_quoted() { self.messages.origin.ratios } else { words.ratios_explained };
        let body = html! {
            p { (explained) }
            @for (kind, ratios) in &ratios { (self.ratios_of(*kind, ratios)) }
        };
        let is_any = self.document.run.complete && !ratios.is_empty();
        is_any.then(|| Section::folded(None, self.id("ratios"), words.on_and_off, body))
    }

    fn ratios_of(&self, kind: AlgorithmKind, ratios: &Ratios) -> Markup {
        let words = &self.messages.words;
        let nowhere = |libraries: &[String]| (self.messages.page.nowhere_different)(&libraries.join(words.comma));
        match ratios {
            Ratios::Table(ratios) => table(ratios),
            Ratios::NowhereDifferent(libraries) => {
                html! { p { strong { ((words.kind)(kind)) } (nowhere(libraries)) } }
            }
        }
    }

    pub(super) fn rankings(&self) -> Option<Section> {
        let primary = self.primary.filter(|_| self.document.run.complete)?;
        let fastest = primitives::fastest(&self.selection, primary);
        let is_any = !fastest.rows.is_empty();
        is_any.then(|| Section::folded(None, self.id("fastest"), self.messages.page.fastest, table(&fastest)))
    }
}
