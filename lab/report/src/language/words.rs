//! Words and small phrases that all of a report shares.

use super::say::subject;
use kasoku_model::algorithm::Kind;
use kasoku_model::language::Language::{self, English, Japanese};
use kasoku_model::workload::Operation;

subject! {
    /// Words and small phrases that all of a report shares.
    Words {
        texts {
            comma: ", " | "、";
            no_difference: "no difference shown" | "差は認められない";
            failed: "failed" | "失敗";
            verified: "verified" | "検証済み";
            not_verified: "not verified" | "未検証";
            thousand_ops: "thousand ops/s" | "千 ops/s";
            million_ops: "million ops/s" | "百万 ops/s";
            counted_nonces: "nonces counted" | "ナンス逐次生成";
        }
        sentences {
            /// The title of a table of algorithms of a kind.
            kind: fn(Kind) -> &'static str =
                Kind::title,
                |kind| match kind {
                    Kind::Cipher => "共通鍵暗号",
                    Kind::Aead => "認証付き暗号",
                    Kind::Hash => "ハッシュ",
                    Kind::KeyAgreement => "鍵共有",
                    Kind::Signature => "署名",
                    Kind::Kem => "鍵カプセル化",
                    Kind::Suite => "ベンチマーク",
                    Kind::CipherSuite => "TLS の暗号スイート",
                };
            /// What is done with an algorithm.
            operation: fn(Operation) -> &'static str =
                Operation::name,
                |operation| match operation {
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
                };
            threads: fn(u64) -> String =
                |threads| format!("{threads} threads"),
                |threads| format!("{threads}スレッド");
            keys: fn(usize) -> String =
                |keys| format!("{keys} keys"),
                |keys| format!("鍵{keys}個");
            aad: fn(&str) -> String =
                |length| format!("AAD {length}"),
                |length| format!("AAD {length}");
            times: fn(&str) -> String =
                |ratio| format!("{ratio}×"),
                |ratio| format!("{ratio}倍");
        }
    }
}

/// `a, b and c`; `aとb`, `a、b、c`.
pub(crate) fn and(items: &[String], language: Language) -> String {
    match (items, language) {
        ([first, second], Japanese) => format!("{first}と{second}"),
        (all, Japanese) => all.join("、"),
        ([], English) => String::new(),
        ([only], English) => only.clone(),
        ([most @ .., last], English) => format!("{} and {last}", most.join(", ")),
    }
}
