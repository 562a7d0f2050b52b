//! Plans the level `primitives`: ciphers, AEADs, hashes, key agreements and signatures, in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::Duration;

use super::candidates;
use super::options::{LevelOptions, Pace, allows};
use super::reproduction::as_published;
use crate::plan::{Experiment, Item, Plan, Slices};
use crate::worker::WorkerName;
use kasoku_libraries::LibraryEntry;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::document::Omission;
use kasoku_model::level::Level;
use kasoku_model::library::OPENSSL;
use kasoku_model::workload::{NonceForm, Operation, Workload};

const SIZES: [usize; 7] = [16, 64, 256, 1024, 1350, 8192, 16384];
/// Sizes of messages with a new key each.
const NEW_KEY_SIZES: [usize; 5] = [16, 64, 256, 1350, 16384];
/// Sizes of parts of a long message.
const UPDATE_SIZES: [usize; 5] = [16, 64, 256, 1024, 4096];
/// Operations of AEADs that the default matrix measures with one algorithm, and only with acceleration. A run with
/// named algorithms or sizes measures these operations only if they are named too.
const RARE_OPERATIONS: [Operation; 2] = [Operation::SealNewKey, Operation::SealUpdate];
const QUICK_SIZES: [usize; 5] = [16, 256, 1350, 8192, 16384];

/// Algorithms of a quick run, which are those of the two published measurements.
static QUICK_ALGORITHMS: LazyLock<Vec<Algorithm>> =
    LazyLock::new(|| as_published(Level::Primitives, LevelOptions::default()).algorithms.unwrap_or_default());

const ALL_CORES_BYTES: usize = 16384;

pub(super) fn candidates(options: &LevelOptions) -> (Vec<WorkerName>, Vec<Omission>) {
    let states = |entry: &LibraryEntry| match entry.is_brief && options.libraries.is_none() {
        true => options.states_or(&[Acceleration::On]),
        false => candidates::states(options, entry, &[Acceleration::On, Acceleration::Off]),
    };
    candidates::candidates(Level::Primitives, options, |entry| entry.is_listed, states)
}

pub(super) fn plan(options: &LevelOptions, mut workers: Vec<WorkerName>) -> Plan {
    let mut items: Vec<Item> = Vec::new();
    for &algorithm in Algorithm::ALL.iter().filter(|algorithm| allows(&options.algorithms, algorithm)) {
        let tried = |index: &usize| is_in_matrix(options, &workers[*index], algorithm);
        let all: Vec<usize> = (0..workers.len()).filter(tried).collect();
        for operation in operations(options, algorithm) {
            let is_rare = RARE_OPERATIONS.contains(&operation);
            let is_tried = |index: &usize| !is_rare || workers[*index].acceleration == Acceleration::On;
            let tried: Vec<usize> = all.iter().copied().filter(is_tried).collect();
            for nonces in nonces(options, algorithm.kind(), operation) {
                for bytes in sizes(options, algorithm.kind(), operation) {
                    let workload = Workload::new(operation, algorithm, bytes).with_nonces(nonces);
                    items.push(Item { workload, threads: threads(options), workers: tried.clone() });
                }
            }
        }
    }
    items.extend(on_all_cores(options, &items));
    items.retain(|item| !item.workers.is_empty());
    items.dedup();
    let control = add_control(options, &mut workers, &mut items);
    // There are about a thousand series. With more rounds, a run of all levels would take over five minutes.
    let (processes, rounds) = options.starts_and_rounds_or(options.pace.choose((5, 2), (8, 3)));
    Plan {
        level: Level::Primitives,
        workers,
        items,
        processes,
        rounds,
        budget: options.pace.choose(Duration::from_millis(16_500), Duration::from_secs(58)),
        experiment: Experiment::Slices(Slices {
            control,
            slice: options.slice,
            further_rounds: options.further_rounds(),
            ..Slices::default()
        }),
    }
}

/// Whether this worker measures `algorithm` in the chosen matrix. It always tries algorithms that the user named.
fn is_in_matrix(options: &LevelOptions, worker: &WorkerName, algorithm: Algorithm) -> bool {
    if options.algorithms.is_some() || !worker.entry.is_listed {
        return true;
    }
    let kind = algorithm.kind();
    if worker.entry.is_brief && options.libraries.is_none() && kind != AlgorithmKind::Aead {
        return false;
    }
    match options.pace {
        Pace::Quick if worker.entry.name == OPENSSL => QUICK_ALGORITHMS.contains(&algorithm),
        Pace::Quick => {
            QUICK_ALGORITHMS.contains(&algorithm) && matches!(kind, AlgorithmKind::Aead | AlgorithmKind::Hash)
        }
        // Acceleration does not affect public-key operations. Measuring OpenSSL without it is enough to show that.
        Pace::Default => kind.is_bulk() || worker.acceleration == Acceleration::On || worker.entry.name == OPENSSL,
    }
}

fn operations(options: &LevelOptions, algorithm: Algorithm) -> Vec<Operation> {
    let is_in_matrix = |operation| match operation {
        Operation::Decrypt => {
            options.pace == Pace::Default && matches!(algorithm, Algorithm::Aes128Cbc | Algorithm::Aes256Cbc)
        }
        Operation::Open => false,
        rare if RARE_OPERATIONS.contains(&rare) => {
            let is_default = options.pace == Pace::Default && options.algorithms.is_none() && options.sizes.is_none();
            is_default && algorithm == Algorithm::Aes128Gcm
        }
        _ => true,
    };
    let kind = algorithm.kind();
    let rare = RARE_OPERATIONS.iter().filter(|operation| operation.applies_to(kind));
    let all = Operation::of(kind).iter().chain(rare).copied();
    match &options.operations {
        Some(wanted) => all.filter(|operation| wanted.contains(operation)).collect(),
        None => all.filter(|&operation| is_in_matrix(operation)).collect(),
    }
}

fn sizes(options: &LevelOptions, kind: AlgorithmKind, operation: Operation) -> Vec<usize> {
    match operation {
        Operation::SealNewKey => options.sizes_as_named_or(&NEW_KEY_SIZES, &NEW_KEY_SIZES),
        Operation::SealUpdate => options.sizes_as_named_or(&UPDATE_SIZES, &UPDATE_SIZES),
        _ if kind.is_bulk() => options.sizes_as_named_or(&QUICK_SIZES, &SIZES),
        _ => vec![0],
    }
}

fn nonces(options: &LevelOptions, kind: AlgorithmKind, operation: Operation) -> Vec<NonceForm> {
    match &options.nonces {
        Some(forms) if kind == AlgorithmKind::Aead && !RARE_OPERATIONS.contains(&operation) => forms.clone(),
        _ => vec![NonceForm::Ahead],
    }
}

/// Returns items that measure each AEAD of the default matrix on all cores at once, one item for each AEAD. Returns
/// none for other matrices or a single core.
fn on_all_cores(options: &LevelOptions, items: &[Item]) -> Vec<Item> {
    let is_default =
        options.pace == Pace::Default && options.threads.is_none() && options.sizes.is_none() && options.cores > 1;
    let is_point = |item: &&Item| {
        let Workload { operation, algorithm, bytes, .. } = item.workload;
        operation == Operation::Seal && algorithm.kind() == AlgorithmKind::Aead && bytes == ALL_CORES_BYTES
    };
    if !is_default {
        return Vec::new();
    }
    items.iter().filter(is_point).map(|item| Item { threads: options.cores, ..item.clone() }).collect()
}

/// Adds the A/A control. It repeats the largest size of each algorithm and, by default, also the smallest.
fn add_control(options: &LevelOptions, workers: &mut Vec<WorkerName>, items: &mut [Item]) -> Option<(usize, usize)> {
    let task = |item: &Item| (item.workload.algorithm, item.workload.operation, item.workload.nonces);
    let is_usual = |item: &Item| item.threads == threads(options);
    let mut sizes: BTreeMap<_, BTreeSet<usize>> = BTreeMap::new();
    for item in items.iter().filter(|item| is_usual(item)) {
        sizes.entry(task(item)).or_default().insert(item.workload.bytes);
    }
    let has_smallest = options.pace == Pace::Default && !options.largest_control_only;
    let is_extreme =
        |sizes: &BTreeSet<usize>, bytes| sizes.last() == Some(&bytes) || has_smallest && sizes.first() == Some(&bytes);
    candidates::add_control(workers, items, |item| {
        is_usual(item) && sizes.get(&task(item)).is_some_and(|sizes| is_extreme(sizes, item.workload.bytes))
    })
}

fn threads(options: &LevelOptions) -> usize {
    options.threads.unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_libraries::{self as libraries, fixtures::Fixtures};

    fn full_plan(pace: Pace) -> (LevelOptions, Plan) {
        let options = LevelOptions { pace, cores: 2, ..LevelOptions::default() };
        let (workers, _) = candidates(&options);
        let plan = plan(&options, workers);
        (options, plan)
    }

    fn has_workload(plan: &Plan, library: &str, state: Acceleration, algorithm: Algorithm, bytes: usize) -> bool {
        let is_it =
            |index: &usize| (plan.workers[*index].entry.name, plan.workers[*index].acceleration) == (library, state);
        let is_of = |workload: Workload| (workload.algorithm, workload.bytes) == (algorithm, bytes);
        plan.items.iter().any(|item| is_of(item.workload) && item.workers.iter().any(is_it))
    }

    #[test]
    fn quick_matrix_has_the_published_algorithms() {
        let (_, plan) = full_plan(Pace::Quick);
        for algorithm in as_published(Level::Primitives, LevelOptions::default()).algorithms.unwrap() {
            let sizes = if algorithm.kind().is_bulk() { QUICK_SIZES.to_vec() } else { vec![] };
            for bytes in sizes {
                for state in [Acceleration::On, Acceleration::Off] {
                    assert!(has_workload(&plan, "openssl", state, algorithm, bytes), "{algorithm} {bytes} {state}");
                }
            }
        }
        for state in libraries::kasoku::backend_states() {
            assert!(has_workload(&plan, "kasoku", state, Algorithm::Aes128Gcm, 1350), "{state}");
        }
        for library in ["aws-lc", "ring", "rustcrypto", "graviola", "ipsec-mb"] {
            assert!(has_workload(&plan, library, Acceleration::On, Algorithm::Aes256Gcm, 16384), "{library}");
            assert!(has_workload(&plan, library, Acceleration::On, Algorithm::Sha256, 16), "{library}");
        }
    }

    #[test]
    fn default_matrix_has_only_accelerated_aeads_of_brief_libraries_unless_the_user_names_them() {
        let (_, plan) = full_plan(Pace::Default);
        let brief = |item: &&Item| item.workers.iter().any(|&worker| plan.workers[worker].entry.is_brief);
        assert!(plan.items.iter().filter(brief).all(|item| item.workload.algorithm.kind() == AlgorithmKind::Aead));
        assert!(has_workload(&plan, "libgcrypt", Acceleration::On, Algorithm::Aes128Gcm, 1350));
        assert!(!has_workload(&plan, "libgcrypt", Acceleration::Off, Algorithm::Aes128Gcm, 1350));
        let options = LevelOptions { libraries: Some(vec!["libgcrypt".to_owned()]), ..LevelOptions::default() };
        let plan = super::plan(&options, candidates(&options).0);
        assert!(has_workload(&plan, "libgcrypt", Acceleration::Off, Algorithm::Sha256, 1350));
    }

    /// Counts the workers of `item` whose libraries support its workload on this machine.
    fn supported(plan: &Plan, item: &Item) -> usize {
        let does = |&&index: &&usize| {
            let library = (plan.workers[index].entry.open)(&libraries::Opening::default());
            library.is_ok_and(|library| library.prepare(&item.workload, &Fixtures::of(&item.workload)).is_ok())
        };
        item.workers.iter().filter(does).count()
    }

    #[test]
    fn primitives_plans_fit_their_time_limits() {
        for (pace, limit) in [(Pace::Quick, 20.0), (Pace::Default, 75.0)] {
            let (_, plan) = full_plan(pace);
            let series: usize = plan.items.iter().map(|item| supported(&plan, item)).sum();
            assert!(series > 100 && series <= plan.most_series(), "{series} of {}", plan.most_series());
            let seconds = plan.duration(series).as_secs_f64();
            assert!(seconds <= limit, "{pace:?}: {seconds} s for {series} series");
        }
    }

    #[test]
    fn default_matrix_measures_each_aead_once_on_all_cores() {
        let (_, plan) = full_plan(Pace::Default);
        for &algorithm in Algorithm::ALL.iter().filter(|algorithm| algorithm.kind() == AlgorithmKind::Aead) {
            let points = plan.items.iter().filter(|item| item.threads == 2 && item.workload.algorithm == algorithm);
            assert_eq!(points.map(|item| item.workload.bytes).collect::<Vec<_>>(), [16384], "{algorithm}");
        }
    }

    #[test]
    fn default_matrix_limits_rare_operations_to_one_accelerated_aead() {
        let (_, plan) = full_plan(Pace::Default);
        for (operation, sizes) in [(Operation::SealNewKey, NEW_KEY_SIZES), (Operation::SealUpdate, UPDATE_SIZES)] {
            let items: Vec<_> = plan.items.iter().filter(|item| item.workload.operation == operation).collect();
            let seen: Vec<_> = items.iter().map(|item| (item.workload.algorithm, item.workload.bytes)).collect();
            assert_eq!(seen, sizes.map(|bytes| (Algorithm::Aes128Gcm, bytes)));
            let mut workers = items.iter().flat_map(|item| &item.workers);
            assert!(workers.all(|&worker| plan.workers[worker].acceleration == Acceleration::On));
        }
    }

    #[test]
    fn primitives_plan_follows_named_algorithms_sizes_and_threads() {
        let options = LevelOptions {
            algorithms: Some(vec![Algorithm::Aes128Gcm]),
            operations: Some(vec![Operation::Open]),
            sizes: Some(vec![100, 200]),
            libraries: Some(vec!["ring".to_owned()]),
            threads: Some(2),
            cores: 4,
            ..LevelOptions::default()
        };
        let (workers, omissions) = candidates(&options);
        let plan = plan(&options, workers);
        let tried: Vec<_> = plan.items.iter().map(|item| (item.workload.bytes, item.threads)).collect();
        assert_eq!(tried, [(100, 2), (200, 2)]);
        assert!(plan.items.iter().all(|item| item.workload.operation == Operation::Open));
        assert!(omissions.iter().any(|one| one.library == "ring" && one.acceleration == Some(Acceleration::Off)));
    }

    #[test]
    fn primitives_control_repeats_the_first_worker_for_every_algorithm() {
        let (_, plan) = full_plan(Pace::Default);
        let (control, original) = plan.control().unwrap();
        assert_eq!(plan.workers[control].label(), plan.workers[original].label());
        for &algorithm in Algorithm::ALL {
            let mut controls = plan.items.iter().filter(|item| item.workers.contains(&control));
            assert!(controls.any(|item| item.workload.algorithm == algorithm), "{algorithm} has no A/A control");
        }
    }
}
