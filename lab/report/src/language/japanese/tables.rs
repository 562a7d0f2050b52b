//! Tables in Japanese.

use crate::language::Tables;

pub(super) const TABLES: Tables = Tables {
    algorithm: "アルゴリズム",
    algorithms: "アルゴリズム",
    stack: "実装",
    state: "加速",
    code_path: "コードパス",
    path: "コードパス",
    at_most: "±最大",
    what: "内容",
    why: "理由",
    to_install: "インストール方法",
    all: "すべて",
    problems: "失敗または未検証（順位付けの対象外）",
    left_out: "測定しなかったもの",
    failed: "失敗",
    unverified: "未検証",
    repeated: "重複",
    first_is_shown: "先のほうを表示",
    no_reason: "理由の記録なし",
    not_checked: "出力を確認していない",
    unverified_mark: "! 出力が未検証のため、順位付けと比較の対象外",
    failed_mark: "– 失敗",
    equal_mark: "= 差は認められない",
    on_off_mark: "on, off：どのサイズでもオンとオフの差は認められない。値は加速オンのもの",
    interval_heading: "95 %",
    slowest: "最遅比",
    next: "次点以下（最速との比）",
    level: |level| format!("レベル{level}"),
    figures: |level, kind, unit| match level {
        Some(level) => format!("{level}：{kind}（{unit}）"),
        None => format!("{kind}（{unit}）"),
    },
    of_stack: |kind, stack, unit| format!("{kind}：{stack}（{unit}、1 MB = 1,000,000バイト）"),
    public_keys: |unit| format!("公開鍵暗号（{unit}、加速オン）"),
    gains: |stack| format!("加速の効果：オンはオフの何倍か（{stack}）"),
    gains_note: |size| {
        format!("95 %：{size}での信頼区間。最遅比：加速オンの{size}で、同じ種類のうち最も遅いものの何倍か")
    },
    fastest: |sizes| format!("最速の実装（{}、加速オン）", sizes.join("または")),
    sizes_shown: |shown, all| format!("全{all}サイズのうち{shown}サイズを表示。残りは`kasoku show`で表示できる"),
    with_state: |stack, state| format!("{stack}（{state}）"),
    lacks: |library| format!("{library}にない"),
};
