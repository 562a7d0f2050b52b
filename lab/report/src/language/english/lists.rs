//! Lists in English.

use crate::language::Lists;

pub(super) const LISTS: Lists = Lists {
    no_runs: "The store holds no runs yet.",
    run: "run",
    started: "started",
    cpu: "cpu",
    kasoku: "kasoku",
    command: "command",
    complete: "complete",
    series: "series",
    failed: "failed",
    yes: "yes",
    no: "no",
};
