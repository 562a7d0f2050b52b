//! Figures that Kasoku did not measure, in Japanese.

use crate::language::OriginMessages;
use kasoku_model::document::OriginKind;

pub(super) const ORIGIN: OriginMessages = OriginMessages {
    source: "出典",
    address: "掲載先",
    note: "備考",
    figures: "出典にある値を、表の単位に換算したものです。",
    ratios: "出典にある値どうしの比です。信頼区間がないため、どこまで確かな差かは分かりません。",
    what: |kind, source| match kind {
        OriginKind::Transcript => {
            format!(
                "ほかのプログラムが出力した値です（{source}）。Kasokuが測定したものではないため、信頼区間はなく、出力の検証もしていません。"
            )
        }
        OriginKind::Published => {
            format!(
                "{source}で公表された値です。Kasokuが測定したものではないため、信頼区間はなく、出力の検証もしていません。"
            )
        }
    },
    headline: |kind| match kind {
        OriginKind::Transcript => "ほかのプログラムが出力した値です。",
        OriginKind::Published => "公表された値です。",
    },
    no_verdict: |kind| match kind {
        OriginKind::Transcript => {
            "ほかのプログラムが出力した値で、信頼区間がありません。そのため、値の差が有意かどうかは判断しません。"
        }
        OriginKind::Published => "公表された値で、信頼区間がありません。そのため、値の差が有意かどうかは判断しません。",
    },
    method: |kind| match kind {
        OriginKind::Transcript => {
            "ほかのプログラムが測定して出力した値を、Kasokuが読み取ったものです。測定中にマシンがどの程度ほかの処理の影響を\
             受けたか、値がどの程度ばらつくか、暗号処理の出力が正しかったかは分かりません。"
        }
        OriginKind::Published => {
            "出典に載っている値を、誤りも含めてそのまま収録しています。値がどの程度ばらつくか、暗号処理の出力が正しかったかは\
             分かりません。"
        }
    },
};
