//! The level `files`: real files encrypted and decrypted, on a file system and in memory beside it, so that the device
//! and the cipher can be told apart.
//!
//! `kasoku run files --list` prints the plan.

use std::time::Duration;

use super::candidates;
use super::options::{LevelOptions, Pace, allows, names_only_others};
use crate::plan::{Experiment, FilesPlan, Item, Plan};
use crate::worker_process::WorkerName;
use kasoku_libraries::files::COPY;
use kasoku_libraries::{LibraryEntry, jvm, kasoku};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::document::Omission;
use kasoku_model::level::Level;
use kasoku_model::workload::files::{Cache, Storage};
use kasoku_model::workload::{Files, Operation, Setting, Workload};

/// Sizes below this are no files' sizes where other levels are measured too.
pub const MIN_BESIDE_OTHERS: usize = 1 << 20;

const MIB: usize = 1 << 20;
const SIZES: [usize; 2] = [50 * MIB, 100 * MIB];
const QUICK_SIZES: [usize; 1] = [50 * MIB];
/// What is measured of a library unless something else is asked for: the published measurement's CBC, and GCM.
const STREAMED: [Algorithm; 4] =
    [Algorithm::Aes128Cbc, Algorithm::Aes256Cbc, Algorithm::Aes128Gcm, Algorithm::Aes256Gcm];
/// The same where there is little time, and of Java without its routines only what the published measurement most
/// likely had.
const QUICKLY_STREAMED: [Algorithm; 3] = [Algorithm::Aes128Cbc, Algorithm::Aes256Cbc, Algorithm::Aes256Gcm];
const SLOWLY_IN_JAVA: [Algorithm; 2] = [Algorithm::Aes128Cbc, Algorithm::Aes256Cbc];
/// What can be asked for beside these.
const ON_REQUEST: [Algorithm; 2] = [Algorithm::Aes128Ctr, Algorithm::Aes256Ctr];
const OPERATIONS: [Operation; 2] = [Operation::Encrypt, Operation::Decrypt];
/// Those that run in a virtual machine; the first two are measured unless others are asked for.
const JAVA: [&str; 3] = [jvm::SUNJCE.name, jvm::KASOKU_JCA.name, jvm::NSS.name];
/// What a copy stands beside.
const COPIED: (Operation, Algorithm) = (Operation::Encrypt, Algorithm::Aes256Gcm);

/// Test runs: starts of every worker.
pub const TEST_RUNS: u32 = 2;

/// The workers to try, and why some states are left out. A copy is measured beside whatever libraries are asked for.
pub fn candidates(options: &LevelOptions) -> (Vec<WorkerName>, Vec<Omission>) {
    if let Some(why) = not_for_files(options) {
        return candidates::not_asked(Level::Files, why);
    }
    let states = |_: &LibraryEntry| options.states_or(&[Acceleration::On, Acceleration::Off]);
    let (mut workers, mut omissions) = candidates::candidates(Level::Files, options, |entry| entry.has_files, states);
    let (java, missing) = java(options);
    workers.extend(java);
    omissions.extend(missing);
    workers.retain(|worker| worker.entry.name != COPY.name);
    if !workers.is_empty() && is_copy_wanted(options) {
        workers.push(WorkerName::new(&COPY, Acceleration::On));
    }
    (workers, omissions)
}

/// Java, as far as it is wanted, in the newest virtual machine only: the level `jvm` compares them.
fn java(options: &LevelOptions) -> (Vec<WorkerName>, Vec<Omission>) {
    let named = |names: &Vec<String>| names.iter().filter(|name| JAVA.contains(&name.as_str())).cloned().collect();
    let usual = || JAVA[..2].iter().map(|&name| name.to_owned()).collect();
    let libraries: Vec<String> = options.libraries.as_ref().map_or_else(usual, named);
    if libraries.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let names_states = options.acceleration.is_some();
    let options = LevelOptions {
        libraries: Some(libraries),
        java: options.java.clone(),
        acceleration: options.acceleration.clone(),
        pace: options.pace,
        cores: options.cores,
        ..LevelOptions::default()
    };
    let (mut workers, mut omissions) = super::jvm::candidates(&options);
    let release = |worker: &WorkerName| worker.jvm.as_ref().map(|jvm| jvm.runtime.release);
    let newest = workers.iter().filter_map(release).max();
    workers.retain(|worker| release(worker) == newest);
    // What GCM takes without the instructions is the engine's own to say.
    workers.retain(|worker| !is_gcm_only(worker) || worker.acceleration == Acceleration::On || names_states);
    omissions.retain(|_| workers.is_empty());
    omissions.iter_mut().for_each(|omission| omission.level = Level::Files);
    (workers, omissions)
}

/// Why nothing of what is asked for can be measured with files.
fn not_for_files(options: &LevelOptions) -> Option<&'static str> {
    if names_only_others(&options.algorithms, |one| is_for_files(*one)) {
        return Some("files are encrypted with aes-128 and aes-256 in cbc, ctr and gcm");
    }
    if names_only_others(&options.operations, |one| OPERATIONS.contains(one)) {
        return Some("what is done with files is encrypt and decrypt");
    }
    if options.sizes.as_ref().is_some_and(Vec::is_empty) {
        return Some("no size of 1M or more was asked for");
    }
    None
}

fn is_for_files(algorithm: Algorithm) -> bool {
    STREAMED.contains(&algorithm) || ON_REQUEST.contains(&algorithm)
}

/// Whether a library has no other mode.
fn is_gcm_only(worker: &WorkerName) -> bool {
    worker.entry.name == jvm::KASOKU_JCA.name
}

fn is_copy_wanted(options: &LevelOptions) -> bool {
    allows(&options.acceleration, &Acceleration::On) && allows(&options.operations, &COPIED.0)
}

/// The plan for `workers`, all of which are there.
pub fn plan(options: &LevelOptions, workers: Vec<WorkerName>) -> Plan {
    let mut items: Vec<Item> = Vec::new();
    for bytes in options.sizes_or(&QUICK_SIZES, &SIZES) {
        for files in places(options) {
            for (index, worker) in workers.iter().enumerate() {
                for (operation, algorithm, threads) in tasks(options, worker, files) {
                    let workload = Workload::new(operation, algorithm, bytes).with_setting(Setting::Files(files));
                    let is_same = |item: &&mut Item| (item.workload, item.threads) == (workload, threads);
                    match items.iter_mut().find(is_same) {
                        Some(item) => item.workers.push(index),
                        None => items.push(Item { workload, threads, workers: vec![index] }),
                    }
                }
            }
        }
    }
    let repetitions = options.files.repetitions;
    Plan {
        level: Level::Files,
        workers,
        items,
        processes: TEST_RUNS,
        rounds: repetitions.unwrap_or(if options.pace == Pace::Quick { 5 } else { 10 }),
        budget: if options.pace == Pace::Quick { Duration::from_secs(14) } else { Duration::from_secs(40) },
        experiment: Experiment::Files(FilesPlan {
            dir: options.files.dir(),
            repetitions,
            before: options.files.before.clone(),
        }),
    }
}

fn places(options: &LevelOptions) -> Vec<Files> {
    let mut places = vec![Files { storage: Storage::File, cache: Cache::Warm }];
    if options.files.cold {
        places.push(Files { storage: Storage::File, cache: Cache::Cold });
    }
    if !options.files.disk_only {
        places.push(Files { storage: Storage::Memory, cache: Cache::Warm });
    }
    places
}

/// What the matrix has of `worker` in `files`: operations, algorithms, threads.
fn tasks(options: &LevelOptions, worker: &WorkerName, files: Files) -> Vec<(Operation, Algorithm, usize)> {
    let name = worker.entry.name;
    if name == COPY.name {
        return vec![(COPIED.0, COPIED.1, 1)];
    }
    // In memory it is only to be seen what the device takes; that is the same without acceleration.
    if files.storage == Storage::Memory && worker.acceleration != Acceleration::On && options.acceleration.is_none() {
        return Vec::new();
    }
    let is_chunked = name == kasoku::ENTRY.name;
    let is_quick = options.pace == Pace::Quick;
    // GCM in Java without its routines takes longer than all the rest.
    let is_slow_java = !options.everything && worker.acceleration != Acceleration::On && JAVA.contains(&name);
    let in_matrix = match () {
        () if is_quick && files.storage == Storage::Memory || is_chunked => &[Algorithm::Aes256Gcm],
        () if is_slow_java && is_gcm_only(worker) => STREAMED.as_slice(),
        () if is_slow_java => &SLOWLY_IN_JAVA,
        () if is_quick => &QUICKLY_STREAMED,
        () => &STREAMED,
    };
    let mut algorithms: Vec<Algorithm> = match &options.algorithms {
        Some(wanted) => wanted.iter().copied().filter(|one| is_for_files(*one)).collect(),
        None => in_matrix.to_vec(),
    };
    algorithms.retain(|algorithm| !is_gcm_only(worker) || algorithm.kind() == AlgorithmKind::Aead);
    let threads = match options.threads {
        _ if !is_chunked => vec![1],
        Some(threads) => vec![threads],
        None if is_quick => vec![options.cores.max(1)],
        None if options.cores > 1 => vec![1, options.cores],
        None => vec![1],
    };
    let mut tasks = Vec::new();
    for algorithm in algorithms {
        for &threads in &threads {
            let operations = OPERATIONS.into_iter().filter(|one| allows(&options.operations, one));
            tasks.extend(operations.map(|operation| (operation, algorithm, threads)));
        }
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::reproduction::as_published;

    fn options() -> LevelOptions {
        LevelOptions { cores: 4, ..LevelOptions::default() }
    }

    fn whole(options: &LevelOptions) -> Plan {
        let (workers, _) = candidates(options);
        plan(options, workers)
    }

    #[test]
    fn the_matrix_has_every_library_on_and_off_and_a_copy_beside_them() {
        let plan = whole(&options());
        let of = |name: &str, state| {
            let index =
                plan.workers.iter().position(|worker| worker.entry.name == name && worker.acceleration == state);
            let index = index.unwrap();
            plan.items.iter().filter(move |item| item.workers.contains(&index)).collect::<Vec<_>>()
        };
        // Two sizes, two operations; four algorithms, or one in one thread and in all.
        assert_eq!(of("openssl", Acceleration::Off).len(), 2 * 2 * 4);
        assert_eq!(of("openssl", Acceleration::On).len(), 2 * 2 * 4 * 2);
        assert_eq!(of("kasoku", Acceleration::Off).len(), 2 * 2 * 2);
        assert_eq!(of("limit-copy", Acceleration::On).len(), 2 * 2);
        assert!(of("openssl", Acceleration::Off).iter().all(|item| item.threads == 1));
    }

    #[test]
    fn java_is_measured_with_its_own_provider_and_with_ours_which_has_gcm() {
        let jvm = Some(jvm::JvmSetting::imagined(25, (Duration::ZERO, Duration::ZERO)));
        let worker = |entry, state| WorkerName { jvm: jvm.clone(), ..WorkerName::new(entry, state) };
        let files = Files { storage: Storage::File, cache: Cache::Warm };
        let of = |pace, entry, state| {
            let tasks = tasks(&LevelOptions { pace, ..options() }, &worker(entry, state), files);
            tasks.into_iter().filter(|task| task.0 == Operation::Encrypt).map(|task| task.1).collect::<Vec<_>>()
        };
        let gcm = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm];
        assert_eq!(of(Pace::Default, &jvm::KASOKU_JCA, Acceleration::On), gcm);
        assert_eq!(of(Pace::Quick, &jvm::KASOKU_JCA, Acceleration::On), gcm[1..]);
        assert_eq!(of(Pace::Default, &jvm::SUNJCE, Acceleration::On), STREAMED);
        assert_eq!(of(Pace::Quick, &jvm::SUNJCE, Acceleration::On), QUICKLY_STREAMED);
        for pace in [Pace::Quick, Pace::Default] {
            assert_eq!(of(pace, &jvm::SUNJCE, Acceleration::Off), SLOWLY_IN_JAVA);
        }
    }

    #[test]
    fn as_published_has_its_sizes_and_repetitions() {
        let plan = whole(&as_published(Level::Files, options()));
        let sizes: std::collections::BTreeSet<usize> = plan.items.iter().map(|item| item.workload.bytes).collect();
        assert_eq!(sizes.into_iter().map(|bytes| bytes / MIB).collect::<Vec<_>>(), [50, 100, 200, 512, 1024]);
        let Experiment::Files(files) = plan.experiment else { panic!("no files") };
        assert_eq!((plan.processes, files.repetitions), (2, Some(100)));
        assert!(plan.items.iter().all(|item| item.workload.files().unwrap().storage == Storage::File));
    }

    #[test]
    fn what_is_no_wish_for_files_is_said() {
        for options in [
            LevelOptions { algorithms: Some(vec![Algorithm::Sha256]), ..options() },
            LevelOptions { operations: Some(vec![Operation::Hash]), ..options() },
            LevelOptions { sizes: Some(Vec::new()), ..options() },
        ] {
            let (workers, omissions) = candidates(&options);
            assert!(workers.is_empty() && omissions.len() == 1);
        }
    }
}
