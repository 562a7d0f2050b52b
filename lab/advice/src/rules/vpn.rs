//! WireGuard and IPsec, and what SSH and OpenVPN share with them.

use crate::facts::{Aead, Facts};
use crate::lines;
use crate::rule::{Evidence, Rule, RuleFinding, Topic, Value, Weight, rule};
use crate::words::vpn as words;
use kasoku_model::algorithm::Algorithm;

pub(super) const RULES: &[Rule] = &[
    rule(&words::WIREGUARD_FITS, Topic::Wireguard, Weight::Choose, |facts| wireguard(facts, Aead::ChaCha20)),
    rule(&words::WIREGUARD_OR_AES, Topic::Wireguard, Weight::Choose, |facts| {
        let comparison = facts.aead_comparison().filter(|comparison| comparison.is_first_faster())?;
        Some(wireguard(facts, Aead::AesGcm)?.with_comparison(comparison))
    }),
    rule(&words::IPSEC_AES_GCM, Topic::Ipsec, Weight::Choose, |facts| by_aead(facts, Aead::AesGcm))
        .with_lines(lines::ipsec),
    rule(&words::IPSEC_CHACHA20, Topic::Ipsec, Weight::Choose, |facts| by_aead(facts, Aead::ChaCha20))
        .with_lines(lines::ipsec),
];

/// That `wanted` comes first, with the figures that say so.
pub(super) fn by_aead(facts: &Facts<'_>, wanted: Aead) -> Option<RuleFinding> {
    let comparison = facts.aead_comparison().filter(|_| facts.aead() == Some(wanted))?;
    Some(RuleFinding::new().behind(Evidence::Comparison(comparison.by_speed())))
}

fn wireguard(facts: &Facts<'_>, wanted: Aead) -> Option<RuleFinding> {
    let found = by_aead(facts, wanted)?;
    let figure = facts.figure(Algorithm::ChaCha20Poly1305)?;
    let found = if wanted == Aead::AesGcm { RuleFinding::new() } else { found };
    Some(found.with("speed", Value::Speed(Box::new(figure))))
}
