//! Figures that Kasoku did not measure.

use super::say::subject;
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
        sentences {
            what: fn(OriginKind, &str) -> String =
                |kind, source| match kind {
                    OriginKind::Transcript => {
                        format!(
                            "Figures that another program printed ({source}), not measured by Kasoku: there are no \
                             intervals, and no output was verified."
                        )
                    }
                    OriginKind::Published => {
                        format!(
                            "Figures published in {source}, not measured by Kasoku: there are no intervals, and no \
                             output was verified."
                        )
                    }
                },
                |kind, source| match kind {
                    OriginKind::Transcript => {
                        format!(
                            "ほかのプログラムが出力した値です（{source}）。Kasokuが測定したものではないため、信頼区間\
                             はなく、出力の検証もしていません。"
                        )
                    }
                    OriginKind::Published => {
                        format!(
                            "{source}で公表された値です。Kasokuが測定したものではないため、信頼区間はなく、出力の検証\
                             もしていません。"
                        )
                    }
                };
            headline: fn(OriginKind) -> &'static str =
                |kind| match kind {
                    OriginKind::Transcript => "Figures that another program printed.",
                    OriginKind::Published => "Published figures.",
                },
                |kind| match kind {
                    OriginKind::Transcript => "ほかのプログラムが出力した値です。",
                    OriginKind::Published => "公表された値です。",
                };
            no_verdict: fn(OriginKind) -> &'static str =
                |kind| match kind {
                    OriginKind::Transcript => {
                        "These figures were printed by another program: without intervals, no difference between them \
                         is claimed."
                    }
                    OriginKind::Published => {
                        "These are published figures: without intervals, no difference between them is claimed."
                    }
                },
                |kind| match kind {
                    OriginKind::Transcript => {
                        "ほかのプログラムが出力した値で、信頼区間がありません。そのため、値の差が有意かどうかは判断し\
                         ません。"
                    }
                    OriginKind::Published => "公表された値で、信頼区間がありません。そのため、値の差が有意かどうかは判\
                                              断しません。",
                };
            method: fn(OriginKind) -> &'static str =
                |kind| match kind {
                    OriginKind::Transcript => {
                        "Another program measured and printed these figures; Kasoku read them. How the machine was \
                         disturbed meanwhile, how far the figures scatter and whether the output was right is not \
                         known."
                    }
                    OriginKind::Published => {
                        "These figures stand in the publication as they are here, its mistakes included. How far they \
                         scatter and whether the output was right is not known."
                    }
                },
                |kind| match kind {
                    OriginKind::Transcript => {
                        "ほかのプログラムが測定して出力した値を、Kasokuが読み取ったものです。測定中にマシンがどの程度\
                         ほかの処理の影響を受けたか、値がどの程度ばらつくか、暗号処理の出力が正しかったかは分かりませ\
                         ん。"
                    }
                    OriginKind::Published => {
                        "出典に載っている値を、誤りも含めてそのまま収録しています。値がどの程度ばらつくか、暗号処理の\
                         出力が正しかったかは分かりません。"
                    }
                };
        }
    }
}
