//! Key agreement, hybrid key agreement and signatures.

use crate::facts::Facts;
use crate::figure::FigureComparison;
use crate::lines;
use crate::rule::{Evidence, RuleFinding, Value, faster, rules};
use kasoku_model::algorithm::Algorithm::{self, *};
use kasoku_model::workload::Operation;

rules! {
    "agree-x25519": Curves, Choose; if x25519; paste |facts| lines::groups(facts, &lines::X25519_FIRST);
    when "P-256 (or, where that was not measured, X448) is not 1.5 times as fast as X25519.";
    says "Agree on keys with X25519: {figure}.",
         "鍵共有にはX25519を使います（{figure}）。";
    why  "Its code is simple to write without branches on secrets, and every current TLS and SSH has it. X448 costs \
          several times as much for a margin that TLS does not need. Each handshake takes one key pair and one \
          agreement on each side.",
         "秘密の値で分岐しない実装を作りやすく、現在のTLSとSSHはどれも対応しています。X448は数倍の時間がかかり、TLSには\
          そこまでの余裕は不要です。ハンドシェイクごとに、双方で鍵生成と鍵共有を1回ずつ行います。";

    "agree-p256": Curves, Choose; if p256; paste |facts| lines::groups(facts, &lines::P256_FIRST);
    when "P-256 is shown to be 1.5 times as fast as X25519, or more.";
    says "Agree on keys with P-256 first, X25519 next: {winner} is {times} times as fast as {loser} with this library.",
         "鍵共有はP-256、次にX25519の順にします。このライブラリでは{winner}が{loser}の{times}倍の速さです。";
    why  "OpenSSL has assembly for P-256 on many CPUs. Both are safe. Most clients send a share for X25519 only, and \
          asking them for another costs a round trip: on a public server X25519 first may still be quicker.",
         "OpenSSLにはP-256用のアセンブリ実装が多くのCPU向けにあります。どちらも安全です。多くのクライアントはX25519の鍵\
          だけを送ってくるため、P-256を求めると往復が1回増えます。公開サーバーではX25519を先にしたほうが速いこともあり\
          ます。";

    "agree-hybrid": Curves, Choose; if hybrid; paste |_| &lines::X25519_FIRST[..2];
    when "ML-KEM-768 and X25519 were both measured.";
    says "Prefer the hybrid X25519MLKEM768 in TLS: on a server its encapsulation adds {extra} to the time of an X25519 \
          agreement.",
         "TLSではハイブリッド鍵共有X25519MLKEM768を優先します。サーバーではカプセル化の分、X25519の鍵共有の時間が\
          {extra}増えます。";
    why  "What is recorded today can be opened once quantum computers can; the hybrid holds as long as either half \
          does. It sends about 1.1 KB more each way. OpenSSL has it from 3.5, and by default.",
         "今日記録された通信は、量子計算機が実用になれば解読されるおそれがあります。ハイブリッドはどちらか一方が破られ\
          ても安全です。送受信はそれぞれ約1.1 KB増えます。OpenSSLでは3.5以降で使え、既定で有効です。";

    "sign-ed25519": Curves, Choose; if |facts| fastest_signing(facts, Ed25519);
        paste |_| lines::SIGNATURE_KEYS;
    when "Ed25519 is shown to sign faster than every other scheme that was measured.";
    says "Sign with Ed25519 (SSH keys, own certificates): {times} times as many signatures a second as {loser}. Public \
          TLS certificates take ECDSA P-256.",
         "署名にはEd25519を使います（SSHの鍵や自前の証明書）。1秒あたりの署名回数は{loser}の{times}倍です。公開のTLS証\
          明書にはECDSA P-256を使います。";
    why  "A server signs once a handshake. Browsers and public authorities do not take Ed25519 certificates; ECDSA \
          P-256 is the short one they do take.",
         "サーバーはハンドシェイクごとに1回署名します。ブラウザーや公的な認証局はEd25519の証明書を扱わないため、そこで\
          は鍵の短いECDSA P-256になります。";

    "sign-ecdsa-p256": Curves, Choose; if |facts| fastest_signing(facts, EcdsaP256);
        paste |_| lines::SIGNATURE_KEYS;
    when "ECDSA P-256 is shown to sign faster than every other scheme that was measured.";
    says "Sign with ECDSA P-256 in TLS: {times} times as many signatures a second as {loser}. For SSH keys Ed25519 is \
          as good.",
         "TLSの署名にはECDSA P-256を使います。1秒あたりの署名回数は{loser}の{times}倍です。SSHの鍵はEd25519でかまいませ\
          ん。";
    why  "A server signs once a handshake, and P-256 is what public certificates take. An SSH key signs once a login, \
          where the difference does not show; Ed25519 needs no random number for a signature.",
         "サーバーはハンドシェイクごとに1回署名し、公開の証明書にはP-256を使えます。SSHの鍵はログインごとに1回しか署名\
          しないので差は現れず、Ed25519は署名に乱数が要りません。";

    "rsa-signs-slowly": Curves, Know; if slow_rsa;
    when "ECDSA P-256 is shown to sign faster than RSA.";
    says "A server with an RSA certificate spends {times} times as long on each handshake’s signature as with ECDSA \
          P-256: use a P-256 certificate, and keep RSA beside it only for clients that need it.",
         "RSA証明書のサーバーでは、ハンドシェイクごとの署名にECDSA P-256の{times}倍の時間がかかります。P-256の証明書に\
          し、RSAは必要なクライアントのためだけに併用します。";
    why  "RSA verifies fast and signs slowly; the server signs.",
         "RSAは検証が速く署名が遅い方式で、署名するのはサーバーです。";
}

fn x25519(facts: &Facts<'_>) -> Option<RuleFinding> {
    let comparison = agreement(facts).filter(|comparison| !is_worth_a_round_trip(comparison))?;
    let figure = Value::Speed(Box::new(comparison.first.clone()));
    let x448 = facts.comparison(X25519, X448);
    let x448 = x448.filter(|x448| x448.second != comparison.second);
    Some(RuleFinding::of([comparison].into_iter().chain(x448).map(Evidence::Comparison)).with("figure", figure))
}

fn p256(facts: &Facts<'_>) -> Option<RuleFinding> {
    let comparison = agreement(facts).filter(is_worth_a_round_trip)?.turned();
    let is_p256 = comparison.first.algorithm == EcdhP256;
    faster(comparison).filter(|_| is_p256)
}

fn hybrid(facts: &Facts<'_>) -> Option<RuleFinding> {
    let encapsulate = facts.figure_of(MlKem768, Operation::Encapsulate)?;
    let decapsulate = facts.figure_of(MlKem768, Operation::Decapsulate)?;
    let x25519 = facts.figure(X25519)?;
    // A server adds one encapsulation to each agreement.
    let extra = Value::Percent(x25519.value / encapsulate.value * 100.0);
    Some(RuleFinding::of([encapsulate, decapsulate, x25519].map(Evidence::Figure)).with("extra", extra))
}

/// Applies if `scheme` is shown to sign faster than every other scheme.
fn fastest_signing(facts: &Facts<'_>, scheme: Algorithm) -> Option<RuleFinding> {
    const SCHEMES: [Algorithm; 5] = [Ed25519, EcdsaP256, Rsa2048, Rsa4096, Ed448];
    let others = SCHEMES.into_iter().filter(|other| *other != scheme);
    let comparisons = others.filter_map(|other| facts.comparison_of(scheme, other, Operation::Sign));
    let closest = comparisons.min_by(|a, b| a.ratio.total_cmp(&b.ratio))?;
    let verify = |algorithm: &Algorithm| facts.figure_of(*algorithm, Operation::Verify).map(Evidence::Figure);
    Some(faster(closest)?.behind(SCHEMES[..2].iter().filter_map(verify)))
}

fn slow_rsa(facts: &Facts<'_>) -> Option<RuleFinding> {
    let rsa = [Rsa2048, Rsa4096].into_iter();
    let mut comparisons = rsa.filter_map(|rsa| facts.comparison_of(EcdsaP256, rsa, Operation::Sign));
    let comparison = comparisons.find(FigureComparison::is_first_faster)?;
    let verify = facts.comparison_of(comparison.second.algorithm, EcdsaP256, Operation::Verify);
    Some(faster(comparison)?.behind(verify.map(Evidence::Comparison)))
}

/// Whether the other is so much faster than X25519 that it may cost clients a round trip, which most of them then need.
fn is_worth_a_round_trip(comparison: &FigureComparison) -> bool {
    comparison.is_second_faster() && comparison.ratio <= 1.0 / 1.5
}

/// X25519 against P-256, or X448 where P-256 was not measured.
fn agreement(facts: &Facts<'_>) -> Option<FigureComparison> {
    [EcdhP256, X448].into_iter().find_map(|other| facts.comparison(X25519, other))
}
