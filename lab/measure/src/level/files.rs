//! The level `files`: real files encrypted and decrypted, on a file system and in memory beside it, so that the device and
//! the cipher can be told apart.
//!
//! What is measured by default is a written matrix: docs/MATRIX.md, and `kasoku run files --list`.

use std::path::PathBuf;
use std::time::Duration;

use super::candidates;
use super::wish::{Pace, Wish};
use crate::files::FilesPlan;
use crate::plan::{Item, Plan};
use crate::probe::ProbeName;
use kasoku_libraries::files::COPY;
use kasoku_libraries::{Entry, jvm, kasoku, openssl};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Omission, Series};
use kasoku_model::workload::files::{Cache, Storage};
use kasoku_model::workload::{Files, Operation, Workload};

/// The level's name.
pub const NAME: &str = "files";

/// Sizes below this are no files' sizes where other levels are measured too.
pub const SMALLEST_BESIDE_OTHERS: usize = 1 << 20;

const MIB: usize = 1 << 20;
/// The published measurement writes 50MB to 1GB and does not say which; taken for powers of two here.
const PUBLISHED_SIZES: [usize; 5] = [50 * MIB, 100 * MIB, 200 * MIB, 512 * MIB, 1024 * MIB];
const SIZES: [usize; 2] = [50 * MIB, 100 * MIB];
const QUICK_SIZES: [usize; 1] = [50 * MIB];
/// What is measured of a stack unless something else is asked for: the published measurement's CBC, and GCM.
const STREAMED: [Algorithm; 4] =
    [Algorithm::Aes128Cbc, Algorithm::Aes256Cbc, Algorithm::Aes128Gcm, Algorithm::Aes256Gcm];
/// The same where there is little time, and of Java only what the published measurement most likely had.
const QUICKLY_STREAMED: [Algorithm; 3] = [Algorithm::Aes128Cbc, Algorithm::Aes256Cbc, Algorithm::Aes256Gcm];
const QUICKLY_IN_JAVA: [Algorithm; 2] = [Algorithm::Aes128Cbc, Algorithm::Aes256Cbc];
const CHUNKED: [Algorithm; 2] = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm];
/// What can be asked for beside these.
const ON_REQUEST: [Algorithm; 2] = [Algorithm::Aes128Ctr, Algorithm::Aes256Ctr];
const OPERATIONS: [Operation; 2] = [Operation::Encrypt, Operation::Decrypt];
/// The stacks that are measured, as far as this version has them.
const STACKS: [&str; 2] = [openssl::ENTRY.name, kasoku::ENTRY.name];
/// Those of them that run in a virtual machine.
const JAVA: [&str; 2] = [jvm::SUNJCE.name, jvm::NSS.name];
/// What a copy stands beside.
const COPIED: (Operation, Algorithm) = (Operation::Encrypt, Algorithm::Aes256Gcm);

/// Test runs: starts of every probe.
pub const TEST_RUNS: u32 = 2;
/// Repetitions of the published measurement in each test run.
const PUBLISHED_REPETITIONS: u32 = 100;

/// What the user asked of this level beside what concerns all.
#[derive(Clone, Debug, Default)]
pub struct FilesWish {
    /// The folder whose file system is measured, if not the system's for temporary files.
    pub dir: Option<PathBuf>,
    /// Whether to measure with an empty page cache too.
    pub cold: bool,
    /// How often each file is done in a test run, instead of as often as the time allows.
    pub repetitions: Option<u32>,
    /// What is there of a run that is to be continued.
    pub before: Vec<Series>,
}

impl FilesWish {
    /// The folder whose file system is measured.
    pub fn dir(&self) -> PathBuf {
        self.dir.clone().unwrap_or_else(std::env::temp_dir)
    }
}

/// The probes to try, and why some states are left out. A copy is measured beside whatever stacks are asked for.
pub fn candidates(wish: &Wish) -> (Vec<ProbeName>, Vec<Omission>) {
    if let Some(why) = not_for_files(wish) {
        let omission = Omission { level: NAME.to_owned(), why: why.to_owned(), ..Omission::default() };
        return (Vec::new(), vec![omission]);
    }
    let is_in_matrix = |entry: &Entry| STACKS.contains(&entry.name);
    let states = wish.acceleration.clone().unwrap_or_else(|| vec![Acceleration::On, Acceleration::Off]);
    let (mut probes, mut omissions) = candidates::candidates(NAME, wish, is_in_matrix, |_| states.clone());
    let (java, missing) = java(wish);
    probes.extend(java);
    omissions.extend(missing);
    probes.retain(|probe| probe.entry.name != COPY.name);
    if !probes.is_empty() && is_copy_wanted(wish) {
        probes.push(ProbeName::new(&COPY, Acceleration::On));
    }
    (probes, omissions)
}

/// Java, as far as it is wanted, in the first virtual machine only: the level `jvm` compares them.
fn java(wish: &Wish) -> (Vec<ProbeName>, Vec<Omission>) {
    let named = |names: &Vec<String>| names.iter().filter(|name| JAVA.contains(&name.as_str())).cloned().collect();
    let stacks: Vec<String> = wish.stacks.as_ref().map_or_else(|| vec![jvm::SUNJCE.name.to_owned()], named);
    if stacks.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let wish = Wish {
        stacks: Some(stacks),
        java: wish.java.clone(),
        acceleration: wish.acceleration.clone(),
        pace: if wish.pace == Pace::Quick { Pace::Quick } else { Pace::Default },
        cores: wish.cores,
        ..Wish::default()
    };
    let (mut probes, mut omissions) = super::jvm::candidates(&wish);
    let version = |probe: &ProbeName| probe.jvm.as_ref().map(|jvm| jvm.runtime.version.clone());
    let first = probes.first().and_then(version);
    probes.retain(|probe| version(probe) == first);
    omissions.retain(|_| probes.is_empty());
    omissions.iter_mut().for_each(|omission| NAME.clone_into(&mut omission.level));
    (probes, omissions)
}

/// Why nothing of what is wished for can be measured with files.
fn not_for_files(wish: &Wish) -> Option<&'static str> {
    let is_none = |algorithms: &Vec<Algorithm>| algorithms.iter().all(|one| !is_for_files(*one));
    if wish.algorithms.as_ref().is_some_and(is_none) {
        return Some("files are encrypted with aes-128 and aes-256 in cbc, ctr and gcm");
    }
    if wish.operations.as_ref().is_some_and(|wanted| OPERATIONS.iter().all(|one| !wanted.contains(one))) {
        return Some("what is done with files is encrypt and decrypt");
    }
    if wish.sizes.as_ref().is_some_and(Vec::is_empty) {
        return Some("no size of 1M or more was asked for");
    }
    None
}

fn is_for_files(algorithm: Algorithm) -> bool {
    STREAMED.contains(&algorithm) || ON_REQUEST.contains(&algorithm)
}

fn is_copy_wanted(wish: &Wish) -> bool {
    wish.acceleration.as_ref().is_none_or(|states| states.contains(&Acceleration::On))
        && wish.operations.as_ref().is_none_or(|operations| operations.contains(&COPIED.0))
}

/// The plan for `probes`, all of which are there.
pub fn plan(wish: &Wish, probes: Vec<ProbeName>) -> Plan {
    let mut items: Vec<Item> = Vec::new();
    for bytes in sizes(wish) {
        for files in places(wish) {
            for (index, probe) in probes.iter().enumerate() {
                for (operation, algorithm, threads) in tasks(wish, probe, files) {
                    let workload = Workload::new(operation, algorithm, bytes).with_files(files);
                    let is_same = |item: &&mut Item| (item.workload, item.threads) == (workload, threads);
                    match items.iter_mut().find(is_same) {
                        Some(item) => item.probes.push(index),
                        None => items.push(Item { workload, threads, probes: vec![index] }),
                    }
                }
            }
        }
    }
    let repetitions = wish.files.repetitions.or((wish.pace == Pace::AsPublished).then_some(PUBLISHED_REPETITIONS));
    Plan {
        level: NAME,
        probes,
        twin: None,
        items,
        cross_checks: Vec::new(),
        cross_checked_processes: 0,
        processes: TEST_RUNS,
        rounds: repetitions.unwrap_or(if wish.pace == Pace::Quick { 5 } else { 10 }),
        budget: if wish.pace == Pace::Quick { Duration::from_secs(14) } else { Duration::from_secs(40) },
        slice: None,
        files: Some(FilesPlan { dir: wish.files.dir(), repetitions, before: wish.files.before.clone() }),
        tls: None,
        transfer: None,
    }
}

fn sizes(wish: &Wish) -> Vec<usize> {
    wish.sizes_or(&QUICK_SIZES, &SIZES, &PUBLISHED_SIZES)
}

fn places(wish: &Wish) -> Vec<Files> {
    let mut places = vec![Files { storage: Storage::File, cache: Cache::Warm }];
    if wish.files.cold {
        places.push(Files { storage: Storage::File, cache: Cache::Cold });
    }
    if wish.pace != Pace::AsPublished {
        places.push(Files { storage: Storage::Memory, cache: Cache::Warm });
    }
    places
}

/// What the matrix has of `probe` in `files`: operations, algorithms, threads.
fn tasks(wish: &Wish, probe: &ProbeName, files: Files) -> Vec<(Operation, Algorithm, usize)> {
    let name = probe.entry.name;
    if name == COPY.name {
        return vec![(COPIED.0, COPIED.1, 1)];
    }
    // In memory it is only to be seen what the device takes; that is the same without acceleration.
    if files.storage == Storage::Memory && probe.acceleration != Acceleration::On && wish.acceleration.is_none() {
        return Vec::new();
    }
    let is_chunked = name == kasoku::ENTRY.name;
    let is_quick = wish.pace == Pace::Quick;
    // GCM in Java without its routines takes longer than all the rest.
    let is_slow_java = wish.pace == Pace::Default && probe.acceleration != Acceleration::On && JAVA.contains(&name);
    let in_matrix = match () {
        () if is_quick && files.storage == Storage::Memory => &[COPIED.1],
        () if is_chunked => CHUNKED.as_slice(),
        () if is_slow_java || is_quick && JAVA.contains(&name) => &QUICKLY_IN_JAVA,
        () if is_quick => &QUICKLY_STREAMED,
        () => &STREAMED,
    };
    let algorithms: Vec<Algorithm> = match &wish.algorithms {
        Some(wanted) => wanted.iter().copied().filter(|one| is_for_files(*one)).collect(),
        None => in_matrix.to_vec(),
    };
    let threads = match wish.threads {
        _ if !is_chunked => vec![1],
        Some(threads) => vec![threads],
        None if is_quick => vec![wish.cores.max(1)],
        None if wish.cores > 1 && wish.pace != Pace::AsPublished => vec![1, wish.cores],
        None => vec![1],
    };
    let is_wanted = |one: &Operation| wish.operations.as_ref().is_none_or(|wanted| wanted.contains(one));
    let mut tasks = Vec::new();
    for algorithm in algorithms {
        for &threads in &threads {
            let operations = OPERATIONS.into_iter().filter(is_wanted);
            tasks.extend(operations.map(|operation| (operation, algorithm, threads)));
        }
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish() -> Wish {
        Wish { cores: 4, ..Wish::default() }
    }

    fn whole(wish: &Wish) -> Plan {
        let (probes, _) = candidates(wish);
        plan(wish, probes)
    }

    #[test]
    fn the_matrix_has_every_stack_on_and_off_and_a_copy_beside_them() {
        let plan = whole(&wish());
        let of = |name: &str, state| {
            let index = plan.probes.iter().position(|probe| probe.entry.name == name && probe.acceleration == state);
            let index = index.unwrap();
            plan.items.iter().filter(move |item| item.probes.contains(&index)).collect::<Vec<_>>()
        };
        // Two sizes, two operations; four algorithms, or two in one thread and in all.
        assert_eq!(of("openssl", Acceleration::Off).len(), 2 * 2 * 4);
        assert_eq!(of("openssl", Acceleration::On).len(), 2 * 2 * 4 * 2);
        assert_eq!(of("kasoku", Acceleration::Off).len(), 2 * 2 * 2 * 2);
        assert_eq!(of("limit-copy", Acceleration::On).len(), 2 * 2);
        assert!(of("openssl", Acceleration::Off).iter().all(|item| item.threads == 1));
    }

    #[test]
    fn as_published_has_its_sizes_and_repetitions() {
        let plan = whole(&Wish { pace: Pace::AsPublished, ..wish() });
        let sizes: std::collections::BTreeSet<usize> = plan.items.iter().map(|item| item.workload.bytes).collect();
        assert_eq!(sizes.into_iter().map(|bytes| bytes / MIB).collect::<Vec<_>>(), [50, 100, 200, 512, 1024]);
        let files = plan.files.unwrap();
        assert_eq!((plan.processes, files.repetitions), (2, Some(100)));
        assert!(plan.items.iter().all(|item| item.workload.files.unwrap().storage == Storage::File));
    }

    #[test]
    fn what_is_no_wish_for_files_is_said() {
        for wish in [
            Wish { algorithms: Some(vec![Algorithm::Sha256]), ..wish() },
            Wish { operations: Some(vec![Operation::Hash]), ..wish() },
            Wish { sizes: Some(Vec::new()), ..wish() },
        ] {
            let (probes, omissions) = candidates(&wish);
            assert!(probes.is_empty() && omissions.len() == 1);
        }
    }
}
