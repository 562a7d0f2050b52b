//! Claims about packets.

use kasoku_model::library::{KASOKU, OPENSSL};
use kasoku_model::workload::packets::PacketOperation;

use super::selection::{PacketPart, PacketSelection, cycles};
use crate::prelude::*;
use crate::quantity::figure;
use crate::selection::by_speed;

/// Libraries that claims are about, if they were measured. Tables show all libraries.
const FEATURED: [&str; 2] = [KASOKU, OPENSSL];
/// Maximum number of contenders with claims. Several builds of a library count separately.
const MAX_FEATURED: usize = 4;
/// Maximum number of sizes that a sentence compares with a TLS record.
const MAX_AGAINST_TLS: usize = 3;

pub(super) fn claims(packets: &PacketSelection<'_>) -> Vec<Claim> {
    // Claims are about one key length: the first that was measured.
    let mut all = packets.algorithms().into_iter().map(|algorithm| (algorithm, packets.main_sizes(algorithm)));
    let Some((algorithm, sizes)) = all.find(|(_, sizes)| !sizes.is_empty()) else { return Vec::new() };
    let maker = PacketClaims { packets, algorithm, sizes };
    let featured = &maker.featured();
    let mut claims: Vec<Claim> = maker.speed(featured).into_iter().chain(maker.lead()).collect();
    for (kind, part) in
        [("packets-header-protection", PacketPart::HeaderProtection), ("packets-setup", PacketPart::Setup)]
    {
        claims.extend(featured.iter().filter_map(|who| maker.effects(kind, part, *who)));
    }
    claims.extend(featured.iter().filter_map(|who| maker.batches(*who)));
    let over_tls: Vec<Claim> = featured.iter().flat_map(|who| maker.over_tls(*who)).collect();
    let scope = (!over_tls.is_empty()).then(|| Claim::new("packets-cipher-only", Subject::default()));
    claims.extend(over_tls.into_iter().chain(scope));
    claims
}

struct PacketClaims<'a> {
    packets: &'a PacketSelection<'a>,
    algorithm: Algorithm,
    /// Representative packet sizes, ascending.
    sizes: Vec<usize>,
}

impl PacketClaims<'_> {
    fn featured(&self) -> Vec<SeriesKey> {
        let all = self.packets.accelerated(self.algorithm);
        let is_called = |who: &&SeriesKey, name| self.packets.library(**who) == name;
        let mut featured: Vec<SeriesKey> =
            FEATURED.iter().flat_map(|name| all.iter().filter(move |who| is_called(who, *name))).copied().collect();
        if featured.is_empty() {
            featured = all;
        }
        featured.truncate(MAX_FEATURED);
        featured
    }

    fn about(&self, library: Text) -> Subject {
        Subject { algorithm: Some(self.algorithm), library, ..Subject::default() }
    }

    /// Names the library, and the number of packets in a call if there are several.
    fn label(&self, who: SeriesKey, batch: usize) -> Text {
        match (batch, self.packets.label(who, true)) {
            (0 | 1, library) => library,
            (_, library) => say!("packets-by", library = library, batch = batch),
        }
    }

    /// Returns the batch sizes that claims compare: one packet, and the largest batch.
    fn compared_batches(&self, who: SeriesKey) -> impl Iterator<Item = usize> + use<> {
        std::iter::once(1).chain(self.packets.batches(who).last().copied())
    }

    /// Claims the throughput of the featured contenders when they send packets of the smallest representative size.
    fn speed(&self, featured: &[SeriesKey]) -> Option<Claim> {
        let bytes = *self.sizes.first()?;
        let bound = self.packets.bound(self.algorithm);
        let ranked = |who: SeriesKey, batch| {
            let series = self.packets.ranked(who.for_packets(PacketOperation::batch(batch), bytes))?;
            Some((self.label(who, batch), series))
        };
        let of_contender = |who: &SeriesKey| -> Vec<(Text, &Series)> {
            self.compared_batches(*who).filter_map(|batch| ranked(*who, batch)).collect()
        };
        let mut speeds: Vec<(Text, &Series)> = featured.iter().flat_map(of_contender).collect();
        speeds.sort_by(|(_, one), (_, other)| by_speed(one, other));
        let effect = |(of, series): (Text, &Series)| {
            let rate = figure(series.median.unwrap_or(0.0), series.unit);
            let share = known(self.packets.share(series, bound).map(percent));
            ClaimEffect { of, figures: vec![("rate", rate.into()), ("share", share)], change: None }
        };
        let effects: Vec<ClaimEffect> = speeds.into_iter().map(effect).collect();
        let fastest = effects.first()?;
        // The headline and the card show the figures of the fastest library.
        let mut claim = Claim::new("packets-speed", Subject::new(self.algorithm, fastest.of.clone(), bytes)).leading();
        claim.figures.clone_from(&fastest.figures);
        claim.listing(effects)
    }

    /// Claims the lead of the fastest library over the next, both with one packet in each call.
    fn lead(&self) -> Option<Claim> {
        let bytes = *self.sizes.first()?;
        let accelerated =
            self.packets.contenders(self.algorithm, true).into_iter().filter(|who| who.state == Acceleration::On);
        let ranked =
            |who: SeriesKey| Some((who, self.packets.ranked(who.for_packets(PacketOperation::PACKET, bytes))?));
        let mut ranking: Vec<(SeriesKey, &Series)> = accelerated.filter_map(ranked).collect();
        ranking.sort_by(|(_, one), (_, other)| by_speed(one, other));
        let [(first, fastest), (second, next), ..] = ranking[..] else { return None };
        let effect = self.packets.effect([Some(fastest), Some(next)])?;
        let [library, next] = [first, second].map(|who| self.packets.label(who, true));
        let claim = Claim::new("packets-lead", Subject { next, ..self.about(library) }).leading();
        claim.listing([ClaimEffect::change(size(bytes), effect)])
    }

    fn effects(&self, kind: &'static str, part: PacketPart, who: SeriesKey) -> Option<Claim> {
        let effect =
            |bytes: &usize| Some(ClaimEffect::change(size(*bytes), self.packets.part_effect(who, part, *bytes)?));
        let effects = self.sizes.iter().filter_map(effect);
        Claim::new(kind, self.about(self.packets.label(who, true))).listing(effects)
    }

    fn batches(&self, who: SeriesKey) -> Option<Claim> {
        let batch = self.packets.batches(who).last().copied()?;
        Some(self.effects("packets-batches", PacketPart::Batch(batch), who)?.with("batch", batch))
    }

    /// Claims the cost of a byte in a packet relative to a byte in a TLS record.
    fn over_tls(&self, who: SeriesKey) -> Vec<Claim> {
        let Some((record_bytes, record)) = self.packets.record(who) else { return Vec::new() };
        let sizes = self.packets.sizes_against_tls(self.algorithm);
        let claim = |batch: usize| {
            let effects = sizes.iter().filter_map(|bytes| {
                let (cycles, effect) = self.packets.over_tls(who, batch, record, *bytes)?;
                let figures = vec![("cycles", known(cycles.map(digits)))];
                Some(ClaimEffect { figures, ..ClaimEffect::change(size(*bytes), effect) })
            });
            Claim::new("packets-over-tls", self.about(self.label(who, batch)))
                .with("batch", batch)
                .with("record", size(record_bytes))
                .with("cycles", known(cycles(record).map(digits)))
                .listing(effects.take(MAX_AGAINST_TLS))
        };
        self.compared_batches(who).filter_map(claim).collect()
    }
}

/// Returns the figure, or the word that messages use for a missing figure.
fn known(figure: Option<String>) -> Text {
    figure.unwrap_or_else(|| "none".to_owned()).into()
}
