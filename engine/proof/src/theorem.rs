//! Which calls are proven.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use crate::case::{
    BYTES_FOR_ALL_POWERS, CODE_PATHS, Case, CodePath, KeySetup, MessageProver, StreamCase, VectoredCase,
};
use crate::cores::on_all_cores;
use crate::flow::Tally;
use crate::induction::LongCase;
use crate::packet::{EntryPoint, FIRST_NUMBERS, PacketCase, PacketProver, PacketShape};
use crate::reference::Direction;
use crate::refusal::Refusal;

/// How much is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// A fixed cross-section: every length, each with one length of AAD and one size of key.
    Sample,
    /// Every length: up to [`EXHAUSTIVE_TEXT_BYTES`] with every length of AAD and every size of key.
    Everything,
    /// Of everything what is proven by induction.
    Induction,
}

/// What was done.
pub struct Proven {
    /// Calls that were shown to do what the standard says.
    pub calls: usize,
    /// The others, with the reason.
    pub refused: Vec<(String, Refusal)>,
    /// The instructions that were executed: the code of each, without its place.
    pub instructions: BTreeSet<Vec<u8>>,
    /// The greatest of what was compared for a statement under one point.
    pub compared: Tally,
    /// How improbable a mistake about any statement is at least: so many times it has to be halved.
    pub error_exponent: f64,
}

impl Default for Proven {
    fn default() -> Self {
        Self {
            calls: 0,
            refused: Vec::new(),
            instructions: BTreeSet::new(),
            compared: Tally::default(),
            error_exponent: f64::INFINITY,
        }
    }
}

/// The longest text of which every length is proven with every length of AAD and every size of key.
pub const EXHAUSTIVE_TEXT_BYTES: usize = 1500;
/// The longest AAD of which every length is proven.
pub const EXHAUSTIVE_AAD_BYTES: usize = 48;

/// Longer texts: around the ends of spans, strides and the table for the first rounds, and far past them.
pub const LONG_TEXT_BYTES: [usize; 20] = [
    1504, 1999, 2048, 2081, 4063, 4096, 4097, 6100, 8159, 8160, 8161, 8192, 8224, 8225, 12_287, 12_800, 13_317, 16_384,
    17_003, 20_513,
];
/// Longer AAD.
pub const LONG_AAD_BYTES: [usize; 8] = [49, 63, 64, 65, 128, 255, 512, 1001];

/// How many packets batches have: groups, and what is left over; and as many as each code path seals side by side: few,
/// and longer ones, go one by one.
const BATCH_SIZES: [usize; 11] = [2, 3, 4, 5, 6, 7, 8, 11, 16, 32, 64];
/// The most that are opened: with each there are more ways in which some are forged.
const MAX_OPENED_BATCH: usize = 11;

/// Lengths in bytes of the message that is sealed before the calls with keys that lack powers: no message, one that needs
/// more consecutive powers, and one that needs some strides.
const SEALED_BEFORE: [usize; 3] = [0, 300, 900];

/// Sizes of keys, in bytes.
pub const KEY_SIZES: [usize; 3] = [16, 24, 32];

/// Calls with one key of one code path, one after the other.
#[derive(Clone, Debug)]
struct Job {
    setup: KeySetup,
    key_bytes: usize,
    calls: JobCalls,
    /// Which of the [`FIRST_NUMBERS`] packets have under the first point; under another one they have the other.
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
            let (path, calls, refused) = (job.setup, done.calls, done.refused.len());
            progress(&format!(
                "{path}, AES-{bits}, {}: {calls} calls accepted, {refused} refused, 2^-{:.1}",
                job.calls, done.error_exponent
            ));
            let Ok(mut all) = all.lock() else { return Ok(()) };
            all.calls += done.calls;
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
    /// Whether texts may be longer than [`EXHAUSTIVE_TEXT_BYTES`].
    fn have_long_texts(&self) -> bool {
        match self {
            Self::Messages(cases) | Self::Once(cases) | Self::Xaes(cases) => {
                cases.iter().any(|case| case.bytes > EXHAUSTIVE_TEXT_BYTES)
            }
            Self::Vectored(cases) => cases.iter().any(|case| case.pieces.iter().sum::<usize>() > EXHAUSTIVE_TEXT_BYTES),
            Self::Long(_) | Self::Batches(_) => true,
            Self::Streams(_) | Self::Packets(_) => false,
        }
    }

    /// Under one point the probability of a mistake grows with the square of the blocks of AES. Calls with many of
    /// them, or with much else, are proven under two.
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
        let points = if self.calls.need_two_points() { 2 } else { 1 };
        let mut all_halvings = 0.0;
        for point in 0..points {
            let counts = point == 0;
            let (compared, instructions) = if let JobCalls::Packets(cases) | JobCalls::Batches(cases) = &self.calls {
                let packets = cases.iter().map(|case| case.packets.len()).max().unwrap_or(0);
                let record_failed_setup = PacketProver::new(
                    library,
                    self.setup,
                    self.key_bytes,
                    (packets, FIRST_NUMBERS[(self.number + point) % FIRST_NUMBERS.len()]),
                )?;
                let Some(mut prover) = self.record_failed_setup(record_failed_setup, &mut done) else {
                    return Ok(done);
                };
                cases.iter().for_each(|case| self.record(case, prover.prove(case), counts, &mut done));
                (prover.compared(), prover.take_instruction_forms())
            } else {
                // Fewer blocks of AES before the calls keep a mistake improbable.
                let most = if self.calls.have_long_texts() { BYTES_FOR_ALL_POWERS } else { EXHAUSTIVE_TEXT_BYTES };
                let sealed_bytes = self.setup.sealed_bytes.min(most);
                let setup = KeySetup { sealed_bytes, ..self.setup };
                let record_failed_setup = match &self.calls {
                    JobCalls::Xaes(_) => MessageProver::xaes(library, setup, |_, _| ())?,
                    JobCalls::Once(_) => MessageProver::once(library, setup, self.key_bytes)?,
                    _ => MessageProver::new(library, setup, self.key_bytes, |_, _| ())?,
                };
                let Some(mut prover) = self.record_failed_setup(record_failed_setup, &mut done) else {
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

    fn record_failed_setup<K>(&self, record_failed_setup: Result<K, Refusal>, done: &mut Proven) -> Option<K> {
        record_failed_setup
            .map_err(|why| {
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

    /// How long it takes, roughly.
    fn bytes(&self) -> usize {
        match &self.calls {
            JobCalls::Messages(cases) => cases.iter().map(|case| case.bytes).sum(),
            // Each makes a key of its own first.
            JobCalls::Once(cases) | JobCalls::Xaes(cases) => cases.iter().map(|case| case.bytes + 1000).sum(),
            // Two periods to the loop, two of it, and the endings.
            JobCalls::Long(cases) => cases.iter().map(|case| 5 * case.period + 600 * case.endings).sum(),
            JobCalls::Streams(cases) => cases.iter().flat_map(|case| &case.pieces).sum(),
            JobCalls::Vectored(cases) => cases.iter().flat_map(|case| &case.pieces).sum(),
            JobCalls::Packets(cases) | JobCalls::Batches(cases) => {
                cases.iter().flat_map(|case| &case.packets).map(|packet| packet.payload_bytes).sum()
            }
        }
    }
}

fn jobs(extent: Extent) -> Vec<Job> {
    let keys = || CODE_PATHS.into_iter().flat_map(|path| KEY_SIZES.map(|key_bytes| (path, key_bytes)));
    let mut jobs = Vec::new();
    for (path, key_bytes) in keys() {
        let job = |calls: JobCalls| Job { setup: path.into(), key_bytes, calls, number: 0 };
        let mut messages = |cases: Vec<Case>| jobs.push(job(JobCalls::Messages(cases)));
        match extent {
            Extent::Sample => {
                let lengths = (0..=EXHAUSTIVE_TEXT_BYTES).filter(|length| KEY_SIZES[length % 3] == key_bytes);
                let mut cases: Vec<Case> =
                    lengths.flat_map(|bytes| both_directions(bytes, varied_aad_bytes(bytes))).collect();
                // The reference begins anew with every length of AAD.
                cases.sort_by_key(|case| case.aad_bytes);
                messages(cases);
                if key_bytes == 16 {
                    messages([8161, 13_317].into_iter().flat_map(|bytes| both_directions(bytes, 13)).collect());
                }
            }
            Extent::Everything | Extent::Induction => {
                for aad in (0..=EXHAUSTIVE_AAD_BYTES).collect::<Vec<_>>().chunks(5) {
                    let lengths = |aad| (0..=EXHAUSTIVE_TEXT_BYTES).flat_map(move |bytes| both_directions(bytes, aad));
                    messages(aad.iter().copied().flat_map(lengths).collect());
                }
                let long_aad = LONG_AAD_BYTES
                    .into_iter()
                    .flat_map(|aad| (0..100).flat_map(move |bytes| both_directions(bytes, aad)));
                messages(long_aad.collect());
                messages(LONG_TEXT_BYTES.into_iter().flat_map(|bytes| both_directions(bytes, bytes % 33)).collect());
                // Up to where the induction begins each length with one size of key.
                let between: Vec<usize> = (EXHAUSTIVE_TEXT_BYTES + 1..first_inductive_length(path)).collect();
                for (index, lengths) in
                    between.chunks(128).enumerate().filter(|(index, _)| KEY_SIZES[index % 3] == key_bytes)
                {
                    let aad_bytes = varied_aad_bytes(index);
                    messages(lengths.iter().flat_map(|&bytes| both_directions(bytes, aad_bytes)).collect());
                }
            }
        }
        let long = long_messages(path).enumerate().filter(|(index, _)| match extent {
            // Where the remainders of vectors and turns are others, one after the other.
            Extent::Sample => key_bytes == 16 && index % 139 == 0,
            // Each length with one size of key.
            Extent::Everything | Extent::Induction => KEY_SIZES[index / 2 % 3] == key_bytes,
        });
        let long: Vec<LongCase> = long.map(|(_, case)| case).collect();
        jobs.extend(long.chunks(64).map(|cases| job(JobCalls::Long(cases.to_vec()))));
        let streamed =
            (0..=EXHAUSTIVE_TEXT_BYTES).filter(|length| extent == Extent::Everything || length % 37 == key_bytes / 8);
        jobs.push(job(JobCalls::Streams(streamed.clone().flat_map(stream_cases).collect())));
        jobs.push(job(JobCalls::Vectored(streamed.flat_map(vectored_cases).collect())));
        if extent == Extent::Everything {
            jobs.push(job(JobCalls::Vectored(LONG_TEXT_BYTES.into_iter().flat_map(vectored_cases).collect())));
        }
        if key_bytes == 32 {
            let lengths = (0..=EXHAUSTIVE_TEXT_BYTES).filter(|length| extent == Extent::Everything || length % 37 == 0);
            let mut cases: Vec<Case> =
                lengths.flat_map(|bytes| both_directions(bytes, varied_aad_bytes(bytes))).collect();
            cases.sort_by_key(|case| case.aad_bytes);
            jobs.push(job(JobCalls::Xaes(cases)));
            if extent == Extent::Everything {
                jobs.push(job(JobCalls::Xaes(
                    LONG_TEXT_BYTES.into_iter().flat_map(|bytes| both_directions(bytes, 13)).collect(),
                )));
            }
        }
        let lengths =
            (0..=EXHAUSTIVE_TEXT_BYTES).filter(|length| extent == Extent::Everything || length % 37 == key_bytes / 8);
        let lengths: Vec<usize> = lengths.collect();
        let with_aad =
            |aad: fn(usize) -> usize| lengths.iter().flat_map(move |&bytes| both_directions(bytes, aad(bytes)));
        // Text of a length, after AAD that fits the kernel and after longer AAD.
        let mut cases: Vec<Case> =
            with_aad(varied_aad_bytes).chain(with_aad(|bytes| LONG_AAD_BYTES[bytes % 8])).collect();
        cases.sort_by_key(|case| case.aad_bytes);
        let long: Vec<Case> = LONG_TEXT_BYTES.into_iter().flat_map(|bytes| both_directions(bytes, 13)).collect();
        for sealed_bytes in SEALED_BEFORE {
            let setup = KeySetup { sealed_bytes, ..path.into() };
            jobs.push(Job { setup, ..job(JobCalls::Messages(cases.clone())) });
            if extent == Extent::Everything {
                jobs.push(Job { setup, ..job(JobCalls::Messages(long.clone())) });
            }
        }
        jobs.push(job(JobCalls::Once(cases)));
        if extent == Extent::Everything {
            jobs.push(job(JobCalls::Once(long)));
        }
        // QUIC has no AES-192.
        if key_bytes != 24 {
            let lengths = (0..=EXHAUSTIVE_TEXT_BYTES)
                .filter(|length| extent == Extent::Everything || length % 6 == key_bytes / 16);
            // Of every eight lengths four have one number, and with it all of headers and of how many bytes it takes.
            for number in 0..FIRST_NUMBERS.len() {
                let lengths = lengths.clone().filter(|bytes| bytes / 4 % FIRST_NUMBERS.len() == number);
                let cases = lengths.flat_map(|bytes| packets(extent, bytes)).collect();
                jobs.push(Job { number, ..job(JobCalls::Packets(cases)) });
            }
            for count in BATCH_SIZES {
                let payloads = batch_payloads(extent, path, count).into_iter();
                jobs.push(job(JobCalls::Batches(payloads.flat_map(|bytes| batches(count, bytes)).collect())));
            }
        }
    }
    jobs.extend(keys().flat_map(|(path, key_bytes)| alternative_key_jobs(extent, path, key_bytes)));
    if extent == Extent::Induction {
        jobs.retain(|job| matches!(job.calls, JobCalls::Long(_)));
    }
    // The longest come first.
    jobs.sort_by_key(Job::bytes);
    jobs
}

/// Some calls of every kind with a second key, and with keys for which the library chooses the code path.
fn alternative_key_jobs(extent: Extent, path: CodePath, key_bytes: usize) -> Vec<Job> {
    let lengths: Vec<usize> = match extent {
        Extent::Sample => vec![0, 1, 100, 613, 1500],
        Extent::Everything | Extent::Induction => (0..=EXHAUSTIVE_TEXT_BYTES).step_by(20).collect(),
    };
    let mut jobs = Vec::new();
    for (is_default, is_second) in [(false, true), (true, false), (true, true)] {
        let setup = KeySetup { is_default, is_second, ..path.into() };
        let mut add = |calls| jobs.push(Job { setup, key_bytes, calls, number: usize::from(is_second) });
        let messages = || lengths.iter().flat_map(|&bytes| both_directions(bytes, varied_aad_bytes(bytes))).collect();
        let first_of = |direction| long_messages(path).find(|case| case.direction == direction);
        add(JobCalls::Messages(messages()));
        add(JobCalls::Long(Direction::BOTH.into_iter().filter_map(first_of).collect()));
        add(JobCalls::Streams(lengths.iter().copied().flat_map(stream_cases).collect()));
        add(JobCalls::Vectored(lengths.iter().copied().flat_map(vectored_cases).collect()));
        if key_bytes == 32 {
            add(JobCalls::Xaes(messages()));
        }
        if key_bytes != 24 {
            add(JobCalls::Packets(lengths.iter().flat_map(|&bytes| packets(Extent::Sample, bytes)).collect()));
            add(JobCalls::Batches([17, 200].into_iter().flat_map(|bytes| batches(4, bytes)).collect()));
        }
    }
    jobs
}

/// The bytes after which the loop over long messages is where it was: what the table of powers of H is long enough for.
fn period(path: CodePath) -> usize {
    match path.backend {
        "vaes512" => 8192,
        "vaes256" => 4096,
        _ => 2048,
    }
}

/// Where the lengths begin that are proven by induction.
fn first_inductive_length(path: CodePath) -> usize {
    2 * period(path) + 32
}

/// All long messages of a code path, in as many cases as its loop has beginnings.
pub fn long_messages(path: CodePath) -> impl Iterator<Item = LongCase> {
    let period = period(path);
    // How far the way to the loop is the same.
    let vector = if path.backend == "vaes512" { 64 } else { 16 };
    Direction::BOTH.into_iter().flat_map(move |direction| {
        (0..period / vector).flat_map(move |index| {
            // With the two places before the data a vector ends here, or the last one has a byte at least.
            let whole = first_inductive_length(path) + vector * index;
            [(whole, 1), (whole + 1, vector - 1)].map(|(shortest, endings)| {
                // The same AAD for some cases, since the reference begins anew with another.
                let aad_bytes = [13, 0, 20, 48, 5, 33][index / 32 % 6];
                let is_in_place = index / 2 % 2 == 1;
                LongCase { direction, shortest, aad_bytes, is_in_place, period, vector, endings }
            })
        })
    })
}

/// A text in two pieces, and in as many of one length as there are, up to thirty, before the rest.
fn stream_cases(bytes: usize) -> Vec<StreamCase> {
    let (first, piece) = (bytes * 3 / 7, 1 + bytes * 5 % 67);
    let many = (bytes / piece).min(30);
    let aad = varied_aad_bytes(bytes);
    let splits = [vec![first, bytes - first], [vec![piece; many], vec![bytes - many * piece]].concat()];
    let cases = splits.into_iter().flat_map(|pieces| {
        Direction::BOTH.map(|direction| StreamCase {
            direction,
            pieces: pieces.clone(),
            aad_pieces: vec![aad / 3, aad - aad / 3],
            is_in_place: bytes % 2 == 1,
        })
    });
    cases.collect()
}

/// A text behind a slice of five bytes, as long as the head of a record; and in ten slices of one length and a rest,
/// or with joints at odd places and slices of no and of one byte. AAD is in one slice, in three, or in none.
fn vectored_cases(bytes: usize) -> Vec<VectoredCase> {
    let (head, odd) = (bytes.min(5), bytes * 3 / 7);
    let aad = varied_aad_bytes(bytes);
    let other = if bytes.is_multiple_of(2) {
        [vec![bytes / 10; 10], vec![bytes % 10]].concat()
    } else {
        vec![0, 1, odd, 0, bytes - 1 - odd]
    };
    let aad_pieces = match bytes % 5 {
        0 => vec![],
        1 | 2 => vec![aad / 3, 0, aad - aad / 3],
        _ => vec![aad],
    };
    let cases = [vec![head, bytes - head], other].into_iter().flat_map(|pieces| {
        Direction::BOTH.map(|direction| VectoredCase {
            direction,
            pieces: pieces.clone(),
            aad_pieces: aad_pieces.clone(),
        })
    });
    cases.collect()
}

/// Packets of a payload, with one of every four lengths of header from 2 to 32; in a sample with one.
fn packets(extent: Extent, payload_bytes: usize) -> impl Iterator<Item = PacketCase> {
    let headers = (2..=32).filter(move |header| (header + payload_bytes).is_multiple_of(4));
    let one = match extent {
        Extent::Sample => Some(payload_bytes / 6 % 8),
        Extent::Everything | Extent::Induction => None,
    };
    let chosen = headers.enumerate().filter(move |(index, _)| one.is_none_or(|one| one == index % 8));
    chosen.filter_map(move |(_, header_bytes)| shape(header_bytes, payload_bytes)).flat_map(|shape| {
        [EntryPoint::Protect, EntryPoint::Open, EntryPoint::Unprotect]
            .map(|entry| PacketCase { entry, packets: vec![shape] })
    })
}

/// Each length of the number in turn; with the payload it is four bytes at least, and one is before it.
fn shape(header_bytes: usize, payload_bytes: usize) -> Option<PacketShape> {
    let number_bytes = (1 + (payload_bytes + header_bytes / 4) % 4).max(4_usize.saturating_sub(payload_bytes));
    let number_bytes = number_bytes.min(header_bytes - 1);
    let is_possible = number_bytes + payload_bytes >= 4;
    is_possible.then_some(PacketShape { number_offset: header_bytes - number_bytes, number_bytes, payload_bytes })
}

/// Payloads of the packets of batches: short ones, some around the ends of vectors, and those of the Internet. Of more
/// than eight packets fewer, which are not longer than what goes side by side, and one that is.
fn batch_payloads(extent: Extent, path: CodePath, count: usize) -> Vec<usize> {
    let ends_of_vectors = [383, 384, 385, 448, 479, 480, 481, 512];
    let long = [639, 641, 1000, 1023, 1025, 1162, 1200, 1214, 1350, 1424, 1452, 1500];
    match (extent, count) {
        (Extent::Sample, ..=8) => vec![0, 17, 95, 200, 1200],
        (Extent::Sample, _) => vec![0, 17, 95, 200],
        (_, ..=8) => (0..=300).step_by(7).chain(ends_of_vectors).chain(long).collect(),
        // All that go side by side however long they are: each number of pairs of vectors that a turn of the loop ends
        // with, and an odd vector behind them.
        (_, 64) if (path.backend, path.schedule) == ("vaes512", "schoolbook") => {
            (0..=300).step_by(21).chain(ends_of_vectors).chain([545, 641, 769, 1000, 1200, 1452, 1500]).collect()
        }
        _ => (0..=300).step_by(21).chain(ends_of_vectors).collect(),
    }
}

/// Batches of packets of one shape, and such of which the last is shorter, or each is another.
fn batches(count: usize, payload_bytes: usize) -> Vec<PacketCase> {
    let header_bytes = 2 + (payload_bytes * 5 + count) % 31;
    // Few bytes behind the number need a longer one, and that a longer header.
    let possible = |header: usize, payload: usize| shape(header.max(1 + 4_usize.saturating_sub(payload)), payload);
    let same: Vec<PacketShape> = std::iter::repeat_n(possible(header_bytes, payload_bytes), count).flatten().collect();
    let mut last = same.clone();
    if let Some(last) = last.last_mut() {
        last.payload_bytes = (4 + payload_bytes / 3).min(payload_bytes);
    }
    let each =
        (0..count).filter_map(|index| possible(2 + (header_bytes + 7 * index) % 31, payload_bytes / (index + 1)));
    let (mut shapes, mut entries) = (vec![same, last], vec![EntryPoint::ProtectBatch]);
    if count <= MAX_OPENED_BATCH {
        shapes.push(each.collect());
        entries.extend([EntryPoint::OpenBatch, EntryPoint::UnprotectBatch]);
    }
    let of_entry = |entry| shapes.iter().map(move |packets| PacketCase { entry, packets: packets.clone() });
    entries.into_iter().flat_map(of_entry).collect()
}

/// A length of AAD, another for each number.
fn varied_aad_bytes(number: usize) -> usize {
    number * 5 % (EXHAUSTIVE_AAD_BYTES + 1)
}

/// Sealing and opening. Of every four lengths two are in place, for every length of AAD others: so that it has nothing
/// to do with where buffers lie.
#[must_use]
pub fn both_directions(bytes: usize, aad_bytes: usize) -> [Case; 2] {
    let is_in_place = (bytes / 2 + aad_bytes) % 2 == 1;
    Direction::BOTH.map(|direction| Case { direction, bytes, aad_bytes, is_in_place })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No length is left out, up to a period behind where the induction begins; from there on it has all others.
    #[test]
    fn every_length_is_proven_on_every_code_path_in_both_directions() {
        let jobs = jobs(Extent::Everything);
        for (path, direction) in CODE_PATHS.into_iter().flat_map(|path| Direction::BOTH.map(|way| (path, way))) {
            let mut lengths = BTreeSet::new();
            for job in jobs.iter().filter(|job| job.setup == KeySetup::from(path)) {
                match &job.calls {
                    JobCalls::Messages(cases) => {
                        let these = cases.iter().filter(|case| case.direction == direction);
                        lengths
                            .extend(these.map(|case| case.bytes).filter(|&bytes| bytes < first_inductive_length(path)));
                    }
                    JobCalls::Long(cases) => {
                        let these = cases.iter().filter(|case| case.direction == direction);
                        lengths.extend(these.flat_map(|case| case.shortest..case.shortest + case.endings));
                    }
                    _ => {}
                }
            }
            assert!(lengths.into_iter().eq(0..first_inductive_length(path) + period(path)), "{path}, {direction:?}");
        }
    }

    #[test]
    fn no_batch_is_left_out() {
        for (count, payload) in
            BATCH_SIZES.into_iter().flat_map(|count| (0..=1500).map(move |payload| (count, payload)))
        {
            let batches = batches(count, payload);
            assert_eq!(batches.len(), if count > MAX_OPENED_BATCH { 2 } else { 9 });
            for packet in
                batches.iter().inspect(|batch| assert_eq!(batch.packets.len(), count)).flat_map(|b| &b.packets)
            {
                assert!(packet.number_bytes + packet.payload_bytes >= 4 && packet.payload_bytes <= payload);
            }
        }
    }

    #[test]
    fn what_is_long_is_proven_under_two_points() {
        for job in jobs(Extent::Everything) {
            let longest = match &job.calls {
                JobCalls::Messages(cases) | JobCalls::Once(cases) | JobCalls::Xaes(cases) => {
                    cases.iter().map(|case| case.bytes).max()
                }
                JobCalls::Long(cases) => cases.iter().map(|case| case.shortest).max(),
                JobCalls::Streams(cases) => cases.iter().map(|case| case.pieces.iter().sum()).max(),
                JobCalls::Vectored(cases) => cases.iter().map(|case| case.pieces.iter().sum()).max(),
                JobCalls::Packets(cases) | JobCalls::Batches(cases) => {
                    cases.iter().map(|case| case.packets.iter().map(|packet| packet.payload_bytes).sum()).max()
                }
            };
            assert!(longest.unwrap_or(0) <= EXHAUSTIVE_TEXT_BYTES || job.calls.need_two_points(), "{}", job.calls);
        }
    }
}
