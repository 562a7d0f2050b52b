//! Modes of block ciphers, and ciphers to leave.

use crate::facts::Facts;
use crate::figure::{Figure, FigureComparison};
use crate::rule::{Evidence, RuleFinding, Value, faster, rules};
use kasoku_model::algorithm::Algorithm::{self, *};
use kasoku_model::algorithm::Quoted;

rules! {
    "never-64-bit-blocks": Modes, Know; if small_blocks;
    when "There is a figure of a cipher with blocks of 64 bits (3DES, Blowfish, DES, IDEA, CAST5, RC2, RC5).";
    says "Never use {cipher} or another cipher with 64-bit blocks, however fast.",
         "{cipher}など64ビットブロックの暗号は、速さにかかわらず使いません。";
    why  "After some 32 GB under one key, blocks repeat and give text away (SWEET32, CVE-2016-2183). OpenSSL 3 keeps \
          most of these in its legacy provider, and TLS 1.3 has none.",
         "1つの鍵で32 GBほど暗号化すると同じブロックが現れ、平文が漏れます（SWEET32、CVE-2016-2183）。OpenSSL 3では多く\
          がlegacyプロバイダーに移され、TLS 1.3にはありません。";

    "gcm-over-cbc": Modes, Choose; if |facts| faster(gcm_against_cbc(facts)?);
    when "AES-GCM is shown to be faster than AES-CBC with the same key size.";
    says "Leave CBC: {winner} is {times} times as fast as {loser}, and authenticates besides.",
         "CBCはやめます。{winner}は{loser}の{times}倍の速さで、そのうえ認証も行います。";
    why  "In CBC each block waits for the one before, so encrypting cannot use the AES instructions side by side; in \
          GCM it can. CBC also needs an HMAC, which its figure does not hold, and its padding has been attacked again \
          and again in TLS (Lucky Thirteen, POODLE).",
         "CBCの暗号化は前のブロックの結果を待つため、AES命令を並列に使えません。GCMでは使えます。CBCには別にHMACも必要\
          で、その時間は値に含まれていません。TLSではCBCのパディングが何度も攻撃されています（Lucky Thirteen、\
          POODLE）。";

    "cbc-is-half-the-work": Modes, Choose; if cbc;
    when "AES-CBC was measured beside AES-GCM and is not slower.";
    says "Leave CBC in TLS and VPNs all the same: its figure is that of half the work.",
         "それでもTLSやVPNでCBCは使いません。CBCの値は、必要な処理の半分の値です。";
    why  "CBC does not authenticate: an HMAC over every record comes on top, and its padding has been attacked again \
          and again in TLS (Lucky Thirteen, POODLE). Compare AEADs with each other.",
         "CBCは認証を行わないため、レコードごとにHMACの計算が加わります。TLSではCBCのパディングが何度も攻撃されています\
          （Lucky Thirteen、POODLE）。比べるならAEADどうしで比べてください。";
}

fn small_blocks(facts: &Facts<'_>) -> Option<RuleFinding> {
    let quoted = [Quoted::DesCbc, Quoted::IdeaCbc, Quoted::Cast5Cbc, Quoted::Rc2Cbc, Quoted::Rc5Cbc];
    let ciphers = [DesEde3Cbc, BlowfishCbc].into_iter().chain(quoted.map(Algorithm::Quoted));
    let mut old: Vec<Figure> = ciphers.filter_map(|cipher| facts.figure(cipher)).collect();
    let fastest = old.iter().max_by(|a, b| a.value.total_cmp(&b.value))?.algorithm;
    let aes = [Aes256Cbc, Aes128Cbc].into_iter();
    let comparison = aes.filter_map(|aes| facts.comparison(aes, fastest)).next();
    old.retain(|figure| comparison.is_none() || figure.algorithm != fastest);
    let found = RuleFinding::of(comparison.map(Evidence::Comparison)).with("cipher", Value::Algorithm(fastest));
    Some(found.behind(old.into_iter().map(Evidence::Figure)))
}

fn cbc(facts: &Facts<'_>) -> Option<RuleFinding> {
    let comparison = gcm_against_cbc(facts).filter(|comparison| !comparison.is_first_faster())?;
    Some(RuleFinding::of([Evidence::Comparison(comparison.turned())]))
}

/// Ciphers encrypt and AEADs seal: each in what it is for.
fn gcm_against_cbc(facts: &Facts<'_>) -> Option<FigureComparison> {
    let pairs = [(Aes128Gcm, Aes128Cbc), (Aes256Gcm, Aes256Cbc)];
    pairs.into_iter().find_map(|(gcm, cbc)| facts.comparison(gcm, cbc))
}
