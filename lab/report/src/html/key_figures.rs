//! The cards at the top of the page, and what its title says of them.

use maud::{Markup, html};

use super::libraries::Lead;
use super::page::RunPage;
use super::parts::Card;
use crate::packets;
use crate::quantity::{figure, size, times};
use crate::selection::{SeriesKey, Task};
use crate::verdict::Finding;
use crate::visible::short;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};

/// The most cards.
const MAX: usize = 5;
/// The longest name of a library.
const NAME: usize = 20;

impl RunPage<'_> {
    pub(super) fn key_figures(&self) -> Markup {
        let (first, others) = self.gains();
        let leads = self.leads();
        let mut cards: Vec<Card> = first.into_iter().collect();
        cards.extend(leads.iter().map(|lead| self.ahead(lead)));
        if leads.len() < 2 {
            cards.extend(packets::card(self.document, self.messages));
        }
        cards.extend(others);
        cards.extend([Algorithm::Aes128Gcm, Algorithm::ChaCha20Poly1305].iter().filter_map(|a| self.best(*a)));
        cards.truncate(MAX);
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

    /// What the page found, in a few words: `AES-128-GCM 22×, kasoku 1.23× aws-lc`.
    pub(super) fn found(&self) -> Option<String> {
        let words = &self.messages.words;
        let gain = self.findings.iter().find_map(|finding| match finding {
            Finding::Accelerated { algorithm: algorithm @ Algorithm::Aes128Gcm, claim, .. } => {
                Some(format!("{} {}", algorithm.title(), (words.times)(&times(claim.ratio))))
            }
            _ => None,
        });
        let lead = self.leads().first().map(|lead| {
            let [first, second] = [lead.first, lead.second].map(|series| short(&series.library, NAME));
            (self.messages.page.ahead)(&first, &(words.times)(&times(lead.by.ratio)), &second)
        });
        let found: Vec<String> = gain.into_iter().chain(lead).collect();
        (!found.is_empty()).then(|| found.join(words.comma))
    }

    /// What acceleration brings to AES-128-GCM, and to the others.
    fn gains(&self) -> (Option<Card>, Vec<Card>) {
        let is_main = |finding: &&Finding| {
            matches!(finding, Finding::Accelerated { algorithm: Algorithm::Aes128Gcm | Algorithm::Aes256Gcm, .. })
        };
        let card = |finding: &Finding| self.accelerated(finding);
        let (main, others): (Vec<&Finding>, Vec<&Finding>) = self.findings.iter().partition(is_main);
        (main.into_iter().find_map(card), others.into_iter().filter_map(card).collect())
    }

    fn ahead(&self, lead: &Lead<'_>) -> Card {
        let (page, words) = (&self.messages.page, &self.messages.words);
        let [first, second] = [lead.first, lead.second].map(|series| short(&series.library, NAME));
        let [fast, slow] = &lead.figures;
        (
            (words.times)(&times(lead.by.ratio)),
            (page.against)(&first, &second),
            (page.ahead_at)(&lead.title, fast, slow),
        )
    }

    fn accelerated(&self, finding: &Finding) -> Option<Card> {
        let Finding::Accelerated { algorithm, claim, .. } = finding else { return None };
        let (page, words) = (&self.messages.page, &self.messages.words);
        let speed = |state| {
            let series =
                self.selection.ranked(SeriesKey::new(self.primary?, state, Task::main(*algorithm), claim.bytes))?;
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
        let (primary, bytes) = self.primary.zip(self.selection.yardstick(AlgorithmKind::Aead))?;
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
