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
            threads(threads: u64): "{threads} threads" | "{threads}スレッド";
            keys(keys: usize): "{keys} keys" | "鍵{keys}個";
            aad(length: &str): "AAD {length}" | "AAD {length}";
            times(ratio: &str): "{ratio}×" | "{ratio}倍";
        }
        cases {
            /// The title of a table of algorithms of a kind.
            kind(kind: Kind) in language -> &'static str: match (language, kind) {
                (English, kind) => kind.title(),
                (_, Kind::Cipher) => "共通鍵暗号",
                (_, Kind::Aead) => "認証付き暗号",
                (_, Kind::Hash) => "ハッシュ",
                (_, Kind::KeyAgreement) => "鍵共有",
                (_, Kind::Signature) => "署名",
                (_, Kind::Kem) => "鍵カプセル化",
                (_, Kind::Suite) => "ベンチマーク",
                (_, Kind::CipherSuite) => "TLS の暗号スイート",
            };
            /// What is done with an algorithm.
            operation(operation: Operation) in language -> &'static str: match (language, operation) {
                (English, operation) => operation.name(),
                (_, Operation::Encrypt | Operation::Seal) => "暗号化",
                (_, Operation::Decrypt | Operation::Open) => "復号",
                (_, Operation::Hash) => "ハッシュ計算",
                (_, Operation::Derive) => "共有秘密の導出",
                (_, Operation::Sign) => "署名生成",
                (_, Operation::Verify) => "署名検証",
                (_, Operation::Encapsulate) => "カプセル化",
                (_, Operation::Decapsulate) => "カプセル化解除",
                (_, Operation::Serve) => "配信",
                (_, Operation::Transfer) => "転送",
                (_, Operation::Roundtrip) => "暗号化と復号",
                (_, Operation::Generate) => "鍵生成",
                (_, Operation::Protect) => "パケット保護",
                (_, Operation::Unprotect) => "パケット保護解除",
            };
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
