//! Charts in English.

use crate::language::Charts;

pub(super) const CHARTS: Charts = Charts {
    acceleration_on: "acceleration on",
    acceleration_off: "acceleration off",
    on: "on",
    off: "off",
    overview: |kind, operation, stack, size| match operation {
        Some(operation) => format!("{kind}, {operation}, with {stack} at {size}"),
        None => format!("{kind} with {stack} at {size}"),
    },
    by_stack: |task, size| format!("{task} by stack at {size}"),
    operations: |kind, stack| format!("{kind} with {stack}"),
    bars: |unit, groups| format!("Bars in {unit}: {}.", groups.join("; ")),
    group: |label, figures| format!("{label} {}", figures.join(" and ")),
    by_size: |task| format!("{task} by size"),
    curves: |count, ends| format!("Throughput by size, {count} lines. {}.", ends.join(". ")),
    ends: |stack, state, first, last| format!("{stack} with acceleration {state}: {first}, {last}"),
    at: |figure, size| format!("{figure} at {size}"),
    worth: |ratio| format!("{ratio} when on"),
};
