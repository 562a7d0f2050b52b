//! Hash functions.

use crate::facts::Facts;
use crate::figure::{Figure, FigureComparison};
use crate::rule::{Evidence, RuleFinding, Value, faster, rules};
use kasoku_model::algorithm::Algorithm::{self, *};

rules! {
    "hash-fastest": Hashes, Choose; if fastest;
    when "One of SHA-256, SHA-512, SHA3-256, BLAKE2s and BLAKE2b is shown to be faster than all others.";
    says "Where the choice is yours (checksums, own formats), take {winner}: {times} times as fast as {loser}, the \
          next.",
         "自分で選べる場面（チェックサムや独自の形式など）では{winner}を選びます。次に速い{loser}の{times}倍の速さで\
          す。";
    why  "All of these are safe. In TLS and SSH the suite brings its hash with it, and with an AEAD it hardly matters \
          after the handshake.",
         "どれも安全なハッシュ関数です。TLSやSSHではハッシュは暗号スイートで決まり、AEADを使っていればハンドシェイク後\
          の速さにはほとんど影響しません。";

    "hash-either": Hashes, Choose; if either;
    when "Between the two fastest of these hashes no difference is shown.";
    says "Where the choice is yours, {preferred} or {other} will do; prefer {preferred}, which more programs have.",
         "自分で選べる場面では{preferred}と{other}のどちらでもかまいません。対応するソフトウェアの多い{preferred}を勧め\
          ます。";
    why  "All of these are safe. A difference within the noise is none, and figures without an interval must be 10 % \
          apart to tell anything.",
         "どちらも安全なハッシュ関数です。ノイズの範囲にある差は差とはみなさず、区間のない値では10 %以上の違いがなけれ\
          ば何も言えません。";

    "sha-512-over-256": Hashes, Know; if |facts| faster(facts.comparison(Sha512, Sha256)?);
    when "SHA-512 is shown to be faster than SHA-256.";
    says "Of SHA-2, {winner} is the fast one here: {times} times as fast as {loser}. Where 256 bits are wanted, \
          SHA-512/256 gives them at that speed.",
         "SHA-2の中では{winner}が{loser}の{times}倍の速さです。256ビットの値が必要なら、同じ速さのSHA-512/256がありま\
          す。";
    why  "SHA-512 works on 64-bit words, so a 64-bit CPU without SHA instructions takes more bytes a step.",
         "SHA-512は64ビット単位で計算するため、SHA命令のない64ビットCPUでは一度に処理できるバイト数が多くなります。";

    "sha-256-over-512": Hashes, Know; if |facts| faster(facts.comparison(Sha256, Sha512)?);
    when "SHA-256 is shown to be faster than SHA-512.";
    says "Of SHA-2, {winner} is the fast one here: {times} times as fast as {loser}.",
         "SHA-2の中では{winner}が{loser}の{times}倍の速さです。";
    why  "Either the CPU has instructions for SHA-256 (few have them for SHA-512), or its words have 32 bits, and \
          SHA-512 needs 64.",
         "CPUにSHA-256の専用命令がある（SHA-512の命令を持つCPUはまだ少数です）か、32ビットCPUで64ビット演算のSHA-512が\
          不利なためです。";

    "sha-1-legacy": Hashes, Know; if |facts| Some(RuleFinding::of([Evidence::Figure(facts.figure(Sha1)?)]));
    when "There is a figure of SHA-1.";
    says "SHA-1 is no choice, whatever its figure: it is there for what is old.",
         "SHA-1は、どれだけ速くても選びません。古いものとの互換のためだけのハッシュです。";
    why  "Collisions of SHA-1 have been made (SHAttered, 2017), with chosen beginnings since 2020, and NIST withdraws \
          it by the end of 2030.",
         "SHA-1の衝突はすでに作られており（2017年のSHAttered、2020年には選択プレフィックス衝突）、NISTは2030年末までに\
          廃止します。";
}

/// The hashes that are fit for use, the most widely available first.
const HASHES: [Algorithm; 5] = [Sha256, Sha512, Blake2b512, Blake2s256, Sha3_256];

fn fastest(facts: &Facts<'_>) -> Option<RuleFinding> {
    let (comparison, others) = ranking(facts)?;
    Some(faster(comparison)?.behind(others.into_iter().map(Evidence::Figure)))
}

/// Of two equally fast hashes, the one that more programs have comes first.
fn either(facts: &Facts<'_>) -> Option<RuleFinding> {
    let (comparison, others) = ranking(facts).filter(|(comparison, _)| !comparison.is_shown)?;
    let place = |figure: &Figure| HASHES.iter().position(|hash| *hash == figure.algorithm);
    let is_in_order = place(&comparison.first) < place(&comparison.second);
    let comparison = if is_in_order { comparison } else { comparison.turned() };
    let [preferred, other] = [&comparison.first, &comparison.second].map(|figure| Value::Algorithm(figure.algorithm));
    let found = RuleFinding::of([Evidence::Comparison(comparison)]).with("preferred", preferred).with("other", other);
    Some(found.behind(others.into_iter().map(Evidence::Figure)))
}

/// The fastest against the next, and the others, fastest first.
fn ranking(facts: &Facts<'_>) -> Option<(FigureComparison, Vec<Figure>)> {
    let mut figures: Vec<Figure> = HASHES.into_iter().filter_map(|hash| facts.figure(hash)).collect();
    figures.sort_by(|a, b| b.value.total_cmp(&a.value));
    let (first, second) = (figures.first()?.algorithm, figures.get(1)?.algorithm);
    let comparison = facts.comparison(first, second)?.by_speed();
    Some((comparison, figures.split_off(2)))
}
