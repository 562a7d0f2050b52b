//! Headings, titles and notes of tables.

use super::say::{pick, say, subject};
use kasoku_model::document::Reason;
use kasoku_model::language::Language::{English, Japanese};
use kasoku_model::level::Level;

subject! {
    /// Headings, titles and notes of tables.
    Tables {
        texts {
            algorithm: "algorithm" | "アルゴリズム";
            algorithms: "algorithms" | "アルゴリズム";
            library: "library" | "実装";
            state: "state" | "加速";
            code_path: "code path" | "コードパス";
            path: "path" | "コードパス";
            at_most: "± at most" | "±最大";
            what: "what" | "内容";
            why: "why" | "理由";
            to_install: "to install it" | "インストール方法";
            all: "all" | "すべて";
            problems: "Failed or not verified, and so not ranked" | "失敗または未検証（順位付けの対象外）";
            left_out: "Left out" | "測定しなかったもの";
            failed: "failed" | "失敗";
            unverified: "unverified" | "未検証";
            repeated: "measured twice" | "重複";
            first_is_shown: "the first of them is shown" | "先のほうを表示";
            no_reason: "no reason given" | "理由の記録なし";
            not_checked: "its output was not checked" | "出力を確認していない";
            unverified_mark:
                "! the output was not verified: the figure is not ranked or compared"
                | "! 出力が未検証のため、順位付けと比較の対象外";
            failed_mark: "– failed" | "– 失敗";
            equal_mark: "= no difference shown" | "= 差は認められない";
            on_off_mark:
                "on, off: no difference shown at any size; the figures are those with acceleration on"
                | "on, off：どのサイズでもオンとオフの差は認められない。値は加速オンのもの";
            interval_heading: "95 %" | "95 %";
            slowest: "slowest" | "最遅比";
            next: "the next, against it" | "次点以下（最速との比）";
        }
        sentences {
            level(level: Level): "level {level}" | "レベル{level}";
            of_library(kind: &str, library: &str, unit: &str):
                "{kind} with {library}, {unit} (1 MB is 1,000,000 bytes)"
                | "{kind}：{library}（{unit}、1 MB = 1,000,000バイト）";
            public_keys(unit: &str): "Public keys, {unit}, acceleration on" | "公開鍵暗号（{unit}、加速オン）";
            gains(library: &str):
                "What acceleration is worth: on and off with {library}"
                | "加速の効果：オンはオフの何倍か（{library}）";
            gains_note(size: &str):
                "95 %: the interval at {size}; slowest: times as fast as the slowest of its kind with acceleration on \
                 at {size}"
                | "95 %：{size}での信頼区間。最遅比：加速オンの{size}で、同じ種類のうち最も遅いものの何倍か";
            sizes_shown(shown: usize, all: usize):
                "{shown} of {all} sizes; `kasoku show` has all"
                | "全{all}サイズのうち{shown}サイズを表示。残りは`kasoku show`で表示できる";
            with_state(library: &str, state: &str): "{library} ({state})" | "{library}（{state}）";
            lacks(library: &str): "not in {library}" | "{library}にない";
        }
        cases {
            /// A kind of reason why something was left out; English says it in the omission's own words.
            reason(reason: Reason) in language -> Option<&'static str>: match (language, reason) {
                (English, _) | (_, Reason::Other) => None,
                (Japanese, Reason::Unsupported) => Some("この実装にはありません"),
                (Japanese, Reason::NoSwitch) => Some("加速を切り替える手段がありません"),
                (Japanese, Reason::NotInstalled) => Some("インストールされていません"),
                (Japanese, Reason::NoTime) => Some("時間が足りず、測定していません"),
                (Japanese, Reason::NotAsked) => Some("指定された条件の対象外です"),
            };
            figures(level: Option<&str>, kind: &str, unit: &str) in language -> String: {
                let level = level.map(|level| say!(language, "{level}: ", "{level}：")).unwrap_or_default();
                say!(language, "{level}{kind}, {unit}", "{level}{kind}（{unit}）")
            };
            fastest(sizes: &[String]) in language -> String: {
                let sizes = sizes.join(pick(language, " or ", "または"));
                say!(language, "Fastest library at {sizes}, acceleration on", "最速の実装（{sizes}、加速オン）")
            };
        }
    }
}
