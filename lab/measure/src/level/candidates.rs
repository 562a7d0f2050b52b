//! The workers that a level tries.

use super::options::LevelOptions;
use crate::worker_process::WorkerName;
use kasoku_libraries::{self as libraries, LibraryEntry, Switch};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::{Omission, Reason};
use kasoku_model::level::Level;
use kasoku_model::library::{OPENSSL, Role};

/// Every library that was asked for, or `is_in_matrix` if none was, in each of its `states`; and why some are left out.
pub(super) fn candidates(
    level: Level,
    options: &LevelOptions,
    is_in_matrix: impl Fn(&LibraryEntry) -> bool,
    states: impl Fn(&LibraryEntry) -> Vec<Acceleration>,
) -> (Vec<WorkerName>, Vec<Omission>) {
    let mut workers = Vec::new();
    let mut omissions = Vec::new();
    for entry in libraries::LIBRARIES.iter() {
        let is_wanted = match &options.libraries {
            Some(names) => names.iter().any(|name| name == entry.name),
            None => is_in_matrix(entry),
        };
        // Libraries and benchmarks that run in a virtual machine belong to the level `jvm`.
        if !is_wanted || entry.program.is_some() || entry.role == Role::OwnClock {
            continue;
        }
        for state in states(entry) {
            if let Switch::None(why) = (entry.switch)(state)
                && state != Acceleration::On
            {
                omissions.push(Omission {
                    level,
                    library: entry.name.to_owned(),
                    acceleration: Some(state),
                    why: why.to_owned(),
                    reason: Some(Reason::NoSwitch),
                    ..Omission::default()
                });
                continue;
            }
            workers.push(WorkerName::new(entry, state));
            if entry.is_loaded && entry.name == OPENSSL {
                let more = options.libcrypto.iter().cloned();
                workers
                    .extend(more.map(|path| WorkerName { library_file: Some(path), ..WorkerName::new(entry, state) }));
            }
        }
    }
    (workers, omissions)
}
