//! The theorem: proves all calls that `jobs.rs` lists, on all CPU cores.

mod jobs;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use crate::case::{BYTES_FOR_ALL_POWERS, Case, CodePath, KeySetup, MessageProver, StreamCase, VectoredCase};
use crate::cores::on_all_cores;
use crate::flow::Tally;
use crate::induction::LongCase;
use crate::packet::{FIRST_NUMBERS, PacketCase, PacketProver};
use crate::refusal::Refusal;
pub use jobs::{
    EXHAUSTIVE_AAD_BYTES, EXHAUSTIVE_TEXT_BYTES, KEY_SIZES, LONG_AAD_BYTES, LONG_TEXT_BYTES, both_directions,
    long_messages,
};

/// Selection of the calls to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    pub extent: Extent,
    /// The only code path whose calls are proven, or `None` for all code paths.
    pub path: Option<CodePath>,
}

/// Number of calls to prove on each code path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// A fixed selection: every text length up to [`EXHAUSTIVE_TEXT_BYTES`], each with one AAD length and one key size.
    Sample,
    /// Every text length up to [`EXHAUSTIVE_TEXT_BYTES`] with every AAD length and key size, and selected longer texts.
    Everything,
    /// Only messages of any length up to 1 GiB, which are proven by induction.
    Induction,
}

/// Result of proving a set of calls.
pub struct Proven {
    /// Number of jobs (groups of calls under one key) that were executed.
    pub jobs: usize,
    /// Number of calls that the prover accepted.
    pub calls: usize,
    /// Number of accepted calls of each kind.
    pub calls_by_kind: BTreeMap<&'static str, usize>,
    /// Calls that the prover refused, each with the reason.
    pub refused: Vec<(String, Refusal)>,
    /// Encodings of the executed instructions, without their addresses.
    pub instructions: BTreeSet<Vec<u8>>,
    /// Largest number of comparisons and largest polynomial degrees of any call, when proven at one random point (with
    /// one choice of the random field elements). The bound of the error probability is computed from these numbers.
    pub compared: Tally,
    /// -log₂ of an upper bound of the probability that the prover accepts a false statement. Minimum over all proven
    /// statements.
    pub error_exponent: f64,
}

impl Default for Proven {
    fn default() -> Self {
        Self {
            jobs: 0,
            calls: 0,
            calls_by_kind: BTreeMap::new(),
            refused: Vec::new(),
            instructions: BTreeSet::new(),
            compared: Tally::default(),
            error_exponent: f64::INFINITY,
        }
    }
}

/// Calls with one key on one code path (backend and instruction schedule). One thread proves the calls of a job in
/// sequence.
#[derive(Clone, Debug)]
struct Job {
    setup: KeySetup,
    key_bytes: usize,
    calls: JobCalls,
    /// Index in [`FIRST_NUMBERS`] of the first packet's number. If the job is executed twice, with different random
    /// field elements, the second execution uses the other number.
    number: usize,
}

#[derive(Clone, Debug)]
enum JobCalls {
    Messages(Vec<Case>),
    Once(Vec<Case>),
    Xaes(Vec<Case>),
    Long(Vec<LongCase>),
    Streams(Vec<StreamCase>),
    Vectored(Vec<VectoredCase>),
    Packets(Vec<PacketCase>),
    Batches(Vec<PacketCase>),
    /// The call that wipes or frees the key.
    Wiping(KeyOwner),
}

/// Object that holds a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyOwner {
    AesGcm,
    Xaes,
    Packets,
}

/// Proves the selected calls on all CPU cores. Passes a line of text for each finished job to `progress`.
///
/// # Errors
/// If the library cannot be loaded.
pub fn prove(library: &Path, selection: Selection, progress: impl Fn(&str) + Sync) -> io::Result<Proven> {
    let mut jobs = jobs::jobs(selection.extent);
    jobs.retain(|job| selection.path.is_none_or(|path| job.setup.path == path));
    let jobs = Mutex::new(jobs);
    let all = Mutex::new(Proven::default());
    let work = || -> io::Result<()> {
        loop {
            let Some(job) = jobs.lock().map_or(None, |mut jobs| jobs.pop()) else { return Ok(()) };
            let done = job.prove(library)?;
            let bits = 8 * job.key_bytes;
            let (path, calls, refused) = (job.setup, done.calls, done.refused.len());
            progress(&format!(
                "{path}, AES-{bits}, {}: {calls} calls accepted, {refused} refused, 2^-{:.1}",
                job.calls, done.error_exponent
            ));
            let Ok(mut all) = all.lock() else { return Ok(()) };
            all.jobs += 1;
            all.calls += done.calls;
            *all.calls_by_kind.entry(job.calls.kind()).or_default() += done.calls;
            all.refused.extend(done.refused);
            all.instructions.extend(done.instructions);
            all.compared = all.compared.greatest(&done.compared);
            all.error_exponent = all.error_exponent.min(done.error_exponent);
        }
    };
    on_all_cores(work)?;
    all.into_inner().map_err(|_| io::Error::other("a thread has panicked"))
}

impl JobCalls {
    /// Returns the kind of the job's calls, as records of verification name it.
    fn kind(&self) -> &'static str {
        match self {
            Self::Messages(_) => "messages",
            Self::Once(_) => "messages with keys for one message",
            Self::Xaes(_) => "messages of XAES-256-GCM",
            Self::Long(_) => "messages by induction",
            Self::Streams(_) => "messages in parts",
            Self::Vectored(_) => "messages in slices",
            Self::Packets(_) => "QUIC packets",
            Self::Batches(_) => "batches of QUIC packets",
            Self::Wiping(_) => "wiping of keys",
        }
    }

    /// Returns whether the job has texts longer than [`EXHAUSTIVE_TEXT_BYTES`].
    fn have_long_texts(&self) -> bool {
        match self {
            Self::Messages(cases) | Self::Once(cases) | Self::Xaes(cases) => {
                cases.iter().any(|case| case.bytes > EXHAUSTIVE_TEXT_BYTES)
            }
            Self::Vectored(cases) => cases.iter().any(|case| case.pieces.iter().sum::<usize>() > EXHAUSTIVE_TEXT_BYTES),
            // Before a key with all powers of H is wiped, it seals a long text.
            Self::Long(_) | Self::Batches(_) | Self::Wiping(_) => true,
            Self::Streams(_) | Self::Packets(_) => false,
        }
    }

    /// Returns whether the results of this job must be compared at two random points. The error probability at one
    /// point grows with the square of the number of AES blocks, so it is too high for long messages.
    fn need_two_points(&self) -> bool {
        match self {
            Self::Messages(cases) if cases.iter().any(|case| case.aad_bytes > EXHAUSTIVE_AAD_BYTES) => true,
            Self::Once(_) | Self::Streams(_) => true,
            _ => self.have_long_texts(),
        }
    }
}

impl fmt::Display for JobCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Long(cases) => {
                let shortest = cases.iter().map(|case| case.shortest).min().unwrap_or(0);
                let longest = cases.iter().map(|case| case.shortest + case.endings - 1).max().unwrap_or(0);
                write!(f, "{shortest} to {longest} bytes and any multiple of a period more")
            }
            Self::Streams(_) => f.write_str("messages in parts"),
            Self::Vectored(cases) => {
                let longest = cases.iter().map(|case| case.pieces.iter().sum::<usize>()).max().unwrap_or(0);
                write!(f, "messages of up to {longest} bytes in slices")
            }
            Self::Packets(_) => f.write_str("packets"),
            Self::Wiping(_) => f.write_str("wiping of keys"),
            Self::Batches(cases) => {
                write!(f, "batches of {}", cases.first().map_or(0, |case| case.packets.len()))
            }
            Self::Messages(cases) | Self::Once(cases) | Self::Xaes(cases) => {
                let range = |of: fn(&Case) -> usize| {
                    let values = cases.iter().map(of);
                    (values.clone().min().unwrap_or(0), values.max().unwrap_or(0))
                };
                let (bytes, aad) = (range(|case| case.bytes), range(|case| case.aad_bytes));
                let kind = match self {
                    Self::Xaes(_) => "XAES of ",
                    Self::Once(_) => "keys for one message of ",
                    _ => "",
                };
                write!(f, "{kind}{} to {} bytes with AAD of {} to {}", bytes.0, bytes.1, aad.0, aad.1)
            }
        }
    }
}

impl Job {
    fn prove(&self, library: &Path) -> io::Result<Proven> {
        let mut done = Proven::default();
        // Making the keys of a network path takes many comparisons more.
        let points = if self.calls.need_two_points() || self.setup.is_on_path { 2 } else { 1 };
        let mut all_halvings = 0.0;
        for point in 0..points {
            let counts = point == 0;
            let setup = KeySetup { point: point as u8, ..self.setup };
            let packets = match &self.calls {
                JobCalls::Packets(cases) | JobCalls::Batches(cases) => Some(&cases[..]),
                JobCalls::Wiping(KeyOwner::Packets) => Some(&[][..]),
                _ => None,
            };
            let (compared, instructions) = if let Some(cases) = packets {
                let packets = cases.iter().map(|case| case.packets.len()).max().unwrap_or(1);
                let made = PacketProver::new(
                    library,
                    setup,
                    self.key_bytes,
                    (packets, FIRST_NUMBERS[(self.number + point) % FIRST_NUMBERS.len()]),
                )?;
                let Some(mut prover) = self.record_failed_setup(made, &mut done) else {
                    return Ok(done);
                };
                cases.iter().for_each(|case| self.record(case, prover.prove(case), counts, &mut done));
                if let JobCalls::Wiping(_) = self.calls {
                    self.record(&"freeing the keys", prover.prove_wiping(), counts, &mut done);
                }
                (prover.compared(), prover.take_instruction_forms())
            } else {
                // Seals fewer AES blocks before the calls, to keep the error probability small.
                let most = if self.calls.have_long_texts() { BYTES_FOR_ALL_POWERS } else { EXHAUSTIVE_TEXT_BYTES };
                let setup = KeySetup { sealed_bytes: setup.sealed_bytes.min(most), ..setup };
                let made = match &self.calls {
                    JobCalls::Xaes(_) | JobCalls::Wiping(KeyOwner::Xaes) => {
                        MessageProver::xaes(library, setup, |_, _| ())?
                    }
                    JobCalls::Once(_) => MessageProver::once(library, setup, self.key_bytes)?,
                    _ => MessageProver::new(library, setup, self.key_bytes, |_, _| ())?,
                };
                let Some(mut prover) = self.record_failed_setup(made, &mut done) else {
                    return Ok(done);
                };
                match &self.calls {
                    JobCalls::Messages(cases) | JobCalls::Once(cases) | JobCalls::Xaes(cases) => {
                        cases.iter().for_each(|case| self.record(case, prover.prove(case), counts, &mut done));
                    }
                    JobCalls::Long(cases) => {
                        cases.iter().for_each(|case| self.record(case, prover.prove_long(case), counts, &mut done));
                    }
                    JobCalls::Streams(cases) => {
                        cases.iter().for_each(|case| self.record(case, prover.prove_stream(case), counts, &mut done));
                    }
                    JobCalls::Vectored(cases) => {
                        cases.iter().for_each(|case| self.record(case, prover.prove_vectored(case), counts, &mut done));
                    }
                    JobCalls::Wiping(_) => self.record(&"ending the key", prover.prove_wiping(), counts, &mut done),
                    JobCalls::Packets(_) | JobCalls::Batches(_) => {}
                }
                (prover.compared(), prover.take_instruction_forms())
            };
            all_halvings += compared.error_exponent();
            done.compared = done.compared.greatest(&compared);
            done.instructions.extend(instructions);
        }
        done.error_exponent = all_halvings;
        Ok(done)
    }

    fn record_failed_setup<K>(&self, made: Result<K, Refusal>, done: &mut Proven) -> Option<K> {
        made.map_err(|why| {
            done.refused.push((format!("{}, making a key of {} bytes", self.setup, self.key_bytes), why))
        })
        .ok()
    }

    fn record(&self, call: &impl fmt::Display, outcome: Result<(), Refusal>, counts: bool, done: &mut Proven) {
        match outcome {
            Ok(()) => done.calls += usize::from(counts),
            Err(why) => done.refused.push((format!("{}, AES-{}, {call}", self.setup, 8 * self.key_bytes), why)),
        }
    }

    /// Estimates the work of this job in bytes: the number of text bytes that it processes, plus an allowance for key
    /// set-up.
    fn estimated_work(&self) -> usize {
        match &self.calls {
            JobCalls::Messages(cases) => cases.iter().map(|case| case.bytes).sum(),
            // Each call sets up a key.
            JobCalls::Once(cases) | JobCalls::Xaes(cases) => cases.iter().map(|case| case.bytes + 1000).sum(),
            // Two periods before the loop, two in it, and the endings.
            JobCalls::Long(cases) => cases.iter().map(|case| 5 * case.period + 600 * case.endings).sum(),
            JobCalls::Streams(cases) => cases.iter().flat_map(|case| &case.pieces).sum(),
            JobCalls::Vectored(cases) => cases.iter().flat_map(|case| &case.pieces).sum(),
            JobCalls::Packets(cases) | JobCalls::Batches(cases) => {
                cases.iter().flat_map(|case| &case.packets).map(|packet| packet.payload_bytes).sum()
            }
            JobCalls::Wiping(_) => 0,
        }
    }
}
