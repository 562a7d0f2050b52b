//! Two runs in Japanese.

use kasoku_model::comparison::Verdict;
use kasoku_model::document::OriginKind;
use kasoku_model::language::Language;

use super::words::Messages;

pub(super) const JAPANESE: Messages = Messages {
    language: Language::Japanese,
    title: "2 つの測定の比較",
    table: |level| format!("レベル {level}：A に対する B"),
    headings: [
        "判定",
        "アルゴリズム",
        "操作",
        "実装",
        "加速",
        "コードパス",
        "単位",
        "サイズ",
        "A",
        "B",
        "B/A",
        "95 % 区間",
    ],
    verdict: |verdict| match verdict {
        Verdict::Slower => "低下",
        Verdict::Faster => "向上",
        Verdict::NoDifference => "=",
        Verdict::NoInterval => "?",
    },
    quoted: |kind| match kind {
        Some(OriginKind::Published) => "区間なし（公表値）",
        Some(OriginKind::Transcript) => "区間なし（取り込んだ値）",
        None => "区間なし（標本なし）",
    },
    too_few: "区間なし（標本不足）",
    reading: "B/A は B が A の何倍速いか。= は「差は認められない」、? は区間がないため判定しないことを示します",
    folded: |count| format!("ほか {count} 件：差は認められない（--all で表示）"),
    folded_too_few: |count| format!("ほか {count} 件：有効な標本が足りず、判定できない（--all で表示）"),
    source: |kind, source| match kind {
        OriginKind::Published => format!("公表値：{source}"),
        OriginKind::Transcript => format!("取り込み元：{source}"),
    },
    incomplete: |letter| {
        format!(
            "未完了：{letter} は最後まで測定されていません。残っている標本だけで比較しています（その測定の中での順位付けは行いません）。"
        )
    },
    two_machines: |first, second| {
        format!("別々のマシンです（{first} と {second}）。差にはソフトウェアだけでなくマシンの違いも含まれます。")
    },
    two_versions: |first, second| {
        format!(
            "測定した Kasoku のバージョンが異なります（{first} と {second}）。測定方法の違いが影響している可能性があります。"
        )
    },
    nothing_shared: "同じ実装、同じ加速状態で両方に値のある項目がないため、比較できません。",
    counts: |[slower, faster, same, unknown]| {
        let mut parts = vec![format!("低下 {slower} 件"), format!("向上 {faster} 件")];
        parts.push(format!("差が認められないもの {same} 件"));
        if unknown > 0 {
            parts.push(format!("区間のないもの {unknown} 件"));
        }
        format!("比較した {} 件のうち、{}。", slower + faster + same + unknown, parts.join("、"))
    },
    unsound: |count, what| format!("どちらかで失敗したか未検証のため除外（{count} 件）：{what}"),
    only_in: |letter, count, what| format!("{letter} のみにあるもの（{count} 件）：{what}"),
    more: |count| format!("ほか {count} 種類"),
};
