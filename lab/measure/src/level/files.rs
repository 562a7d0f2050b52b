//! Plans the level `files`: encryption and decryption of files on a file system and in memory. The difference shows the
//! cost of the device.

use std::time::Duration;

use super::candidates;
use super::options::{LevelOptions, Pace, allows, excludes, first_reason, names_only_others};
use crate::plan::{Experiment, FilesPlan, Item, Plan};
use crate::worker::WorkerName;
use kasoku_libraries::files::COPY;
use kasoku_libraries::{LibraryEntry, jvm, kasoku};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::document::Omission;
use kasoku_model::level::Level;
use kasoku_model::workload::files::{Cache, Storage};
use kasoku_model::workload::{Files, Operation, Setting, Workload};

/// Minimum size of a file in bytes if the run measures other levels too.
pub const MIN_BESIDE_OTHERS: usize = 1 << 20;

const MIB: usize = 1 << 20;
const SIZES: [usize; 2] = [50 * MIB, 100 * MIB];
const QUICK_SIZES: [usize; 1] = [50 * MIB];
/// Default algorithms: CBC, which the published measurement used, and GCM.
const STREAMED: [Algorithm; 4] =
    [Algorithm::Aes128Cbc, Algorithm::Aes256Cbc, Algorithm::Aes128Gcm, Algorithm::Aes256Gcm];
const QUICK_STREAMED: [Algorithm; 3] = [Algorithm::Aes128Cbc, Algorithm::Aes256Cbc, Algorithm::Aes256Gcm];
const JAVA_WITHOUT_INTRINSICS: [Algorithm; 2] = [Algorithm::Aes128Cbc, Algorithm::Aes256Cbc];
const ON_REQUEST: [Algorithm; 2] = [Algorithm::Aes128Ctr, Algorithm::Aes256Ctr];
const OPERATIONS: [Operation; 2] = [Operation::Encrypt, Operation::Decrypt];
/// Names of libraries in a Java virtual machine. By default only the first two are measured.
const JAVA: [&str; 3] = [jvm::SUNJCE.name, jvm::KASOKU_JCA.name, jvm::NSS.name];
/// Operation and algorithm under which the plan lists plain copying without encryption.
const COPIED: (Operation, Algorithm) = (Operation::Encrypt, Algorithm::Aes256Gcm);

/// Number of test runs. Each test run starts every worker anew.
pub const TEST_RUNS: u32 = 2;

/// Returns the workers to try, and the reasons for omitting acceleration states. Plain copying is added to any choice
/// of libraries.
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

/// Returns the requested Java workers in the newest virtual machine only, since the level `jvm` compares virtual
/// machines.
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
    // Libraries with AES-GCM only: the engine already shows the cost of missing acceleration, so they run with it on.
    workers.retain(|worker| !is_gcm_only(worker) || worker.acceleration == Acceleration::On || names_states);
    omissions.retain(|_| workers.is_empty());
    omissions.iter_mut().for_each(|omission| omission.level = Level::Files);
    (workers, omissions)
}

fn not_for_files(options: &LevelOptions) -> Option<&'static str> {
    first_reason(&[
        (
            names_only_others(&options.algorithms, |one| is_for_files(*one)),
            "files are encrypted with aes-128 and aes-256 in cbc, ctr and gcm",
        ),
        (excludes(&options.operations, &OPERATIONS), "what is done with files is encrypt and decrypt"),
        (options.sizes.as_ref().is_some_and(Vec::is_empty), "no size of 1M or more was asked for"),
    ])
}

fn is_for_files(algorithm: Algorithm) -> bool {
    STREAMED.contains(&algorithm) || ON_REQUEST.contains(&algorithm)
}

fn is_gcm_only(worker: &WorkerName) -> bool {
    worker.entry.name == jvm::KASOKU_JCA.name
}

fn is_copy_wanted(options: &LevelOptions) -> bool {
    allows(&options.acceleration, &Acceleration::On) && allows(&options.operations, &COPIED.0)
}

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
        rounds: repetitions.unwrap_or(options.pace.choose(5, 10)),
        budget: options.pace.choose(Duration::from_secs(14), Duration::from_secs(40)),
        experiment: Experiment::Files(FilesPlan {
            dir: options.files.dir(),
            repetitions,
            before: options.before.clone(),
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

fn tasks(options: &LevelOptions, worker: &WorkerName, files: Files) -> Vec<(Operation, Algorithm, usize)> {
    let name = worker.entry.name;
    if name == COPY.name {
        return vec![(COPIED.0, COPIED.1, 1)];
    }
    // Files in memory only serve to show the cost of the device, which does not depend on acceleration.
    if files.storage == Storage::Memory && worker.acceleration != Acceleration::On && options.acceleration.is_none() {
        return Vec::new();
    }
    let is_chunked = name == kasoku::ENTRY.name;
    let is_quick = options.pace == Pace::Quick;
    // GCM in Java without intrinsics takes longer than all the rest.
    let is_slow_java = !options.everything && worker.acceleration != Acceleration::On && JAVA.contains(&name);
    let in_matrix = match () {
        () if is_quick && files.storage == Storage::Memory || is_chunked => &[Algorithm::Aes256Gcm],
        () if is_slow_java && is_gcm_only(worker) => STREAMED.as_slice(),
        () if is_slow_java => &JAVA_WITHOUT_INTRINSICS,
        () if is_quick => &QUICK_STREAMED,
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

    fn full_plan(options: &LevelOptions) -> Plan {
        let (workers, _) = candidates(options);
        plan(options, workers)
    }

    #[test]
    fn files_matrix_has_every_library_with_acceleration_on_and_off_and_plain_copying() {
        let plan = full_plan(&options());
        let items_of = |name: &str, state| {
            let index =
                plan.workers.iter().position(|worker| worker.entry.name == name && worker.acceleration == state);
            let index = index.unwrap();
            plan.items.iter().filter(move |item| item.workers.contains(&index)).collect::<Vec<_>>()
        };
        // Two sizes, two operations; four algorithms, or one algorithm with two thread counts.
        assert_eq!(items_of("openssl", Acceleration::Off).len(), 2 * 2 * 4);
        assert_eq!(items_of("openssl", Acceleration::On).len(), 2 * 2 * 4 * 2);
        assert_eq!(items_of("kasoku", Acceleration::Off).len(), 2 * 2 * 2);
        assert_eq!(items_of("limit-copy", Acceleration::On).len(), 2 * 2);
        assert!(items_of("openssl", Acceleration::Off).iter().all(|item| item.threads == 1));
    }

    #[test]
    fn files_matrix_measures_java_with_sunjce_and_kasoku_jca() {
        let jvm = Some(jvm::JvmSetting::imagined(25, (Duration::ZERO, Duration::ZERO)));
        let worker = |entry, state| WorkerName { jvm: jvm.clone(), ..WorkerName::new(entry, state) };
        let files = Files { storage: Storage::File, cache: Cache::Warm };
        let algorithms_of = |pace, entry, state| {
            let tasks = tasks(&LevelOptions { pace, ..options() }, &worker(entry, state), files);
            tasks.into_iter().filter(|task| task.0 == Operation::Encrypt).map(|task| task.1).collect::<Vec<_>>()
        };
        let gcm = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm];
        assert_eq!(algorithms_of(Pace::Default, &jvm::KASOKU_JCA, Acceleration::On), gcm);
        assert_eq!(algorithms_of(Pace::Quick, &jvm::KASOKU_JCA, Acceleration::On), gcm[1..]);
        assert_eq!(algorithms_of(Pace::Default, &jvm::SUNJCE, Acceleration::On), STREAMED);
        assert_eq!(algorithms_of(Pace::Quick, &jvm::SUNJCE, Acceleration::On), QUICK_STREAMED);
        for pace in [Pace::Quick, Pace::Default] {
            assert_eq!(algorithms_of(pace, &jvm::SUNJCE, Acceleration::Off), JAVA_WITHOUT_INTRINSICS);
        }
    }

    #[test]
    fn reproduction_of_the_published_file_test_has_its_sizes_and_repetitions() {
        let plan = full_plan(&as_published(Level::Files, options()));
        let sizes: std::collections::BTreeSet<usize> = plan.items.iter().map(|item| item.workload.bytes).collect();
        assert_eq!(sizes.into_iter().map(|bytes| bytes / MIB).collect::<Vec<_>>(), [50, 100, 200, 512, 1024]);
        let Experiment::Files(files) = plan.experiment else { panic!("the plan has no file experiment") };
        assert_eq!((plan.processes, files.repetitions), (2, Some(100)));
        assert!(plan.items.iter().all(|item| item.workload.files().unwrap().storage == Storage::File));
    }

    #[test]
    fn files_candidates_explain_unsupported_requests() {
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
