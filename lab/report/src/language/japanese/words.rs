//! Words and small phrases in Japanese.

use crate::language::Words;
use kasoku_model::algorithm::Kind;
use kasoku_model::workload::Operation;

pub(super) const WORDS: Words = Words {
    comma: "、",
    no_difference: "差は認められない",
    failed: "失敗",
    verified: "検証済み",
    not_verified: "未検証",
    thousand_ops: "千 ops/s",
    million_ops: "百万 ops/s",
    counted_nonces: "ナンス逐次生成",
    kind,
    operation,
    threads: |threads| format!("{threads}スレッド"),
    keys: |keys| format!("鍵{keys}個"),
    aad: |length| format!("AAD {length}"),
    times: |ratio| format!("{ratio}倍"),
};

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Cipher => "共通鍵暗号",
        Kind::Aead => "認証付き暗号",
        Kind::Hash => "ハッシュ",
        Kind::KeyAgreement => "鍵共有",
        Kind::Signature => "署名",
        Kind::Kem => "鍵カプセル化",
        Kind::Suite => "ベンチマーク",
        Kind::CipherSuite => "TLS の暗号スイート",
    }
}

fn operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Encrypt | Operation::Seal => "暗号化",
        Operation::Decrypt | Operation::Open => "復号",
        Operation::Hash => "ハッシュ計算",
        Operation::Derive => "共有秘密の導出",
        Operation::Sign => "署名生成",
        Operation::Verify => "署名検証",
        Operation::Encapsulate => "カプセル化",
        Operation::Decapsulate => "カプセル化解除",
        Operation::Serve => "配信",
        Operation::Transfer => "転送",
        Operation::Roundtrip => "暗号化と復号",
        Operation::Generate => "鍵生成",
        Operation::Protect => "パケット保護",
        Operation::Unprotect => "パケット保護解除",
    }
}

/// `aとb`, `a、b、c`.
pub(super) fn and(items: &[String]) -> String {
    match items {
        [first, second] => format!("{first}と{second}"),
        all => all.join("、"),
    }
}
