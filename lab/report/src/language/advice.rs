//! Advice.

use super::say::{say, subject};
use kasoku_model::document::OriginKind;
use kasoku_model::language::Language::{English, Japanese};

subject! {
    /// Advice.
    AdviceMessages {
        texts {
            unnamed: "a machine without a name" | "名前のない機器";
            incomplete:
                "This run did not reach its end: its figures are not used."
                | "この測定は最後まで終わっていないため、値は使いません。";
            nothing:
                "No advice: no figure or feature of this machine leads to any. `kasoku run --quick` measures some."
                | "助言につながる値もCPUの機能もありません。`kasoku run --quick`で測定できます。";
            nothing_on_topic:
                "No advice on what was asked: there are no figures for it. `kasoku run --quick` measures most of them."
                | "指定された項目について助言につながる値がありません。多くは`kasoku run --quick`で測定できます。";
            short: "In short" | "要約";
            figures: "figures" | "値";
            why: "why" | "理由";
        }
        sentences {
            by_run(run: &str): "From the run {run}." | "測定{run}による。";
            /// Which topics are advised on by which run.
            by_runs(topics: &str, run: &str): "{topics}: from the run {run}." | "{topics}：測定{run}による。";
            title(machine: &str): "Advice for {machine}" | "{machine}への助言";
            /// From which library's figures the choices are made.
            library(library: &str):
                "Choices are made by the figures of {library}, one thread."
                | "選択は{library}の値（1スレッド）によります。";
        }
        cases {
            /// Figures from a publication or transcript.
            origin(kind: OriginKind, source: &str) in language -> String: match kind {
                OriginKind::Published => say!(
                    language,
                    "The figures are quoted from {source}; Kasoku did not measure them.",
                    "値は「{source}」からの引用で、Kasokuが測ったものではありません。"
                ),
                OriginKind::Transcript => say!(
                    language,
                    "The figures are from the transcript {source}; Kasoku did not measure them.",
                    "値は測定記録「{source}」のもので、Kasokuが測ったものではありません。"
                ),
            };
            /// The columns of a list.
            columns() in language -> [&'static str; 7]: match language {
                English => ["topic", "rule", "advice", "figures", "reason", "place", "lines"],
                Japanese => ["項目", "規則", "助言", "値", "理由", "場所", "設定"],
            };
        }
    }
}
