//! Lists the comparisons of the engine, each with a competitor, an acceleration state and a backend, and plans how to
//! measure them.

use std::time::Duration;

use kasoku_engine::cpu::preferred_schedule;
use kasoku_engine::{Backend, CodePath, Schedule};

use kasoku_libraries::{self as libraries, LibraryEntry, bound, kasoku};
use kasoku_measure::level::MeasuredLevel;
use kasoku_measure::level::options::{LevelOptions, Pace};
use kasoku_measure::plan::{Experiment, Item, Plan, Slices};
use kasoku_measure::worker::WorkerName;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Omission;
use kasoku_model::level::Level;
use kasoku_model::workload::{NonceForm, Operation, Workload};

/// Level that measures the comparisons. [`LevelOptions::libraries`] names the competitors.
pub(crate) const ENGINE: MeasuredLevel = MeasuredLevel { level: Level::Packets, candidates, plan };

pub(crate) const OPERATIONS: [Operation; 2] = [Operation::Seal, Operation::Open];
pub(crate) const ALGORITHMS: [Algorithm; 2] = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm];

/// Default message sizes in bytes: records, packets of usual and large networks, files.
const SIZES: [usize; 12] = [16, 64, 256, 1024, 1200, 1440, 4096, 8192, 9000, 16384, 65536, 1 << 20];
const QUICK_SIZES: [usize; 5] = [16, 64, 256, 1440, 16384];
/// Payload of a QUIC packet on Ethernet, in bytes.
const PACKET: usize = 1440;
/// Maximum message size in bytes that is also measured with nonces from a counter ([`NonceForm::Counted`]).
const SMALL: usize = 256;
/// Number of keys that exceeds the nearest caches.
const MANY_KEYS: usize = 4096;
/// Minimum message size of the geometric mean, in bytes. In shorter messages, the call takes as long as the cipher.
pub(crate) const MIN_OF_MEAN: usize = 256;

/// One competitor in one state, compared with one backend of the engine.
pub(crate) struct Comparison {
    pub(crate) library: &'static str,
    pub(crate) state: Acceleration,
    pub(crate) backend: Backend,
    /// Whether packets under one of [`MANY_KEYS`], chosen at random, are measured too.
    has_many_keys: bool,
}

/// Comparisons on this architecture, in the order of the table. On x86-64, the last comparisons are
/// with the engine's own schedules.
pub(crate) const COMPARISONS: &[Comparison] = if cfg!(target_arch = "aarch64") { &ON_AARCH64 } else { &ON_X86_64 };

pub(crate) const ON_X86_64: [Comparison; 9] = [
    Comparison { has_many_keys: true, ..comparison("ipsec-mb", Acceleration::On, Backend::Vaes512) },
    comparison("aws-lc", Acceleration::On, Backend::Vaes512),
    comparison("ring", Acceleration::On, Backend::Vaes512),
    comparison("graviola", Acceleration::On, Backend::Vaes512),
    comparison("openssl", Acceleration::On, Backend::Vaes512),
    comparison("ring", Acceleration::On, Backend::Vaes256),
    comparison("ipsec-mb", Acceleration::NoVaes, Backend::Aesni),
    comparison(kasoku::SCHEDULE_ENTRIES[0].name, Acceleration::On, Backend::Vaes512),
    comparison(kasoku::SCHEDULE_ENTRIES[1].name, Acceleration::On, Backend::Vaes512),
];

/// A CPU runs one of the backends with AES. The backend without AES is compared with competitors that have AES off.
pub(crate) const ON_AARCH64: [Comparison; 10] = [
    Comparison { has_many_keys: true, ..comparison("aws-lc", Acceleration::On, Backend::AesEor3) },
    comparison("openssl", Acceleration::On, Backend::AesEor3),
    comparison("ring", Acceleration::On, Backend::AesEor3),
    comparison("graviola", Acceleration::On, Backend::AesEor3),
    Comparison { has_many_keys: true, ..comparison("aws-lc", Acceleration::On, Backend::AesPmull) },
    comparison("openssl", Acceleration::On, Backend::AesPmull),
    comparison("ring", Acceleration::On, Backend::AesPmull),
    comparison("graviola", Acceleration::On, Backend::AesPmull),
    comparison("aws-lc", Acceleration::Off, Backend::Neon),
    comparison("openssl", Acceleration::Off, Backend::Neon),
];

const fn comparison(library: &'static str, state: Acceleration, backend: Backend) -> Comparison {
    Comparison { library, state, backend, has_many_keys: false }
}

/// Name by which `--against` selects the CPU's speed bounds.
const BOUND_NAME: &str = "limit";

/// Comparison of a backend with an upper speed bound of the CPU. The bound is measured from the bare instructions that
/// AES-GCM needs, in registers as wide as the backend's.
pub(crate) struct Bound {
    pub(crate) backend: Backend,
    pub(crate) library: &'static LibraryEntry,
    bytes: usize,
}

impl Bound {
    pub(crate) fn workload(&self) -> Workload {
        Workload::new(Operation::Seal, Algorithm::Aes128Gcm, self.bytes)
    }
}

/// Message size at which the bounds are measured besides [`PACKET`], in bytes.
const LARGE: usize = 16384;
/// Speed bounds on this architecture, in the order of the table. For the widest registers there are also bounds of AES
/// rounds alone, of carry-less products alone, and of the two interleaved.
const BOUNDS: &[Bound] = if cfg!(target_arch = "aarch64") { &BOUNDS_ON_AARCH64 } else { &BOUNDS_ON_X86_64 };

pub(crate) const BOUNDS_ON_X86_64: [Bound; 11] = [
    bound(Backend::Vaes512, bound::ZMM.aes, LARGE),
    bound(Backend::Vaes512, bound::ZMM.clmul, LARGE),
    bound(Backend::Vaes512, bound::MIXED, LARGE),
    bound(Backend::Vaes512, bound::ZMM.gcm, LARGE),
    bound(Backend::Vaes512, bound::ZMM.gcm, PACKET),
    bound(Backend::Vaes256, bound::YMM.gcm, LARGE),
    bound(Backend::Vaes256, bound::YMM.gcm, PACKET),
    bound(Backend::Aesni, bound::XMM.gcm, LARGE),
    bound(Backend::Aesni, bound::XMM.gcm, PACKET),
    // For comparison: AVX encoding, which this backend does not use.
    bound(Backend::Aesni, bound::XMM_AVX.gcm, LARGE),
    bound(Backend::Aesni, bound::XMM_AVX.gcm, PACKET),
];

pub(crate) const BOUNDS_ON_AARCH64: [Bound; 10] = [
    bound(Backend::AesEor3, bound::NEON.aes, LARGE),
    bound(Backend::AesEor3, bound::NEON.clmul, LARGE),
    bound(Backend::AesEor3, bound::MIXED_NEON, LARGE),
    bound(Backend::AesEor3, bound::NEON.gcm, LARGE),
    bound(Backend::AesEor3, bound::NEON.gcm, PACKET),
    bound(Backend::AesPmull, bound::NEON.aes, LARGE),
    bound(Backend::AesPmull, bound::NEON.clmul, LARGE),
    bound(Backend::AesPmull, bound::MIXED_NEON, LARGE),
    bound(Backend::AesPmull, bound::NEON.gcm, LARGE),
    bound(Backend::AesPmull, bound::NEON.gcm, PACKET),
];

const fn bound(backend: Backend, library: &'static LibraryEntry, bytes: usize) -> Bound {
    Bound { backend, library, bytes }
}

/// Returns the speed bounds to measure. If the options name competitors, returns all bounds if one name is
/// [`BOUND_NAME`], else none. Otherwise returns the bounds at the measured sizes.
pub(crate) fn bounds(options: &LevelOptions) -> impl Iterator<Item = &'static Bound> {
    let is_named = options.libraries.as_ref().map(|names| names.iter().any(|name| name == BOUND_NAME));
    let measured = workloads(options);
    let can_be_taken = |bound: &&Bound| is_asked_of(bound.backend);
    let is_wanted = move |bound: &&Bound| is_named.unwrap_or_else(|| measured.contains(&bound.workload()));
    BOUNDS.iter().filter(can_be_taken).filter(is_wanted)
}

/// Whether the table has rows for the backend. On AArch64, a backend that this CPU cannot run has no rows.
fn is_asked_of(backend: Backend) -> bool {
    cfg!(not(target_arch = "aarch64")) || state_of(backend).is_some()
}

/// Returns the acceleration state in which the engine runs `backend`; `None` if this CPU cannot run it.
fn state_of(backend: Backend) -> Option<Acceleration> {
    kasoku::backend_states().into_iter().find(|&state| kasoku::backend_of(state) == backend)
}

/// Worker that runs the engine on one code path.
#[derive(Clone, Copy)]
pub(crate) struct EngineWorker {
    pub(crate) path: CodePath,
    pub(crate) library: &'static str,
    pub(crate) state: Acceleration,
}

/// Returns a worker for each schedule of `backend`, the preferred schedule first; empty if this CPU cannot run
/// `backend`.
pub(crate) fn engine_workers(backend: Backend) -> Vec<EngineWorker> {
    let Some(state) = state_of(backend) else { return Vec::new() };
    let preferred = EngineWorker { path: backend.into(), library: kasoku::ENTRY.name, state };
    let others = Schedule::ALL
        .into_iter()
        .zip(&kasoku::SCHEDULE_ENTRIES)
        .filter(|(schedule, _)| backend.schedules().len() > 1 && *schedule != preferred_schedule(backend));
    let others = others.map(|(schedule, entry)| EngineWorker {
        path: CodePath { backend, schedule },
        library: entry.name,
        state: Acceleration::On,
    });
    std::iter::once(preferred).chain(others).collect()
}

impl Comparison {
    pub(crate) fn own_state(&self) -> Option<Acceleration> {
        state_of(self.backend)
    }

    pub(crate) fn workloads(&self, options: &LevelOptions) -> Vec<Workload> {
        let mut workloads = workloads(options);
        if self.has_many_keys && sizes(options).contains(&PACKET) {
            let packet = |(operation, algorithm)| Workload::new(operation, algorithm, PACKET).with_keys(MANY_KEYS);
            workloads.extend(tasks(options).into_iter().map(packet));
        }
        workloads
    }

    pub(crate) fn is_wanted(&self, options: &LevelOptions) -> bool {
        let is_itself = kasoku::SCHEDULE_ENTRIES.iter().any(|entry| entry.name == self.library)
            && engine_workers(self.backend).iter().all(|own| own.library != self.library);
        !is_itself
            && is_asked_of(self.backend)
            && options.libraries.as_ref().is_none_or(|names| names.iter().any(|name| name == self.library))
    }
}

pub(crate) fn competitors() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for comparison in COMPARISONS {
        if !names.contains(&comparison.library) {
            names.push(comparison.library);
        }
    }
    names.push(BOUND_NAME);
    names
}

/// Returns the workers that the comparisons need, the engine's first.
fn candidates(options: &LevelOptions) -> (Vec<WorkerName>, Vec<Omission>) {
    let wanted = || COMPARISONS.iter().filter(|comparison| comparison.is_wanted(options));
    let own = wanted().filter_map(Comparison::own_state).map(|state| (kasoku::ENTRY.name, state));
    let others = wanted()
        .filter(|comparison| comparison.own_state().is_some())
        .map(|comparison| (comparison.library, comparison.state));
    let bound_own = bounds(options).flat_map(|one| engine_workers(one.backend)).map(|own| (own.library, own.state));
    let of_bounds = bounds(options).filter(|one| state_of(one.backend).is_some());
    let of_bounds = of_bounds.map(|one| (one.library.name, Acceleration::On));
    let mut workers: Vec<WorkerName> = Vec::new();
    for (name, acceleration) in own.chain(bound_own).chain(others).chain(of_bounds) {
        let is_new = workers.iter().all(|worker| (worker.entry.name, worker.acceleration) != (name, acceleration));
        if let Some(entry) = libraries::find(name).filter(|_| is_new) {
            workers.push(WorkerName::new(entry, acceleration));
        }
    }
    (workers, Vec::new())
}

fn plan(options: &LevelOptions, mut workers: Vec<WorkerName>) -> Plan {
    let mut items: Vec<Item> = Vec::new();
    let place = |name: &str, state: Acceleration| {
        workers.iter().position(|worker| (worker.entry.name, worker.acceleration) == (name, state))
    };
    let mut add = |workload: Workload, pair: [Option<usize>; 2]| {
        let [Some(own), Some(competitor)] = pair else { return };
        let known = items.iter().position(|item| item.workload == workload);
        let index = known.unwrap_or_else(|| {
            items.push(Item { workload, threads: 1, workers: Vec::new() });
            items.len() - 1
        });
        for worker in [own, competitor] {
            if !items[index].workers.contains(&worker) {
                items[index].workers.push(worker);
            }
        }
    };
    for comparison in COMPARISONS.iter().filter(|comparison| comparison.is_wanted(options)) {
        let own = comparison.own_state().and_then(|state| place(kasoku::ENTRY.name, state));
        for workload in comparison.workloads(options) {
            add(workload, [own, place(comparison.library, comparison.state)]);
        }
    }
    for bound in bounds(options) {
        for own in engine_workers(bound.backend) {
            let pair = [place(own.library, own.state), place(bound.library.name, Acceleration::On)];
            add(bound.workload(), pair);
        }
    }
    // For the noise floor, another worker of the engine repeats the smallest and largest messages.
    let control = (!items.is_empty()).then_some((workers.len(), 0));
    if let Some((control, original)) = control {
        workers.push(workers[original].clone());
        let sizes = || items.iter().map(|item| item.workload.bytes);
        let ends = [sizes().min(), sizes().max()];
        let is_at_an_end = |item: &&mut Item| {
            let Workload { bytes, nonces, keys, .. } = item.workload;
            ends.contains(&Some(bytes)) && nonces == NonceForm::Ahead && keys == 1 && item.workers.contains(&original)
        };
        for item in items.iter_mut().filter(is_at_an_end) {
            item.workers.push(control);
        }
    }
    let (processes, rounds) = options.starts_and_rounds();
    Plan {
        level: Level::Packets,
        workers,
        items,
        processes,
        rounds,
        budget: if options.pace == Pace::Quick { Duration::from_millis(18_500) } else { Duration::from_secs(73) },
        experiment: Experiment::Slices(Slices {
            control,
            slice: options.slice,
            further_rounds: options.further_rounds(),
            ..Slices::default()
        }),
    }
}

fn workloads(options: &LevelOptions) -> Vec<Workload> {
    let mut workloads = Vec::new();
    for (operation, algorithm) in tasks(options) {
        for bytes in sizes(options) {
            let workload = Workload::new(operation, algorithm, bytes);
            let is_wanted = |form: &&NonceForm| match &options.nonces {
                Some(forms) => forms.contains(form),
                None => **form == NonceForm::Ahead || bytes <= SMALL,
            };
            workloads.extend(NonceForm::ALL.iter().filter(is_wanted).map(|&form| workload.with_nonces(form)));
        }
    }
    workloads
}

pub(crate) fn tasks(options: &LevelOptions) -> Vec<(Operation, Algorithm)> {
    let all = OPERATIONS.into_iter().flat_map(|operation| ALGORITHMS.map(|algorithm| (operation, algorithm)));
    all.filter(|(operation, algorithm)| {
        options.operations.as_ref().is_none_or(|wanted| wanted.contains(operation))
            && options.algorithms.as_ref().is_none_or(|wanted| wanted.contains(algorithm))
    })
    .collect()
}

fn sizes(options: &LevelOptions) -> Vec<usize> {
    match (&options.sizes, options.pace) {
        (Some(sizes), _) => sizes.clone(),
        (None, Pace::Quick) => QUICK_SIZES.to_vec(),
        (None, _) => SIZES.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(options: &LevelOptions) -> Vec<String> {
        candidates(options).0.iter().map(WorkerName::label).collect()
    }

    fn has_every_backend() -> bool {
        state_of(Backend::Vaes512).is_some()
    }

    #[test]
    fn plan_covers_every_backend_within_its_time_limit() {
        if !has_every_backend() {
            eprintln!("not tested: this CPU cannot run every backend");
            return;
        }
        for (pace, limit) in [(Pace::Quick, 20.0), (Pace::Default, 75.0)] {
            let options = LevelOptions { pace, ..LevelOptions::default() };
            let plan = plan(&options, candidates(&options).0);
            for name in
                ["kasoku (on)", "kasoku (no-avx512)", "kasoku (no-vaes)", "ipsec-mb (no-vaes)", "limit-mixed (on)"]
            {
                assert!(names(&options).iter().any(|one| one == name), "{name}: {:?}", names(&options));
            }
            let seconds = plan.duration(plan.most_series()).as_secs_f64();
            assert!(seconds <= limit, "{seconds} s");
            let counted = plan.items.iter().filter(|item| item.workload.nonces == NonceForm::Counted);
            assert!(counted.clone().count() > 0 && counted.clone().all(|item| item.workload.bytes <= SMALL));
            let many = plan.items.iter().filter(|item| item.workload.keys == MANY_KEYS);
            assert!(many.clone().count() == 4 && many.clone().all(|item| item.workers.len() == 2));
        }
    }

    #[test]
    fn plan_contains_only_the_requested_workloads_and_competitors() {
        let options = LevelOptions {
            libraries: Some(vec!["ring".to_owned()]),
            operations: Some(vec![Operation::Open]),
            sizes: Some(vec![1024]),
            nonces: Some(vec![NonceForm::Counted]),
            ..LevelOptions::default()
        };
        assert!(names(&options).iter().all(|name| name.starts_with("kasoku") || name == "ring (on)"));
        let plan = plan(&options, candidates(&options).0);
        let counted = |algorithm| Workload::new(Operation::Open, algorithm, 1024).with_nonces(NonceForm::Counted);
        let workloads: Vec<Workload> = plan.items.iter().map(|item| item.workload).collect();
        if state_of(Backend::Vaes256).is_some() {
            assert_eq!(workloads, [counted(Algorithm::Aes128Gcm), counted(Algorithm::Aes256Gcm)]);
        }
    }
}
