//! Hash functions.

use crate::facts::Facts;
use crate::figure::{Comparison, Figure};
use crate::rule::{Evidence, Found, Rule, Topic, Value, Weight, Wording, no_lines};
use kasoku_model::algorithm::Algorithm;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "hash-fastest",
        topic: Topic::Hashes,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let (comparison, others) = ranking(facts)?;
            let found = comparison.is_first_faster().then(|| Found::new().with_comparison(comparison))?;
            Some(found.behind_all(others.into_iter().map(Evidence::Figure)))
        },
        english: Wording {
            when: "One of SHA-256, SHA-512, SHA3-256, BLAKE2s and BLAKE2b is shown to be faster than all others.",
            says: "Where the choice is yours (checksums, own formats), take {winner}: {times} times as fast as {loser}, \
                   the next.",
            reason: "All of these are safe. In TLS and SSH the suite brings its hash with it, and with an AEAD it hardly \
                     matters after the handshake.",
        },
        japanese: Wording {
            when: "SHA-256、SHA-512、SHA3-256、BLAKE2s、BLAKE2b のうち 1 つがほかのどれより速いと示されたとき。",
            says: "自分で選べる場面（チェックサムや独自の形式など）では {winner} を選びます。次に速い {loser} の {times} 倍の速さです。",
            reason: "どれも安全なハッシュ関数です。TLS や SSH ではハッシュは暗号スイートで決まり、AEAD を使っていればハンドシェイク後の速さにはほとんど影響しません。",
        },
        lines: no_lines,
    },
    Rule {
        id: "hash-either",
        topic: Topic::Hashes,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let (comparison, others) = ranking(facts)?;
            if comparison.is_shown {
                return None;
            }
            let pair = [comparison.first.algorithm, comparison.second.algorithm];
            // The one that every program has, then the standard one, comes first.
            let preferred = HASHES.into_iter().find(|hash| pair.contains(hash))?;
            let other = pair.into_iter().find(|hash| *hash != preferred)?;
            let found = Found::new()
                .with("preferred", Value::Algorithm(preferred))
                .with("other", Value::Algorithm(other))
                .behind(Evidence::Comparison(comparison));
            Some(found.behind_all(others.into_iter().map(Evidence::Figure)))
        },
        english: Wording {
            when: "Between the two fastest of these hashes no difference is shown.",
            says: "Where the choice is yours, {preferred} or {other} will do; prefer {preferred}, which more programs have.",
            reason: "All of these are safe. A difference within the noise is none, and figures without an interval must be \
                     10 % apart to tell anything.",
        },
        japanese: Wording {
            when: "最も速い 2 つのハッシュの間に差が認められないとき。",
            says: "自分で選べる場面では {preferred} と {other} のどちらでもかまいません。対応するソフトウェアの多い {preferred} を勧めます。",
            reason: "どちらも安全なハッシュ関数です。雑音の範囲にある差は差とはみなさず、区間のない値では 10 % 以上の違いがなければ何も言えません。",
        },
        lines: no_lines,
    },
    Rule {
        id: "sha-512-over-256",
        topic: Topic::Hashes,
        weight: Weight::Know,
        is_headline: false,
        applies: |facts| {
            let comparison = facts.comparison(Algorithm::Sha512, Algorithm::Sha256)?;
            comparison.is_first_faster().then(|| Found::new().with_comparison(comparison))
        },
        english: Wording {
            when: "SHA-512 is shown to be faster than SHA-256.",
            says: "Of SHA-2, {winner} is the fast one here: {times} times as fast as {loser}. Where 256 bits are wanted, \
                   SHA-512/256 gives them at that speed.",
            reason: "SHA-512 works on 64-bit words, so a 64-bit CPU without SHA instructions takes more bytes a step.",
        },
        japanese: Wording {
            when: "SHA-512 が SHA-256 より速いと示されたとき。",
            says: "SHA-2 の中では {winner} が {loser} の {times} 倍の速さです。256 ビットの値が必要なら、同じ速さの SHA-512/256 があります。",
            reason: "SHA-512 は 64 ビット単位で計算するため、SHA 命令のない 64 ビット CPU では一度に処理できるバイト数が多くなります。",
        },
        lines: no_lines,
    },
    Rule {
        id: "sha-256-over-512",
        topic: Topic::Hashes,
        weight: Weight::Know,
        is_headline: false,
        applies: |facts| {
            let comparison = facts.comparison(Algorithm::Sha256, Algorithm::Sha512)?;
            comparison.is_first_faster().then(|| Found::new().with_comparison(comparison))
        },
        english: Wording {
            when: "SHA-256 is shown to be faster than SHA-512.",
            says: "Of SHA-2, {winner} is the fast one here: {times} times as fast as {loser}.",
            reason: "Either the CPU has instructions for SHA-256 (few have them for SHA-512), or its words have 32 bits, and \
                     SHA-512 needs 64.",
        },
        japanese: Wording {
            when: "SHA-256 が SHA-512 より速いと示されたとき。",
            says: "SHA-2 の中では {winner} が {loser} の {times} 倍の速さです。",
            reason: "CPU に SHA-256 の専用命令がある（SHA-512 の命令を持つ CPU はまだ少数です）か、32 ビット CPU で 64 ビット演算の SHA-512 が不利なためです。",
        },
        lines: no_lines,
    },
    Rule {
        id: "sha-1-legacy",
        topic: Topic::Hashes,
        weight: Weight::Know,
        is_headline: false,
        applies: |facts| Some(Found::new().behind(Evidence::Figure(facts.figure(Algorithm::Sha1)?))),
        english: Wording {
            when: "There is a figure of SHA-1.",
            says: "SHA-1 is no choice, whatever its figure: it is there for what is old.",
            reason: "Collisions of SHA-1 have been made (SHAttered, 2017), with chosen beginnings since 2020, and \
                     NIST withdraws it by the end of 2030.",
        },
        japanese: Wording {
            when: "SHA-1 の値があるとき。",
            says: "SHA-1 は、どれだけ速くても選びません。古いものとの互換のためだけのハッシュです。",
            reason: "SHA-1 の衝突はすでに作られており（2017 年の SHAttered、2020 年には選択プレフィックス衝突）、NIST は 2030 年末までに廃止します。",
        },
        lines: no_lines,
    },
];

/// The hashes that are fit for use, the most widely available first.
const HASHES: [Algorithm; 5] =
    [Algorithm::Sha256, Algorithm::Sha512, Algorithm::Blake2b512, Algorithm::Blake2s256, Algorithm::Sha3_256];

/// The fastest against the next, and the others, fastest first.
fn ranking(facts: &Facts<'_>) -> Option<(Comparison, Vec<Figure>)> {
    let mut figures: Vec<Figure> = HASHES.into_iter().filter_map(|hash| facts.figure(hash)).collect();
    figures.sort_by(|a, b| b.value.total_cmp(&a.value));
    let (first, second) = (figures.first()?.algorithm, figures.get(1)?.algorithm);
    let comparison = facts.comparison(first, second)?.by_speed();
    Some((comparison, figures.into_iter().skip(2).collect()))
}
