//! Plans the level `jvm`, which shows how much the CPU's cryptographic instructions speed up a Java program.

use std::sync::Arc;
use std::time::Duration;

use super::options::{LevelOptions, Pace, allows, names_only_others};
use super::{candidates, https};
use crate::plan::{EndToEnd, Experiment, Item, Plan, Slices};
use crate::worker::WorkerName;
use kasoku_libraries::jvm::{self, Classes, JvmSetting, NSS, PROVIDERS, Runtime, Runtimes, SPECJVM, SUNJCE};
use kasoku_libraries::{LibraryEntry, Switch, install};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind, Suite};
use kasoku_model::document::{Omission, Reason};
use kasoku_model::level::Level;
use kasoku_model::library::Role;
use kasoku_model::workload::{NonceForm, Operation, Workload};

const SIZES: [usize; 3] = [16, 1350, 16384];
/// Size in bytes at which the less important algorithms are measured.
const LARGE: usize = 16384;
const AT_EVERY_SIZE: [Algorithm; 3] = [Algorithm::Aes128Gcm, Algorithm::Aes128Cbc, Algorithm::Aes128Ctr];
const AT_ONE_SIZE: [Algorithm; 4] =
    [Algorithm::Aes256Gcm, Algorithm::Aes256Cbc, Algorithm::Aes256Ctr, Algorithm::DesEde3Cbc];
const BOTH: [Acceleration; 2] = [Acceleration::On, Acceleration::Off];
const SCORE: Algorithm = Algorithm::Suite(Suite::CryptoAes);
const SUITES: [Algorithm; 3] = [SCORE, Algorithm::Suite(Suite::CryptoAesAes), Algorithm::Suite(Suite::CryptoAesDes)];
/// Additional time for each worker whose security provider is not part of the JDK. The time budget grows only for users
/// who downloaded such a provider.
const FOR_ADDED: Duration = Duration::from_millis(3_500);

pub(super) fn candidates(options: &LevelOptions) -> (Vec<WorkerName>, Vec<Omission>) {
    if ![&SUNJCE, &NSS].into_iter().chain(PROVIDERS).any(|entry| options.wants_library(entry.name)) {
        return (Vec::new(), Vec::new());
    }
    if let Some(why) = not_for_java(options) {
        return candidates::not_asked(Level::Jvm, &why);
    }
    if cfg!(windows) {
        return (Vec::new(), vec![Omission::new(Level::Jvm, "the level jvm is not there on Windows".to_owned())]);
    }
    let Candidates { workers, mut omissions, .. } = find_candidates(options, &Runtimes::find(&options.java));
    omissions.extend(https::omission(options));
    (workers, omissions)
}

fn find_candidates<'a>(options: &'a LevelOptions, runtimes: &Runtimes) -> Candidates<'a> {
    let mut found = Candidates { options, workers: Vec::new(), omissions: Vec::new() };
    found
        .omissions
        .extend(runtimes.unusable.iter().map(|error| Omission::new(Level::Jvm, format!("not measured in {error}"))));
    let install = Some(install::JDK.to_owned());
    if runtimes.usable.is_empty() {
        let why = format!("no JDK of Java {} or later was found", jvm::OLDEST);
        found.omissions.push(Omission {
            install,
            reason: Some(Reason::NotInstalled),
            ..Omission::new(Level::Jvm, why)
        });
        return found;
    }
    let classes = match compiled(runtimes) {
        Ok(classes) => Arc::new(classes),
        Err(why) => {
            found.omissions.push(Omission { install, ..Omission::new(Level::Jvm, why) });
            return found;
        }
    };
    let chosen = chosen(options, runtimes);
    for left in runtimes.usable.iter().filter(|one| !chosen.contains(one)) {
        let (version, java) = (&left.version, left.java.display());
        found
            .omissions
            .push(Omission::new(Level::Jvm, format!("JDK {version} is left out for time; --java {java} adds it")));
    }
    let (warm_up, score) = times(options);
    let setting = |runtime: &Runtime| {
        let (runtime, classes) = (Arc::new(runtime.clone()), Arc::clone(&classes));
        JvmSetting { runtime, classes, flags: Vec::new(), warm_up, score }
    };
    let settings: Vec<JvmSetting> = chosen.into_iter().map(setting).collect();
    found.add_all(&settings);
    // The original benchmark, if present, runs in the first virtual machine, which is what `java -jar` starts.
    if let Some((jar, first)) = options.jvm.specjvm.clone().zip(settings.first()) {
        let warm_up = options.jvm.warm_up.unwrap_or(Duration::from_secs(5));
        let score = options.jvm.score.unwrap_or(Duration::from_secs(10));
        let setting = JvmSetting { warm_up, score, ..first.clone() };
        for state in options.states_or(&BOTH) {
            if let Switch::Flags(flags) = (SPECJVM.switch)(state)
                && unknown(&setting.runtime, &flags).is_none()
            {
                let (library_file, jvm) = (Some(jar.clone()), Some(setting.clone()));
                found.workers.push(WorkerName { library_file, jvm, ..WorkerName::new(&SPECJVM, state) });
            }
        }
    }
    found
}

struct Candidates<'a> {
    options: &'a LevelOptions,
    workers: Vec<WorkerName>,
    omissions: Vec<Omission>,
}

impl Candidates<'_> {
    fn add_all(&mut self, settings: &[JvmSetting]) {
        let options = self.options;
        for setting in settings.iter().filter(|_| options.wants_library(SUNJCE.name)) {
            self.add_states(&SUNJCE, setting, &options.states_or(&BOTH));
            self.add_flags(setting);
        }
        // Other libraries do not depend on the virtual machine, so the newest one suffices.
        let Some(newest) = settings.iter().max_by_key(|one| one.runtime.release) else { return };
        if options.wants_library(NSS.name) {
            self.add_states(&NSS, newest, &options.states_or(&BOTH));
        }
        // Quick runs measure added providers with acceleration on only.
        let is_quick = options.pace == Pace::Quick && options.libraries.is_none();
        let states = options.states_or(if is_quick { &BOTH[..1] } else { &BOTH });
        for entry in PROVIDERS.into_iter().filter(|entry| options.wants_library(entry.name)) {
            self.add_states(entry, newest, &states);
        }
    }

    fn add_states(&mut self, entry: &'static LibraryEntry, setting: &JvmSetting, states: &[Acceleration]) {
        for &state in states {
            let worker = WorkerName { jvm: Some(setting.clone()), ..WorkerName::new(entry, state) };
            let why = match (entry.switch)(state) {
                Switch::None(why) => Some(why.to_owned()),
                Switch::Flags(flags) => unknown(&setting.runtime, &flags),
                _ => None,
            };
            match why.map(|why| worker.left_out(Level::Jvm, why)) {
                None => self.workers.push(worker),
                Some(omission) => self.omissions.push(Omission { reason: Some(Reason::NoSwitch), ..omission }),
            }
        }
    }

    /// Adds a worker for each flag of `java` that is measured by itself.
    fn add_flags(&mut self, setting: &JvmSetting) {
        for flag in &self.options.jvm.flags {
            let flags = vec![flag.clone()];
            match unknown(&setting.runtime, &flags) {
                None => {
                    let setting = JvmSetting { flags, ..setting.clone() };
                    self.workers.push(WorkerName { jvm: Some(setting), ..WorkerName::new(&SUNJCE, Acceleration::On) });
                }
                Some(why) => {
                    self.omissions.push(Omission { library: SUNJCE.name.to_owned(), ..Omission::new(Level::Jvm, why) })
                }
            }
        }
    }
}

fn unknown(runtime: &Runtime, flags: &[String]) -> Option<String> {
    let flag = jvm::unknown_flag(runtime, flags)?;
    Some(format!("unavailable: JDK {} has no flag {flag}", runtime.version))
}

/// Compiles the Java worker with the oldest virtual machine that has a compiler. All newer ones can run its output.
fn compiled(runtimes: &Runtimes) -> Result<Classes, String> {
    let mut by_age: Vec<&Runtime> = runtimes.usable.iter().collect();
    by_age.sort_by_key(|runtime| runtime.release);
    let mut why = String::new();
    for runtime in by_age {
        match Classes::compile(runtime) {
            Ok(classes) => return Ok(classes),
            Err(error) => why = error,
        }
    }
    Err(why)
}

/// Returns the maximum warm-up of a workload, and how long each start measures the score of a benchmark suite. A
/// duration of zero stands for a single operation.
fn times(options: &LevelOptions) -> (Duration, Duration) {
    let warm_up = Duration::from_millis(options.pace.choose(2000, 3000));
    (options.jvm.warm_up.unwrap_or(warm_up), options.jvm.score.unwrap_or_default())
}

fn not_for_java(options: &LevelOptions) -> Option<String> {
    if https::is_explicit(options) {
        return None;
    }
    if !allows(&options.nonces, &NonceForm::Ahead) {
        return Some("Java takes nonces as objects, which are made ahead".to_owned());
    }
    let is_done = |one: &Operation| all().any(|algorithm| Operation::of(algorithm.kind()).contains(one));
    if names_only_others(&options.operations, is_done) {
        return Some("Java is measured with encrypt, decrypt, seal, open, roundtrip and serve".to_owned());
    }
    if names_only_others(&options.algorithms, |one| all().any(|known| known == *one)) {
        let names: Vec<&str> = all().map(Algorithm::name).collect();
        return Some(format!("Java is measured with {}", names.join(", ")));
    }
    None
}

fn all() -> impl Iterator<Item = Algorithm> {
    AT_EVERY_SIZE.into_iter().chain(AT_ONE_SIZE).chain(SUITES)
}

/// Returns the virtual machines that the time allows. Those that the user names come first, then the one that `java`
/// starts, the newest and the oldest.
fn chosen<'a>(options: &LevelOptions, runtimes: &'a Runtimes) -> Vec<&'a Runtime> {
    let most = if options.everything { usize::MAX } else { options.pace.choose(2, 3) };
    let (named, found) = runtimes.usable.split_at(runtimes.named.min(runtimes.usable.len()));
    let newest = found.iter().max_by_key(|one| one.release);
    let oldest = found.iter().min_by_key(|one| one.release);
    let mut others: Vec<&Runtime> = Vec::new();
    for one in found.first().into_iter().chain(newest).chain(oldest).chain(found) {
        if others.len() < most && !others.contains(&one) {
            others.push(one);
        }
    }
    named.iter().chain(others).collect()
}

pub(super) fn plan(options: &LevelOptions, workers: Vec<WorkerName>) -> Plan {
    let mut items = Vec::new();
    for workload in workloads(options) {
        let is_suite = workload.algorithm.kind() == AlgorithmKind::Suite;
        // The benchmark starts as many copies as there are hardware threads.
        let threads = options.threads.unwrap_or(if is_suite { options.cores.max(1) } else { 1 });
        let tried =
            (0..workers.len()).filter(|&index| is_tried(options, &workers, index, workload.algorithm)).collect();
        items.push(Item { workload, threads, workers: tried });
    }
    items.retain(|item| !item.workers.is_empty());
    let original: Vec<usize> = (0..workers.len()).filter(|&index| is_original(&workers[index])).collect();
    let own_clock = Item {
        workload: Workload::new(Operation::Roundtrip, SCORE, 0),
        threads: options.threads.unwrap_or(options.cores.max(1)),
        workers: original,
    };
    let (processes, rounds) = options.rounds_in(3, options.pace.choose((3, 2), (3, 4)));
    let base = options.pace.choose(Duration::from_secs(36), Duration::from_secs(64));
    let added = workers.iter().filter(|&worker| is_added(worker)).count() as u32;
    let https = https::plan(options, &workers);
    Plan {
        level: Level::Jvm,
        workers,
        items,
        processes,
        rounds,
        budget: base + FOR_ADDED * added,
        experiment: Experiment::Slices(Slices {
            own_clock: Some(own_clock).filter(|item| !item.workers.is_empty()),
            own_clock_processes: options.jvm.specjvm_starts.unwrap_or(1),
            slice: options.slice,
            end_to_end: https.map(EndToEnd::Https),
            ..Slices::default()
        }),
    }
}

fn workloads(options: &LevelOptions) -> Vec<Workload> {
    let mut workloads = Vec::new();
    let is_named = |algorithm| options.algorithms.as_ref().is_some_and(|wanted| wanted.contains(&algorithm));
    for algorithm in all().filter(|&algorithm| options.algorithms.is_none() || is_named(algorithm)) {
        let is_in_matrix = match (options.pace, algorithm) {
            _ if options.everything => true,
            // 3DES alone follows from the score and AES alone, and would take as long as the score.
            (Pace::Quick | Pace::Default, Algorithm::Suite(Suite::CryptoAesDes)) => false,
            (Pace::Quick, _) => !AT_ONE_SIZE.contains(&algorithm),
            // AES-256 uses the intrinsics of AES-128, and the score includes 3DES. Each cipher costs a warm-up in every
            // start.
            (Pace::Default, Algorithm::Aes256Ctr | Algorithm::Aes256Cbc | Algorithm::DesEde3Cbc) => false,
            _ => true,
        };
        if !is_in_matrix && !is_named(algorithm) {
            continue;
        }
        for &operation in Operation::of(algorithm.kind()) {
            if is_measured(options, algorithm, operation) {
                let sizes = sizes(options, algorithm, operation);
                workloads.extend(sizes.iter().map(|&bytes| Workload::new(operation, algorithm, bytes)));
            }
        }
    }
    workloads
}

fn sizes(options: &LevelOptions, algorithm: Algorithm, operation: Operation) -> &[usize] {
    let is_forward = matches!(operation, Operation::Seal | Operation::Encrypt);
    let has_every_size = match options.pace {
        _ if options.everything => AT_EVERY_SIZE.contains(&algorithm),
        Pace::Quick => algorithm == Algorithm::Aes128Gcm,
        Pace::Default => AT_EVERY_SIZE.contains(&algorithm) && is_forward,
    };
    match &options.sizes {
        _ if algorithm.kind() == AlgorithmKind::Suite => &[0],
        Some(sizes) => sizes,
        None if has_every_size => &SIZES,
        None => &[LARGE],
    }
}

/// Whether the matrix includes this operation. Counter modes decrypt by encrypting, so one direction suffices; quick
/// runs measure one direction at a single size.
fn is_measured(options: &LevelOptions, algorithm: Algorithm, operation: Operation) -> bool {
    if let Some(wanted) = &options.operations {
        return wanted.contains(&operation);
    }
    match operation {
        Operation::Decrypt => matches!(algorithm, Algorithm::Aes128Cbc | Algorithm::Aes256Cbc),
        Operation::Open => options.everything || algorithm == Algorithm::Aes128Gcm && options.pace != Pace::Quick,
        _ => true,
    }
}

/// Whether the worker's security provider is one that a Java program can add.
fn is_added(worker: &WorkerName) -> bool {
    PROVIDERS.iter().any(|provider| provider.name == worker.entry.name)
}

fn is_original(worker: &WorkerName) -> bool {
    worker.entry.role == Role::OwnClock
}

/// Whether the worker at `index` measures `algorithm`. Benchmark suites take seconds for one operation. By default only
/// SunJCE and NSS in the newest JDK run them, and in quick runs only SunJCE. Workers for a single flag measure ciphers
/// only. Unless algorithms are named, added providers measure AEADs only.
fn is_tried(options: &LevelOptions, workers: &[WorkerName], index: usize, algorithm: Algorithm) -> bool {
    let Some(own) = workers[index].jvm.as_ref().filter(|_| !is_original(&workers[index])) else { return false };
    if is_added(&workers[index]) && options.algorithms.is_none() {
        return algorithm.kind() == AlgorithmKind::Aead;
    }
    if algorithm.kind() != AlgorithmKind::Suite {
        return true;
    }
    if !own.flags.is_empty() {
        return options.algorithms.is_some();
    }
    if options.everything || options.algorithms.is_some() {
        return true;
    }
    let newest = workers.iter().filter_map(|worker| Some(worker.jvm.as_ref()?.runtime.release)).max();
    Some(own.runtime.release) == newest && (options.pace == Pace::Default || workers[index].entry.name == SUNJCE.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::reproduction::as_published;

    fn planned(options: &LevelOptions, releases: &[u32]) -> Plan {
        let setting = |&release: &u32| JvmSetting::imagined(release, times(options));
        let mut found = Candidates { options, workers: Vec::new(), omissions: Vec::new() };
        found.add_all(&releases.iter().map(setting).collect::<Vec<_>>());
        plan(options, found.workers)
    }

    fn options(pace: Pace) -> LevelOptions {
        LevelOptions { pace, cores: 2, ..LevelOptions::default() }
    }

    fn every_matrix() -> [LevelOptions; 3] {
        [options(Pace::Quick), options(Pace::Default), as_published(Level::Jvm, options(Pace::Default))]
    }

    #[test]
    fn jvm_plans_fit_their_time_limits() {
        for (pace, limit) in [(Pace::Quick, 40.0), (Pace::Default, 75.0)] {
            let all = planned(&options(pace), &[17, 25]);
            let is_added = |index: &usize| is_added(&all.workers[*index]);
            let added = (0..all.workers.len()).filter(is_added).count() as f64;
            assert_eq!(added, if pace == Pace::Quick { 4.0 } else { 7.0 });
            let without: Vec<WorkerName> =
                all.workers.iter().filter(|worker| !super::is_added(worker)).cloned().collect();
            for (plan, limit) in [(plan(&options(pace), without), limit), (all, limit + added * 3.5)] {
                assert!(plan.processes >= 3);
                let https = plan.slices().and_then(|slices| slices.end_to_end.as_ref()).map(EndToEnd::time);
                let seconds = (plan.duration(plan.most_series()) - https.unwrap_or_default()).as_secs_f64();
                assert!(seconds <= limit, "{pace:?}: {seconds} s of {limit}");
            }
        }
    }

    #[test]
    fn jvm_as_published_starts_three_times_for_six_minutes_per_worker() {
        let plan = planned(&as_published(Level::Jvm, options(Pace::Default)), &[17]);
        let score = plan.items.iter().find(|item| item.workload.algorithm == SCORE).unwrap();
        // SunJCE and NSS, each with acceleration on and off. Workers for single flags measure ciphers only.
        assert_eq!((score.workers.len(), score.threads, plan.processes), (4, 2, 3));
        let minutes = plan.duration(plan.most_series()).as_secs_f64() / 60.0;
        assert!((4.0 * 3.0 * 6.0..4.0 * 3.0 * 6.0 * 1.3).contains(&minutes), "{minutes}");
        for flag in ["-XX:-UseAESIntrinsics", "-XX:-UseAESCTRIntrinsics", "-XX:-UseGHASHIntrinsics"] {
            let has = |worker: &WorkerName| worker.jvm.as_ref().is_some_and(|jvm| jvm.flags == [flag]);
            assert_eq!(plan.workers.iter().filter(|worker| has(worker)).count(), 1, "{flag}");
        }
    }

    #[test]
    fn added_providers_are_measured_with_aeads_only_unless_algorithms_are_named() {
        let kinds = |options: &LevelOptions| {
            let plan = planned(options, &[17, 25]);
            let is_done = |item: &&Item| item.workers.iter().any(|&index| is_added(&plan.workers[index]));
            plan.items.iter().filter(is_done).map(|item| item.workload.algorithm.kind()).collect::<Vec<_>>()
        };
        for options in every_matrix() {
            let kinds = kinds(&options);
            assert!(!kinds.is_empty() && kinds.iter().all(|kind| *kind == AlgorithmKind::Aead), "{kinds:?}");
        }
        let named = LevelOptions { algorithms: Some(vec![Algorithm::Aes128Cbc]), ..options(Pace::Quick) };
        assert!(kinds(&named).contains(&AlgorithmKind::Cipher));
    }

    #[test]
    fn every_jvm_matrix_has_the_specjvm_score_and_plain_aes_with_and_without_acceleration() {
        for options in every_matrix() {
            let plan = planned(&options, &[11, 17, 25]);
            for algorithm in [SCORE, Algorithm::Suite(Suite::CryptoAesAes)] {
                let item = plan.items.iter().find(|item| item.workload.algorithm == algorithm).unwrap();
                for state in [Acceleration::On, Acceleration::Off] {
                    let is_it = |&&index: &&usize| {
                        let worker = &plan.workers[index];
                        (worker.entry.name, worker.acceleration) == (SUNJCE.name, state)
                    };
                    assert!(item.workers.iter().any(|index| is_it(&index)), "{algorithm} {state}: {options:?}");
                }
            }
        }
    }

    #[test]
    fn jvm_plan_follows_named_algorithms_and_sizes() {
        let options = LevelOptions {
            algorithms: Some(vec![Algorithm::Aes256Ctr, Algorithm::Suite(Suite::CryptoAesDes)]),
            sizes: Some(vec![77]),
            ..options(Pace::Quick)
        };
        let plan = planned(&options, &[17]);
        let tried: Vec<_> =
            plan.items.iter().map(|item| (item.workload.algorithm.name(), item.workload.bytes)).collect();
        assert_eq!(tried, [("aes-256-ctr", 77), ("crypto.aes.des-ede3", 0)]);
        let nothing = LevelOptions { algorithms: Some(vec![Algorithm::Sha256]), ..LevelOptions::default() };
        assert!(candidates(&nothing).1[0].why.contains("crypto.aes"));
    }

    #[test]
    fn jvm_omission_without_a_jdk_names_the_install_command() {
        let options = LevelOptions::default();
        let Candidates { workers, omissions, .. } = find_candidates(&options, &Runtimes::default());
        assert!(workers.is_empty());
        assert_eq!(omissions[0].install.as_deref(), Some(install::JDK));
        assert!(omissions[0].why.contains("no JDK"), "{omissions:?}");
    }
}
