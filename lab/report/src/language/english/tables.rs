//! Tables in English.

use crate::language::Tables;

pub(super) const TABLES: Tables = Tables {
    algorithm: "algorithm",
    algorithms: "algorithms",
    stack: "stack",
    state: "state",
    code_path: "code path",
    path: "path",
    at_most: "± at most",
    what: "what",
    why: "why",
    to_install: "to install it",
    all: "all",
    problems: "Failed or not verified, and so not ranked",
    left_out: "Left out",
    failed: "failed",
    unverified: "unverified",
    repeated: "measured twice",
    first_is_shown: "the first of them is shown",
    no_reason: "no reason given",
    not_checked: "its output was not checked",
    unverified_mark: "! the output was not verified: the figure is not ranked or compared",
    failed_mark: "– failed",
    equal_mark: "= no difference shown",
    on_off_mark: "on, off: no difference shown at any size; the figures are those with acceleration on",
    interval_heading: "95 %",
    slowest: "slowest",
    next: "the next, against it",
    level: |level| format!("level {level}"),
    figures: |level, kind, unit| match level {
        Some(level) => format!("{level}: {kind}, {unit}"),
        None => format!("{kind}, {unit}"),
    },
    of_stack: |kind, stack, unit| format!("{kind} with {stack}, {unit} (1 MB is 1,000,000 bytes)"),
    public_keys: |unit| format!("Public keys, {unit}, acceleration on"),
    gains: |stack| format!("What acceleration is worth: on over off with {stack}"),
    gains_note: |size| {
        format!(
            "95 %: the interval at {size}; slowest: times as fast as the slowest of its kind with acceleration on at {size}"
        )
    },
    fastest: |sizes| format!("Fastest stack at {}, acceleration on", sizes.join(" or ")),
    sizes_shown: |shown, all| format!("{shown} of {all} sizes; `kasoku show` has all"),
    with_state: |stack, state| format!("{stack} ({state})"),
    lacks: |library| format!("{library} has none of these"),
};
