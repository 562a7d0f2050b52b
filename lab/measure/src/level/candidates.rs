//! The probes that a level tries.

use super::wish::Wish;
use crate::probe::ProbeName;
use kasoku_libraries::{self as stack, Entry, Switch};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::Omission;

/// Every stack that was asked for, or `is_in_matrix` if none was, in each of its `states`; and why some are left out.
pub(super) fn candidates(
    level: &str,
    wish: &Wish,
    is_in_matrix: impl Fn(&Entry) -> bool,
    states: impl Fn(&Entry) -> Vec<Acceleration>,
) -> (Vec<ProbeName>, Vec<Omission>) {
    let mut probes = Vec::new();
    let mut omissions = Vec::new();
    for entry in stack::STACKS {
        let is_wanted = match &wish.stacks {
            Some(names) => names.iter().any(|name| name == entry.name),
            None => is_in_matrix(entry),
        };
        // What runs in a virtual machine has a level of its own.
        if !is_wanted || entry.program.is_some() {
            continue;
        }
        for state in states(entry) {
            if let Switch::None(why) = (entry.switch)(state)
                && state != Acceleration::On
            {
                omissions.push(without_switch(level, entry, state, why));
                continue;
            }
            probes.push(ProbeName::new(entry, state));
            if entry.is_loaded && entry.name == "openssl" {
                let more = wish.libcrypto.iter().cloned();
                probes.extend(more.map(|path| ProbeName { library: Some(path), ..ProbeName::new(entry, state) }));
            }
        }
    }
    (probes, omissions)
}

fn without_switch(level: &str, entry: &Entry, state: Acceleration, why: &str) -> Omission {
    Omission {
        level: level.to_owned(),
        stack: entry.name.to_owned(),
        acceleration: Some(state),
        algorithm: None,
        why: why.to_owned(),
        install: None,
    }
}
