//! WireGuard and IPsec, and what SSH and OpenVPN share with them.

use crate::facts::{Aead, Facts};
use crate::lines;
use crate::rule::{Evidence, Found, Rule, Topic, Value, Weight, Wording, no_lines};
use kasoku_model::algorithm::Algorithm;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "wireguard-fits",
        topic: Topic::Wireguard,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| wireguard(facts, Aead::ChaCha20),
        english: Wording {
            when: "ChaCha20-Poly1305 comes first by the figures.",
            says: "WireGuard is the VPN for this machine: its only cipher, ChaCha20-Poly1305, is the fast one here \
                   ({speed} on one core).",
            reason: "WireGuard has no cipher to set. The kernel has code of its own, so take the figure as an order of \
                     magnitude; the network’s own work comes on top.",
        },
        japanese: Wording {
            when: "値から ChaCha20-Poly1305 が優先されるとき。",
            says: "この機器の VPN には WireGuard が向いています。唯一の暗号である ChaCha20-Poly1305 が、ここでは速い暗号です（1 コアで {speed}）。",
            reason: "WireGuard に暗号の設定はありません。カーネルの実装は別物なので、値は目安です。実際にはネットワーク処理の時間が加わります。",
        },
        lines: no_lines,
    },
    Rule {
        id: "wireguard-or-aes",
        topic: Topic::Wireguard,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let comparison = facts.aead_comparison().filter(|comparison| comparison.is_first_faster())?;
            Some(wireguard(facts, Aead::AesGcm)?.with_comparison(comparison))
        },
        english: Wording {
            when: "AES-GCM is shown to be faster than ChaCha20-Poly1305.",
            says: "WireGuard can only use ChaCha20-Poly1305, {speed} on one core here; where that is too little, IPsec or \
                   OpenVPN with AES-GCM has {times} times that cipher throughput.",
            reason: "WireGuard has no cipher to set. Up to a link of 1 Gbit/s (125 MB/s) the difference seldom shows, and \
                     its simplicity speaks for it. The kernel has code of its own, so take the figure as an order of \
                     magnitude; the network’s own work comes on top.",
        },
        japanese: Wording {
            when: "AES-GCM が ChaCha20-Poly1305 より速いと示されたとき。",
            says: "WireGuard の暗号は ChaCha20-Poly1305 だけで、ここでは 1 コアで {speed} です。足りない場合は、AES-GCM を使う IPsec か OpenVPN にすると\
                   暗号のスループットが {times} 倍になります。",
            reason: "WireGuard に暗号の設定はありません。1 Gbit/s（125 MB/s）までの回線では差が現れにくく、構成の簡単さが利点になります。\
                     カーネルの実装は別物なので、値は目安です。実際にはネットワーク処理の時間が加わります。",
        },
        lines: no_lines,
    },
    Rule {
        id: "ipsec-aes-gcm",
        topic: Topic::Ipsec,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| by_aead(facts, Aead::AesGcm),
        english: Wording {
            when: "AES-GCM comes first by the figures (as for TLS).",
            says: "Propose AES-GCM with its 16-byte tag for ESP.",
            reason: "The first proposal that both sides have is taken. The kernel does the work with code of its own, \
                     which uses the same instructions.",
        },
        japanese: Wording {
            when: "値から AES-GCM が優先されるとき（TLS と同じ判断）。",
            says: "IPsec の ESP では、タグ 16 バイトの AES-GCM を先頭に提案します。",
            reason: "両側が対応する最初の提案が使われます。処理はカーネルの実装が行いますが、使う命令は同じです。",
        },
        lines: lines::ipsec,
    },
    Rule {
        id: "ipsec-chacha20",
        topic: Topic::Ipsec,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| by_aead(facts, Aead::ChaCha20),
        english: Wording {
            when: "ChaCha20-Poly1305 comes first by the figures (as for TLS).",
            says: "Propose ChaCha20-Poly1305 for ESP (RFC 7634) before AES-GCM.",
            reason: "The first proposal that both sides have is taken; a peer without it falls back to AES-GCM. Where the \
                     SoC has a crypto engine that the kernel uses for IPsec, measure that: no figure here covers it.",
        },
        japanese: Wording {
            when: "値から ChaCha20-Poly1305 が優先されるとき（TLS と同じ判断）。",
            says: "IPsec の ESP では、ChaCha20-Poly1305（RFC 7634）を AES-GCM より先に提案します。",
            reason: "両側が対応する最初の提案が使われ、対応しない相手とは AES-GCM になります。\
                     SoC の暗号エンジンをカーネルが IPsec に使える場合は、別に測ってください。ここにその値はありません。",
        },
        lines: lines::ipsec,
    },
];

/// That `wanted` comes first, with the figures that say so.
pub(super) fn by_aead(facts: &Facts<'_>, wanted: Aead) -> Option<Found> {
    let comparison = facts.aead_comparison().filter(|_| facts.aead() == Some(wanted))?;
    Some(Found::new().behind(Evidence::Comparison(comparison.by_speed())))
}

fn wireguard(facts: &Facts<'_>, wanted: Aead) -> Option<Found> {
    let found = by_aead(facts, wanted)?;
    let figure = facts.figure(Algorithm::ChaCha20Poly1305)?;
    let found = if wanted == Aead::AesGcm { Found::new() } else { found };
    Some(found.with("speed", Value::Speed(Box::new(figure))))
}
