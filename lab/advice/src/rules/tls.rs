//! Rules about AEADs and key sizes for TLS, QUIC, SSH and VPNs.

use crate::facts::{Aead, AesInstructions, Facts};
use crate::figure::FigureComparison;
use crate::lines;
use crate::rule::{Evidence, RuleFinding, Value, faster, rules};
use kasoku_model::algorithm::Algorithm::*;

rules! {
    "tls-aes-gcm": Tls, Choose, headline; if |facts| clear_winner(facts, Aead::AesGcm); paste |_| lines::TLS;
    when "AES-GCM is shown to be faster than ChaCha20-Poly1305.";

    "tls-chacha20": Tls, Choose, headline; if |facts| clear_winner(facts, Aead::ChaCha20); paste |_| lines::TLS;
    when "ChaCha20-Poly1305 is shown to be faster than AES-GCM.";

    "tls-either": Tls, Choose, headline; if no_winner; paste |_| lines::TLS;
    when "Both were measured, and no difference is shown (or less than 10 %, where there is no interval).";

    "tls-not-measured": Tls, Know, headline; if missing_aead; paste |_| lines::MEASURE_AEADS;
    when "There are figures of ciphers, but not of both AEADs.";

    "key-size-128": Tls, Choose; if |facts| key_size(facts).filter(|_| !facts.is_256_cheap());
    when "AES-256-GCM costs 10 % or more of the throughput of AES-128-GCM.";

    "key-size-256": Tls, Choose; if |facts| key_size(facts).filter(|_| facts.is_256_cheap());
    when "AES-256-GCM costs less than 10 % of the throughput of AES-128-GCM, or no difference is shown.";

    "quic-aes-gcm": Quic, Choose; if |facts| packets(facts, Aead::AesGcm); paste |_| lines::QUIC;
    when "AES-GCM is shown to be faster at the size of a QUIC packet (1,350 to 1,440 bytes).";

    "quic-chacha20": Quic, Choose; if |facts| packets(facts, Aead::ChaCha20); paste |_| lines::QUIC;
    when "ChaCha20-Poly1305 is shown to be faster at the size of a QUIC packet (1,350 to 1,440 bytes).";

    "ssh-aes-gcm": Ssh, Choose; if |facts| preferred(facts, Aead::AesGcm); paste |_| lines::SSH;
    when "AES-GCM comes first by the figures (as for TLS).";

    "ssh-chacha20": Ssh, Choose; if |facts| preferred(facts, Aead::ChaCha20); paste |_| lines::SSH;
    when "ChaCha20-Poly1305 comes first by the figures (as for TLS).";

    "openvpn-aes-gcm": Openvpn, Choose; if |facts| preferred(facts, Aead::AesGcm); paste |_| lines::OPENVPN;
    when "AES-GCM comes first by the figures (as for TLS).";

    "openvpn-chacha20": Openvpn, Choose; if |facts| preferred(facts, Aead::ChaCha20); paste |_| lines::OPENVPN;
    when "ChaCha20-Poly1305 comes first by the figures (as for TLS).";

    "wireguard-fits": Wireguard, Choose; if |facts| with_speed(facts, preferred(facts, Aead::ChaCha20)?);
    when "ChaCha20-Poly1305 comes first by the figures.";

    "wireguard-or-aes": Wireguard, Choose; if |facts| with_speed(facts, faster(facts.aead_comparison()?)?);
    when "AES-GCM is shown to be faster than ChaCha20-Poly1305.";

    "ipsec-aes-gcm": Ipsec, Choose; if |facts| preferred(facts, Aead::AesGcm); paste |_| lines::IPSEC;
    when "AES-GCM comes first by the figures (as for TLS).";

    "ipsec-chacha20": Ipsec, Choose; if |facts| preferred(facts, Aead::ChaCha20); paste |_| lines::IPSEC;
    when "ChaCha20-Poly1305 comes first by the figures (as for TLS).";
}

fn clear_winner(facts: &Facts<'_>, wanted: Aead) -> Option<RuleFinding> {
    let comparison = facts.aead_comparison().filter(|_| facts.aead() == Some(wanted))?;
    let is_128 = comparison.first.algorithm == Aes128Gcm;
    let other = is_128.then(|| facts.figure(Aes256Gcm)).flatten();
    let found = faster(comparison.by_speed())?.behind(other.map(Evidence::Figure));
    Some(found.behind(on_packets(facts).map(Evidence::Comparison)))
}

fn no_winner(facts: &Facts<'_>) -> Option<RuleFinding> {
    let comparison = facts.aead_comparison().filter(|comparison| !comparison.is_shown)?;
    let (comparison, because) = match facts.aead()? {
        Aead::AesGcm => (comparison, "advice-word-gains-most"),
        Aead::ChaCha20 => (comparison.turned(), "advice-word-leaks-nothing"),
    };
    let preferred = Value::Algorithm(comparison.first.algorithm);
    let evidence = [comparison].into_iter().chain(on_packets(facts)).map(Evidence::Comparison);
    Some(RuleFinding::of(evidence).with("preferred", preferred).with("because", Value::Words(because)))
}

fn missing_aead(facts: &Facts<'_>) -> Option<RuleFinding> {
    let (None, Some(_)) = (facts.aead_comparison(), facts.library) else { return None };
    let aeads = [Aes128Gcm, Aes256Gcm, ChaCha20Poly1305];
    let ciphers = [Aes256Cbc, Aes128Cbc, Aes256Ctr, Aes128Ctr];
    // A run without any cipher needs no advice about ciphers.
    aeads.into_iter().chain(ciphers).find_map(|algorithm| facts.figure(algorithm))?;
    let known = aeads.into_iter().filter_map(|algorithm| facts.figure(algorithm));
    let sign = ciphers.into_iter().find_map(|algorithm| facts.gain(algorithm));
    let tells = match facts.aes_instructions() {
        AesInstructions::Present => "advice-word-aes-in-use",
        _ => "advice-word-nothing-tells",
    };
    let found = RuleFinding::of(known.map(Evidence::Figure)).behind(sign.map(Evidence::Comparison));
    Some(found.with("tells", Value::Words(tells)))
}

fn on_packets(facts: &Facts<'_>) -> Option<FigureComparison> {
    Some(facts.comparison_on_packets(Aes128Gcm, ChaCha20Poly1305)?.by_speed())
}

fn key_size(facts: &Facts<'_>) -> Option<RuleFinding> {
    let comparison = facts.comparison(Aes128Gcm, Aes256Gcm)?;
    let cost = Value::Percent(comparison.saved());
    Some(RuleFinding::of([Evidence::Comparison(comparison)]).with("cost", cost))
}

/// Returns a finding if `wanted` is faster both at 16 KiB, which decides the lines to paste, and on QUIC packets.
fn packets(facts: &Facts<'_>, wanted: Aead) -> Option<RuleFinding> {
    let comparison = on_packets(facts).filter(|_| facts.aead() == Some(wanted))?;
    let is_chacha20 = comparison.first.algorithm == ChaCha20Poly1305;
    faster(comparison).filter(|_| is_chacha20 == (wanted == Aead::ChaCha20))
}

fn preferred(facts: &Facts<'_>, wanted: Aead) -> Option<RuleFinding> {
    let comparison = facts.aead_comparison().filter(|_| facts.aead() == Some(wanted))?;
    Some(RuleFinding::of([Evidence::Comparison(comparison.by_speed())]))
}

fn with_speed(facts: &Facts<'_>, found: RuleFinding) -> Option<RuleFinding> {
    Some(found.with("speed", Value::Speed(Box::new(facts.figure(ChaCha20Poly1305)?))))
}
