//! Which calls are proven.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use crate::case::{CODE_PATHS, Case, CodePath, Keyed};
use crate::reference::Direction;
use crate::refusal::Refusal;

/// How much is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// A fixed cross-section: every length, each with one length of AAD and one size of key.
    Sample,
    /// Every length with every length of AAD and every size of key.
    Everything,
}

/// What was done.
#[derive(Default)]
pub struct Proven {
    /// Calls that were shown to do what the standard says.
    pub calls: usize,
    /// The others, with the reason.
    pub refused: Vec<(String, Refusal)>,
    /// The instructions that were executed: the code of each, without its place.
    pub instructions: BTreeSet<Vec<u8>>,
    /// The most unknown bytes at which the S-box was asked for under one point: with each pair the chance of a mistake
    /// grows.
    pub substitutions: usize,
}

/// The longest text of which every length is proven.
pub const EVERY_LENGTH: usize = 1500;
/// The longest AAD of which every length is proven.
pub const EVERY_AAD: usize = 48;

/// Longer texts: around the ends of spans, strides and the table for the first round, and far past them.
pub const LONG: [usize; 20] = [
    1504, 1999, 2048, 2081, 4063, 4096, 4097, 6100, 8159, 8160, 8161, 8192, 8224, 8225, 12_287, 12_800, 13_317, 16_384,
    17_003, 20_513,
];
/// Longer AAD.
const LONG_AAD: [usize; 8] = [49, 63, 64, 65, 128, 255, 512, 1001];

/// Sizes of keys, in bytes.
pub const KEYS: [usize; 3] = [16, 24, 32];

/// Calls with one key of one code path, one after the other.
#[derive(Clone, Debug)]
struct Job {
    path: CodePath,
    key_bytes: usize,
    cases: Vec<Case>,
}

/// Proves it all, on as many threads as there are cores. Whatever is finished is told to `progress`.
///
/// # Errors
/// If the library cannot be loaded.
pub fn prove(library: &Path, extent: Extent, progress: impl Fn(&str) + Sync) -> io::Result<Proven> {
    let jobs = Mutex::new(jobs(extent));
    let all = Mutex::new(Proven::default());
    let work = || -> io::Result<()> {
        loop {
            let Some(job) = jobs.lock().map_or(None, |mut jobs| jobs.pop()) else { return Ok(()) };
            let done = job.prove(library)?;
            let bits = 8 * job.key_bytes;
            progress(&format!("{}, AES-{bits}: {} calls, {} refused", job.path, done.calls, done.refused.len()));
            let Ok(mut all) = all.lock() else { return Ok(()) };
            all.calls += done.calls;
            all.refused.extend(done.refused);
            all.instructions.extend(done.instructions);
            all.substitutions = all.substitutions.max(done.substitutions);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            thread.join().map_err(|_| io::Error::other("a thread has panicked"))??;
        }
        Ok::<(), io::Error>(())
    })?;
    all.into_inner().map_err(|_| io::Error::other("a thread has panicked"))
}

impl Job {
    fn prove(&self, library: &Path) -> io::Result<Proven> {
        let mut done = Proven::default();
        let bits = 8 * self.key_bytes;
        // Under one point the chance of a mistake grows with the square of the blocks of AES: long texts are proven
        // under two.
        let are_long = self.cases.iter().any(|case| case.bytes > EVERY_LENGTH);
        for point in 0..if are_long { 2 } else { 1 } {
            let mut keyed = match Keyed::new(library, self.path, self.key_bytes, |_, _| ())? {
                Ok(keyed) => keyed,
                Err(why) => {
                    done.refused.push((format!("{}, making a key of AES-{bits}", self.path), why));
                    return Ok(done);
                }
            };
            for case in &self.cases {
                match keyed.prove(case) {
                    Ok(()) => done.calls += usize::from(point == 0),
                    Err(why) => done.refused.push((format!("{}, AES-{bits}, {case}", self.path), why)),
                }
            }
            if !are_long {
                done.substitutions = done.substitutions.max(keyed.substitutions());
            }
            done.instructions.extend(keyed.take_instructions());
        }
        Ok(done)
    }
}

fn jobs(extent: Extent) -> Vec<Job> {
    let keys = || CODE_PATHS.into_iter().flat_map(|path| KEYS.map(|key_bytes| (path, key_bytes)));
    let mut jobs = Vec::new();
    for (path, key_bytes) in keys() {
        let mut job = |cases: Vec<Case>| jobs.push(Job { path, key_bytes, cases });
        match extent {
            Extent::Sample => {
                let lengths = (0..=EVERY_LENGTH).filter(|length| KEYS[length % 3] == key_bytes);
                job(lengths.flat_map(|bytes| both(bytes, bytes * 7 % (EVERY_AAD + 1))).collect());
                if key_bytes == 16 {
                    job([8161, 13_317].into_iter().flat_map(|bytes| both(bytes, 13)).collect());
                }
            }
            Extent::Everything => {
                for aad in (0..=EVERY_AAD).collect::<Vec<_>>().chunks(10) {
                    let lengths = |aad| (0..=EVERY_LENGTH).flat_map(move |bytes| both(bytes, aad));
                    job(aad.iter().copied().flat_map(lengths).collect());
                }
                let with_long_aad =
                    LONG_AAD.into_iter().flat_map(|aad| (0..100).flat_map(move |bytes| both(bytes, aad)));
                job(with_long_aad.collect());
                job(LONG.into_iter().flat_map(|bytes| both(bytes, bytes % 33)).collect());
            }
        }
    }
    // The longest come first.
    jobs.sort_by_key(|job| job.cases.iter().map(|case| case.bytes).sum::<usize>());
    jobs
}

/// Sealing and opening. Of every two lengths one is in place, for every length of AAD another.
pub(crate) fn both(bytes: usize, aad_bytes: usize) -> [Case; 2] {
    let is_in_place = (bytes + aad_bytes) % 2 == 1;
    [Direction::Sealing, Direction::Opening].map(|direction| Case { direction, bytes, aad_bytes, is_in_place })
}
