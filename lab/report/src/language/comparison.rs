//! Two runs against each other.

use super::say::{pick, say, subject};
use kasoku_model::comparison::PairVerdict;
use kasoku_model::document::OriginKind;
use kasoku_model::level::Level;

subject! {
    /// Two runs against each other.
    ComparisonMessages {
        texts {
            title: "Two runs against each other" | "2つの測定の比較";
            is: "B is" | "判定";
            operation: "operation" | "操作";
            unit: "unit" | "単位";
            size: "size" | "サイズ";
            interval: "95 %" | "95 %区間";
            too_few: "no interval: too few samples" | "区間なし（標本不足）";
            reading:
                "B/A: how many times as fast B is; = no difference shown; ? no interval, so no difference is claimed"
                | "B/AはBがAの何倍速いか。= は「差は認められない」、? は区間がないため判定しないことを示します";
            unlike:
                "†: one operation is not quite the same in A and B, or that is not known. Kasoku seals whole messages \
                 under one key; a row of openssl speed is an update of one message that runs on, or, of AES-GCM from \
                 3.0.16, 3.1.8, 3.2.4, 3.3.3, 3.4.1 and 3.5 on, a whole message with the set-up of its key."
                | "†：AとBで1回の処理の内容が同じではないか、同じかどうか分かりません。Kasokuは1つの鍵でメッセージ全体\
                    を処理します。openssl speedの値は、ひと続きのメッセージの更新\
                    か、AES-GCMで3.0.16・3.1.8・3.2.4・3.3.3・3.4.1・3.5以降なら、鍵の設定を含むメッセージ全体です。";
            nothing_shared:
                "The two runs share no workload with a figure on the same library in the same state: nothing to \
                 compare."
                | "同じ実装、同じ加速状態で両方に値のある項目がないため、比較できません。";
        }
        sentences {
            table(level: Level): "Level {level}: B against A" | "レベル{level}：Aに対するB";
            folded_too_few(count: usize):
                "{count} more: too few samples that count for an interval, so nothing is claimed (--all shows them)"
                | "ほか{count}件：有効な標本が足りず、判定できない（--all で表示）";
            incomplete(letter: &str):
                "INCOMPLETE: {letter} did not reach its end. It is compared by the samples it has; nothing in it is \
                 ranked."
                | "未完了：{letter}は最後まで測定されていません。残っている標本だけで比較しています（その測定の中で\
                   の順位付けは行いません）。";
            two_machines(first: &str, second: &str):
                "Two machines, {first} and {second}: a difference is one of machines, not only of software."
                | "別々のマシンです（{first}と{second}）。差にはソフトウェアだけでなくマシンの違いも含まれます。";
            two_versions(first: &str, second: &str):
                "Measured by two versions of Kasoku, {first} and {second}: how they measure may differ."
                | "測定したKasokuのバージョンが異なります（{first}と{second}）。測定方法の違いが影響している可能\
                   性があります。";
            apart(count: usize, bytes: &str, what: &str):
                "Not compared, since one operation is an update of a stream in one and a message with the set-up of \
                 its key in the other, below {bytes} ({count}): {what}"
                | "一方はストリームの更新、他方は鍵の設定を含むメッセージのため、{bytes}未満では比較しないもの（{count}\
                   件）：{what}";
            unsound(count: usize, what: &str):
                "Left out, since failed or not verified in one of them ({count}): {what}"
                | "どちらかで失敗したか未検証のため除外（{count}件）：{what}";
            only_in(letter: &str, count: usize, what: &str):
                "Only in {letter} ({count}): {what}"
                | "{letter}のみにあるもの（{count}件）：{what}";
            more(count: usize): "and {count} more" | "ほか{count}種類";
        }
        cases {
            verdict(verdict: PairVerdict) in language -> &'static str: match verdict {
                PairVerdict::Slower => pick(language, "slower", "低下"),
                PairVerdict::Faster => pick(language, "faster", "向上"),
                PairVerdict::NoDifference => "=",
                PairVerdict::NoInterval => "?",
            };
            quoted(kind: Option<OriginKind>) in language -> &'static str: match kind {
                Some(OriginKind::Published) => pick(language, "no interval: published figures", "区間なし（公表値）"),
                Some(OriginKind::Transcript) => pick(language, "no interval: imported figures", "区間なし（取り込んだ\
                    値）"),
                None => pick(language, "no interval: no samples", "区間なし（標本なし）"),
            };
            folded(count: usize) in language -> String: {
                let them = if count == 1 { "it" } else { "them" };
                say!(
                    language,
                    "{count} more: no difference shown (--all shows {them})",
                    "ほか{count}件：差は認められない（--all で表示）"
                )
            };
            source(kind: OriginKind, source: &str) in language -> String: match kind {
                OriginKind::Published => say!(language, "published in: {source}", "公表値：{source}"),
                OriginKind::Transcript => say!(language, "imported from: {source}", "取り込み元：{source}"),
            };
            counts(counts: [usize; 4]) in language -> String: {
                let [slower, faster, same, unknown] = counts;
                let all: usize = counts.iter().sum();
                let unknown = match unknown {
                    0 => String::new(),
                    _ => say!(language, ", {unknown} without an interval", "、区間のないもの{unknown}件"),
                };
                say!(
                    language,
                    "Of {all} compared: {slower} slower, {faster} faster, {same} with no difference shown{unknown}.",
                    "比較した{all}件のうち、低下{slower}件、向上{faster}件、差が認められないもの{same}件{unknown}。"
                )
            };
        }
    }
}
