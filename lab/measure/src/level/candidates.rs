//! Selects the workers that a level tries to measure, and the worker for its A/A control.

use super::options::LevelOptions;
use crate::plan::Item;
use crate::worker::WorkerName;
use kasoku_libraries::{self as libraries, LibraryEntry, Switch};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::{Omission, Reason};
use kasoku_model::level::Level;
use kasoku_model::library::{OPENSSL, Role};

/// Returns a worker for each requested library in each of its `states`, and the reasons for omitting workers. If no
/// library is requested, selects those that `is_in_matrix` accepts.
pub(super) fn candidates(
    level: Level,
    options: &LevelOptions,
    is_in_matrix: impl Fn(&LibraryEntry) -> bool,
    states: impl Fn(&LibraryEntry) -> Vec<Acceleration>,
) -> (Vec<WorkerName>, Vec<Omission>) {
    let mut workers = Vec::new();
    let mut omissions = Vec::new();
    for entry in libraries::LIBRARIES.iter().chain(options.foreign.iter().copied()) {
        let is_wanted = match options.libraries {
            Some(_) if !entry.is_foreign() => options.wants_library(entry.name),
            _ => is_in_matrix(entry),
        };
        // Libraries and benchmarks in virtual machines belong to the level `jvm`.
        if !is_wanted || entry.program.is_some() || entry.role == Role::OwnClock {
            continue;
        }
        for state in states(entry) {
            let worker = WorkerName::new(entry, state);
            if let Switch::None(why) = (entry.switch)(state)
                && state != Acceleration::On
            {
                let omission = worker.left_out(level, why.to_owned());
                omissions.push(Omission { reason: Some(Reason::NoSwitch), ..omission });
                continue;
            }
            let more = options.libcrypto.iter().filter(|_| entry.is_loaded && entry.name == OPENSSL);
            let more = more.map(|path| WorkerName { library_file: Some(path.clone()), ..worker.clone() });
            workers.extend([worker.clone()].into_iter().chain(more));
        }
    }
    (workers, omissions)
}

/// Returns no workers, and one omission that says why nothing that the user requested can be measured on `level`.
pub(super) fn not_asked(level: Level, why: &str) -> (Vec<WorkerName>, Vec<Omission>) {
    (Vec::new(), vec![Omission { reason: Some(Reason::NotAsked), ..Omission::new(level, why.to_owned()) }])
}

/// Returns the requested acceleration states, or `usual` if none are requested. The states of Kasoku's own engine are
/// its backends; without a request all of them are measured.
pub(super) fn states(options: &LevelOptions, entry: &LibraryEntry, usual: &[Acceleration]) -> Vec<Acceleration> {
    match &options.acceleration {
        None if entry.name == libraries::kasoku::ENTRY.name => libraries::kasoku::backend_states(),
        _ => options.states_or(usual),
    }
}

/// Adds a copy of the first worker as the A/A control, for the items that `repeated` accepts. Returns the indices of
/// the copy and of the original worker.
pub(super) fn add_control(
    workers: &mut Vec<WorkerName>,
    items: &mut [Item],
    repeated: impl Fn(&Item) -> bool,
) -> Option<(usize, usize)> {
    let original = items.iter().flat_map(|item| item.workers.iter().copied()).min()?;
    let control = workers.len();
    workers.push(workers[original].clone());
    for item in items.iter_mut().filter(|item| item.workers.contains(&original) && repeated(item)) {
        item.workers.push(control);
    }
    Some((control, original))
}
