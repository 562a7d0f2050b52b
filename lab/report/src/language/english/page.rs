//! The page in English.

use crate::language::PageMessages;

pub(super) const PAGE: PageMessages = PageMessages {
    about: " · what cryptographic acceleration is worth on a machine",
    skip: "Skip to the content",
    contents: "Contents",
    incomplete: "Incomplete run.",
    incomplete_means: " It did not reach its end. The figures below are what it had; nothing in it is ranked, and its libraries are not compared. kasoku compare holds it against another run.",
    note: "Note:",
    key_figures: "Key figures",
    verdict: "Verdict",
    throughput: "Throughput",
    public_keys: "Public keys",
    ratios: "What acceleration is worth",
    ratios_explained: "How many times as fast with acceleration on as with it off: the median of the ratios within rounds, \
                       and its 95 % interval. “=”: no difference shown, since the interval does not lie beyond the noise floor.",
    on_over_off: "on over off",
    times_the: "times the",
    slowest: "slowest",
    fastest: "The fastest stack",
    figures: "Every figure",
    figures_explained: "Medians; below each, half its 95 % interval. ",
    verified_means: " the output agreed with an independent implementation or published vectors; ",
    unverified_means: " it was not verified, and is not ranked or compared.",
    missing: "What is missing",
    machine: "Machine",
    method: "Method",
    method_explained: "Every stack runs in a process of its own for each acceleration state. Rounds visit them in shuffled \
                       order, so that drift hits all alike; slices in which the thread did not have its core to itself are \
                       dropped. Ratios are taken within rounds, intervals by bootstrap over rounds nested in processes.",
    repeat: "To repeat it",
    run: "Run ",
    run_after: ".",
    footer: "Made by Kasoku. This page is one file: it loads nothing and runs nothing.",
    runs: |count| format!("Kasoku: {count} runs"),
    nowhere_different: |stacks| format!(": no difference shown anywhere ({stacks})."),
    ratios_of: |kind| format!("{kind}: on over off"),
    on_at: |size| format!("on, {size}"),
    with_acceleration: |algorithm| format!("{algorithm} with acceleration"),
    instead_of: |on, off| format!("{on} instead of {off}"),
    at_best: |algorithm| format!("{algorithm} at best"),
    at_with: |size, stack| format!("{size}, {stack}"),
};
