//! What the laboratory asks its workers, and what they answer: one JSON object a line, request and answer in turn.
//!
//! An answer does not say to what it is one: who asked knows what to read.

use serde::{Deserialize, Serialize};

use kasoku_libraries::fixtures::Fixtures;
use kasoku_libraries::{JobError, Unavailable, Unsupported};
use kasoku_model::workload::Workload;
use kasoku_model::workload::files::{BUFFER, Form};

/// No line is longer: the answer that holds an output of the largest verified text fits.
pub const MAX_LINE: usize = 4 << 20;

/// What a worker is asked. How it is written, `line.rs` says.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkerRequest {
    /// What library this is: a [`LibraryDescription`](kasoku_libraries::LibraryDescription).
    Describe,
    /// To make a workload ready in this many threads, to see whether there is such a one: `ReadyWorkload`.
    Ready(Workload, usize),
    /// To time a workload in memory: [`TimedWorkload`].
    Slice(Slice),
    /// To do a workload once, on other inputs than its own: a published vector, or another library's signature to
    /// verify: `WorkloadOutput`.
    Once(Workload, Box<Fixtures>),
    /// To measure for this many seconds, by a clock of the library's own: [`TimedWorkload`].
    OwnClock(Workload, f64),
    /// To encrypt or decrypt a file into another: [`TimedWorkload`], or `Observed` if it is to be observed.
    File(FileSlice),
}

/// A workload in memory, and how it is timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// What is done.
    pub workload: Workload,
    /// Bytes of AAD, if not as many as always.
    pub aad: Option<usize>,
    /// How often, in each thread.
    pub iterations: u64,
    /// In how many parts the operations are timed, one after the other; the fastest part is answered.
    pub parts: usize,
    /// How many threads do that at once.
    pub threads: usize,
    /// Whether the output itself is wanted, and not only its check.
    pub output: bool,
    /// Milliseconds to find out the code path in; 0 for not.
    pub observe_ms: u64,
}

impl Slice {
    /// `workload` done `iterations` times, in one part and one thread.
    pub fn of(workload: Workload, iterations: u64) -> Slice {
        Slice { workload, aad: None, iterations, parts: 1, threads: 1, output: false, observe_ms: 0 }
    }
}

/// One encryption or decryption of a file by this many threads.
#[derive(Clone, Debug, PartialEq)]
pub struct FileSlice {
    /// What is done.
    pub workload: Workload,
    /// In how many threads.
    pub threads: usize,
    /// The files.
    pub file: FileConversion,
    /// Milliseconds to find out the code path in, instead of timing it; 0 for not.
    pub observe_ms: u64,
}

/// A file that is encrypted or decrypted into another, in pieces, as an application does it: with operation `encrypt`
/// or `decrypt`, of GCM too. Key and IV are those of [`Fixtures::of`] for the algorithm at any size; CBC is padded
/// (PKCS #7), GCM has no AAD and its tag behind the ciphertext. Timed is everything from opening the files to closing
/// them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileConversion {
    /// What is read.
    pub input: String,
    /// What is written; one that is there is overwritten.
    pub output: String,
    /// Bytes that are read and handed to the cipher at once, where the library does not choose.
    pub buffer: usize,
}

impl Default for FileConversion {
    /// No files yet: to ask whether there is such work.
    fn default() -> Self {
        FileConversion { input: String::new(), output: String::new(), buffer: BUFFER }
    }
}

/// What a worker answers: why it cannot, or what it was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum WorkerAnswer<T> {
    Refused(Refusal),
    Done(T),
}

/// Why a worker does not do what it was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Refusal {
    /// The library cannot be opened here.
    Unavailable {
        unavailable: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        install: Option<String>,
    },
    /// There is no such workload here.
    Unsupported { unsupported: String },
    /// Something went wrong.
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

/// A workload that was made ready.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReadyWorkload {
    /// What a reader of the figure must know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// How the encrypted form of a file is laid out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) form: Option<Form>,
    /// Bytes of a file that are read, worked on and written at a time; absent where the library chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) buffer: Option<usize>,
}

/// A workload that was timed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimedWorkload {
    /// Wall time of the timed region.
    pub nanoseconds: u64,
    /// CPU time of the thread, or of all threads together.
    pub cpu_nanoseconds: u64,
    /// Operations that were timed: in the fastest part, or in all threads.
    pub iterations: u64,
    /// The first 16 bytes of SHA-256 over the output of one operation from a fresh state, in hexadecimal. Absent where
    /// the output is not determined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The output, in hexadecimal, where it was wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What really ran, where that was to be found out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_path: Option<String>,
    /// Bytes that an operation allocates for a garbage collector, where that was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocated_bytes: Option<u64>,
    /// The core clock around the slice, in Hz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_hz: Option<f64>,
    /// Independent additions a second right before or after the slice, the lower of the two, in Hz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additions_hz: Option<f64>,
    /// What a reader of the figure must know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What came out of an operation on given inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkloadOutput {
    pub(crate) check: String,
    /// In hexadecimal.
    pub(crate) output: String,
}

/// What was seen of work on a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Observed {
    pub(crate) code_path: String,
}
