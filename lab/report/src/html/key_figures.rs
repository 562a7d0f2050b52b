//! The cards at the top of the page.

use maud::{Markup, html};

use super::page::Page;
use super::parts::Card;
use crate::packets;
use crate::quantity::{figure, size, times};
use crate::selection::{Key, Task};
use crate::verdict::Finding;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, Kind};

impl Page<'_> {
    pub(super) fn key_figures(&self) -> Markup {
        let mut cards: Vec<Card> = self.findings.iter().filter_map(|finding| self.accelerated(finding)).collect();
        cards.extend([Algorithm::Aes128Gcm, Algorithm::ChaCha20Poly1305].iter().filter_map(|a| self.best(*a)));
        cards.extend(packets::cards(self.document, self.messages));
        html! {
            @if !cards.is_empty() {
                section.key aria-label=(self.messages.page.key_figures) {
                    @for (value, name, detail) in &cards {
                        div.card { p.value { (value) } p.name { (name) } p.detail { (detail) } }
                    }
                }
            }
        }
    }

    fn accelerated(&self, finding: &Finding) -> Option<Card> {
        let Finding::Accelerated { algorithm, claim, .. } = finding else { return None };
        let (page, words) = (&self.messages.page, &self.messages.words);
        let speed = |state| {
            let series = self.selection.ranked(Key::new(self.primary?, state, Task::main(*algorithm), claim.bytes))?;
            Some(figure(series.median?, series.unit, words))
        };
        let [on, off] = [Acceleration::On, Acceleration::Off].map(|state| speed(state).unwrap_or_default());
        Some((
            (words.times)(&times(claim.ratio)),
            (page.with_acceleration)(algorithm.title()),
            (page.instead_of)(&on, &off),
        ))
    }

    fn best(&self, algorithm: Algorithm) -> Option<Card> {
        let (primary, bytes) = self.primary.zip(self.selection.yardstick(Kind::Aead))?;
        let ranking = self.selection.ranking(primary, Task::main(algorithm), bytes);
        let (who, series) = ranking.first()?;
        let page = &self.messages.page;
        Some((
            figure(series.median.unwrap_or_default(), series.unit, &self.messages.words),
            (page.at_best)(algorithm.title()),
            (page.at_with)(&size(bytes), &self.selection.full_label(*who)),
        ))
    }
}
