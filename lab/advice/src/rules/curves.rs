//! Key agreement, hybrid key agreement and signatures.

use crate::facts::Facts;
use crate::figure::Comparison;
use crate::lines;
use crate::rule::{Evidence, Found, Rule, Topic, Value, Weight, Wording, no_lines};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Operation;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "agree-x25519",
        topic: Topic::Curves,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let comparison = agreement(facts).filter(|comparison| !is_worth_a_round_trip(comparison))?;
            let found = Found::new().with("figure", Value::Speed(Box::new(comparison.first.clone())));
            Some(found.behind(Evidence::Comparison(comparison)).behind_all(with_x448(facts)))
        },
        english: Wording {
            when: "P-256 (or, where that was not measured, X448) is not 1.5 times as fast as X25519.",
            says: "Agree on keys with X25519: {figure}.",
            reason: "Its code is simple to write without branches on secrets, and every current TLS and SSH has it. X448 \
                     costs several times as much for a margin that TLS does not need. Each handshake takes one key pair \
                     and one agreement on each side.",
        },
        japanese: Wording {
            when: "P-256（なければ X448）が X25519 の 1.5 倍以上の速さではないとき。",
            says: "鍵交換には X25519 を使います（{figure}）。",
            reason: "秘密の値で分岐しない実装を作りやすく、現在の TLS と SSH はどれも対応しています。X448 は数倍の時間がかかり、TLS にはそこまでの余裕は不要です。\
                     ハンドシェイクごとに、双方で鍵生成と鍵共有を 1 回ずつ行います。",
        },
        lines: lines::groups,
    },
    Rule {
        id: "agree-p256",
        topic: Topic::Curves,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let comparison = agreement(facts).filter(is_worth_a_round_trip)?.turned();
            (comparison.first.algorithm == Algorithm::EcdhP256).then(|| Found::new().with_comparison(comparison))
        },
        english: Wording {
            when: "P-256 is shown to be 1.5 times as fast as X25519, or more.",
            says: "Agree on keys with P-256 first, X25519 next: {winner} is {times} times as fast as {loser} with this \
                   library.",
            reason: "OpenSSL has assembly for P-256 on many CPUs. Both are safe. Most clients send a share for X25519 only, \
                     and asking them for another costs a round trip: on a public server X25519 first may still be quicker.",
        },
        japanese: Wording {
            when: "P-256 が X25519 の 1.5 倍以上の速さだと示されたとき。",
            says: "鍵交換は P-256、次に X25519 の順にします。このライブラリでは {winner} が {loser} の {times} 倍の速さです。",
            reason: "OpenSSL には P-256 用のアセンブリ実装が多くの CPU 向けにあります。どちらも安全です。多くのクライアントは X25519 の鍵だけを送ってくるため、\
                     P-256 を求めると往復が 1 回増えます。公開サーバでは X25519 を先にしたほうが速いこともあります。",
        },
        lines: lines::groups_p256,
    },
    Rule {
        id: "agree-hybrid",
        topic: Topic::Curves,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let kem = [Operation::Encapsulate, Operation::Decapsulate];
            let kem = kem.map(|operation| facts.figure_of(Algorithm::MlKem768, operation));
            let [Some(encapsulate), Some(decapsulate)] = kem else { return None };
            let x25519 = facts.figure(Algorithm::X25519)?;
            // What the server adds to one agreement: an encapsulation.
            let extra = x25519.value / encapsulate.value * 100.0;
            let found = Found::new().with("extra", Value::Percent(extra));
            Some(found.behind_all([encapsulate, decapsulate, x25519].map(Evidence::Figure)))
        },
        english: Wording {
            when: "ML-KEM-768 and X25519 were both measured.",
            says: "Prefer the hybrid X25519MLKEM768 in TLS: on a server its encapsulation adds {extra} to the time of an \
                   X25519 agreement.",
            reason: "What is recorded today can be opened once quantum computers can; the hybrid holds as long as either \
                     half does. It sends about 1.1 KB more each way. OpenSSL has it from 3.5, and by default.",
        },
        japanese: Wording {
            when: "ML-KEM-768 と X25519 の値があるとき。",
            says: "TLS ではハイブリッド鍵交換 X25519MLKEM768 を優先します。サーバではカプセル化の分、X25519 の鍵共有の時間が {extra} 増えます。",
            reason: "今日記録された通信は、量子計算機が実用になれば解読されるおそれがあります。ハイブリッドはどちらか一方が破られても安全です。\
                     送受信はそれぞれ約 1.1 KB 増えます。OpenSSL では 3.5 以降で使え、既定で有効です。",
        },
        lines: lines::hybrid_groups,
    },
    Rule {
        id: "sign-ed25519",
        topic: Topic::Curves,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let comparison = signing(facts, Algorithm::Ed25519)?;
            Some(with_signing_figures(facts, Found::new().with_comparison(comparison)))
        },
        english: Wording {
            when: "Ed25519 is shown to sign faster than every other scheme that was measured.",
            says: "Sign with Ed25519 (SSH keys, own certificates): {times} times as many signatures a second as {loser}. \
                   Public TLS certificates take ECDSA P-256.",
            reason: "A server signs once a handshake. Browsers and public authorities do not take Ed25519 certificates; \
                     ECDSA P-256 is the short one they do take.",
        },
        japanese: Wording {
            when: "測った署名方式の中で Ed25519 の署名が最も速いと示されたとき。",
            says: "署名には Ed25519 を使います（SSH の鍵や自前の証明書）。1 秒あたりの署名回数は {loser} の {times} 倍です。公開の TLS 証明書には ECDSA P-256 を使います。",
            reason: "サーバはハンドシェイクごとに 1 回署名します。ブラウザや公的な認証局は Ed25519 の証明書を扱わないため、そこでは鍵の短い ECDSA P-256 になります。",
        },
        lines: lines::signature_keys,
    },
    Rule {
        id: "sign-ecdsa-p256",
        topic: Topic::Curves,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let comparison = signing(facts, Algorithm::EcdsaP256)?;
            Some(with_signing_figures(facts, Found::new().with_comparison(comparison)))
        },
        english: Wording {
            when: "ECDSA P-256 is shown to sign faster than every other scheme that was measured.",
            says: "Sign with ECDSA P-256 in TLS: {times} times as many signatures a second as {loser}. For SSH keys \
                   Ed25519 is as good.",
            reason: "A server signs once a handshake, and P-256 is what public certificates take. An SSH key signs once a \
                     login, where the difference does not show; Ed25519 needs no random number for a signature.",
        },
        japanese: Wording {
            when: "測った署名方式の中で ECDSA P-256 の署名が最も速いと示されたとき。",
            says: "TLS の署名には ECDSA P-256 を使います。1 秒あたりの署名回数は {loser} の {times} 倍です。SSH の鍵は Ed25519 でかまいません。",
            reason: "サーバはハンドシェイクごとに 1 回署名し、公開の証明書には P-256 を使えます。SSH の鍵はログインごとに 1 回しか署名しないので差は現れず、\
                     Ed25519 は署名に乱数が要りません。",
        },
        lines: lines::signature_keys,
    },
    Rule {
        id: "rsa-signs-slowly",
        topic: Topic::Curves,
        weight: Weight::Know,
        is_headline: false,
        applies: |facts| {
            let rsa = [Algorithm::Rsa2048, Algorithm::Rsa4096].into_iter();
            let comparison = rsa
                .filter_map(|rsa| facts.comparison_of(Algorithm::EcdsaP256, rsa, Operation::Sign))
                .find(Comparison::is_first_faster)?;
            let verify = facts.comparison_of(comparison.second.algorithm, Algorithm::EcdsaP256, Operation::Verify);
            Some(Found::new().with_comparison(comparison).behind_all(verify.map(Evidence::Comparison)))
        },
        english: Wording {
            when: "ECDSA P-256 is shown to sign faster than RSA.",
            says: "A server with an RSA certificate spends {times} times as long on each handshake’s signature as with \
                   ECDSA P-256: use a P-256 certificate, and keep RSA beside it only for clients that need it.",
            reason: "RSA verifies fast and signs slowly; the server signs.",
        },
        japanese: Wording {
            when: "ECDSA P-256 の署名が RSA より速いと示されたとき。",
            says: "RSA 証明書のサーバでは、ハンドシェイクごとの署名に ECDSA P-256 の {times} 倍の時間がかかります。P-256 の証明書にし、RSA は必要なクライアントのためだけに併用します。",
            reason: "RSA は検証が速く署名が遅い方式で、署名するのはサーバです。",
        },
        lines: no_lines,
    },
];

/// Whether the other is so much faster than X25519 that it may cost clients a round trip, which most of them then need.
fn is_worth_a_round_trip(comparison: &Comparison) -> bool {
    comparison.is_second_faster() && comparison.ratio <= 1.0 / 1.5
}

/// X25519 against P-256, or X448 where P-256 was not measured.
fn agreement(facts: &Facts<'_>) -> Option<Comparison> {
    [Algorithm::EcdhP256, Algorithm::X448].into_iter().find_map(|other| facts.comparison(Algorithm::X25519, other))
}

/// X25519 against X448, where [`agreement`] is about P-256.
fn with_x448(facts: &Facts<'_>) -> Option<Evidence> {
    facts.figure(Algorithm::EcdhP256)?;
    facts.comparison(Algorithm::X25519, Algorithm::X448).map(Evidence::Comparison)
}

const SCHEMES: [Algorithm; 5] =
    [Algorithm::Ed25519, Algorithm::EcdsaP256, Algorithm::Rsa2048, Algorithm::Rsa4096, Algorithm::Ed448];

/// `scheme` against the fastest other at signing, if it is shown to be faster.
fn signing(facts: &Facts<'_>, scheme: Algorithm) -> Option<Comparison> {
    let others = SCHEMES.into_iter().filter(|other| *other != scheme);
    let comparisons = others.filter_map(|other| facts.comparison_of(scheme, other, Operation::Sign));
    comparisons.min_by(|a, b| a.ratio.total_cmp(&b.ratio)).filter(Comparison::is_first_faster)
}

fn with_signing_figures(facts: &Facts<'_>, found: Found) -> Found {
    let verify = |algorithm| facts.figure_of(algorithm, Operation::Verify).map(Evidence::Figure);
    found.behind_all([Algorithm::Ed25519, Algorithm::EcdsaP256].into_iter().filter_map(verify))
}
