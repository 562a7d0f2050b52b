//! Charts in Japanese.

use crate::language::Charts;
use kasoku_model::acceleration::Acceleration;

pub(super) const CHARTS: Charts = Charts {
    acceleration_on: "加速オン",
    acceleration_off: "加速オフ",
    on: "オン",
    off: "オフ",
    overview: |kind, operation, stack, size| match operation {
        Some(operation) => format!("{kind}の{operation}（{stack}、{size}）"),
        None => format!("{kind}（{stack}、{size}）"),
    },
    by_stack: |task, size| format!("{task}の実装別比較（{size}）"),
    operations: |kind, stack| format!("{kind}（{stack}）"),
    bars: |unit, groups| format!("棒グラフ、単位は{unit}。{}。", groups.join("、")),
    group: |label, figures| format!("{label}は{}", figures.join("と")),
    by_size: |task| format!("{task}のサイズ別スループット"),
    curves: |count, ends| format!("サイズ別スループットの折れ線{count}本。{}。", ends.join("。")),
    ends: |stack, state, first, last| format!("{stack}（{}）は{first}、{last}", state_word(state)),
    at: |figure, size| format!("{size}で{figure}"),
    worth: |ratio| format!("オンで{ratio}"),
};

fn state_word(state: Acceleration) -> String {
    match state {
        Acceleration::On => "加速オン".to_owned(),
        Acceleration::Off => "加速オフ".to_owned(),
        other => other.to_string(),
    }
}
