//! Headings, titles and notes of tables.

use super::say::subject;

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
            level: fn(&str) -> String =
                |level| format!("level {level}"),
                |level| format!("レベル{level}");
            figures: fn(Option<&str>, &str, &str) -> String =
                |level, kind, unit| match level {
                    Some(level) => format!("{level}: {kind}, {unit}"),
                    None => format!("{kind}, {unit}"),
                },
                |level, kind, unit| match level {
                    Some(level) => format!("{level}：{kind}（{unit}）"),
                    None => format!("{kind}（{unit}）"),
                };
            of_library: fn(&str, &str, &str) -> String =
                |kind, library, unit| format!("{kind} with {library}, {unit} (1 MB is 1,000,000 bytes)"),
                |kind, library, unit| format!("{kind}：{library}（{unit}、1 MB = 1,000,000バイト）");
            public_keys: fn(&str) -> String =
                |unit| format!("Public keys, {unit}, acceleration on"),
                |unit| format!("公開鍵暗号（{unit}、加速オン）");
            gains: fn(&str) -> String =
                |library| format!("What acceleration is worth: on over off with {library}"),
                |library| format!("加速の効果：オンはオフの何倍か（{library}）");
            gains_note: fn(&str) -> String =
                |size| {
                    format!(
                        "95 %: the interval at {size}; slowest: times as fast as the slowest of its kind with \
                         acceleration on at {size}"
                    )
                },
                |size| {
                    format!("95 %：{size}での信頼区間。最遅比：加速オンの{size}で、同じ種類のうち最も遅いものの何倍か")
                };
            fastest: fn(&[String]) -> String =
                |sizes| format!("Fastest library at {}, acceleration on", sizes.join(" or ")),
                |sizes| format!("最速の実装（{}、加速オン）", sizes.join("または"));
            sizes_shown: fn(usize, usize) -> String =
                |shown, all| format!("{shown} of {all} sizes; `kasoku show` has all"),
                |shown, all| format!("全{all}サイズのうち{shown}サイズを表示。残りは`kasoku show`で表示できる");
            with_state: fn(&str, &str) -> String =
                |library, state| format!("{library} ({state})"),
                |library, state| format!("{library}（{state}）");
            lacks: fn(&str) -> String =
                |library| format!("{library} has none of these"),
                |library| format!("{library}にない");
        }
    }
}
