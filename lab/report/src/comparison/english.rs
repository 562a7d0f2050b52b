//! Two runs in English.

use kasoku_model::comparison::Verdict;
use kasoku_model::document::OriginKind;
use kasoku_model::language::Language;

use super::words::Messages;

pub(super) const ENGLISH: Messages = Messages {
    language: Language::English,
    title: "Two runs against each other",
    table: |level| format!("Level {level}: B against A"),
    headings: [
        "B is",
        "algorithm",
        "operation",
        "stack",
        "state",
        "code path",
        "unit",
        "size",
        "A",
        "B",
        "B/A",
        "95 %",
    ],
    verdict: |verdict| match verdict {
        Verdict::Slower => "slower",
        Verdict::Faster => "faster",
        Verdict::NoDifference => "=",
        Verdict::NoInterval => "?",
    },
    quoted: |kind| match kind {
        Some(OriginKind::Published) => "no interval: published figures",
        Some(OriginKind::Transcript) => "no interval: imported figures",
        None => "no interval: no samples",
    },
    too_few: "no interval: too few samples",
    reading: "B/A: how many times as fast B is; = no difference shown; ? no interval, so no difference is claimed",
    folded: |count| match count {
        1 => "1 more: no difference shown (--all shows it)".to_owned(),
        count => format!("{count} more: no difference shown (--all shows them)"),
    },
    folded_too_few: |count| {
        format!("{count} more: too few samples that count for an interval, so nothing is claimed (--all shows them)")
    },
    source: |kind, source| match kind {
        OriginKind::Published => format!("published in: {source}"),
        OriginKind::Transcript => format!("imported from: {source}"),
    },
    incomplete: |letter| {
        format!(
            "INCOMPLETE: {letter} did not reach its end. It is compared by the samples it has; nothing in it is ranked."
        )
    },
    two_machines: |first, second| {
        format!("Two machines, {first} and {second}: a difference is one of machines, not only of software.")
    },
    two_versions: |first, second| {
        format!("Measured by two versions of Kasoku, {first} and {second}: how they measure may differ.")
    },
    nothing_shared: "The two runs share no workload with a figure on the same stack in the same state: nothing to compare.",
    counts: |[slower, faster, same, unknown]| {
        let mut parts = vec![format!("{slower} slower"), format!("{faster} faster")];
        parts.push(format!("{same} with no difference shown"));
        if unknown > 0 {
            parts.push(format!("{unknown} without an interval"));
        }
        format!("Of {} compared: {}.", slower + faster + same + unknown, parts.join(", "))
    },
    unsound: |count, what| format!("Left out, since failed or not verified in one of them ({count}): {what}"),
    only_in: |letter, count, what| format!("Only in {letter} ({count}): {what}"),
    more: |count| format!("and {count} more"),
};
