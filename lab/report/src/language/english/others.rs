//! The machine among the others, its history, its steps and advice on it, in English.

use crate::language::{AroundMessages, HistoryMessages, OthersMessages};

pub(super) const OTHERS: OthersMessages = OthersMessages {
    title: "This machine among the others",
    explained: "One thread of openssl with acceleration on, on every machine the same work: messages of 16 KiB for ciphers \
                and hashes, whole operations for curves. A bar begins at zero and is as long as its figure; one too short \
                to be seen is drawn as a thin line. Libraries and their versions differ; they stand below.",
    quoted: "Figures marked * were imported or published: they stand as their sources have them, without intervals, and \
             nobody verified the output behind them.",
    this_machine: "this machine",
    measured: "measured by Kasoku",
    elsewhere: "imported or published*",
    symmetric: "Symmetric ciphers",
    hashes: "Hashes",
    curves: "Curves",
    not_here: "This run has no verified figure of it.",
    machines: "The machines and where their figures come from",
    gap: |count| if count == 1 { "… 1 more …".to_owned() } else { format!("… {count} more …") },
    all: |command| ("All of them: ", command.to_owned(), ""),
    unread: |why| format!("Other runs could not be read, so only published figures stand here: {why}"),
};

pub(super) const HISTORY: HistoryMessages = HistoryMessages {
    title: "History",
    alone: "There is one run of this machine so far. From the second on this section shows how its main workloads go over \
            time, and where a change is shown.",
    quoted: "These figures are from elsewhere: there are no runs of that machine to follow.",
    unchanged: "No difference is shown between one run and the next in any of the main workloads.",
    changed: "Changes that are shown, each against the run before:",
    legend: "“=”: no difference shown. A figure alone has no run before it; “?” marks one that cannot be held against the \
             run before, since one of them has no interval.",
    versions_differ: "The version of a library is not the same in all of these runs.",
    table: "The main workloads over the runs of this machine",
    this_run: "this run",
    oldest: "oldest",
    newest: "newest",
    rule: |percent| {
        format!(
            "A change is shown where the 95 % intervals of both runs do not overlap and the figures differ by more than \
             {percent:.0} %."
        )
    },
    most: |count, command| (format!("The newest {count} runs; all of them: "), command.to_owned(), ""),
    change: |workload, times, when| format!("{workload}: {times} on {when}"),
    chart: |unit, lines| format!("A line chart in {unit}, the oldest run on the left. {}", lines.join(" ")),
    line: |stack, oldest, newest, count| format!("{stack}: from {oldest} to {newest} over {count} runs."),
};

pub(super) const AROUND: AroundMessages = AroundMessages {
    steps: "Steps",
    steps_explained: "Where the time of a workload jumps with its size: more than a fixed cost and a cost for each byte can \
                      make. Sweeps come first, then the largest jumps.",
    steps_legend: "Dots: what was measured. Lines: the fixed cost and the cost for each byte that fit them.",
    advice: "Advice",
    advice_short: "In short",
    advice_act: "to do",
    advice_paste: "To paste: ",
    steps_more: |count, command| {
        let have = if count == 1 { "1 more workload has".to_owned() } else { format!("{count} more workloads have") };
        (format!("{have} a step: "), command.to_owned(), "")
    },
    steps_chart: |size| format!("Time of an operation around {size}"),
    steps_seen: |count, before, at, size| {
        format!("{count} sizes; an operation takes {before} at the last size before the step and {at} at {size}.")
    },
};
