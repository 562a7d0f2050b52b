//! TLS and QUIC: which AEAD, and which key size.

use crate::facts::{Aead, Facts};
use crate::figure::FigureComparison;
use crate::lines;
use crate::rule::{Evidence, Rule, RuleFinding, Topic, Value, Weight, rule};
use crate::words::tls as words;
use kasoku_model::algorithm::Algorithm;

pub(super) const RULES: &[Rule] = &[
    rule(&words::TLS_AES_GCM, Topic::Tls, Weight::Choose, |facts| clear_winner(facts, Aead::AesGcm))
        .in_headline()
        .with_lines(lines::tls),
    rule(&words::TLS_CHACHA20, Topic::Tls, Weight::Choose, |facts| clear_winner(facts, Aead::ChaCha20))
        .in_headline()
        .with_lines(lines::tls),
    rule(&words::TLS_EITHER, Topic::Tls, Weight::Choose, |facts| {
        let comparison = facts.aead_comparison().filter(|comparison| !comparison.is_shown)?;
        let (comparison, because) = match facts.aead()? {
            Aead::AesGcm => (comparison, words::GAINS_MOST),
            Aead::ChaCha20 => (comparison.turned(), words::DOES_NOT_LEAK),
        };
        let preferred = Value::Algorithm(comparison.first.algorithm);
        let found = RuleFinding::new().with("preferred", preferred).with("because", because);
        Some(found.behind(Evidence::Comparison(comparison)).behind_all(on_packets(facts)))
    })
    .in_headline()
    .with_lines(lines::tls),
    rule(&words::TLS_NOT_MEASURED, Topic::Tls, Weight::Know, |facts| {
        let missing = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305];
        let (None, Some(_)) = (facts.aead_comparison(), facts.library()) else { return None };
        // Without any cipher among the figures nobody asked for advice on one.
        let ciphers = [Algorithm::Aes256Cbc, Algorithm::Aes128Cbc, Algorithm::Aes256Ctr, Algorithm::Aes128Ctr];
        let known: Vec<_> = missing.into_iter().filter_map(|algorithm| facts.figure(algorithm)).collect();
        if known.is_empty() && !ciphers.into_iter().any(|algorithm| facts.figure(algorithm).is_some()) {
            return None;
        }
        let sign = ciphers.into_iter().find_map(|algorithm| facts.gain(algorithm));
        let tells = if facts.aes_instructions().are_there() { words::AES_IS_IN_USE } else { words::NOTHING_TELLS };
        let evidence = known.into_iter().map(Evidence::Figure).chain(sign.map(Evidence::Comparison));
        Some(RuleFinding::new().with("tells", tells).behind_all(evidence))
    })
    .in_headline()
    .with_lines(lines::measure_aeads),
    rule(&words::KEY_SIZE_128, Topic::Tls, Weight::Choose, |facts| key_size(facts).filter(|_| !facts.is_256_cheap())),
    rule(&words::KEY_SIZE_256, Topic::Tls, Weight::Choose, |facts| key_size(facts).filter(|_| facts.is_256_cheap())),
    rule(&words::QUIC_AES_GCM, Topic::Quic, Weight::Choose, |facts| {
        quic(facts, |comparison| comparison.is_first_faster())
    })
    .with_lines(lines::quic),
    rule(&words::QUIC_CHACHA20, Topic::Quic, Weight::Choose, |facts| {
        quic(facts, |comparison| comparison.is_second_faster())
    })
    .with_lines(lines::quic),
];

fn clear_winner(facts: &Facts<'_>, wanted: Aead) -> Option<RuleFinding> {
    let comparison =
        facts.aead_comparison().filter(|comparison| comparison.is_shown && facts.aead() == Some(wanted))?;
    let other = match comparison.first.algorithm {
        Algorithm::Aes128Gcm => facts.figure(Algorithm::Aes256Gcm).map(Evidence::Figure),
        _ => None,
    };
    Some(RuleFinding::new().with_comparison(comparison.by_speed()).behind_all(other).behind_all(on_packets(facts)))
}

fn on_packets(facts: &Facts<'_>) -> Option<Evidence> {
    let comparison = facts.comparison_on_packets(Algorithm::Aes128Gcm, Algorithm::ChaCha20Poly1305)?;
    Some(Evidence::Comparison(comparison.by_speed()))
}

fn key_size(facts: &Facts<'_>) -> Option<RuleFinding> {
    let comparison = facts.key_size_comparison()?;
    let cost = Value::Percent((1.0 - 1.0 / comparison.ratio) * 100.0);
    Some(RuleFinding::new().with("cost", cost).behind(Evidence::Comparison(comparison)))
}

fn quic(facts: &Facts<'_>, is_wanted: fn(&FigureComparison) -> bool) -> Option<RuleFinding> {
    let comparison =
        facts.comparison_on_packets(Algorithm::Aes128Gcm, Algorithm::ChaCha20Poly1305).filter(is_wanted)?;
    // The lines follow the choice at 16 KiB: where packets say otherwise there is nothing to paste that serves both.
    let is_same = match facts.aead()? {
        Aead::AesGcm => comparison.is_first_faster(),
        Aead::ChaCha20 => comparison.is_second_faster(),
    };
    is_same.then(|| RuleFinding::new().with_comparison(comparison.by_speed()))
}
