//! Modes of block ciphers, and ciphers to leave.

use crate::facts::Facts;
use crate::figure::{Comparison, Figure};
use crate::rule::{Evidence, Found, Rule, Topic, Value, Weight, Wording, no_lines};
use kasoku_model::algorithm::{Algorithm, Quoted};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "never-64-bit-blocks",
        topic: Topic::Modes,
        weight: Weight::Know,
        is_headline: false,
        applies: |facts| {
            let old: Vec<Figure> = SMALL_BLOCKS.into_iter().filter_map(|cipher| facts.figure(cipher)).collect();
            let fastest = old.iter().max_by(|a, b| a.value.total_cmp(&b.value))?.algorithm;
            let aes = [Algorithm::Aes256Cbc, Algorithm::Aes128Cbc].into_iter();
            let comparison = aes.filter_map(|aes| facts.comparison(aes, fastest)).next();
            let is_held = comparison.is_some();
            let others = old.into_iter().filter(move |figure| !is_held || figure.algorithm != fastest);
            let found = Found::new().with("cipher", Value::Algorithm(fastest));
            Some(found.behind_all(comparison.map(Evidence::Comparison)).behind_all(others.map(Evidence::Figure)))
        },
        english: Wording {
            when: "There is a figure of a cipher with blocks of 64 bits (3DES, Blowfish, DES, IDEA, CAST5, RC2, RC5).",
            says: "Never use {cipher} or another cipher with 64-bit blocks, however fast.",
            reason: "After some 32 GB under one key, blocks repeat and give text away (SWEET32, CVE-2016-2183). OpenSSL 3 \
                     keeps most of these in its legacy provider, and TLS 1.3 has none.",
        },
        japanese: Wording {
            when: "64 ビットブロックの暗号（3DES、Blowfish、DES、IDEA、CAST5、RC2、RC5）の値があるとき。",
            says: "{cipher} など 64 ビットブロックの暗号は、速さにかかわらず使いません。",
            reason: "1 つの鍵で 32 GB ほど暗号化すると同じブロックが現れ、平文が漏れます（SWEET32、CVE-2016-2183）。\
                     OpenSSL 3 では多くが legacy プロバイダに移され、TLS 1.3 にはありません。",
        },
        lines: no_lines,
    },
    Rule {
        id: "gcm-over-cbc",
        topic: Topic::Modes,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| Some(Found::new().with_comparison(modes(facts).filter(Comparison::is_first_faster)?)),
        english: Wording {
            when: "AES-GCM is shown to be faster than AES-CBC with the same key size.",
            says: "Leave CBC: {winner} is {times} times as fast as {loser}, and authenticates besides.",
            reason: "In CBC each block waits for the one before, so encrypting cannot use the AES instructions side by \
                     side; in GCM it can. CBC also needs an HMAC, which its figure does not hold, and its padding has been \
                     attacked again and again in TLS (Lucky Thirteen, POODLE).",
        },
        japanese: Wording {
            when: "同じ鍵長で AES-GCM が AES-CBC より速いと示されたとき。",
            says: "CBC はやめます。{winner} は {loser} の {times} 倍の速さで、そのうえ認証も行います。",
            reason: "CBC の暗号化は前のブロックの結果を待つため、AES 命令を並列に使えません。GCM では使えます。\
                     CBC には別に HMAC も必要で、その時間は値に含まれていません。TLS では CBC のパディングが何度も攻撃されています（Lucky Thirteen、POODLE）。",
        },
        lines: no_lines,
    },
    Rule {
        id: "cbc-is-half-the-work",
        topic: Topic::Modes,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let comparison = modes(facts).filter(|comparison| !comparison.is_first_faster())?;
            Some(Found::new().behind(Evidence::Comparison(comparison.turned())))
        },
        english: Wording {
            when: "AES-CBC was measured beside AES-GCM and is not slower.",
            says: "Leave CBC in TLS and VPNs all the same: its figure is that of half the work.",
            reason: "CBC does not authenticate: an HMAC over every record comes on top, and its padding has been attacked \
                     again and again in TLS (Lucky Thirteen, POODLE). Compare AEADs with each other.",
        },
        japanese: Wording {
            when: "AES-CBC と AES-GCM の値があり、CBC のほうが遅くないとき。",
            says: "それでも TLS や VPN で CBC は使いません。CBC の値は、必要な処理の半分の値です。",
            reason: "CBC は認証を行わないため、レコードごとに HMAC の計算が加わります。TLS では CBC のパディングが何度も攻撃されています\
                     （Lucky Thirteen、POODLE）。比べるなら AEAD どうしで比べてください。",
        },
        lines: no_lines,
    },
];

const SMALL_BLOCKS: [Algorithm; 7] = [
    Algorithm::DesEde3Cbc,
    Algorithm::BlowfishCbc,
    Algorithm::Quoted(Quoted::DesCbc),
    Algorithm::Quoted(Quoted::IdeaCbc),
    Algorithm::Quoted(Quoted::Cast5Cbc),
    Algorithm::Quoted(Quoted::Rc2Cbc),
    Algorithm::Quoted(Quoted::Rc5Cbc),
];

/// GCM against CBC.
fn modes(facts: &Facts<'_>) -> Option<Comparison> {
    let pairs = [(Algorithm::Aes128Gcm, Algorithm::Aes128Cbc), (Algorithm::Aes256Gcm, Algorithm::Aes256Cbc)];
    // Ciphers encrypt and AEADs seal: each in what it is for.
    pairs.into_iter().find_map(|(gcm, cbc)| facts.comparison(gcm, cbc))
}
