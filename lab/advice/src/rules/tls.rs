//! TLS and QUIC: which AEAD, and which key size.

use crate::facts::{Aead, Facts};
use crate::figure::Comparison;
use crate::lines;
use crate::rule::{Evidence, Found, Rule, Topic, Value, Weight, Wording, no_lines};
use kasoku_model::algorithm::Algorithm;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "tls-aes-gcm",
        topic: Topic::Tls,
        weight: Weight::Choose,
        is_headline: true,
        applies: |facts| clear_winner(facts, Aead::AesGcm),
        english: Wording {
            when: "AES-GCM is shown to be faster than ChaCha20-Poly1305.",
            says: "Take AES-GCM for TLS: {winner} is {times} times as fast as {loser} here.",
            reason: "AES-GCM runs on the CPU’s instructions for AES and carry-less multiplication; ChaCha20 has none of \
                     its own. Clients without AES instructions (older phones, small boards) put ChaCha20 first; \
                     PrioritizeChaCha gives it to them and to nobody else.",
        },
        japanese: Wording {
            when: "AES-GCM が ChaCha20-Poly1305 より速いと示されたとき。",
            says: "TLS では AES-GCM を選びます。ここでは {winner} が {loser} の {times} 倍の速さです。",
            reason: "AES-GCM は AES とキャリーレス乗算の専用命令で動きますが、ChaCha20 には専用命令がありません。\
                     AES 命令を持たないクライアント（古いスマートフォンや小型ボードなど）は ChaCha20 を先頭に挙げてくるので、\
                     PrioritizeChaCha によりそのようなクライアントにだけ ChaCha20 を使います。",
        },
        lines: lines::tls,
    },
    Rule {
        id: "tls-chacha20",
        topic: Topic::Tls,
        weight: Weight::Choose,
        is_headline: true,
        applies: |facts| clear_winner(facts, Aead::ChaCha20),
        english: Wording {
            when: "ChaCha20-Poly1305 is shown to be faster than AES-GCM.",
            says: "Take ChaCha20-Poly1305 for TLS: it is {times} times as fast as {loser} here.",
            reason: "Where AES has no instructions of its own, ChaCha20-Poly1305 is the faster AEAD, and its software \
                     needs no tables that leak through time. Its security is no lower: a 256-bit key and a 128-bit tag. \
                     The other side hardly notices: a CPU with AES instructions is fast enough at both.",
        },
        japanese: Wording {
            when: "ChaCha20-Poly1305 が AES-GCM より速いと示されたとき。",
            says: "TLS では ChaCha20-Poly1305 を選びます。ここでは {loser} の {times} 倍の速さです。",
            reason: "AES の専用命令が使われない環境では ChaCha20-Poly1305 のほうが速く、\
                     実行時間から鍵が漏れるおそれのある表引きも要りません。鍵は 256 ビット、タグは 128 ビットで、安全性は劣りません。\
                     通信相手が AES 命令を持つ CPU であっても、どちらの暗号も十分に速く処理できます。",
        },
        lines: lines::tls,
    },
    Rule {
        id: "tls-either",
        topic: Topic::Tls,
        weight: Weight::Choose,
        is_headline: true,
        applies: |facts| {
            let comparison = facts.aead_comparison().filter(|comparison| !comparison.is_shown)?;
            let (preferred, because) = match facts.aead()? {
                Aead::AesGcm => (
                    comparison.first.algorithm,
                    Value::Words {
                        english: "it gains most when a newer library or CPU comes",
                        japanese: "ライブラリや CPU を新しくしたときの伸びが大きい",
                    },
                ),
                Aead::ChaCha20 => (
                    comparison.second.algorithm,
                    Value::Words {
                        english: "without AES instructions its software is the one that does not leak through time",
                        japanese: "AES 命令のない環境では、実行時間から鍵が漏れないソフトウェア実装になる",
                    },
                ),
            };
            let found = Found::new().with("preferred", Value::Algorithm(preferred)).with("because", because);
            Some(found.behind(Evidence::Comparison(comparison)).behind_all(on_packets(facts)))
        },
        english: Wording {
            when: "Both were measured, and no difference is shown (or less than 10 %, where there is no interval).",
            says: "Either AEAD will do for TLS; prefer {preferred}, because {because}.",
            reason: "A difference within the noise is none. Figures that somebody printed have no interval; less than \
                     10 % between them says nothing.",
        },
        japanese: Wording {
            when: "両方の値があり、差が認められないとき（区間のない値では 10 % 未満の差）。",
            says: "TLS の AEAD はどちらでもかまいません。選ぶなら {preferred} です（理由: {because}）。",
            reason: "雑音の範囲にある差は、差とはみなしません。公表された値には区間がないため、10 % 未満の違いからは何も言えません。",
        },
        lines: lines::tls,
    },
    Rule {
        id: "tls-not-measured",
        topic: Topic::Tls,
        weight: Weight::Know,
        is_headline: true,
        applies: |facts| {
            let missing = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305];
            let (None, Some(_)) = (facts.aead_comparison(), facts.library()) else { return None };
            // Without any cipher among the figures nobody asked for advice on one.
            let ciphers = [Algorithm::Aes256Cbc, Algorithm::Aes128Cbc, Algorithm::Aes256Ctr, Algorithm::Aes128Ctr];
            let known: Vec<_> = missing.into_iter().filter_map(|algorithm| facts.figure(algorithm)).collect();
            if known.is_empty() && !ciphers.into_iter().any(|algorithm| facts.figure(algorithm).is_some()) {
                return None;
            }
            let sign = ciphers.into_iter().find_map(|algorithm| facts.gain(algorithm));
            let tells = if facts.aes_instructions().are_there() {
                Value::Words {
                    english: "AES instructions are in use, which speaks for AES-GCM, but no figure shows it",
                    japanese: "AES 命令が使われているので AES-GCM が有望ですが、それを示す値がありません",
                }
            } else {
                Value::Words {
                    english: "nothing here tells which is faster",
                    japanese: "どちらが速いかを示す値がありません",
                }
            };
            let evidence = known.into_iter().map(Evidence::Figure).chain(sign.map(Evidence::Comparison));
            Some(Found::new().with("tells", tells).behind_all(evidence))
        },
        english: Wording {
            when: "There are figures of ciphers, but not of both AEADs.",
            says: "Measure AES-GCM and ChaCha20-Poly1305 before choosing for TLS: {tells}.",
            reason: "The choice is one of measured speed, and one of the two (or both) was not measured. CBC figures do \
                     not stand in for GCM: the two use different instructions.",
        },
        japanese: Wording {
            when: "暗号の値はあるが、2 つの AEAD の両方はないとき。",
            says: "TLS の暗号を選ぶ前に、AES-GCM と ChaCha20-Poly1305 を測ってください。{tells}。",
            reason: "どちらを選ぶかは実測の速さで決まりますが、少なくとも一方が測られていません。\
                     CBC と GCM では使う命令が違うため、CBC の値で GCM を代えることはできません。",
        },
        lines: lines::measure_aeads,
    },
    Rule {
        id: "key-size-128",
        topic: Topic::Tls,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| key_size(facts).filter(|_| !facts.is_256_cheap()),
        english: Wording {
            when: "AES-256-GCM costs 10 % or more of the throughput of AES-128-GCM.",
            says: "Where AES-GCM is used, 128-bit keys are enough; 256 bits cost {cost} of the throughput.",
            reason: "Nobody breaks AES-128 by trying keys. Take AES-256 where a policy asks for it, or where what is \
                     sent today must stay secret for decades.",
        },
        japanese: Wording {
            when: "AES-256-GCM のスループットが AES-128-GCM より 10 % 以上低いとき。",
            says: "AES-GCM を使う場合、鍵は 128 ビットで十分です。256 ビットにするとスループットが {cost} 下がります。",
            reason: "AES-128 を鍵の総当たりで破ることはできません。\
                     規程で求められる場合や、今日の通信を何十年も秘密にしておきたい場合は AES-256 を選びます。",
        },
        lines: no_lines,
    },
    Rule {
        id: "key-size-256",
        topic: Topic::Tls,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| key_size(facts).filter(|_| facts.is_256_cheap()),
        english: Wording {
            when: "AES-256-GCM costs less than 10 % of the throughput of AES-128-GCM, or no difference is shown.",
            says: "Either key size will do; prefer AES-256, which costs less than 10 % here.",
            reason: "AES-128 is safe as well; the longer key adds a margin against what is not known yet.",
        },
        japanese: Wording {
            when: "AES-256-GCM のスループットの低下が 10 % 未満か、差が認められないとき。",
            says: "鍵の長さはどちらでもかまいません。ここでは AES-256 による低下が 10 % 未満なので、AES-256 を勧めます。",
            reason: "AES-128 も安全ですが、長い鍵にはまだ知られていない攻撃に対する余裕があります。",
        },
        lines: no_lines,
    },
    Rule {
        id: "quic-aes-gcm",
        topic: Topic::Quic,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| quic(facts, |comparison| comparison.is_first_faster()),
        english: Wording {
            when: "AES-GCM is shown to be faster at the size of a QUIC packet (1,350 to 1,440 bytes).",
            says: "For QUIC too: {winner} is {times} times as fast as {loser} in packets.",
            reason: "A packet is short: set-up and tag weigh more than in a TLS record of 16 KiB, so packets are judged by \
                     figures at their own size. The header’s protection is not among them.",
        },
        japanese: Wording {
            when: "QUIC パケットの大きさ（1,350～1,440 バイト）で AES-GCM が速いと示されたとき。",
            says: "QUIC でも AES-GCM です。パケットの大きさで {winner} は {loser} の {times} 倍の速さです。",
            reason: "パケットは短く、16 KiB の TLS レコードに比べて準備とタグの割合が大きいため、パケットの大きさで測った値で判断します。\
                     ヘッダ保護の時間は含みません。",
        },
        lines: lines::quic,
    },
    Rule {
        id: "quic-chacha20",
        topic: Topic::Quic,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| quic(facts, |comparison| comparison.is_second_faster()),
        english: Wording {
            when: "ChaCha20-Poly1305 is shown to be faster at the size of a QUIC packet (1,350 to 1,440 bytes).",
            says: "For QUIC: {winner} is {times} times as fast as {loser} in packets.",
            reason: "A packet is short: set-up and tag weigh more than in a TLS record of 16 KiB, so packets are judged by \
                     figures at their own size. The header’s protection is not among them.",
        },
        japanese: Wording {
            when: "QUIC パケットの大きさ（1,350～1,440 バイト）で ChaCha20-Poly1305 が速いと示されたとき。",
            says: "QUIC では、パケットの大きさで {winner} が {loser} の {times} 倍の速さです。",
            reason: "パケットは短く、16 KiB の TLS レコードに比べて準備とタグの割合が大きいため、パケットの大きさで測った値で判断します。\
                     ヘッダ保護の時間は含みません。",
        },
        lines: lines::quic,
    },
];

fn clear_winner(facts: &Facts<'_>, wanted: Aead) -> Option<Found> {
    let comparison =
        facts.aead_comparison().filter(|comparison| comparison.is_shown && facts.aead() == Some(wanted))?;
    let other = match comparison.first.algorithm {
        Algorithm::Aes128Gcm => facts.figure(Algorithm::Aes256Gcm).map(Evidence::Figure),
        _ => None,
    };
    Some(Found::new().with_comparison(comparison.by_speed()).behind_all(other).behind_all(on_packets(facts)))
}

fn on_packets(facts: &Facts<'_>) -> Option<Evidence> {
    let comparison = facts.comparison_on_packets(Algorithm::Aes128Gcm, Algorithm::ChaCha20Poly1305)?;
    Some(Evidence::Comparison(comparison.by_speed()))
}

fn key_size(facts: &Facts<'_>) -> Option<Found> {
    let comparison = facts.key_size_comparison()?;
    let cost = Value::Percent((1.0 - 1.0 / comparison.ratio) * 100.0);
    Some(Found::new().with("cost", cost).behind(Evidence::Comparison(comparison)))
}

fn quic(facts: &Facts<'_>, is_wanted: fn(&Comparison) -> bool) -> Option<Found> {
    let comparison =
        facts.comparison_on_packets(Algorithm::Aes128Gcm, Algorithm::ChaCha20Poly1305).filter(is_wanted)?;
    // The lines follow the choice at 16 KiB: where packets say otherwise there is nothing to paste that serves both.
    let is_same = match facts.aead()? {
        Aead::AesGcm => comparison.is_first_faster(),
        Aead::ChaCha20 => comparison.is_second_faster(),
    };
    is_same.then(|| Found::new().with_comparison(comparison.by_speed()))
}
