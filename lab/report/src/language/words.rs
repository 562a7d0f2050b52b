//! Words and small phrases that all of a report shares.

use super::say::subject;
use kasoku_model::algorithm::AlgorithmKind;
use kasoku_model::language::Language::{self, English, Japanese};
use kasoku_model::level::Level;
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
            counted_nonces: "nonces counted" | "ナンス逐次生成";
        }
        sentences {
            threads(threads: u64): "{threads} threads" | "{threads}スレッド";
            keys(keys: usize): "{keys} keys" | "鍵{keys}個";
            aad(length: &str): "AAD {length}" | "AAD {length}";
            times(ratio: &str): "{ratio}×" | "{ratio}倍";
        }
        cases {
            /// The unit in which so many operations a second have few digits: by how many it divides, and its name.
            operations(count: f64) in language -> (f64, &'static str): match (language, count) {
                (English, count) if count >= 1e6 => (1e6, "million ops/s"),
                (English, count) if count >= 1e4 => (1e3, "thousand ops/s"),
                (English, _) => (1.0, "ops/s"),
                (Japanese, count) if count >= 1e6 => (1e4, "万回/秒"),
                (Japanese, _) => (1.0, "回/秒"),
            };
            /// A level where it is no name to be typed.
            level(level: Level) in language -> String: match (language, level) {
                (Japanese, Level::Primitives) => "暗号処理".to_owned(),
                (Japanese, Level::Packets) => "パケット".to_owned(),
                (Japanese, Level::Files) => "ファイル".to_owned(),
                (Japanese, Level::Jvm) => "Java".to_owned(),
                (Japanese, Level::Tls) => "Webサーバー".to_owned(),
                (_, level) => level.to_string(),
            };
            /// The title of a table of algorithms of a kind.
            kind(kind: AlgorithmKind) in language -> &'static str: match (language, kind) {
                (English, kind) => kind.title(),
                (Japanese, AlgorithmKind::Cipher) => "共通鍵暗号",
                (Japanese, AlgorithmKind::Aead) => "認証付き暗号",
                (Japanese, AlgorithmKind::Hash) => "ハッシュ",
                (Japanese, AlgorithmKind::KeyAgreement) => "鍵共有",
                (Japanese, AlgorithmKind::Signature) => "署名",
                (Japanese, AlgorithmKind::Kem) => "鍵カプセル化",
                (Japanese, AlgorithmKind::Suite) => "ベンチマーク",
                (Japanese, AlgorithmKind::CipherSuite) => "TLSの暗号スイート",
            };
            /// What is done with an algorithm.
            operation(operation: Operation) in language -> &'static str: match (language, operation) {
                (English, operation) => operation.name(),
                (Japanese, Operation::Encrypt | Operation::Seal) => "暗号化",
                (Japanese, Operation::Decrypt | Operation::Open) => "復号",
                (Japanese, Operation::Hash) => "ハッシュ計算",
                (Japanese, Operation::Derive) => "共有秘密の導出",
                (Japanese, Operation::Sign) => "署名生成",
                (Japanese, Operation::Verify) => "署名検証",
                (Japanese, Operation::Encapsulate) => "カプセル化",
                (Japanese, Operation::Decapsulate) => "カプセル化解除",
                (Japanese, Operation::Serve) => "配信",
                (Japanese, Operation::Transfer) => "転送",
                (Japanese, Operation::Roundtrip) => "暗号化と復号",
                (Japanese, Operation::Generate) => "鍵生成",
                (Japanese, Operation::Protect) => "パケット保護",
                (Japanese, Operation::Unprotect) => "パケット保護解除",
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
