//! SSH and VPNs.

use crate::facts::{Aead, Facts};
use crate::lines;
use crate::rule::{Evidence, RuleFinding, Value, faster, rules};
use kasoku_model::algorithm::Algorithm::*;

rules! {
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

/// Applies if `wanted` comes first, with the figures that say so.
fn preferred(facts: &Facts<'_>, wanted: Aead) -> Option<RuleFinding> {
    let comparison = facts.aead_comparison().filter(|_| facts.aead() == Some(wanted))?;
    Some(RuleFinding::of([Evidence::Comparison(comparison.by_speed())]))
}

fn with_speed(facts: &Facts<'_>, found: RuleFinding) -> Option<RuleFinding> {
    Some(found.with("speed", Value::Speed(Box::new(facts.figure(ChaCha20Poly1305)?))))
}
