//! Two runs against each other.

use super::say::subject;
use kasoku_model::comparison::Verdict;
use kasoku_model::document::OriginKind;

subject! {
    /// Two runs against each other.
    ComparisonMessages {
        texts {
            title: "Two runs against each other" | "2 つの測定の比較";
            too_few: "no interval: too few samples" | "区間なし（標本不足）";
            reading:
                "B/A: how many times as fast B is; = no difference shown; ? no interval, so no difference is claimed"
                | "B/A は B が A の何倍速いか。= は「差は認められない」、? は区間がないため判定しないことを示します";
            nothing_shared:
                "The two runs share no workload with a figure on the same library in the same state: nothing to compare."
                | "同じ実装、同じ加速状態で両方に値のある項目がないため、比較できません。";
        }
        sentences {
            table: fn(&str) -> String =
                |level| format!("Level {level}: B against A"),
                |level| format!("レベル {level}：A に対する B");
            headings: [&'static str; 12] =
                [
                    "B is",
                    "algorithm",
                    "operation",
                    "library",
                    "state",
                    "code path",
                    "unit",
                    "size",
                    "A",
                    "B",
                    "B/A",
                    "95 %",
                ],
                [
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
                ];
            verdict: fn(Verdict) -> &'static str =
                |verdict| match verdict {
                    Verdict::Slower => "slower",
                    Verdict::Faster => "faster",
                    Verdict::NoDifference => "=",
                    Verdict::NoInterval => "?",
                },
                |verdict| match verdict {
                    Verdict::Slower => "低下",
                    Verdict::Faster => "向上",
                    Verdict::NoDifference => "=",
                    Verdict::NoInterval => "?",
                };
            quoted: fn(Option<OriginKind>) -> &'static str =
                |kind| match kind {
                    Some(OriginKind::Published) => "no interval: published figures",
                    Some(OriginKind::Transcript) => "no interval: imported figures",
                    None => "no interval: no samples",
                },
                |kind| match kind {
                    Some(OriginKind::Published) => "区間なし（公表値）",
                    Some(OriginKind::Transcript) => "区間なし（取り込んだ値）",
                    None => "区間なし（標本なし）",
                };
            folded: fn(usize) -> String =
                |count| match count {
                    1 => "1 more: no difference shown (--all shows it)".to_owned(),
                    count => format!("{count} more: no difference shown (--all shows them)"),
                },
                |count| format!("ほか {count} 件：差は認められない（--all で表示）");
            folded_too_few: fn(usize) -> String =
                |count| {
                    format!("{count} more: too few samples that count for an interval, so nothing is claimed (--all \
                             shows them)")
                },
                |count| format!("ほか {count} 件：有効な標本が足りず、判定できない（--all で表示）");
            source: fn(OriginKind, &str) -> String =
                |kind, source| match kind {
                    OriginKind::Published => format!("published in: {source}"),
                    OriginKind::Transcript => format!("imported from: {source}"),
                },
                |kind, source| match kind {
                    OriginKind::Published => format!("公表値：{source}"),
                    OriginKind::Transcript => format!("取り込み元：{source}"),
                };
            incomplete: fn(&str) -> String =
                |letter| {
                    format!(
                        "INCOMPLETE: {letter} did not reach its end. It is compared by the samples it has; nothing in \
                         it is ranked."
                    )
                },
                |letter| {
                    format!(
                        "未完了：{letter} は最後まで測定されていません。残っている標本だけで比較しています（その測定の\
                         中での順位付けは行いません）。"
                    )
                };
            two_machines: fn(&str, &str) -> String =
                |first, second| {
                    format!("Two machines, {first} and {second}: a difference is one of machines, not only of \
                             software.")
                },
                |first, second| {
                    format!("別々のマシンです（{first} と {second}）。差にはソフトウェアだけでなくマシンの違いも含まれ\
                             ます。")
                };
            two_versions: fn(&str, &str) -> String =
                |first, second| {
                    format!("Measured by two versions of Kasoku, {first} and {second}: how they measure may differ.")
                },
                |first, second| {
                    format!(
                        "測定した Kasoku のバージョンが異なります（{first} と {second}）。測定方法の違いが影響している\
                         可能性があります。"
                    )
                };
            counts: fn([usize; 4]) -> String =
                |[slower, faster, same, unknown]| {
                    let mut parts = vec![format!("{slower} slower"), format!("{faster} faster")];
                    parts.push(format!("{same} with no difference shown"));
                    if unknown > 0 {
                        parts.push(format!("{unknown} without an interval"));
                    }
                    format!("Of {} compared: {}.", slower + faster + same + unknown, parts.join(", "))
                },
                |[slower, faster, same, unknown]| {
                    let mut parts = vec![format!("低下 {slower} 件"), format!("向上 {faster} 件")];
                    parts.push(format!("差が認められないもの {same} 件"));
                    if unknown > 0 {
                        parts.push(format!("区間のないもの {unknown} 件"));
                    }
                    format!("比較した {} 件のうち、{}。", slower + faster + same + unknown, parts.join("、"))
                };
            unsound: fn(usize, &str) -> String =
                |count, what| format!("Left out, since failed or not verified in one of them ({count}): {what}"),
                |count, what| format!("どちらかで失敗したか未検証のため除外（{count} 件）：{what}");
            only_in: fn(&str, usize, &str) -> String =
                |letter, count, what| format!("Only in {letter} ({count}): {what}"),
                |letter, count, what| format!("{letter} のみにあるもの（{count} 件）：{what}");
            more: fn(usize) -> String =
                |count| format!("and {count} more"),
                |count| format!("ほか {count} 種類");
        }
    }
}
