//! Plans the level `packets`: the cost of a QUIC packet, with and without the work around its cipher, and the cost of a
//! TLS record.

use std::time::Duration;

use super::options::{LevelOptions, Pace, allows, excludes, first_reason};
use super::{candidates, transfer};
use crate::plan::{EndToEnd, Experiment, Item, Plan, Slices};
use crate::worker::WorkerName;
use kasoku_libraries::bound;
use kasoku_libraries::{LibraryEntry, kasoku};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Omission;
use kasoku_model::level::Level;
use kasoku_model::library::Role;
use kasoku_model::workload::{NonceForm, Operation, Packets, Setting, Workload};

const ALGORITHMS: [Algorithm; 2] = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm];
const SIZES: [usize; 6] = [1200, 1350, 1440, 1500, 9000, 16384];
const QUICK_SIZES: [usize; 3] = [1200, 1440, 9000];
/// Packet size in bytes at which the other backends of Kasoku's engine are measured too.
const EACH_BACKEND: usize = 1440;
const RECORD_BYTES: usize = 16384;

/// Tasks that process packets. Only some libraries can process a batch of packets in one call. Batches of 64 packets
/// are also processed one packet per call: 64 packets lie in a slower cache level than the few packets of other tasks.
const TASKS: [Task; 10] = [
    (Operation::Seal, Packets::CIPHER),
    (Operation::Seal, Packets::SINGLE),
    (Operation::Protect, Packets::SINGLE),
    (Operation::Protect, Packets::batch(16)),
    (Operation::Protect, Packets::batch(64)),
    (Operation::Protect, Packets::looped(64)),
    (Operation::Unprotect, Packets::SINGLE),
    (Operation::Unprotect, Packets::batch(16)),
    (Operation::Unprotect, Packets::batch(64)),
    (Operation::Unprotect, Packets::looped(64)),
];
const RECORD: Task = (Operation::Seal, Packets::RECORD);

/// Entries that measure the CPU's speed bounds with registers of each width: for AES alone, and for all operations of
/// GCM.
const LIMITS: &[&LibraryEntry] = if cfg!(target_arch = "aarch64") {
    &[bound::NEON.aes, bound::NEON.gcm]
} else {
    &[bound::ZMM.aes, bound::ZMM.gcm, bound::YMM.aes, bound::YMM.gcm, bound::XMM.aes, bound::XMM.gcm]
};
/// Task and size under which the plan lists the speed bounds. A bound has no set-up and no incomplete last block.
const AT_THE_LIMIT: (Task, usize) = ((Operation::Seal, Packets::CIPHER), 16384);

type Task = (Operation, Packets);

/// Returns the workers to try, and the reasons for omitting acceleration states. The CPU's speed bounds are added to
/// any choice of libraries.
pub(super) fn candidates(options: &LevelOptions) -> (Vec<WorkerName>, Vec<Omission>) {
    let of_transfers = transfer::omission(options);
    if transfer::is_all(options) {
        return (Vec::new(), of_transfers.into_iter().collect());
    }
    if let Some(why) = not_for_packets(options) {
        return candidates::not_asked(Level::Packets, why);
    }
    let is_in_matrix =
        |entry: &LibraryEntry| entry.is_listed && !entry.is_brief && entry.role == Role::Library && !entry.is_foreign();
    let states = |entry: &LibraryEntry| candidates::states(options, entry, &[Acceleration::On]);
    let (mut workers, mut omissions) = candidates::candidates(Level::Packets, options, is_in_matrix, states);
    workers.retain(|worker| worker.entry.role != Role::Bound);
    if !workers.is_empty() && is_bound_wanted(options) {
        let limits = LIMITS.iter().map(|&entry| WorkerName::new(entry, Acceleration::On));
        workers.extend(limits);
    }
    omissions.extend(of_transfers);
    (workers, omissions)
}

fn not_for_packets(options: &LevelOptions) -> Option<&'static str> {
    let operations = TASKS.map(|(operation, _)| operation);
    first_reason(&[
        (options.threads.is_some_and(|threads| threads > 1), "packets are measured in one thread"),
        (excludes(&options.nonces, &[NonceForm::Ahead]), "packets have a nonce each, made ahead from their number"),
        (excludes(&options.algorithms, &ALGORITHMS), "packets are protected with aes-128-gcm and aes-256-gcm"),
        (
            excludes(&options.operations, &operations),
            "what is done with packets is seal, protect, unprotect and transfer",
        ),
    ])
}

fn is_bound_wanted(options: &LevelOptions) -> bool {
    allows(&options.acceleration, &Acceleration::On) && allows(&options.operations, &AT_THE_LIMIT.0.0)
}

pub(super) fn plan(options: &LevelOptions, mut workers: Vec<WorkerName>) -> Plan {
    let mut items: Vec<Item> = Vec::new();
    for algorithm in algorithms(options) {
        for (task, bytes) in tasks(options) {
            let workload = Workload::new(task.0, algorithm, bytes).with_setting(Setting::Packets(task.1));
            let tried =
                (0..workers.len()).filter(|&index| is_in_matrix(options, &workers[index], task, bytes)).collect();
            items.push(Item { workload, threads: 1, workers: tried });
        }
    }
    items.retain(|item| !item.workers.is_empty());
    let is_empty = items.is_empty();
    let limits: Vec<usize> = (0..workers.len()).filter(|&index| workers[index].entry.role == Role::Bound).collect();
    let ((operation, packets), bytes) = AT_THE_LIMIT;
    for algorithm in algorithms(options).into_iter().filter(|_| !is_empty && !limits.is_empty()) {
        let workload = Workload::new(operation, algorithm, bytes).with_setting(Setting::Packets(packets));
        match items.iter_mut().find(|item| item.workload == workload) {
            Some(item) => item.workers.extend(&limits),
            None => items.push(Item { workload, threads: 1, workers: limits.clone() }),
        }
    }
    // The A/A control does whole packets one at a time.
    let is_whole = |item: &Item| item.workload.packets() == Some(Packets::SINGLE);
    let control = candidates::add_control(&mut workers, &mut items, is_whole);
    let transfer = transfer::plan(options);
    let (processes, rounds) = match &transfer {
        Some(transfer) if items.is_empty() => (transfer.processes, transfer.rounds),
        _ => options.starts_and_rounds(),
    };
    Plan {
        level: Level::Packets,
        workers,
        items,
        processes,
        rounds,
        budget: options.pace.choose(Duration::from_secs(8), Duration::from_secs(31)),
        experiment: Experiment::Slices(Slices {
            control,
            slice: options.slice,
            further_rounds: options.further_rounds(),
            end_to_end: transfer.map(EndToEnd::Transfer),
            ..Slices::default()
        }),
    }
}

fn is_in_matrix(options: &LevelOptions, worker: &WorkerName, task: Task, bytes: usize) -> bool {
    let name = worker.entry.name;
    if worker.entry.role == Role::Bound {
        return false;
    }
    if !options.packet_tasks.is_empty() {
        let mut own = options.packet_tasks.iter().filter(|one| one.library == name).peekable();
        return own.peek().is_none() || own.any(|one| task == (one.operation, one.packets()));
    }
    let takes_batches = name == kasoku::ENTRY.name;
    let is_another_backend = takes_batches && worker.acceleration != Acceleration::On && options.acceleration.is_none();
    if is_another_backend {
        return task == (Operation::Protect, Packets::SINGLE) && (bytes == EACH_BACKEND || options.sizes.is_some());
    }
    takes_batches || task.1.batch == 1
}

fn algorithms(options: &LevelOptions) -> Vec<Algorithm> {
    let is_all = options.pace == Pace::Default || options.algorithms.is_some();
    let in_matrix = if is_all { ALGORITHMS.as_slice() } else { &ALGORITHMS[..1] };
    in_matrix.iter().copied().filter(|algorithm| allows(&options.algorithms, algorithm)).collect()
}

/// Returns the tasks to measure, each with its size. TLS records come last, at a size of their own.
fn tasks(options: &LevelOptions) -> Vec<(Task, usize)> {
    let sizes = options.sizes_as_named_or(&QUICK_SIZES, &SIZES);
    let mut tasks: Vec<(Task, usize)> =
        TASKS.iter().flat_map(|&task| sizes.iter().map(move |&bytes| (task, bytes))).collect();
    if options.packet_tasks.is_empty() {
        tasks.push((RECORD, RECORD_BYTES));
    }
    tasks.retain(|((operation, _), _)| allows(&options.operations, operation));
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::reproduction::as_published;
    use kasoku_libraries::{self as libraries, openssl};

    fn full_plan(options: &LevelOptions) -> Plan {
        plan(options, candidates(options).0)
    }

    fn libraries_of(plan: &Plan, task: Task, bytes: usize, algorithm: Algorithm) -> Vec<&'static str> {
        let workload = Workload::new(task.0, algorithm, bytes).with_setting(Setting::Packets(task.1));
        let items = plan.items.iter().filter(|item| item.workload == workload);
        let workers = items
            .flat_map(|item| &item.workers)
            .filter(|&&index| plan.control().is_none_or(|control| control.0 != index));
        workers.map(|&index| plan.workers[index].entry.name).collect()
    }

    #[test]
    fn packets_plans_fit_their_time_limits() {
        for (pace, limit) in [(Pace::Quick, 20.0), (Pace::Default, 75.0)] {
            let plan = full_plan(&LevelOptions { pace, ..LevelOptions::default() });
            let seconds = plan.duration(plan.most_series()).as_secs_f64();
            assert!(seconds <= limit, "{pace:?}: {seconds} s");
        }
    }

    #[test]
    fn packets_matrix_has_every_library_at_every_size_and_batches_for_kasoku() {
        let plan = full_plan(&LevelOptions::default());
        let all =
            libraries::LIBRARIES.iter().filter(|entry| entry.is_listed && !entry.is_brief && entry.program.is_none());
        let all: Vec<&str> = all.map(|entry| entry.name).collect();
        for algorithm in ALGORITHMS {
            for bytes in SIZES {
                assert_eq!(libraries_of(&plan, (Operation::Seal, Packets::SINGLE), bytes, algorithm), all);
                assert_eq!(libraries_of(&plan, (Operation::Protect, Packets::batch(64)), bytes, algorithm), ["kasoku"]);
            }
            assert_eq!(libraries_of(&plan, RECORD, RECORD_BYTES, algorithm), all);
            let each_backend = libraries_of(&plan, (Operation::Protect, Packets::SINGLE), EACH_BACKEND, algorithm);
            let own = each_backend.iter().filter(|name| **name == "kasoku").count();
            assert_eq!(own, kasoku::backend_states().len());
        }
    }

    #[test]
    fn packets_plan_adds_cpu_bounds_only_beside_another_library() {
        let options = |libraries: &[&str]| LevelOptions {
            libraries: Some(libraries.iter().map(|&name| name.to_owned()).collect()),
            ..LevelOptions::default()
        };
        let plan = full_plan(&options(&["ring"]));
        let at_the_limit = libraries_of(&plan, (Operation::Seal, Packets::CIPHER), 16384, Algorithm::Aes128Gcm);
        for entry in LIMITS {
            assert!(at_the_limit.contains(&entry.name), "{at_the_limit:?}");
            assert!(libraries::find(entry.name).is_some_and(|entry| !entry.is_listed && entry.role == Role::Bound));
        }
        assert!(candidates(&options(&["specjvm2008"])).0.is_empty());
        let off = LevelOptions { acceleration: Some(vec![Acceleration::Off]), ..options(&["kasoku"]) };
        assert!(candidates(&off).0.iter().all(|worker| worker.entry.role != Role::Bound));
    }

    #[test]
    fn packets_as_published_has_the_published_tasks_and_sizes() {
        const PUBLISHED: [(&str, Task); 4] = [
            (openssl::ENTRY.name, (Operation::Seal, Packets::CIPHER)),
            (openssl::ENTRY.name, (Operation::Seal, Packets::SINGLE)),
            (kasoku::ENTRY.name, (Operation::Seal, Packets::SINGLE)),
            (kasoku::ENTRY.name, (Operation::Protect, Packets::SINGLE)),
        ];
        const PUBLISHED_SIZES: [usize; 2] = [1440, 16384];
        let plan = full_plan(&as_published(Level::Packets, LevelOptions::default()));
        let mut limits = 0;
        for item in &plan.items {
            assert_eq!(item.workload.algorithm, Algorithm::Aes128Gcm);
            assert!(PUBLISHED_SIZES.contains(&item.workload.bytes));
            let Some(packets) = item.workload.packets() else { panic!("{}", item.workload) };
            for &index in &item.workers {
                let LibraryEntry { name, role, .. } = *plan.workers[index].entry;
                limits += usize::from(role == Role::Bound);
                let is_of_picture = PUBLISHED.contains(&(name, (item.workload.operation, packets)));
                assert!(role == Role::Bound || is_of_picture, "{name} {}", item.workload);
            }
        }
        assert_eq!(limits, LIMITS.len());
        for (name, task) in PUBLISHED {
            for bytes in PUBLISHED_SIZES {
                assert!(libraries_of(&plan, task, bytes, Algorithm::Aes128Gcm).contains(&name), "{name} {bytes}");
            }
        }
        assert_eq!(plan.slices().unwrap().slice, Some(Duration::from_millis(100)));
    }

    #[test]
    fn packets_plan_follows_named_operations_sizes_and_states() {
        let options = LevelOptions {
            operations: Some(vec![Operation::Unprotect]),
            sizes: Some(vec![77]),
            acceleration: Some(vec![Acceleration::NoAvx512]),
            ..LevelOptions::default()
        };
        let plan = full_plan(&options);
        for item in &plan.items {
            assert_eq!((item.workload.operation, item.workload.bytes), (Operation::Unprotect, 77));
            assert!(item.workers.iter().all(|&index| plan.workers[index].acceleration == Acceleration::NoAvx512));
        }
        let batched = libraries_of(&plan, (Operation::Unprotect, Packets::batch(16)), 77, Algorithm::Aes128Gcm);
        assert_eq!(batched, ["kasoku"]);
        let threads = LevelOptions { threads: Some(2), ..LevelOptions::default() };
        let (workers, omissions) = candidates(&threads);
        assert!(workers.is_empty() && omissions[0].why.contains("one thread"));
    }
}
