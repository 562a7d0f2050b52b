//! TLS and QUIC: which AEAD, and which key size.

use crate::facts::{Aead, Facts};
use crate::figure::FigureComparison;
use crate::lines;
use crate::rule::{Evidence, RuleFinding, Value, faster, phrase, rules};
use kasoku_model::algorithm::Algorithm::*;

rules! {
    "tls-aes-gcm": Tls, Choose, headline; if |facts| clear_winner(facts, Aead::AesGcm); paste |_| lines::TLS;
    when "AES-GCM is shown to be faster than ChaCha20-Poly1305.";
    says "Take AES-GCM for TLS: {winner} is {times} times as fast as {loser} here.",
         "TLSではAES-GCMを選びます。ここでは{winner}が{loser}の{times}倍の速さです。";
    why  "AES-GCM runs on the CPU’s instructions for AES and carry-less multiplication; ChaCha20 has none of its own. \
          Clients without AES instructions (older phones, small boards) put ChaCha20 first; PrioritizeChaCha gives it \
          to them and to nobody else.",
         "AES-GCMはAESとキャリーレス乗算の専用命令で動きますが、ChaCha20には専用命令がありません。AES命令を持たないクラ\
          イアント（古いスマートフォンや小型ボードなど）はChaCha20を先頭に挙げてくるので、PrioritizeChaChaによりそのよ\
          うなクライアントにだけChaCha20を使います。";

    "tls-chacha20": Tls, Choose, headline; if |facts| clear_winner(facts, Aead::ChaCha20); paste |_| lines::TLS;
    when "ChaCha20-Poly1305 is shown to be faster than AES-GCM.";
    says "Take ChaCha20-Poly1305 for TLS: it is {times} times as fast as {loser} here.",
         "TLSではChaCha20-Poly1305を選びます。ここでは{loser}の{times}倍の速さです。";
    why  "Where AES has no instructions of its own, ChaCha20-Poly1305 is the faster AEAD, and its software needs no \
          tables that leak through time. Its security is no lower: a 256-bit key and a 128-bit tag. The other side \
          hardly notices: a CPU with AES instructions is fast enough at both.",
         "AESの専用命令が使われない環境ではChaCha20-Poly1305のほうが速く、実行時間から鍵が漏れるおそれのある表引きも要\
          りません。鍵は256ビット、タグは128ビットで、安全性は劣りません。通信相手がAES命令を持つCPUであっても、どちら\
          の暗号も十分に速く処理できます。";

    "tls-either": Tls, Choose, headline; if no_winner; paste |_| lines::TLS;
    when "Both were measured, and no difference is shown (or less than 10 %, where there is no interval).";
    says "Either AEAD will do for TLS; prefer {preferred}, because {because}.",
         "TLSのAEADはどちらでもかまいません。選ぶなら{preferred}です（理由：{because}）。";
    why  "A difference within the noise is none. Figures that somebody printed have no interval; less than 10 % \
          between them says nothing.",
         "ノイズの範囲にある差は、差とはみなしません。公表された値には区間がないため、10 %未満の違いからは何も言えませ\
          ん。";

    "tls-not-measured": Tls, Know, headline; if missing_aead; paste |_| lines::MEASURE_AEADS;
    when "There are figures of ciphers, but not of both AEADs.";
    says "Measure AES-GCM and ChaCha20-Poly1305 before choosing for TLS: {tells}.",
         "TLSの暗号を選ぶ前に、AES-GCMとChaCha20-Poly1305を測ってください。{tells}。";
    why  "The choice is one of measured speed, and one of the two (or both) was not measured. CBC figures do not stand \
          in for GCM: the two use different instructions.",
         "どちらを選ぶかは実測の速さで決まりますが、少なくとも一方が測られていません。CBCとGCMでは使う命令が違うため、\
          CBCの値でGCMを代えることはできません。";

    "key-size-128": Tls, Choose; if |facts| key_size(facts).filter(|_| !facts.is_256_cheap());
    when "AES-256-GCM costs 10 % or more of the throughput of AES-128-GCM.";
    says "Where AES-GCM is used, 128-bit keys are enough; 256 bits cost {cost} of the throughput.",
         "AES-GCMを使う場合、鍵は128ビットで十分です。256ビットにするとスループットが{cost}下がります。";
    why  "Nobody breaks AES-128 by trying keys. Take AES-256 where a policy asks for it, or where what is sent today \
          must stay secret for decades.",
         "AES-128を鍵の総当たりで破ることはできません。規程で求められる場合や、今日の通信を何十年も秘密にしておきたい場\
          合はAES-256を選びます。";

    "key-size-256": Tls, Choose; if |facts| key_size(facts).filter(|_| facts.is_256_cheap());
    when "AES-256-GCM costs less than 10 % of the throughput of AES-128-GCM, or no difference is shown.";
    says "Either key size will do; prefer AES-256, which costs less than 10 % here.",
         "鍵の長さはどちらでもかまいません。ここではAES-256による低下が10 %未満なので、AES-256を勧めます。";
    why  "AES-128 is safe as well; the longer key adds a margin against what is not known yet.",
         "AES-128も安全ですが、長い鍵にはまだ知られていない攻撃に対する余裕があります。";

    "quic-aes-gcm": Quic, Choose; if |facts| packets(facts, Aead::AesGcm); paste |_| lines::QUIC;
    when "AES-GCM is shown to be faster at the size of a QUIC packet (1,350 to 1,440 bytes).";
    says "For QUIC too: {winner} is {times} times as fast as {loser} in packets.",
         "QUICでもAES-GCMです。パケットの大きさで{winner}は{loser}の{times}倍の速さです。";
    why  "A packet is short: set-up and tag weigh more than in a TLS record of 16 KiB, so packets are judged by \
          figures at their own size. The header’s protection is not among them.",
         "パケットは短く、16 KiBのTLSレコードに比べて準備とタグの割合が大きいため、パケットの大きさで測った値で判断しま\
          す。ヘッダー保護の時間は含みません。";

    "quic-chacha20": Quic, Choose; if |facts| packets(facts, Aead::ChaCha20); paste |_| lines::QUIC;
    when "ChaCha20-Poly1305 is shown to be faster at the size of a QUIC packet (1,350 to 1,440 bytes).";
    says "For QUIC: {winner} is {times} times as fast as {loser} in packets.",
         "QUICでは、パケットの大きさで{winner}が{loser}の{times}倍の速さです。";
    why  "A packet is short: set-up and tag weigh more than in a TLS record of 16 KiB, so packets are judged by \
          figures at their own size. The header’s protection is not among them.",
         "パケットは短く、16 KiBのTLSレコードに比べて準備とタグの割合が大きいため、パケットの大きさで測った値で判断しま\
          す。ヘッダー保護の時間は含みません。";
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
        Aead::AesGcm => (
            comparison,
            phrase("it gains most when a newer library or CPU comes", "ライブラリやCPUを新しくしたときの伸びが大きい"),
        ),
        Aead::ChaCha20 => (
            comparison.turned(),
            phrase(
                "without AES instructions its software is the one that does not leak through time",
                "AES命令のない環境では、実行時間から鍵が漏れないソフトウェア実装になる",
            ),
        ),
    };
    let preferred = Value::Algorithm(comparison.first.algorithm);
    let evidence = [comparison].into_iter().chain(on_packets(facts)).map(Evidence::Comparison);
    Some(RuleFinding::of(evidence).with("preferred", preferred).with("because", because))
}

fn missing_aead(facts: &Facts<'_>) -> Option<RuleFinding> {
    let (None, Some(_)) = (facts.aead_comparison(), facts.library()) else { return None };
    let aeads = [Aes128Gcm, Aes256Gcm, ChaCha20Poly1305];
    let ciphers = [Aes256Cbc, Aes128Cbc, Aes256Ctr, Aes128Ctr];
    // Whoever measured no cipher at all did not ask for advice on one.
    aeads.into_iter().chain(ciphers).find_map(|algorithm| facts.figure(algorithm))?;
    let known = aeads.into_iter().filter_map(|algorithm| facts.figure(algorithm));
    let sign = ciphers.into_iter().find_map(|algorithm| facts.gain(algorithm));
    let tells = match facts.aes_instructions().are_there() {
        true => phrase(
            "AES instructions are in use, which speaks for AES-GCM, but no figure shows it",
            "AES命令が使われているのでAES-GCMが有望ですが、それを示す値がありません",
        ),
        false => phrase("nothing here tells which is faster", "どちらが速いかを示す値がありません"),
    };
    let found = RuleFinding::of(known.map(Evidence::Figure)).behind(sign.map(Evidence::Comparison));
    Some(found.with("tells", tells))
}

fn on_packets(facts: &Facts<'_>) -> Option<FigureComparison> {
    Some(facts.comparison_on_packets(Aes128Gcm, ChaCha20Poly1305)?.by_speed())
}

fn key_size(facts: &Facts<'_>) -> Option<RuleFinding> {
    let comparison = facts.comparison(Aes128Gcm, Aes256Gcm)?;
    let cost = Value::Percent(comparison.saved());
    Some(RuleFinding::of([Evidence::Comparison(comparison)]).with("cost", cost))
}

/// The lines follow the choice at 16 KiB: if packets say otherwise, no lines serve both.
fn packets(facts: &Facts<'_>, wanted: Aead) -> Option<RuleFinding> {
    let comparison = on_packets(facts).filter(|_| facts.aead() == Some(wanted))?;
    let is_chacha20 = comparison.first.algorithm == ChaCha20Poly1305;
    faster(comparison).filter(|_| is_chacha20 == (wanted == Aead::ChaCha20))
}
