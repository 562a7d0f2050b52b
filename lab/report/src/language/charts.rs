//! Captions and descriptions of charts.

use super::say::{pick, say, subject};
use kasoku_model::acceleration::Acceleration;

subject! {
    /// Captions and descriptions of charts.
    Charts {
        texts {
            acceleration_on: "acceleration on" | "加速オン";
            acceleration_off: "acceleration off" | "加速オフ";
            on: "on" | "オン";
            off: "off" | "オフ";
        }
        sentences {
            by_library(task: &str, size: &str): "{task} by library at {size}" | "{task}の実装別比較（{size}）";
            operations(kind: &str, library: &str): "{kind} with {library}" | "{kind}（{library}）";
            by_size(task: &str): "{task} by size" | "{task}のサイズ別スループット";
            at(figure: &str, size: &str): "{figure} at {size}" | "{size}で{figure}";
            worth_by_algorithm(library: &str, size: &str):
                "With acceleration on and off: {library}, {size}"
                | "加速オンとオフ（{library}、{size}）";
            worth(ratio: &str): "{ratio} when on" | "オンで{ratio}";
        }
        cases {
            overview(kind: &str, operation: Option<&str>, library: &str, size: &str) in language -> String:
                match operation {
                    Some(operation) => say!(
                        language,
                        "{kind}, {operation}, with {library} at {size}",
                        "{kind}の{operation}（{library}、{size}）"
                    ),
                    None => say!(language, "{kind} with {library} at {size}", "{kind}（{library}、{size}）"),
                };
            bars(unit: &str, groups: &[String]) in language -> String: {
                let groups = groups.join(pick(language, "; ", "、"));
                say!(language, "Bars in {unit}: {groups}.", "棒グラフ、単位は{unit}。{groups}。")
            };
            group(label: &str, figures: &[String]) in language -> String: {
                let figures = figures.join(pick(language, " and ", "と"));
                say!(language, "{label} {figures}", "{label}は{figures}")
            };
            curves(count: usize, ends: &[String]) in language -> String: {
                let ends = ends.join(pick(language, ". ", "。"));
                say!(
                    language,
                    "Throughput by size, {count} lines. {ends}.",
                    "サイズ別スループットの折れ線{count}本。{ends}。"
                )
            };
            ends(library: &str, state: Acceleration, first: &str, last: &str) in language -> String: {
                let state = match state {
                    Acceleration::On => pick(language, "acceleration on", "加速オン").to_owned(),
                    Acceleration::Off => pick(language, "acceleration off", "加速オフ").to_owned(),
                    other => say!(language, "acceleration {other}", "{other}"),
                };
                say!(language, "{library} with {state}: {first}, {last}", "{library}（{state}）は{first}、{last}")
            };
        }
    }
}
