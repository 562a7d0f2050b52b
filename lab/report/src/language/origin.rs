//! Figures that Kasoku did not measure.

use super::say::{pick, say, subject};
use kasoku_model::document::OriginKind;

subject! {
    /// Figures that Kasoku did not measure.
    OriginMessages {
        texts {
            source: "Source" | "出典";
            address: "Address" | "掲載先";
            note: "Note" | "備考";
            figures:
                "The figures as they were printed, in the unit of the table."
                | "出典にある値を、表の単位に換算したものです。";
            ratios:
                "Ratios of the figures as they were printed. There are no intervals, so how sure they are is not known."
                | "出典にある値どうしの比です。信頼区間がないため、どこまで確かな差かは分かりません。";
        }
        sentences {}
        cases {
            what(kind: OriginKind, source: &str) in language -> String: match kind {
                OriginKind::Transcript => say!(
                    language,
                    "Figures that another program printed ({source}), not measured by Kasoku: there are no intervals, \
                     and no output was verified.",
                    "ほかのプログラムが出力した値です（{source}）。Kasokuが測定したものではないため、信頼区間はなく、\
                     出力の検証もしていません。"
                ),
                OriginKind::Published => say!(
                    language,
                    "Figures published in {source}, not measured by Kasoku: there are no intervals, and no output was \
                     verified.",
                    "{source}で公表された値です。Kasokuが測定したものではないため、信頼区間はなく、\
                     出力の検証もしていません。"
                ),
            };
            headline(kind: OriginKind) in language -> &'static str: match kind {
                OriginKind::Transcript => {
                    pick(language, "Figures that another program printed.", "ほかのプログラムが出力した値です。")
                }
                OriginKind::Published => pick(language, "Published figures.", "公表された値です。"),
            };
            no_verdict(kind: OriginKind) in language -> &'static str: match kind {
                OriginKind::Transcript => pick(
                    language,
                    "These figures were printed by another program: without intervals, no difference between them is \
                     claimed.",
                    "ほかのプログラムが出力した値で、信頼区間がありません。そのため、\
                     値の差が有意かどうかは判断しません。"
                ),
                OriginKind::Published => pick(
                    language,
                    "These are published figures: without intervals, no difference between them is claimed.",
                    "公表された値で、信頼区間がありません。そのため、値の差が有意かどうかは判断しません。"
                ),
            };
            method(kind: OriginKind) in language -> &'static str: match kind {
                OriginKind::Transcript => pick(
                    language,
                    "Another program measured and printed these figures; Kasoku read them. How the machine was \
                     disturbed meanwhile, how far the figures scatter and whether the output was right is not known.",
                    "ほかのプログラムが測定して出力した値を、Kasokuが読み取ったものです。\
                     測定中にマシンがどの程度ほかの処理の影響を受けたか、値がどの程度ばらつくか、\
                     暗号処理の出力が正しかったかは分かりません。"
                ),
                OriginKind::Published => pick(
                    language,
                    "These figures stand in the publication as they are here, its mistakes included. How far they \
                     scatter and whether the output was right is not known.",
                    "出典に載っている値を、誤りも含めてそのまま収録しています。値がどの程度ばらつくか、\
                     暗号処理の出力が正しかったかは分かりません。"
                ),
            };
            /// A mistake of a publication: what is printed, what it should be, what is wrong.
            slip(printed: &str, follows: Option<&str>, what: &str) in language -> String: {
                let printed = match printed {
                    "" => pick(language, "A slip", "誤記").to_owned(),
                    printed => format!("† {printed}"),
                };
                let follows = follows.map(|follows| say!(language, " (read {follows})", "（正しくは{follows}）"));
                let follows = follows.unwrap_or_default();
                say!(language, "{printed}{follows}: {what}", "{printed}{follows}：{what}")
            };
        }
    }
}
