//! Captions and descriptions of charts.

use super::say::subject;
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
            overview: fn(&str, Option<&str>, &str, &str) -> String =
                |kind, operation, library, size| match operation {
                    Some(operation) => format!("{kind}, {operation}, with {library} at {size}"),
                    None => format!("{kind} with {library} at {size}"),
                },
                |kind, operation, library, size| match operation {
                    Some(operation) => format!("{kind}の{operation}（{library}、{size}）"),
                    None => format!("{kind}（{library}、{size}）"),
                };
            by_library: fn(&str, &str) -> String =
                |task, size| format!("{task} by library at {size}"),
                |task, size| format!("{task}の実装別比較（{size}）");
            operations: fn(&str, &str) -> String =
                |kind, library| format!("{kind} with {library}"),
                |kind, library| format!("{kind}（{library}）");
            bars: fn(&str, &[String]) -> String =
                |unit, groups| format!("Bars in {unit}: {}.", groups.join("; ")),
                |unit, groups| format!("棒グラフ、単位は{unit}。{}。", groups.join("、"));
            group: fn(&str, &[String]) -> String =
                |label, figures| format!("{label} {}", figures.join(" and ")),
                |label, figures| format!("{label}は{}", figures.join("と"));
            by_size: fn(&str) -> String =
                |task| format!("{task} by size"),
                |task| format!("{task}のサイズ別スループット");
            curves: fn(usize, &[String]) -> String =
                |count, ends| format!("Throughput by size, {count} lines. {}.", ends.join(". ")),
                |count, ends| format!("サイズ別スループットの折れ線{count}本。{}。", ends.join("。"));
            ends: fn(&str, Acceleration, &str, &str) -> String =
                |library, state, first, last| format!("{library} with acceleration {state}: {first}, {last}"),
                |library, state, first, last| {
                    let state = match state {
                        Acceleration::On => "加速オン".to_owned(),
                        Acceleration::Off => "加速オフ".to_owned(),
                        other => other.to_string(),
                    };
                    format!("{library}（{state}）は{first}、{last}")
                };
            at: fn(&str, &str) -> String =
                |figure, size| format!("{figure} at {size}"),
                |figure, size| format!("{size}で{figure}");
            worth: fn(&str) -> String =
                |ratio| format!("{ratio} when on"),
                |ratio| format!("オンで{ratio}");
        }
    }
}
