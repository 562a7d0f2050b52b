//! The terminal in English.

use crate::language::TerminalMessages;

pub(super) const TERMINAL: TerminalMessages = TerminalMessages {
    incomplete: "INCOMPLETE: this run did not reach its end. Nothing in it is ranked; compare uses its samples.",
    incomplete_export: "INCOMPLETE: this run did not reach its end. Nothing in it is ranked; compare uses its samples.",
    note: "note: ",
    verdict: "Verdict",
    item: |first, rest| format!("{first}: {}", rest.join("; ")),
    run: |run| format!("Run {run}"),
    run_sentence: |run, started| match started {
        "" => format!("Run {run}."),
        started => format!("Run {run}, {started}."),
    },
};
