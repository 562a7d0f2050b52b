//! Requests of the laboratory to its workers, and their answers. Each is one line with a JSON object, and each request
//! is followed by its answer.
//!
//! An answer does not name its type, which the laboratory knows from the request. Workers in other languages use the
//! same protocol, which `docs/WORKERS.md` describes for their authors.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use kasoku_libraries::fixtures::{Fixtures, deterministic, from_hexadecimal, to_hexadecimal};
use kasoku_libraries::{JobError, LibraryDescription, Unavailable, Unsupported};
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::printable::printable;
use kasoku_model::workload::files::{BUFFER, Cache, Form, Storage};
use kasoku_model::workload::packets::MAX_BATCH;
use kasoku_model::workload::{Files, MAX_BYTES, MAX_KEYS, NonceForm, Operation, Packets, Setting, Workload};

/// Version of the protocol. It changes if a worker of the version before would answer wrongly.
pub(crate) const PROTOCOL: u32 = 1;
/// Maximum length of a line in bytes, enough for the output of the largest verified text.
pub const MAX_LINE: usize = 4 << 20;
/// Maximum difference between the clocks of a worker and of the laboratory over one request.
const CLOCK_TOLERANCE: Duration = Duration::from_millis(1);
/// Upper bound for a plausible thread count.
const MAX_THREADS: usize = 4096;

/// A request to a worker. A `RequestLine` is its written form.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(into = "RequestLine")]
pub enum WorkerRequest {
    /// Describe the library. Answer: `WorkerDescription`.
    Describe,
    /// Prepare a workload in this many threads. The answer shows whether the library supports the workload. Answer:
    /// `ReadyWorkload`.
    Ready(Workload, usize),
    /// Time a workload for one slice, in memory or on a file. Answer: [`TimedWorkload`].
    Slice(Slice),
    /// Measure for this many seconds by the library's own clock. Answer: [`TimedWorkload`].
    OwnClock(Workload, f64),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    pub workload: Workload,
    /// Inputs; `None` for those of [`Fixtures::of`], which the laboratory's own workers know.
    pub fixtures: Option<Box<Fixtures>>,
    /// File to encrypt or decrypt once; `None` for work in memory.
    pub file: Option<FileConversion>,
    /// Number of operations in each thread.
    pub iterations: u64,
    /// Number of parts into which the operations are divided. The worker times the parts one after the other and
    /// answers with the fastest.
    pub parts: usize,
    pub threads: usize,
    /// Whether the answer includes the output in addition to its checksum.
    pub output: bool,
    /// Milliseconds for observing the code path; 0 does not observe it. Work on a file is observed instead of timed.
    pub observe_ms: u64,
}

impl Slice {
    /// Creates a slice that runs `iterations` operations of `workload` in one part and one thread.
    pub fn new(workload: Workload, iterations: u64) -> Slice {
        Slice { workload, fixtures: None, file: None, iterations, parts: 1, threads: 1, output: false, observe_ms: 0 }
    }

    /// Creates a slice that runs one operation on given inputs, such as a published vector, and returns its output.
    pub(crate) fn on_inputs(workload: Workload, fixtures: Fixtures) -> Slice {
        Slice { fixtures: Some(Box::new(fixtures)), output: true, ..Slice::new(workload, 1) }
    }
}

/// A file to encrypt or decrypt into another, piece by piece. The key and IV are those of [`Fixtures::of`], which are
/// equal for every size. CBC is padded (PKCS #7). GCM has no AAD, and its tag follows the ciphertext. The measured time
/// includes opening and closing the files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileConversion {
    pub input: String,
    /// Path of the output, which is overwritten if it exists.
    pub output: String,
    /// Number of bytes passed to the cipher at once, unless the library chooses it.
    pub buffer: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum WorkerAnswer<T> {
    Refused(Refusal),
    Done(T),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Refusal {
    Unavailable { unavailable: String, install: Option<String> },
    Unsupported { unsupported: String },
    Error { error: String },
}

impl From<String> for Refusal {
    fn from(error: String) -> Self {
        Refusal::Error { error }
    }
}

impl From<JobError> for Refusal {
    fn from(error: JobError) -> Self {
        error.what.into()
    }
}

impl From<Unsupported> for Refusal {
    fn from(unsupported: Unsupported) -> Self {
        Refusal::Unsupported { unsupported: unsupported.why }
    }
}

impl From<Unavailable> for Refusal {
    fn from(Unavailable { why, install }: Unavailable) -> Self {
        Refusal::Unavailable { unavailable: why, install }
    }
}

/// Answer to [`WorkerRequest::Describe`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkerDescription {
    pub(crate) protocol: u32,
    #[serde(flatten)]
    pub(crate) library: LibraryDescription,
}

/// Answer to [`WorkerRequest::Ready`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReadyWorkload {
    pub(crate) note: Option<String>,
    pub(crate) form: Option<Form>,
    /// Number of bytes read, encrypted and written at a time; `None` if the library chooses it.
    pub(crate) buffer: Option<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimedWorkload {
    /// Wall time of the timed operations.
    pub nanoseconds: u64,
    /// CPU time of the thread, or the sum over all threads.
    pub cpu_nanoseconds: u64,
    /// Number of timed operations: those of the fastest part, or those of all threads.
    pub iterations: u64,
    /// Checksum of the output of one operation from a fresh state; `None` if the output is random.
    pub check: Option<String>,
    /// Output in hexadecimal, if the request asked for it.
    pub output: Option<String>,
    /// Observed code path, if the request asked for it.
    pub code_path: Option<String>,
    /// Bytes of garbage-collected memory that an operation allocates; `None` if they are not counted.
    pub allocated_bytes: Option<u64>,
    /// Clock of the core around the slice, in Hz.
    pub core_hz: Option<f64>,
    /// Independent additions per second that the core can do. It is the lower of two probes, one before and one after
    /// the slice.
    pub additions_hz: Option<f64>,
    pub note: Option<String>,
}

impl TimedWorkload {
    /// Returns the answer to `slice`, which took `elapsed`, or says why it cannot be true. Adds the checksum if the
    /// answer has the output alone.
    pub(crate) fn checked(mut self, slice: &Slice, elapsed: Duration) -> Result<TimedWorkload, String> {
        let Slice { workload, iterations, threads, .. } = slice;
        // A worker runs whole batches of packets.
        let batch = workload.packets().map_or(1, |packets| packets.batch) as u64;
        let most = iterations.saturating_add(batch).saturating_mul(*threads as u64);
        if self.iterations == 0 || self.iterations > most {
            return Err(format!("said it did {} operations of {iterations}", self.iterations));
        }
        if Duration::from_nanos(self.nanoseconds) > elapsed + CLOCK_TOLERANCE {
            let said = Duration::from_nanos(self.nanoseconds);
            return Err(format!("said it took {said:.1?}, but answered after {elapsed:.1?}"));
        }
        if self.check.is_none() && deterministic(workload) {
            self.check = self.output.as_deref().and_then(from_hexadecimal).map(|output| checksum(&output));
        }
        self.check = self.check.as_deref().map(printable);
        self.note = self.note.as_deref().map(printable);
        self.code_path = self.code_path.as_deref().map(printable);
        Ok(self)
    }
}

/// Returns the checksum of an output: the first 16 bytes of its SHA-256 in hexadecimal.
pub(crate) fn checksum(output: &[u8]) -> String {
    to_hexadecimal(&Sha256::digest(output)[..16])
}

/// Written form of a [`WorkerRequest`]: one flat JSON object. Each kind of request uses some of the fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RequestLine {
    /// Name of a workload's operation, or `describe`.
    operation: String,
    algorithm: Option<Algorithm>,
    bytes: usize,
    nonces: NonceForm,
    keys: Option<usize>,
    packets: Option<Packets>,
    file: Option<FileConversion>,
    /// Number of operations; 0 only prepares the workload.
    iterations: u64,
    parts: Option<usize>,
    threads: Option<usize>,
    fixtures: Option<Box<Fixtures>>,
    output: bool,
    observe_ms: u64,
    seconds: Option<f64>,
}

impl From<WorkerRequest> for RequestLine {
    fn from(request: WorkerRequest) -> RequestLine {
        match request {
            WorkerRequest::Describe => RequestLine { operation: "describe".to_owned(), ..RequestLine::default() },
            WorkerRequest::Ready(workload, threads) => {
                RequestLine { threads: Some(threads), ..RequestLine::with_workload(&workload, 0) }
            }
            WorkerRequest::Slice(slice) => RequestLine {
                fixtures: slice.fixtures,
                file: slice.file,
                parts: Some(slice.parts),
                threads: Some(slice.threads),
                output: slice.output,
                observe_ms: slice.observe_ms,
                ..RequestLine::with_workload(&slice.workload, slice.iterations)
            },
            WorkerRequest::OwnClock(workload, seconds) => {
                RequestLine { seconds: Some(seconds), ..RequestLine::with_workload(&workload, 1) }
            }
        }
    }
}

impl RequestLine {
    fn with_workload(workload: &Workload, iterations: u64) -> RequestLine {
        let Workload { operation, algorithm, bytes, nonces, keys, setting: _ } = *workload;
        let files = workload.files();
        RequestLine {
            operation: operation.name().to_owned(),
            algorithm: Some(algorithm),
            // For files, the input file determines the size, which may exceed the limit for texts in memory.
            bytes: if files.is_some() { bytes.min(MAX_BYTES) } else { bytes },
            nonces,
            keys: Some(keys),
            packets: workload.packets(),
            // Without paths, the request only asks whether the worker supports such work.
            file: files.map(|_| FileConversion { input: String::new(), output: String::new(), buffer: BUFFER }),
            iterations,
            ..RequestLine::default()
        }
    }

    pub(crate) fn request(self) -> Result<WorkerRequest, String> {
        if self.operation == "describe" {
            return Ok(WorkerRequest::Describe);
        }
        let workload = self.workload()?;
        let threads = self.threads.unwrap_or(1);
        if threads == 0 || threads > MAX_THREADS {
            return Err(format!("cannot start {threads} threads"));
        }
        let RequestLine { file, fixtures, iterations, output, observe_ms, .. } = self;
        Ok(match (file, self.seconds) {
            _ if iterations == 0 => WorkerRequest::Ready(workload, threads),
            (Some(_), _) if iterations != 1 => {
                return Err("a request encrypts or decrypts a file exactly once".to_owned());
            }
            (None, Some(seconds)) => WorkerRequest::OwnClock(workload, seconds),
            (file, _) => {
                let parts = self.parts.unwrap_or(1);
                WorkerRequest::Slice(Slice { workload, fixtures, file, iterations, parts, threads, output, observe_ms })
            }
        })
    }

    fn workload(&self) -> Result<Workload, String> {
        let algorithm = self.algorithm.ok_or("the request names no algorithm")?;
        if algorithm.is_quoted() {
            return Err(format!("{algorithm} cannot be measured; it is known only from published tables"));
        }
        let operation: Operation = self.operation.parse().map_err(|error| format!("{error}"))?;
        let setting = match (self.packets(operation)?, &self.file) {
            (Some(packets), _) => Setting::Packets(packets),
            (None, Some(_)) => self.files(operation)?,
            (None, None) => Setting::Memory,
        };
        if !operation.applies_to(algorithm.kind()) && setting == Setting::Memory {
            return Err(format!("{algorithm} does not support {operation}"));
        }
        if self.bytes > MAX_BYTES {
            return Err(format!("a workload has at most {MAX_BYTES} bytes, not {}", self.bytes));
        }
        let keys = self.keys.unwrap_or(1);
        if keys == 0 || keys > MAX_KEYS {
            return Err(format!("the number of keys must be from 1 to {MAX_KEYS}, not {keys}"));
        }
        let workload = Workload::new(operation, algorithm, self.bytes);
        Ok(Workload { setting, ..workload.with_nonces(self.nonces).with_keys(keys) })
    }

    /// Returns the setting for files. Storage and cache are placeholders, since the worker does not need to know where
    /// the files are.
    fn files(&self, operation: Operation) -> Result<Setting, String> {
        let is_cipher =
            self.algorithm.is_some_and(|one| matches!(one.kind(), AlgorithmKind::Cipher | AlgorithmKind::Aead));
        if !is_cipher || !matches!(operation, Operation::Encrypt | Operation::Decrypt) {
            return Err("files can only be encrypted or decrypted, with a cipher or an AEAD".to_owned());
        }
        Ok(Setting::Files(Files { storage: Storage::File, cache: Cache::Warm }))
    }

    /// Returns how the workload forms packets; `None` for workloads without packets.
    fn packets(&self, operation: Operation) -> Result<Option<Packets>, String> {
        let has_header_protection = operation.has_header_protection();
        let Some(packets) = self.packets.or(has_header_protection.then_some(Packets::SINGLE)) else { return Ok(None) };
        let is_aead = self.algorithm.is_some_and(|algorithm| algorithm.kind() == AlgorithmKind::Aead);
        let is_whole = packets.setup && !packets.record;
        let are_sound = (has_header_protection || operation == Operation::Seal)
            && is_aead
            && (1..=MAX_BATCH).contains(&packets.batch)
            && (is_whole || !has_header_protection)
            && (packets.setup || (!packets.record && packets.batch == 1))
            && self.nonces == NonceForm::Ahead
            && (self.keys.unwrap_or(1), self.threads.unwrap_or(1)) == (1, 1);
        if are_sound { Ok(Some(packets)) } else { Err("these are no packets that can be measured".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packet_requests_survive_a_round_trip_through_json() {
        for (operation, packets) in [
            (Operation::Seal, Packets::CIPHER),
            (Operation::Seal, Packets::SINGLE),
            (Operation::Seal, Packets::RECORD),
            (Operation::Protect, Packets::batch(16)),
            (Operation::Unprotect, Packets::looped(64)),
        ] {
            let workload = Workload::new(operation, Algorithm::Aes256Gcm, 1440).with_setting(Setting::Packets(packets));
            let request = WorkerRequest::Slice(Slice::new(workload, 1));
            let text = serde_json::to_string(&request).unwrap();
            let line: RequestLine = serde_json::from_str(&text).unwrap();
            assert_eq!(line.request(), Ok(request), "{text}");
        }
    }

    #[test]
    fn request_rejects_contradictory_packet_options() {
        let whole = RequestLine::with_workload(&Workload::new(Operation::Seal, Algorithm::Aes128Gcm, 100), 1);
        let protect = RequestLine { operation: "protect".to_owned(), ..whole.clone() };
        let of_protect = |packets: Packets| RequestLine { packets: Some(packets), ..protect.clone() };
        for line in [
            of_protect(Packets::batch(0)),
            of_protect(Packets::batch(65)),
            of_protect(Packets::CIPHER),
            of_protect(Packets::RECORD),
            RequestLine { packets: Some(Packets { batch: 2, ..Packets::CIPHER }), ..whole.clone() },
            RequestLine { threads: Some(2), ..protect.clone() },
            RequestLine { keys: Some(2), ..protect.clone() },
            RequestLine {
                algorithm: Some(Algorithm::Sha256),
                operation: "hash".to_owned(),
                ..of_protect(Packets::SINGLE)
            },
        ] {
            assert!(line.clone().request().is_err(), "{line:?}");
        }
    }
}
